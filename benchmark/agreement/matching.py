"""Which span of one annotator stands for which of the other: one-to-one matchings of intersecting spans."""

import numpy as np

from benchmark.agreement.overlap import Overlaps, Spans
from benchmark.agreement.types import Bools, Floats, Ints

HOLLE_REIN_SHARE = 0.6
_TIE = 1e-9
_BATCH = 500


def best_pairs(found: Overlaps, first: Spans, second: Spans) -> Overlaps:
    """Return the one-to-one pairs with the highest sum of IoU; between equals, pairs of the same label go first."""
    same = first.label[found.first] == second.label[found.second]
    return found.take(_assigned(found, found.iou + _TIE * (1 + same)))


def most_pairs(found: Overlaps, first: int, second: int, minimum_iou: float) -> Overlaps:
    """Return as many one-to-one pairs of at least that IoU as there can be; among those, the highest sum of IoU.

    Args:
        found: all pairs that intersect and may be matched.
        first: number of spans of the first annotator.
        second: number of spans of the second.
        minimum_iou: a pair with less is none.
    """
    kept = found.take(found.iou >= minimum_iou)
    return kept.take(_assigned(kept, 1 + kept.iou / (2 + min(first, second))))


def _assigned(found: Overlaps, profit: Floats) -> Ints:
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
    before = np.cumsum(np.bincount(component)) // _BATCH
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


def holle_rein_pairs(found: Overlaps, first: Spans, second: Spans, share: float = HOLLE_REIN_SHARE) -> Overlaps:
    """Return the pairs of Holle and Rein: shared time over the longer span at least `share`, the greatest first.

    Greedy by that share, then by shared time, one-to-one. Which annotator comes first makes no difference.

    Source: Holle and Rein (2015), EasyDIAg: A tool for easy determination of interrater agreement.
    """
    kept = found.take(found.of_longer >= share)
    a, b = kept.first, kept.second
    differ = first.label[a] != second.label[b]
    order = np.lexsort(
        (
            first.end_us[a] + second.end_us[b],
            first.start_us[a] + second.start_us[b],
            differ,
            -kept.shared_us,
            -kept.of_longer,
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


def unmatched(count: int, matched: Ints) -> Bools:
    """Return (count,) which spans no pair holds."""
    alone = np.ones(count, bool)
    alone[matched] = False
    return alone
