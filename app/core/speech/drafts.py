"""Which utterances are drafts of a model that nobody touched, and putting others in their place."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from app.core.session import Session
from models.speech.base import Piece
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.queries.heard import TRANSCRIBE, heard_of
from project.queries.pii import pii_decisions
from project.queries.runs import runs_of
from project.queries.utterances import delete_utterance, insert_utterances, utterances_of
from project.transcript import Heard
from project.types import Changes, Utterance


def require_room(session: Session, recording_id: str, replace: bool) -> None:
    """Refuse to recognise a recording that has a transcript, unless its drafts are to be replaced.

    Raises:
        UserError: it has one; says what would become of it.
    """
    present = utterances_of(session.study, recording_id)
    if present and not replace:
        number = session.recording(recording_id).number
        kept = len(kept_of(session, recording_id))
        drafts = counted(len(present) - kept, "draft")
        raise UserError(
            f"Recording {number} has a transcript of {counted(len(present), 'utterance')} already.",
            f"Replace the {drafts} that nobody touched with --replace; {kept} that people made or checked stay."
            if kept < len(present)
            else "People made or checked all of it: with --replace it stays as it is, and is added to.",
        )


def kept_of(session: Session, recording_id: str) -> list[Utterance]:
    """Return the utterances of a recording that a new draft leaves as they are, by start.

    That is all but those which are just as a model wrote them: not checked, cut, joined, moved or typed by anybody,
    without a speaker that somebody chose, and without a decision on personal information in them.
    """
    decided = {place.row for place in pii_decisions(session.study) if place.table == "utterance"}
    drafted = {
        (one.start_us, one.end_us, one.text, one.words)
        for run in runs_of(session.study, recording_id, TRANSCRIBE)
        for one in heard_of(session.study, run.id)
    }
    return [
        one
        for one in utterances_of(session.study, recording_id)
        if one.checked
        or (one.participant_id is not None and not one.suggested)
        or one.id in decided
        or (one.start_us, one.end_us, one.text, one.words) not in drafted
    ]


def outside(pieces: Sequence[Piece], kept: Sequence[Utterance]) -> list[Piece]:
    """Return the pieces whose middle lies in no utterance that is kept."""
    spans = _joined((one.start_us, one.end_us) for one in kept)
    starts = [start for start, _ in spans]

    def free(piece: Piece) -> bool:
        middle = (piece.start_us + piece.end_us) // 2
        at = bisect_right(starts, middle) - 1
        return at < 0 or middle >= spans[at][1]

    return [piece for piece in pieces if free(piece)]


def put_drafts(session: Session, recording_id: str, drafts: Sequence[Heard], kept: Sequence[Utterance]) -> Changes:
    """Put drafts into the transcript as one step; all that is there but what is kept makes room for them."""
    stays = {one.id for one in kept}
    with session.step(f"Transcribe recording {session.recording(recording_id).number}") as step:
        for one in utterances_of(session.study, recording_id):
            if one.id not in stays:
                delete_utterance(session.study, one.id)
        insert_utterances(
            session.study,
            [
                Utterance(new_id(), recording_id, one.start_us, one.end_us, one.text, words=one.words, checked=False)
                for one in drafts
            ],
        )
    return step.changes


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found
