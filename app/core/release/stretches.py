"""Stretches of a recording's axis as sets: what several cover together, and what is left of one without others."""

from collections.abc import Iterable

Stretch = tuple[int, int]
"""Start and end in microseconds."""


def together(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Return what stretches cover, ascending, none touching another; those without a length cover nothing."""
    found: list[Stretch] = []
    for start, end in sorted(one for one in stretches if one[1] > one[0]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def left_of(stretches: Iterable[Stretch], without: Iterable[Stretch]) -> list[Stretch]:
    """Return what stretches cover and others do not."""
    found: list[Stretch] = []
    gone = together(without)
    for start, end in together(stretches):
        at = start
        for first, last in gone:
            if last <= at or first >= end:
                continue
            if first > at:
                found.append((at, first))
            at = max(at, last)
        if at < end:
            found.append((at, end))
    return found


def widened(stretches: Iterable[Stretch], by_us: int) -> list[Stretch]:
    """Return stretches with a margin on both sides, not before zero."""
    return [(max(0, start - by_us), end + by_us) for start, end in stretches]
