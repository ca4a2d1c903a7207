"""Edits of cues: marking one at a word, and deciding on what a model suggests."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.core.clock import utc_now
from app.core.commands.schemes import use_shipped_scheme
from app.core.commands.segments import add_segment, find
from app.core.cues.marks import SCHEME
from app.core.cues.placing import LEAST_US
from app.core.cues.prelabels import is_prelabel
from app.core.session import Session
from app.core.training import require_training
from project.counted import counted_rows
from project.errors import UserError
from project.ids import new_id
from project.queries.reviews import review_by, set_review
from project.queries.segments import every_value_of, insert_segment, set_value
from project.queries.utterances import utterance
from project.transcript import estimated
from project.types import Changes, Decision, Json, Review, Segment

_MEASURED = ("tone", "description")
"""What was measured in a voice is why a tone is suggested, and no description of it: it stays with the pre-label."""


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

    Args:
        session: whose annotator marks it.
        utterance_id: of the utterance.
        track: key of a track of the scheme `cues`.
        label: key of a label of the track.
        participant_id: whose cue it is: the speaker where None; a listener's response needs the listener.
        description: what is seen or heard.
        word: position of the word that it is pinned to; None for the whole utterance.

    Raises:
        UserError: there is no such utterance, track or label, the training was not passed, or a response names nobody.
    """
    said = utterance(session.study, utterance_id)
    if said is None:
        raise UserError(f"No utterance has the id {utterance_id}.", "It may have been deleted meanwhile.")
    who = participant_id or said.participant_id
    if track == "response" and (participant_id is None or participant_id == said.participant_id):
        raise UserError("A response is what a listener shows.", "Choose who listens.")
    start_us, end_us = said.start_us, said.end_us
    words = said.words or estimated(said.text, said.start_us, said.end_us)
    if word is not None and 0 <= word < len(words):
        start_us = min(words[word].start_us, end_us - LEAST_US // 2)
        end_us = min(max(words[word].end_us, start_us + LEAST_US), end_us)
    changes = Changes() if session.schemes.uses(SCHEME) else use_shipped_scheme(session, SCHEME)[1]
    given: dict[str, Json] = {"participant": who, "description": description.strip()}
    values = {field: value for field, value in given.items() if value}
    made, more = add_segment(
        session, said.recording_id, max(start_us, said.start_us), end_us, label, values, scheme=SCHEME, track=track
    )
    return made, changes | more


def accept(session: Session, segment_ids: Iterable[str]) -> tuple[list[str], Changes]:
    """Make pre-labels cues of one's own, as one step; returns the ids of these and what changed.

    Raises:
        UserError: one is no pre-label, or was decided on by this annotator already.
    """
    found = [_undecided(session, one) for one in segment_ids]
    for one in found:
        require_training(session, one.recording_id)
    made: list[str] = []
    with session.step(f"Accept {_counted(found)}") as step:
        author = session.annotator()
        assert author is not None
        for one in found:
            own = Segment(
                new_id(), one.recording_id, author.id, one.label, one.start_us, one.end_us, one.scheme, one.track
            )
            insert_segment(session.study, own)
            for value in every_value_of(session.study, one.id):
                if (one.track, value.field) == _MEASURED:
                    continue
                set_value(session.study, replace(value, segment_id=own.id))
            set_review(session.study, Review(one.id, author.id, Decision.AGREE, own.id, utc_now()))
            made.append(own.id)
    return made, step.changes


def reject(session: Session, segment_ids: Iterable[str]) -> Changes:
    """Say that pre-labels are wrong, as one step; they are shown no more and do not come again.

    Raises:
        UserError: one is no pre-label, or was decided on by this annotator already.
    """
    found = [_undecided(session, one) for one in segment_ids]
    with session.step(f"Reject {_counted(found)}") as step:
        author = session.annotator()
        assert author is not None
        for one in found:
            set_review(session.study, Review(one.id, author.id, Decision.DISAGREE, "", utc_now()))
    return step.changes


def _undecided(session: Session, segment_id: str) -> Segment:
    session.study.require_writable()
    found = find(session, segment_id)
    if not is_prelabel(session.study, found):
        raise UserError("This is no pre-label.", "Only what a model suggests is accepted or rejected.")
    author = session.annotator()
    if author is not None and review_by(session.study, found.id, author.id) is not None:
        raise UserError("You decided on this pre-label already.", "Undo takes a decision back.")
    return found


def _counted(prelabels: Sequence[Segment]) -> str:
    return counted_rows(len(prelabels), "pre-label", len({one.recording_id for one in prelabels}))
