"""Two annotators beside each other: which of their segments overlap, and which stand for which."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmark.agreement.matching import best_pairs, holle_rein_pairs, most_pairs, unmatched
from benchmark.agreement.material import Material
from benchmark.agreement.overlap import Overlaps, Spans, overlaps
from benchmark.agreement.types import Bools, Ints


@dataclass(frozen=True)
class Compared:
    """One pair of annotators, over the recordings that both worked on.

    Attributes:
        first: index of the first annotator.
        second: index of the second.
        recordings: (recordings,) which both worked on.
        of_first: the first's segments there, indices into the material.
        of_second: the second's.
    """

    material: Material
    first: int
    second: int
    recordings: Bools
    of_first: Ints
    of_second: Ints
    minimum_iou: float

    @classmethod
    def of(cls, material: Material, first: int, second: int, minimum_iou: float) -> "Compared":
        """Compare two annotators of the material."""
        both = material.worked[:, first] & material.worked[:, second]
        there = both[material.recording]
        one, other = (np.flatnonzero(there & (material.annotator == who)) for who in (first, second))
        return cls(material, first, second, both, one, other, minimum_iou)

    @cached_property
    def spans(self) -> tuple[Spans, Spans]:
        """What each of the two marked."""
        everything = self.material.spans()
        return everything.take(self.of_first), everything.take(self.of_second)

    @cached_property
    def intersecting(self) -> Overlaps:
        """Every pair that shares some time, whatever its IoU."""
        return overlaps(*self.spans)

    @cached_property
    def overlapping(self) -> Overlaps:
        """Every pair that counts as overlapping."""
        return self.intersecting.take(self.intersecting.iou >= self.minimum_iou)

    @cached_property
    def matched(self) -> Overlaps:
        """The overlapping pairs that stand for each other, one to one."""
        return best_pairs(self.overlapping, *self.spans)

    @cached_property
    def linked(self) -> Overlaps:
        """The pairs of Holle and Rein."""
        return holle_rein_pairs(self.intersecting, *self.spans)

    def matched_at(self, iou: float, *, same_label: bool = False) -> Overlaps:
        """Return as many one-to-one pairs of at least this IoU as there can be; of one label each if that is wanted."""
        found = self.intersecting
        if same_label:
            found = found.take(self.alike(found))
        return most_pairs(found, len(self.of_first), len(self.of_second), iou)

    def alike(self, pairs: Overlaps) -> Bools:
        """Tell of each pair whether the labels are the same."""
        one, other = self.spans
        alike: Bools = one.label[pairs.first] == other.label[pairs.second]
        return alike

    def segments(self, pairs: Overlaps) -> tuple[Ints, Ints]:
        """Return the segments of each pair as indices into the material."""
        return self.of_first[pairs.first], self.of_second[pairs.second]

    def alone(self, pairs: Overlaps) -> tuple[Ints, Ints]:
        """Return the segments of either that no pair holds, as indices into the material."""
        one = self.of_first[unmatched(len(self.of_first), pairs.first)]
        other = self.of_second[unmatched(len(self.of_second), pairs.second)]
        return one, other
