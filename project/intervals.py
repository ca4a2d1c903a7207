"""Stretches of time as pairs of start and end in microseconds: subtracted and widened."""

from collections.abc import Iterable

from project.timebase import merge_spans

Interval = tuple[int, int]
"""Start and end in microseconds."""


def subtract_intervals(stretches: Iterable[Interval], without: Iterable[Interval]) -> list[Interval]:
    """Return what stretches cover and others do not."""
    found: list[Interval] = []
    gone = merge_spans(interval for interval in without if interval[1] > interval[0])
    for start, end in merge_spans(stretches):
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


def widen_intervals(stretches: Iterable[Interval], by_us: int) -> list[Interval]:
    """Return stretches with a margin on both sides, not before zero."""
    return [(max(0, start - by_us), end + by_us) for start, end in stretches]
