"""What is said in a recording by person, with cues in place; voice-over apart; and where nobody speaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.core.cues.marks import CueMark, cues_at
from app.core.meta.people import Span, joined
from app.core.meta.scenes import is_laid_over, voice_overs
from app.core.session import Session
from project.queries.utterances import utterances_of
from project.timebase import SECOND
from project.types import Utterance

LEAST_PAUSE_US = 2 * SECOND
"""Shorter pauses belong to the talk."""


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance.

    Attributes:
        cues: inside it that people marked, by time.
        left_out: it lies in voice-over, so it is nobody's speech.
    """

    utterance: Utterance
    cues: tuple[CueMark, ...]
    left_out: bool


def speech_of(session: Session, recording_id: str) -> list[Said]:
    """Return the utterances of a recording, by start."""
    over = voice_overs(session, recording_id)
    marks = cues_at(session, recording_id)
    return [
        Said(one, tuple(cue for cue in marks.get(one.id, ()) if not cue.prelabel), is_laid_over(one, over))
        for one in utterances_of(session.study, recording_id)
    ]


def without_speech(said: Sequence[Said], duration_us: int) -> list[Span]:
    """Return the stretches of at least `LEAST_PAUSE_US` in which nobody of the scene speaks, by start."""
    spoken = joined((one.utterance.start_us, one.utterance.end_us) for one in said if not one.left_out)
    edges = [(0, 0), *spoken, (duration_us, duration_us)]
    gaps = [(before[1], after[0]) for before, after in pairwise(edges)]
    return [(start, end) for start, end in gaps if end - start >= LEAST_PAUSE_US]
