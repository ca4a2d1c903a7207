"""Which spans of two annotators intersect, and by how much."""

from dataclasses import dataclass

import numpy as np

from benchmark.agreement.types import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
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

    def take(self, which: Ints | Bools) -> "Spans":
        """Return some of them."""
        return Spans(self.axis[which], self.start_us[which], self.end_us[which], self.label[which])


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Every pair of spans that intersects; the four arrays are as long as there are pairs.

    Attributes:
        first: index into the first annotator's spans.
        second: index into the second's.
        shared_us: what both cover.
        iou: the shared part over what either covers, above 0 to 1.
        of_longer: the shared part over the longer of the two.
    """

    first: Ints
    second: Ints
    shared_us: Ints
    iou: Floats
    of_longer: Floats

    def __len__(self) -> int:
        return len(self.first)

    def take(self, which: Ints | Bools) -> "Overlaps":
        """Return some of them."""
        return Overlaps(
            self.first[which], self.second[which], self.shared_us[which], self.iou[which], self.of_longer[which]
        )


def overlaps(first: Spans, second: Spans) -> Overlaps:
    """Return all pairs that share some time on the same axis, by first and then by second.

    Takes time in proportion to the pairs found: two spans intersect when one starts while the other lasts.
    """
    length = 1 + max(int(first.end_us.max(initial=0)), int(second.end_us.max(initial=0)))
    a_start, b_start = first.axis * length + first.start_us, second.axis * length + second.start_us
    a_end, b_end = first.axis * length + first.end_us, second.axis * length + second.end_us
    i, j = _starting_within(a_start, a_end, b_start, with_both=True)
    m, k = _starting_within(b_start, b_end, a_start, with_both=False)
    one, other = np.concatenate([i, k]), np.concatenate([j, m])
    order = np.lexsort((other, one))
    one, other = one[order], other[order]
    shared = np.minimum(a_end[one], b_end[other]) - np.maximum(a_start[one], b_start[other])
    one_us, other_us = (a_end - a_start)[one], (b_end - b_start)[other]
    return Overlaps(one, other, shared, shared / (one_us + other_us - shared), shared / np.maximum(one_us, other_us))


def _starting_within(start: Ints, end: Ints, other_start: Ints, *, with_both: bool) -> tuple[Ints, Ints]:
    """Return (span, other) where the other starts while the span lasts; `with_both` also where both start at once."""
    order = np.argsort(other_start, kind="stable")
    sorted_start = other_start[order]
    low = np.searchsorted(sorted_start, start, side="left" if with_both else "right")
    counts = np.maximum(np.searchsorted(sorted_start, end, side="left") - low, 0)
    which = np.repeat(np.arange(len(start)), counts)
    place = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
    return which, order[place]
