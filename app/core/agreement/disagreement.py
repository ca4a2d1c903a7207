"""Where the annotators of one recording do not say the same: for the strip over the timeline and its keys."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence

import numpy as np

from benchmark.agreement.disagreement import Disagreement, disagreement_spans
from benchmark.agreement.overlap import Spans
from project.types import Segment


def disagreements(
    segments: Sequence[Segment], annotators: Collection[str], scheme: str, track: str
) -> list[Disagreement]:
    """Return the stretches of one recording in which these annotators differ, by start.

    Args:
        segments: of the recording; those of other tracks or people are left out.
        annotators: ids of who worked on the recording, also of who marked nothing.
        scheme: key of the scheme.
        track: key of the track that is compared.
    """
    lanes: dict[str, list[tuple[int, int, int]]] = {who: [] for who in annotators}
    labels: dict[str, int] = {}
    for one in segments:
        if one.track == track and one.scheme == scheme and one.annotator_id in lanes:
            lanes[one.annotator_id].append((one.start_us, one.end_us, labels.setdefault(one.label, len(labels))))
    return disagreement_spans([_spans(rows) for rows in lanes.values()])


def next_after(found: Sequence[Disagreement], time_us: int) -> Disagreement | None:
    """Return the first stretch that starts later than a time, or None."""
    place = bisect_right(found, time_us, key=lambda one: one.start_us)
    return found[place] if place < len(found) else None


def last_before(found: Sequence[Disagreement], time_us: int) -> Disagreement | None:
    """Return the last stretch that starts earlier than a time, or None."""
    place = bisect_left(found, time_us, key=lambda one: one.start_us)
    return found[place - 1] if place else None


def _spans(rows: list[tuple[int, int, int]]) -> Spans:
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return Spans(np.zeros(len(rows), np.int64), columns[:, 0], columns[:, 1], columns[:, 2])
