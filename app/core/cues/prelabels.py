"""Pre-labels: cues and scene changes that a model suggests, in lanes of their own, until somebody decides on them.

A pre-label is a segment by the annotator `PRELABELS`, who is no person. What somebody decided about it is a review of
theirs: agreement is acceptance, and its note is the id of the cue that they got for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.cues.marks import MODEL, SCHEME
from app.core.cues.placing import Placed
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.queries.annotators import all_annotators, annotator_by_name, insert_annotator
from project.queries.participants import all_participants
from project.queries.reviews import review_by, reviews_in
from project.queries.segments import delete_segment, insert_segment, segments_of, set_value, values_in
from project.store import Study
from project.types import Annotator, Changes, FieldValue, Segment

PRELABELS = "Pre-labels"
SUGGESTED_IN = (SCHEME, "scenes")
"""Schemes in which a model suggests segments."""


@dataclass(frozen=True, slots=True)
class Prelabel:
    """A suggestion that nobody decided on.

    Attributes:
        segment: that it is.
        participant_id: whose cue it would be; None where nobody knows.
        description: what is seen or heard.
    """

    segment: Segment
    participant_id: str | None
    description: str


def prelabel_annotators(study: Study) -> frozenset[str]:
    """Return the ids of the annotators whose cues are pre-labels."""
    return frozenset(one.id for one in all_annotators(study) if one.kind == MODEL)


def nobodys(study: Study) -> frozenset[str]:
    """Return the ids of annotators whose segments are nobody's work: they do not count, and leave with nothing."""
    return frozenset(one.id for one in all_annotators(study) if one.kind == MODEL and one.name == PRELABELS)


def is_prelabel(study: Study, one: Segment) -> bool:
    """Tell a pre-label from a person's work."""
    return one.scheme in SUGGESTED_IN and one.annotator_id in prelabel_annotators(study)


def is_decided(session: Session, one: Segment) -> bool:
    """Tell whether a segment is a pre-label that the annotator of this session accepted or rejected."""
    viewer = session.annotator()
    return (
        one.scheme in SUGGESTED_IN
        and viewer is not None
        and review_by(session.study, one.id, viewer.id) is not None
        and is_prelabel(session.study, one)
    )


def decided(session: Session, recording_id: str) -> frozenset[str]:
    """Return the ids of the pre-labels of a recording that the annotator of this session accepted or rejected."""
    models, viewer = prelabel_annotators(session.study), session.annotator()
    if not models or viewer is None:
        return frozenset()
    found = {one.id for one in _suggestible(session.study, recording_id) if one.annotator_id in models}
    reviews = reviews_in(session.study, recording_id) if found else {}
    return frozenset(key for key in found if any(one.reviewer_id == viewer.id for one in reviews.get(key, ())))


def open_prelabels(session: Session, recording_id: str) -> list[Prelabel]:
    """Return the pre-labels of a recording that the annotator of this session did not decide on, by start."""
    models = prelabel_annotators(session.study)
    if not models:
        return []
    done = decided(session, recording_id)
    values = values_in(session.study, recording_id)
    found = []
    for one in _suggestible(session.study, recording_id):
        if one.annotator_id in models and one.id not in done:
            given = {key: value.value for key, value in values.get(one.id, {}).items()}
            whose = given.get("participant")
            found.append(Prelabel(one, str(whose) if whose else None, str(given.get("description") or "")))
    return found


def renew_prelabels(session: Session, recording_id: str, found: Sequence[Placed], scheme: str = SCHEME) -> Changes:
    """Put new pre-labels in the place of those that nobody decided on; decided ones stay, and do not come again.

    Only those of one scheme of `SUGGESTED_IN` are touched.

    Raises:
        UserError: a person is called as the pre-labels are.
    """
    study = session.study
    kept = reviews_in(study, recording_id)
    authors = nobodys(study)
    old = [one for one in segments_of(study, recording_id, scheme=scheme) if one.annotator_id in authors]
    judged, gone = ([one for one in old if (one.id in kept) == there] for there in (True, False))
    new = [one for one in found if not any(_same(one, other) for other in judged)]
    if not gone and not new:
        return Changes()
    author = _author(study)
    with study.step(f"Pre-label {scheme}", author.id) as step:
        for one in gone:
            delete_segment(study, one.id)
        if new:
            _insert(session, recording_id, author.id, new, scheme)
    return step.changes | Changes.of([("annotator", author.id)])


def _suggestible(study: Study, recording_id: str) -> list[Segment]:
    found = [one for scheme in SUGGESTED_IN for one in segments_of(study, recording_id, scheme=scheme)]
    return sorted(found, key=lambda one: (one.start_us, one.end_us, one.id))


def _insert(session: Session, recording_id: str, author_id: str, new: Sequence[Placed], scheme: str) -> None:
    study, version = session.study, session.schemes.get(scheme).version
    people = {one.id for one in all_participants(study)}
    for one in new:
        made = Segment(new_id(), recording_id, author_id, one.label, one.start_us, one.end_us, scheme, one.track)
        insert_segment(study, made)
        if one.description:
            set_value(study, FieldValue(made.id, scheme, version, "description", one.description))
        if one.participant_id in people:
            set_value(study, FieldValue(made.id, scheme, version, "participant", one.participant_id))


def _author(study: Study) -> Annotator:
    found = annotator_by_name(study, PRELABELS)
    if found is None:
        found = Annotator(new_id(), PRELABELS, MODEL)
        with study.step(f"Introduce {PRELABELS}", undoable=False):
            insert_annotator(study, found)
    if found.kind != MODEL:
        raise UserError(f"Somebody in this study is called “{PRELABELS}”.", "Pre-labels need that name: change theirs.")
    return found


def _same(new: Placed, old: Segment) -> bool:
    shared = min(new.end_us, old.end_us) - max(new.start_us, old.start_us)
    return (new.track, new.label) == (old.track, old.label) and shared > 0
