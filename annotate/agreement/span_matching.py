"""Matches the spans and points of two annotators one to one, samples spans on a time grid, and finds those that differ.

A point is compared as a span that starts at it and is as long as the tolerance: two points share time where they are
at most so far apart, and the more, the nearer they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, Ints
from project.entities.study_records import Segment

POINT_TOLERANCE_US = 500_000
"""How far two points may be apart to be taken for the same event, where nothing else is asked for."""


def compared_spans(segments: Sequence[Segment]) -> tuple[Ints, Ints]:
    """Return (n,) starts and (n,) ends of segments as they are compared; see `compared_span`."""
    spans = np.array([compared_span(segment) for segment in segments], np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def compared_span(segment: Segment) -> tuple[int, int]:
    """Return start and end of a segment as it is compared with others."""
    return segment.start_us, segment.end_us + (POINT_TOLERANCE_US + 1 if segment.is_point else 0)


@dataclass(frozen=True, slots=True, eq=False)
class SpanArray:
    """Spans on any number of axes that have nothing to do with each other: recordings, or people within one.

    Attributes:
        axis: (n,) which axis each lies on, from 0.
        start_us: (n,) microseconds.
        end_us: (n,) microseconds, each after its start.
        label: (n,) code of the label, from 0.
    """

    axis: Ints
    start_us: Ints
    end_us: Ints
    label: Ints

    def __len__(self) -> int:
        return len(self.axis)

    def take(self, which: Ints | Bools) -> "SpanArray":
        return SpanArray(self.axis[which], self.start_us[which], self.end_us[which], self.label[which])


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Every pair of spans that intersects; the four arrays are as long as there are pairs.

    Attributes:
        first: index into the first annotator's spans.
        second: index into the second's.
        shared_us: what both cover.
        iou: the shared part over what either covers, above 0 to 1.
        share_of_longer: the shared part over the longer of the two.
    """

    first: Ints
    second: Ints
    shared_us: Ints
    iou: Floats
    share_of_longer: Floats

    def __len__(self) -> int:
        return len(self.first)

    def take(self, which: Ints | Bools) -> "Overlaps":
        return Overlaps(
            self.first[which], self.second[which], self.shared_us[which], self.iou[which], self.share_of_longer[which]
        )


def find_overlaps(first: SpanArray, second: SpanArray) -> Overlaps:
    """Return all pairs that share some time on the same axis, by first and then by second.

    Takes time in proportion to the pairs found: two spans intersect when one starts while the other lasts.
    """
    length = 1 + max(int(first.end_us.max(initial=0)), int(second.end_us.max(initial=0)))
    a_start, b_start = first.axis * length + first.start_us, second.axis * length + second.start_us
    a_end, b_end = first.axis * length + first.end_us, second.axis * length + second.end_us
    i, j = _find_starts_within(a_start, a_end, b_start, with_both=True)
    m, k = _find_starts_within(b_start, b_end, a_start, with_both=False)
    array, other = np.concatenate([i, k]), np.concatenate([j, m])
    order = np.lexsort((other, array))
    array, other = array[order], other[order]
    shared = np.minimum(a_end[array], b_end[other]) - np.maximum(a_start[array], b_start[other])
    one_us, other_us = (a_end - a_start)[array], (b_end - b_start)[other]
    return Overlaps(array, other, shared, shared / (one_us + other_us - shared), shared / np.maximum(one_us, other_us))


def _find_starts_within(start: Ints, end: Ints, other_start: Ints, *, with_both: bool) -> tuple[Ints, Ints]:
    """Return (span, other) where the other starts while the span lasts; `with_both` also where both start at once."""
    order = np.argsort(other_start, kind="stable")
    sorted_start = other_start[order]
    low = np.searchsorted(sorted_start, start, side="left" if with_both else "right")
    counts = np.maximum(np.searchsorted(sorted_start, end, side="left") - low, 0)
    which = np.repeat(np.arange(len(start)), counts)
    place = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
    return which, order[place]


class DisagreementKind(StrEnum):
    """How annotators differ over a stretch of time."""

    LABEL = "label"
    """Those who marked it gave different labels."""
    UNMARKED = "unmarked"
    """Some marked it and some did not; those who did agree."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A stretch in which annotators differ in one way throughout; microseconds."""

    start_us: int
    end_us: int
    kind: DisagreementKind


def find_disagreement_spans(lanes: Sequence[SpanArray]) -> list[Disagreement]:
    """Return the stretches in which not all lanes show the same set of labels, by start; neighbours of a kind are one.

    Args:
        lanes: one an annotator who worked on the recording, on one axis; an empty lane is somebody who marked nothing.
    """
    if len(lanes) < 2 or not any(len(lane) for lane in lanes):
        return []
    edges = [np.concatenate([lane.start_us, lane.end_us]) for lane in lanes]
    cuts = np.unique(np.concatenate(edges))
    stretches = len(cuts) - 1
    labels = np.unique(np.concatenate([lane.label for lane in lanes]))
    states = np.zeros((len(labels), len(lanes), stretches), bool)
    for code, label in enumerate(labels):
        for row, lane in enumerate(lanes):
            chosen = lane.label == label
            start, end = (np.searchsorted(cuts, edge[chosen]) for edge in (lane.start_us, lane.end_us))
            change = np.bincount(start, minlength=stretches + 1) - np.bincount(end, minlength=stretches + 1)
            states[code, row] = np.cumsum(change)[:stretches] > 0
    marked = states.any(0)
    somewhere, everywhere = states.any(1), (states | ~marked).all(1)
    differ = (somewhere & ~everywhere).any(0)
    unmarked = marked.any(0) & ~marked.all(0) & ~differ
    kind = np.where(differ, 2, np.where(unmarked, 1, 0))
    begins = np.flatnonzero(np.diff(kind, prepend=0))
    ends = np.append(begins, stretches)[1:]
    names = {1: DisagreementKind.UNMARKED, 2: DisagreementKind.LABEL}
    return [
        Disagreement(int(cuts[begin]), int(cuts[end]), names[int(kind[begin])])
        for begin, end in zip(begins, ends, strict=True)
        if kind[begin]
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Stretches in which every annotator says the same thing throughout.

    Attributes:
        axis: (u,) which axis the stretch lies on.
        instants: (u,) how many instants of the grid lie in it, at least 1.
        states: (annotators, u) code of the state, an index into `names`; -1 where the annotator did no work.
        names: state -> the labels that are marked at once; the empty one is the gap.
    """

    axis: Ints
    instants: Ints
    states: Ints
    names: tuple[tuple[int, ...], ...]


def sample_time_grid(
    lanes: list[SpanArray], length_us: Ints, step_us: int, worked: Bools | None = None, start_us: int = 0
) -> Grid:
    """Look at every lane at `start_us`, then every `step_us`, before the end of each axis.

    A span holds at an instant from its start, and no longer at its end.

    Args:
        lanes: one an annotator.
        length_us: (axes,) where each axis ends; a span may reach further and is cut.
        step_us: microseconds between instants.
        worked: (axes, annotators) where an annotator worked at all; everywhere when not given.
        start_us: first instant of every axis.
    """
    ticks = _instant(length_us, step_us, start_us)
    base = np.cumsum(ticks) - ticks
    total = int(ticks.sum())
    held = [
        (
            base[lane.axis] + np.minimum(_instant(lane.start_us, step_us, start_us), ticks[lane.axis]),
            base[lane.axis] + np.minimum(_instant(lane.end_us, step_us, start_us), ticks[lane.axis]),
        )
        for lane in lanes
    ]
    cuts = np.unique(np.concatenate([base, [total], *(edge for pair in held for edge in pair)]))
    stretches = len(cuts) - 1
    states = np.zeros((len(lanes), stretches), np.int64)
    names: list[tuple[int, ...]] = [()]
    for label in np.unique(np.concatenate([lane.label for lane in lanes] or [np.zeros(0, np.int64)])).tolist():
        active = [
            _covered(np.searchsorted(cuts, start[mine]), np.searchsorted(cuts, end[mine]), stretches)
            for (start, end), mine in ((pair, lane.label == label) for lane, pair in zip(lanes, held, strict=True))
        ]
        kinds, numbered = np.unique(2 * states + np.array(active), return_inverse=True)
        states = numbered.reshape(states.shape)
        names = [names[kind // 2] + ((label,) if kind % 2 else ()) for kind in kinds.tolist()]
    axis = np.searchsorted(base, cuts[:-1], side="right") - 1
    if worked is not None:
        states = np.where(worked[axis].T, states, -1)
    return Grid(axis, np.diff(cuts), states, tuple(names))


def _instant(time_us: Ints, step_us: int, start_us: int) -> Ints:
    """Return the number of the first instant at or after each time."""
    return np.maximum(-((start_us - time_us) // step_us), 0)


def _covered(start: Ints, end: Ints, stretches: int) -> Ints:
    change = np.bincount(start, minlength=stretches + 1) - np.bincount(end, minlength=stretches + 1)
    covered: Ints = (np.cumsum(change)[:stretches] > 0).astype(np.int64)
    return covered


HOLLE_REIN_SHARE = 0.6
_TIE_WEIGHT = 1e-9
_BATCH_PAIRS = 500


def match_best_pairs(found: Overlaps, first: SpanArray, second: SpanArray) -> Overlaps:
    """Return the one-to-one pairs with the highest sum of IoU; between equals, pairs of the same label go first."""
    same = first.label[found.first] == second.label[found.second]
    return found.take(_solve_assignment(found, found.iou + _TIE_WEIGHT * (1 + same)))


def match_nearest_points(found: Overlaps, first: SpanArray, second: SpanArray) -> Overlaps:
    """Return as many one-to-one pairs of points as there can be; among those, the lowest total distance.

    Between equals, pairs of the same label go first.

    Args:
        found: all pairs within the tolerance; see `compared_span`.
        first: points of the first annotator, each as long as the tolerance.
        second: points of the second.
    """
    if not len(found):
        return found
    width = int(first.end_us[0] - first.start_us[0])
    same = first.label[found.first] == second.label[found.second]
    nearness = found.shared_us / width
    return found.take(_solve_assignment(found, 1 + nearness / (2 + min(len(first), len(second))) + _TIE_WEIGHT * same))


def match_most_pairs(found: Overlaps, first: int, second: int, minimum_iou: float) -> Overlaps:
    """Return as many one-to-one pairs of at least that IoU as there can be; among those, the highest sum of IoU.

    Args:
        found: all pairs that intersect and may be matched.
        first: number of spans of the first annotator.
        second: number of spans of the second.
        minimum_iou: a pair with less is none.
    """
    kept = found.take(found.iou >= minimum_iou)
    return kept.take(_solve_assignment(kept, 1 + kept.iou / (2 + min(first, second))))


def _solve_assignment(found: Overlaps, profit: Floats) -> Ints:
    """Return which pairs an assignment of the highest profit takes."""
    if not len(found):
        return np.zeros(0, np.int64)
    batches = _batches(found)
    order = np.argsort(batches, kind="stable")
    cuts = np.flatnonzero(np.diff(batches[order])) + 1
    chosen = [part[_assign(found.first[part], found.second[part], profit[part])] for part in np.split(order, cuts)]
    return np.sort(np.concatenate(chosen))


def _batches(found: Overlaps) -> Ints:
    """Return a number for each pair, so that pairs of different numbers have no span in common.

    An assignment takes time with the square of its spans, and most spans hang together with few others.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    firsts, seconds = int(found.first.max()) + 1, int(found.second.max()) + 1
    edges = csr_array(
        (np.ones(len(found)), (found.first, firsts + found.second)), shape=(firsts + seconds, firsts + seconds)
    )
    component = connected_components(edges, directed=False)[1][found.first]
    before = np.cumsum(np.bincount(component)) // _BATCH_PAIRS
    return np.asarray(before[component], np.int64)


def _assign(first: Ints, second: Ints, profit: Floats) -> Ints:
    """Return which pairs are taken, by Jonker and Volgenant's algorithm on the sparse table.

    Each first span also has a column of its own, which stands for staying without a partner.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, row = np.unique(first, return_inverse=True)
    columns, column = np.unique(second, return_inverse=True)
    alone = np.arange(len(rows))
    # Every row takes exactly one column, so a constant added to all costs changes nothing. A cost of 0 is no edge.
    most = 1 + float(profit.max())
    costs = np.concatenate([most - profit, np.full(len(rows), most)])
    places = np.concatenate([row, alone]), np.concatenate([column, len(columns) + alone])
    graph = csr_array((costs, places), shape=(len(rows), len(columns) + len(rows)))
    taken_row, taken_column = min_weight_full_bipartite_matching(graph)
    partner = np.full(len(rows), -1)
    partner[taken_row] = taken_column
    chosen: Ints = np.flatnonzero(partner[row] == column)
    return chosen


def match_holle_rein_pairs(
    found: Overlaps, first: SpanArray, second: SpanArray, share: float = HOLLE_REIN_SHARE
) -> Overlaps:
    """Return the pairs of Holle and Rein: shared time over the longer span at least `share`, the greatest first.

    Greedy by that share, then by shared time, one-to-one. Which annotator comes first makes no difference.

    Source: Holle and Rein (2015), EasyDIAg: A tool for easy determination of interrater agreement.
    """
    kept = found.take(found.share_of_longer >= share)
    a, b = kept.first, kept.second
    differ = first.label[a] != second.label[b]
    order = np.lexsort(
        (
            first.end_us[a] + second.end_us[b],
            first.start_us[a] + second.start_us[b],
            differ,
            -kept.shared_us,
            -kept.share_of_longer,
        )
    )
    return kept.take(_greedy(a, b, order, len(first), len(second)))


def _greedy(first: Ints, second: Ints, order: Ints, firsts: int, seconds: int) -> Ints:
    free_first, free_second = [True] * firsts, [True] * seconds
    taken = []
    for place, a, b in zip(order.tolist(), first[order].tolist(), second[order].tolist(), strict=True):
        if free_first[a] and free_second[b]:
            free_first[a] = free_second[b] = False
            taken.append(place)
    return np.array(sorted(taken), np.int64)


def unmatched_mask(count: int, matched: Ints) -> Bools:
    """Return (count,) which spans no pair holds."""
    alone = np.ones(count, bool)
    alone[matched] = False
    return alone
