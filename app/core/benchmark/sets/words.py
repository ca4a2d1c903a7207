"""What is said in the recordings that items are made from: who answers whom, and checksums of it."""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

from app.core.session import Session
from app.core.speech.conversation import BEFORE
from project.queries.utterances import utterances_of
from project.types import ParticipantRole, Utterance

_SIGNS = 8


class Words:
    """The transcript of one recording.

    Args:
        session: of the study.
        recording_id: of the recording.
        roles: participant id -> role.
    """

    def __init__(self, session: Session, recording_id: str, roles: Mapping[str, ParticipantRole]) -> None:
        self._said = utterances_of(session.study, recording_id)
        self._roles = roles

    @cached_property
    def _longest_us(self) -> int:
        return max((one.end_us - one.start_us for one in self._said), default=0)

    def between(self, start_us: int, end_us: int) -> list[Utterance]:
        """Return the utterances that share time with a stretch, by start."""
        first = bisect_left(self._said, start_us - self._longest_us, key=lambda one: one.start_us)
        last = bisect_left(self._said, end_us, key=lambda one: one.start_us)
        return [one for one in self._said[first:last] if one.end_us > start_us]

    def state(self, start_us: int, end_us: int) -> str:
        """Return a checksum of what a judge is told of a stretch: what is said in it and led up to it, and by whom."""
        last = bisect_left(self._said, start_us, key=lambda one: one.start_us)
        told = [
            *[one for one in self._said[:last] if one.end_us <= start_us][-BEFORE:],
            *self.between(start_us, end_us),
        ]
        lines = [[one.start_us, one.end_us, one.participant_id, one.text] for one in told]
        return hashlib.sha256(json.dumps(lines, ensure_ascii=True).encode()).hexdigest()[:_SIGNS]

    def exchange(self, start_us: int, end_us: int) -> tuple[str, str] | None:
        """Return what people say in a stretch and what the agent answers; None where nobody says what it answers.

        That is the agent's first turns after words of people, and all that these say before. What lies in the stretch
        by less than half is not of it.
        """
        inside = [one for one in self.between(start_us, end_us) if _mostly_inside(one, start_us, end_us)]
        asked: list[str] = []
        answered: list[str] = []
        for one in inside:
            role = self._roles.get(one.participant_id or "")
            text = one.text.strip()
            if role is None or not text:
                continue
            if role is ParticipantRole.ROBOT:
                if asked:
                    answered.append(text)
            elif answered:
                break
            else:
                asked.append(text)
        return (" ".join(asked), " ".join(answered)) if answered else None


def _mostly_inside(one: Utterance, start_us: int, end_us: int) -> bool:
    shared = min(one.end_us, end_us) - max(one.start_us, start_us)
    return 2 * shared >= one.end_us - one.start_us


def checksum(parts: Sequence[object]) -> str:
    """Return a checksum over what JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, sort_keys=True).encode()).hexdigest()[:16]
