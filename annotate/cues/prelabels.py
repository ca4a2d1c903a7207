"""Pre-labels: cues and scene changes that a model suggests, in lanes of their own, until somebody decides on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotate.cues.cue_marks import MIN_DURATION_US, MODEL, SCHEME, CuePrelabel
from annotate.segments.segment_edits import add_segment, find_segment
from annotate.study.scheme_versions import ensure_scheme
from annotate.team.training_gate import require_training
from project.entities.study_records import Annotator, Changes, FieldValue, Json, Review, ReviewDecision, Segment
from project.entities.transcript import estimate_word_times
from project.errors import UserError, unknown_id
from project.ids import new_id
from project.queries.annotator_rows import (
    all_annotators,
    annotator_by_name,
    insert_annotator,
    review_by,
    reviews_in,
    set_review,
)
from project.queries.recording_rows import all_participants
from project.queries.segment_rows import (
    delete_segments,
    insert_segment,
    segments_of,
    set_value,
    value_history,
    values_in,
)
from project.queries.transcript_rows import find_utterance
from project.session.session import Session
from project.store.study import Study
from project.text_format import describe_rows
from project.timebase import utc_now

PRELABELS = "Pre-labels"
SUGGESTED_SCHEMES = (SCHEME, "scenes")
"""Schemes in which a model suggests segments."""


@dataclass(frozen=True, slots=True)
class Prelabel:
    """A suggestion that nobody decided on.

    Attributes:
        participant_id: whose cue it would be; None where nobody knows.
    """

    segment: Segment
    participant_id: str | None
    description: str


def prelabel_annotators(study: Study) -> frozenset[str]:
    """Return the ids of the annotators whose cues are pre-labels."""
    return frozenset(annotator.id for annotator in all_annotators(study) if annotator.kind == MODEL)


def uncounted_annotators(study: Study) -> frozenset[str]:
    """Return the ids of annotators whose segments are nobody's work: they do not count, and leave with nothing."""
    return frozenset(
        annotator.id for annotator in all_annotators(study) if annotator.kind == MODEL and annotator.name == PRELABELS
    )


def is_prelabel(study: Study, segment: Segment) -> bool:
    """Tell a pre-label from a person's work."""
    return segment.scheme in SUGGESTED_SCHEMES and segment.annotator_id in prelabel_annotators(study)


def is_decided(session: Session, segment: Segment) -> bool:
    """Tell whether a segment is a pre-label that the annotator of this session accepted or rejected."""
    viewer = session.annotator()
    return (
        segment.scheme in SUGGESTED_SCHEMES
        and viewer is not None
        and review_by(session.study, segment.id, viewer.id) is not None
        and is_prelabel(session.study, segment)
    )


def decided_prelabels(session: Session, recording_id: str) -> frozenset[str]:
    """Return the ids of the pre-labels of a recording that the annotator of this session accepted or rejected."""
    models, viewer = prelabel_annotators(session.study), session.annotator()
    if not models or viewer is None:
        return frozenset()
    found = {segment.id for segment in _suggestible(session.study, recording_id) if segment.annotator_id in models}
    reviews = reviews_in(session.study, recording_id) if found else {}
    return frozenset(key for key in found if any(review.reviewer_id == viewer.id for review in reviews.get(key, ())))


def open_prelabels(session: Session, recording_id: str) -> list[Prelabel]:
    """Return the pre-labels of a recording that the annotator of this session did not decide on, by start."""
    models = prelabel_annotators(session.study)
    if not models:
        return []
    done = decided_prelabels(session, recording_id)
    values = values_in(session.study, recording_id)
    found = []
    for segment in _suggestible(session.study, recording_id):
        if segment.annotator_id in models and segment.id not in done:
            given = values.get(segment.id, {})
            whose = given.get("participant")
            found.append(Prelabel(segment, str(whose) if whose else None, str(given.get("description") or "")))
    return found


def replace_prelabels(
    session: Session, recording_id: str, found: Sequence[CuePrelabel], scheme: str = SCHEME
) -> Changes:
    """Put new pre-labels in the place of those that nobody decided on; decided ones stay, and do not come again.

    Only those of one scheme of `SUGGESTED_SCHEMES` are touched.
    """
    study = session.study
    kept = reviews_in(study, recording_id)
    authors = uncounted_annotators(study)
    old = [segment for segment in segments_of(study, recording_id, scheme=scheme) if segment.annotator_id in authors]
    judged, gone = ([segment for segment in old if (segment.id in kept) == there] for there in (True, False))
    new = [prelabel for prelabel in found if not any(_is_same_cue(prelabel, other) for other in judged)]
    if not gone and not new:
        return Changes()
    author = _author(study)
    with study.step(f"Pre-label {scheme}", author.id) as step:
        for segment in gone:
            delete_segments(study, segment.id)
        if new:
            _insert(session, recording_id, author.id, new, scheme)
    return step.changes | Changes.from_pairs([("annotator", author.id)])


def _suggestible(study: Study, recording_id: str) -> list[Segment]:
    found = [segment for scheme in SUGGESTED_SCHEMES for segment in segments_of(study, recording_id, scheme=scheme)]
    return sorted(found, key=lambda segment: (segment.start_us, segment.end_us, segment.id))


def _insert(session: Session, recording_id: str, author_id: str, new: Sequence[CuePrelabel], scheme: str) -> None:
    study, version = session.study, session.schemes.get(scheme).version
    people = {participant.id for participant in all_participants(study)}
    for prelabel in new:
        made = Segment(
            new_id(),
            recording_id,
            author_id,
            prelabel.label,
            prelabel.start_us,
            prelabel.end_us,
            scheme,
            prelabel.track,
        )
        insert_segment(study, made)
        if prelabel.description:
            set_value(study, FieldValue(made.id, scheme, version, "description", prelabel.description))
        if prelabel.participant_id in people:
            set_value(study, FieldValue(made.id, scheme, version, "participant", prelabel.participant_id))


def _author(study: Study) -> Annotator:
    found = annotator_by_name(study, PRELABELS)
    if found is None:
        found = Annotator(new_id(), PRELABELS, MODEL)
        with study.step(f"Introduce {PRELABELS}", undoable=False):
            insert_annotator(study, found)
    if found.kind != MODEL:
        raise UserError(f"The name “{PRELABELS}” of an annotator is reserved for pre-labels.", "Rename the annotator.")
    return found


def _is_same_cue(new: CuePrelabel, old: Segment) -> bool:
    shared = min(new.end_us, old.end_us) - max(new.start_us, old.start_us)
    return (new.track, new.label) == (old.track, old.label) and shared > 0


_MEASURED_FIELD = ("tone", "description")
"""Track and field of measured values. They are the reason for a suggested tone, so an accepted cue omits them."""


def add_cue(
    session: Session,
    utterance_id: str,
    track: str,
    label: str,
    participant_id: str | None = None,
    description: str = "",
    word: int | None = None,
) -> tuple[str, Changes]:
    """Mark a cue inside an utterance; returns its id and what changed. The scheme comes into use where it is not yet.

    It is the speaker's, or a listener's response, which needs the listener. It is pinned to the word at position
    `word`, or lies over the whole utterance.
    """
    said = find_utterance(session.study, utterance_id)
    if said is None:
        raise unknown_id("utterance", utterance_id)
    who = participant_id or said.participant_id
    if track == "response" and (participant_id is None or participant_id == said.participant_id):
        raise UserError("A response needs a listener.", "Choose who listens.")
    start_us, end_us = said.start_us, said.end_us
    words = said.words or estimate_word_times(said.text, said.start_us, said.end_us)
    if word is not None and 0 <= word < len(words):
        start_us = min(words[word].start_us, end_us - MIN_DURATION_US // 2)
        end_us = min(max(words[word].end_us, start_us + MIN_DURATION_US), end_us)
    changes = ensure_scheme(session, SCHEME)
    given: dict[str, Json] = {"participant": who, "description": description.strip()}
    values = {field: value for field, value in given.items() if value}
    made, more = add_segment(
        session, said.recording_id, max(start_us, said.start_us), end_us, label, values, scheme=SCHEME, track=track
    )
    return made, changes | more


def accept_prelabels(session: Session, segment_ids: Iterable[str]) -> tuple[list[str], Changes]:
    """Make pre-labels cues of one's own, as one step; returns the ids of these and what changed."""
    found = [_require_undecided(session, segment_id) for segment_id in segment_ids]
    for segment in found:
        require_training(session, segment.recording_id)
    made: list[str] = []
    with session.step(f"Accept {_format_count(found)}") as step:
        author = session.author()
        for segment in found:
            own = replace(segment, id=new_id(), annotator_id=author.id)
            insert_segment(session.study, own)
            for value in value_history(session.study, segment.id):
                if (segment.track, value.field) == _MEASURED_FIELD:
                    continue
                set_value(session.study, replace(value, segment_id=own.id))
            set_review(session.study, Review(segment.id, author.id, ReviewDecision.AGREE, own.id, utc_now()))
            made.append(own.id)
    return made, step.changes


def reject_prelabels(session: Session, segment_ids: Iterable[str]) -> Changes:
    """Say that pre-labels are wrong, as one step; they are shown no more and do not come again."""
    found = [_require_undecided(session, segment_id) for segment_id in segment_ids]
    with session.step(f"Reject {_format_count(found)}") as step:
        author = session.author()
        for segment in found:
            set_review(session.study, Review(segment.id, author.id, ReviewDecision.DISAGREE, "", utc_now()))
    return step.changes


def _require_undecided(session: Session, segment_id: str) -> Segment:
    session.study.require_writable()
    found = find_segment(session, segment_id)
    if not is_prelabel(session.study, found):
        raise UserError("This is not a pre-label.", "Only pre-labels can be accepted or rejected.")
    author = session.annotator()
    if author is not None and review_by(session.study, found.id, author.id) is not None:
        raise UserError("You already decided on this pre-label.", "Use Undo to take the decision back.")
    return found


def _format_count(prelabels: Sequence[Segment]) -> str:
    return describe_rows(len(prelabels), "pre-label", len({prelabel.recording_id for prelabel in prelabels}))
