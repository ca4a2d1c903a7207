"""The three figures of the SHREC paper, over all segments or over those of one label, field or recording.

The paper does not print its algorithm. Here two annotations overlap when they share some time and reach the minimum
IoU; annotations may overlap several others, so nothing is matched one to one.
"""

from dataclasses import dataclass

import numpy as np

from benchmark.agreement.bootstrap import share
from benchmark.agreement.compared import Compared
from benchmark.agreement.counting import per_group
from benchmark.agreement.figure import Figure
from benchmark.agreement.material import Material
from benchmark.agreement.types import Bools, Floats, Ints
from project.types import Json

NO_ANNOTATIONS = "No recording was annotated by two of these annotators."
NO_OVERLAP = "No two annotations of different annotators overlap."


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The counts behind the three figures.

    Attributes:
        comparable: (n,) segments in recordings that somebody else worked on too.
        overlapped: (n,) of those, which overlap one of somebody else's.
        first: (pairs,) a segment of each overlapping pair.
        second: (pairs,) the other.
        same: (pairs,) whether the labels are the same.
        disputed: (n,) whether a reviewer disagrees with the segment.
        from_reviews: whether there are reviews of these segments; else labels say what is in disagreement.
    """

    material: Material
    comparable: Bools
    overlapped: Bools
    first: Ints
    second: Ints
    same: Bools
    disputed: Bools
    from_reviews: bool

    @classmethod
    def of(cls, material: Material, compared: list[Compared]) -> "Shares":
        """Count over all pairs of annotators."""
        size = len(material)
        comparable, overlapped, disputed = (np.zeros(size, bool) for _ in range(3))
        pairs = [one.segments(one.overlapping) for one in compared]
        for one in compared:
            comparable[one.of_first] = comparable[one.of_second] = True
        none = np.zeros(0, np.int64)
        first = np.concatenate([none, *(pair[0] for pair in pairs)])
        second = np.concatenate([none, *(pair[1] for pair in pairs)])
        overlapped[first] = overlapped[second] = True
        disputed[material.reviewed[~material.agreed]] = True
        same = material.label[first] == material.label[second]
        reviewed = bool(comparable[material.reviewed].any())
        return cls(material, comparable, overlapped, first, second, same, disputed, reviewed)

    @property
    def basis(self) -> str:
        """What the share of disagreement rests on: `reviews` or `labels`."""
        return "reviews" if self.from_reviews else "labels"

    def figures(self, weights: Floats, about: Bools | None = None) -> dict[str, Figure]:
        """Return the three figures, over the segments that `about` holds; a pair counts where it holds either."""
        segments = self.comparable if about is None else self.comparable & about
        pairs = np.ones(len(self.first), bool) if about is None else about[self.first] | about[self.second]
        overlapped, marked = self._by_recording(self.overlapped & segments), self._by_recording(segments)
        same, all_pairs = self._pairs_by_recording(self.same & pairs), self._pairs_by_recording(pairs)
        disputed, whole = self._disputed(segments, marked, same, all_pairs)
        said: dict[str, Json] = {"basis": self.basis}
        nothing = NO_ANNOTATIONS if self.from_reviews else NO_OVERLAP
        return {
            "overlap_share": share(overlapped, marked, weights, NO_ANNOTATIONS),
            "verdict_agreement": share(same, all_pairs, weights, NO_OVERLAP),
            "disagreement_share": share(disputed, whole, weights, nothing, said),
        }

    def per_recording(self) -> dict[str, tuple[Floats, Floats]]:
        """Return (part, whole) of each figure, each (recordings,)."""
        overlapped = self._by_recording(self.overlapped & self.comparable)
        marked = self._by_recording(self.comparable)
        same, pairs = self._pairs_by_recording(self.same), self._pairs_by_recording(np.ones(len(self.first), bool))
        return {
            "overlap_share": (overlapped, marked),
            "verdict_agreement": (same, pairs),
            "disagreement_share": self._disputed(self.comparable, marked, same, pairs),
        }

    def _disputed(self, segments: Bools, marked: Floats, same: Floats, pairs: Floats) -> tuple[Floats, Floats]:
        if self.from_reviews:
            return self._by_recording(self.disputed & segments), marked
        return pairs - same, pairs

    def _by_recording(self, which: Bools) -> Floats:
        size = len(self.material.recordings)
        return per_group(self.material.recording[which], size)

    def _pairs_by_recording(self, which: Bools) -> Floats:
        size = len(self.material.recordings)
        return per_group(self.material.recording[self.first[which]], size)
