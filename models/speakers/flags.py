"""Where a person should look at a suggestion of who speaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from models.speakers.turns import Turn
from project.timebase import SECOND

SHORT_US = 2 * SECOND // 5
SURE = 0.6
_LEAST_TURN_US = SECOND
_SHARED = 0.3


class FlagKind(StrEnum):
    """Why."""

    DISAGREE = "disagree"
    TWO_VOICES = "two-voices"
    OVERLAP = "overlap"
    SHORT = "short"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True, slots=True)
class Flag:
    """One place to look at.

    Attributes:
        utterance: its id; "" for a stretch without one.
        person: key of who was suggested.
        other: key of who else it may be.
        at_us: where another voice begins, for `TWO_VOICES`.
    """

    kind: FlagKind
    utterance: str
    start_us: int
    end_us: int
    person: str | None = None
    other: str | None = None
    at_us: int | None = None


def flags_of(
    stretches: Sequence[tuple[str, int, int, str | None]],
    people: Sequence[str | None],
    others: Sequence[str | None],
    confidences: Sequence[float],
    shared: Sequence[float],
    turns: Sequence[Turn],
) -> list[Flag]:
    """Return the places to look at, in order of time; those where a person said who speaks are none.

    Args:
        stretches: (n,) id, start, end, and who somebody said it is.
        people: (n,) who was suggested.
        others: (n,) who else a sure face or voice says it is.
        confidences: (n,) of the suggestions.
        shared: (n,) how much of each stretch others share.
        turns: of one voice each, inside the stretches.
    """
    changes = _changes(turns)
    flags = []
    for (key, start, end, said), person, other, confidence, common in zip(
        stretches, people, others, confidences, shared, strict=True
    ):
        if said is not None:
            continue
        kinds: list[tuple[FlagKind, int | None]] = []
        if other is not None:
            kinds.append((FlagKind.DISAGREE, None))
        change = next((at for at in changes if start < at < end), None) if key else None
        if change is not None:
            kinds.append((FlagKind.TWO_VOICES, change))
        if common >= _SHARED:
            kinds.append((FlagKind.OVERLAP, None))
        if end - start < SHORT_US:
            kinds.append((FlagKind.SHORT, None))
        if not kinds and 0 < confidence < SURE:
            kinds.append((FlagKind.DOUBTFUL, None))
        flags += [Flag(kind, key, start, end, person, other, at) for kind, at in kinds]
    return flags


def _changes(turns: Sequence[Turn]) -> list[int]:
    """Return where one voice follows another without a break, both long enough to be told."""
    return [
        second.start_us
        for first, second in pairwise(turns)
        if first.end_us == second.start_us
        and min(first.end_us - first.start_us, second.end_us - second.start_us) >= _LEAST_TURN_US
    ]
