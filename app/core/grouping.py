"""Which segments of several annotators stand for each other.

Two segments of different annotators can belong together when they are on the same track, about the same participant,
share some time, and reach the minimum IoU. The pair with the highest IoU is joined first; between equals, one of the
same label and then of the same values. A group holds at most one segment of each annotator, and every two in it can
belong together, so that all of them share a moment. Who is named first makes no difference.

The figures of agreement match otherwise (`benchmark/agreement/matching.py`): they pair two annotators by the highest
sum of IoU, which is the fairest count and may trade one good pair for two fair ones. Here people look at the pairs,
there may be three annotators or more, and a segment must not change its partner because of another one far away.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from app.core.agreement.lanes import Mark
from benchmark.agreement.overlap import Spans, overlaps


def grouped(marks: Sequence[Mark], minimum_iou: float = 0.0) -> list[tuple[Mark, ...]]:
    """Return every mark in exactly one group, by start; many groups hold one mark alone."""
    near = _overlapping(marks, minimum_iou)
    owner = [one.segment.annotator_id for one in marks]
    rank = {order: at for at, order in enumerate(sorted({one.order for one in marks}))}
    ranks = [rank[one.order] for one in marks]

    def preference(pair: tuple[int, int]) -> tuple[float | bool, ...]:
        one, other = marks[pair[0]], marks[pair[1]]
        first, second = sorted((ranks[pair[0]], ranks[pair[1]]))
        return -near[pair], one.segment.label != other.segment.label, one.said != other.said, first, second

    group = [[place] for place in range(len(marks))]
    for a, b in sorted(near, key=preference):
        one, other = group[a], group[b]
        if one is other or {owner[i] for i in one} & {owner[j] for j in other}:
            continue
        if all((min(i, j), max(i, j)) in near for i in one for j in other):
            one += other
            for place in other:
                group[place] = one
    made = {id(one): one for one in group}.values()
    return sorted((tuple(marks[place] for place in one) for one in made), key=lambda one: min(m.order for m in one))


def _overlapping(marks: Sequence[Mark], minimum_iou: float) -> dict[tuple[int, int], float]:
    """Return (place, place) -> IoU of the marks that can belong together, the smaller place first."""
    lanes = {lane: code for code, lane in enumerate({one.lane: None for one in marks})}
    places: dict[str, list[int]] = {}
    for place, one in enumerate(marks):
        places.setdefault(one.segment.annotator_id, []).append(place)
    spans = {
        who: Spans(
            np.array([lanes[marks[place].lane] for place in own], np.int64),
            np.array([marks[place].segment.start_us for place in own], np.int64),
            np.array([marks[place].segment.end_us for place in own], np.int64),
            np.zeros(len(own), np.int64),
        )
        for who, own in places.items()
    }
    near: dict[tuple[int, int], float] = {}
    for who, whom in combinations(places, 2):
        found = overlaps(spans[who], spans[whom])
        for i, j, iou in zip(found.first.tolist(), found.second.tolist(), found.iou.tolist(), strict=True):
            if iou >= minimum_iou:
                a, b = places[who][i], places[whom][j]
                near[min(a, b), max(a, b)] = iou
    return near
