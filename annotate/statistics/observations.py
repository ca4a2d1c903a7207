"""Observations: who was observed by whom, for how long, and what was marked.

Time budgets and transitions are counted from them.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

MarkedSpan = tuple[str, int, int]
"""Label, start and end in microseconds; a point ends where it starts."""
TimeSpan = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CodedObservation:
    """What one annotator observed of one recording, or of one participant or phase in it.

    Attributes:
        group: its value for each key by which observations are grouped.
        spans: the time that was observed, in microseconds; apart, by start.
        marks: what was marked, by start; what lies outside of the spans is cut off.
    """

    group: tuple[str, ...]
    spans: tuple[TimeSpan, ...]
    marks: tuple[MarkedSpan, ...]

    @property
    def observed_us(self) -> int:
        """How long it was observed."""
        return sum(end - start for start, end in self.spans)


def cut_marks(observation: CodedObservation) -> Iterator[tuple[int, MarkedSpan]]:
    """Yield what was marked inside the observed spans, each with the place of its span.

    A segment that crosses the end of a span is cut there and counts in both. A point belongs to the span that starts
    at it; at the end of the last one, to that.
    """
    starts = [start for start, _ in observation.spans]
    for label, start, end in observation.marks:
        first = max(0, bisect_left(starts, start + 1) - 1)
        for place in range(first, len(starts)):
            low, high = observation.spans[place]
            if low >= end and not (start == end == low):
                break
            is_last = place + 1 == len(starts)
            if start == end:
                if low <= start < high or (is_last and start == high):
                    yield place, (label, start, end)
                    break
            elif start < high:
                yield place, (label, max(start, low), min(end, high))


def observed_before(observation: CodedObservation) -> list[int]:
    """Return how much time was observed before each span, in microseconds."""
    return [0, *accumulate(end - start for start, end in observation.spans)][:-1]


def unite_spans(spans: Sequence[TimeSpan]) -> list[TimeSpan]:
    """Return the stretches that spans cover together, by start."""
    united: list[TimeSpan] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return united


def intersect_spans(spans: Sequence[TimeSpan], others: Sequence[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Return what is in spans of both; the spans of each lie apart."""
    return tuple(
        (max(start, low), min(end, high))
        for start, end in spans
        for low, high in others
        if max(start, low) < min(end, high)
    )


def group_observations(observations: Sequence[CodedObservation]) -> Mapping[tuple[str, ...], list[CodedObservation]]:
    """Return group -> its observations, in the order in which groups come first."""
    grouped: dict[tuple[str, ...], list[CodedObservation]] = {}
    for observation in observations:
        grouped.setdefault(observation.group, []).append(observation)
    return grouped
