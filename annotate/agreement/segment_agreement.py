"""Figures of agreement of segments: ELAN's modified kappa and overlap ratio, IoU, F1, and time-grid coefficients.

The modified kappa follows Holle and Rein. On the grid, "nothing marked" is a category too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotate.agreement.annotation_arrays import AgreementData, AnnotatorPair, Options
from annotate.agreement.coefficients import (
    ONE_CATEGORY,
    confusion_tables,
    count_coincidences,
    estimate_pooled,
    kappa,
    kappa_max,
    metric_alpha,
    nominal_distance,
    over_chance,
)
from annotate.agreement.figure_intervals import (
    Bools,
    Floats,
    Ints,
    StatisticResult,
    estimate_from,
    estimate_share,
    sum_by_group,
)
from annotate.agreement.span_matching import HOLLE_REIN_SHARE, Grid, Overlaps, sample_time_grid
from project.entities.study_records import Json


def modified_kappa(table: Floats) -> Floats:
    """Return (...) kappa of (..., k + 1, k + 1) tables; also where it is negative.

    In the table matched pairs count twice, and the last row and column are what the other annotator has no match for.

    Chance is what iterative proportional fitting of ones, with a zero where both are unmatched, converges to under the
    observed margins. With that one zero the limit has a closed form: each label's unmatched part follows the labels'
    margins, and the rest is independent.

    Source: Holle and Rein (2015), EasyDIAg, section on the modified kappa.
    """
    return over_chance(table, np.einsum("...ii->...", table), expected_agreement(table))


def modified_kappa_max(table: Floats) -> Floats:
    """Return (...) the highest modified kappa that the margins allow."""
    labels = np.minimum(table.sum(-1)[..., :-1], table.sum(-2)[..., :-1])
    return over_chance(table, labels.sum(-1), expected_agreement(table))


def expected_agreement(table: Floats) -> Floats:
    """Return (...) the share of agreement that chance gives in (..., k + 1, k + 1) tables."""
    rows, columns, total = table.sum(-1), table.sum(-2), table.sum((-1, -2))
    both = total - rows[..., -1] - columns[..., -1]
    by_label = (rows[..., :-1] * columns[..., :-1]).sum(-1)
    linked = rows[..., :-1].sum(-1) * columns[..., :-1].sum(-1) * total
    found: Floats = np.divide(both * by_label, linked, out=np.zeros_like(total), where=linked > 0)
    return found


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

    material: AgreementData
    comparable: Bools
    overlapped: Bools
    first: Ints
    second: Ints
    same: Bools
    disputed: Bools
    from_reviews: bool

    @classmethod
    def from_pairs(cls, material: AgreementData, compared: list[AnnotatorPair]) -> "Shares":
        """Count over all pairs of annotators."""
        size = len(material)
        comparable, overlapped, disputed = (np.zeros(size, bool) for _ in range(3))
        pairs = [pair.segment_indices(pair.overlapping) for pair in compared]
        for pair in compared:
            comparable[pair.first_indices] = comparable[pair.second_indices] = True
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

    def figures(self, weights: Floats, about: Bools | None = None) -> dict[str, StatisticResult]:
        """Return the three figures, over the segments that `about` holds; a pair counts where it holds either."""
        segments = self.comparable if about is None else self.comparable & about
        pairs = np.ones(len(self.first), bool) if about is None else about[self.first] | about[self.second]
        overlapped, marked = self._count_by_recording(self.overlapped & segments), self._count_by_recording(segments)
        same, all_pairs = self._pairs_by_recording(self.same & pairs), self._pairs_by_recording(pairs)
        disputed, whole = self._disputed(segments, marked, same, all_pairs)
        said: dict[str, Json] = {"basis": self.basis}
        nothing = NO_ANNOTATIONS if self.from_reviews else NO_OVERLAP
        return {
            "overlap_share": estimate_share(overlapped, marked, weights, NO_ANNOTATIONS),
            "verdict_agreement": estimate_share(same, all_pairs, weights, NO_OVERLAP),
            "disagreement_share": estimate_share(disputed, whole, weights, nothing, said),
        }

    def per_recording(self) -> dict[str, tuple[Floats, Floats]]:
        """Return (part, whole) of each figure, each (recordings,)."""
        overlapped = self._count_by_recording(self.overlapped & self.comparable)
        marked = self._count_by_recording(self.comparable)
        same, pairs = self._pairs_by_recording(self.same), self._pairs_by_recording(np.ones(len(self.first), bool))
        return {
            "overlap_share": (overlapped, marked),
            "verdict_agreement": (same, pairs),
            "disagreement_share": self._disputed(self.comparable, marked, same, pairs),
        }

    def _disputed(self, segments: Bools, marked: Floats, same: Floats, pairs: Floats) -> tuple[Floats, Floats]:
        if self.from_reviews:
            return self._count_by_recording(self.disputed & segments), marked
        return pairs - same, pairs

    def _count_by_recording(self, which: Bools) -> Floats:
        size = len(self.material.recordings)
        return sum_by_group(self.material.recording[which], size)

    def _pairs_by_recording(self, which: Bools) -> Floats:
        size = len(self.material.recordings)
        return sum_by_group(self.material.recording[self.first[which]], size)


NO_MATCH = "No two segments of different annotators could be matched."
NO_LINK = "No two segments share enough of the longer one."
IOU_LEVELS = (0.3, 0.5, 0.7)


def elan_kappa(compared: Sequence[AnnotatorPair], weights: Floats) -> StatisticResult:
    """Return Holle and Rein's kappa; n is the annotations of both."""
    found = _linked(compared)
    reasons = (NO_ANNOTATIONS, ONE_CATEGORY)
    highest = estimate_pooled(modified_kappa_max, found, weights[:0], reasons)
    return estimate_pooled(
        modified_kappa, found, weights, reasons, {"share": HOLLE_REIN_SHARE, "kappa_max": highest.value}
    )


def elan_kappa_matched(compared: Sequence[AnnotatorPair], weights: Floats) -> StatisticResult:
    """Return Cohen's kappa of the labels of Holle and Rein's pairs, without what is unmatched; n is those pairs."""
    found = _linked(compared)[..., :-1, :-1] / 2
    return estimate_pooled(kappa, found, weights, (NO_LINK, ONE_CATEGORY), {"share": HOLLE_REIN_SHARE})


def elan_ratio(compared: Sequence[AnnotatorPair], weights: Floats) -> StatisticResult:
    """Return the mean IoU in which every unmatched segment counts as 0; n is pairs and unmatched segments."""
    total, matched = _iou_by_recording(compared)
    return estimate_share(total, matched + _count_unmatched(compared), weights, NO_ANNOTATIONS)


def mean_iou(compared: Sequence[AnnotatorPair], weights: Floats) -> StatisticResult:
    """Return the mean IoU of matched segments; n is the pairs."""
    return estimate_share(*_iou_by_recording(compared), weights, NO_MATCH)


def matched_agreement(compared: Sequence[AnnotatorPair], weights: Floats) -> StatisticResult:
    """Return in how many of the matched segments the labels are the same; n is the pairs."""
    same = [pair.matched.take(pair.same_labels(pair.matched)) for pair in compared]
    return estimate_share(_number(compared, same), _number(compared, _matched(compared)), weights, NO_MATCH)


def f1(
    compared: Sequence[AnnotatorPair], weights: Floats, level: float, *, same_label: bool = False
) -> StatisticResult:
    """Return twice the pairs over all segments; n is the segments. `same_label` wants the same label in a pair."""
    pairs = [pair.match_at(level, same_label=same_label) for pair in compared]
    return estimate_share(2 * _number(compared, pairs), _segments(compared), weights, NO_ANNOTATIONS)


def iou_per_recording(compared: Sequence[AnnotatorPair], size: int) -> tuple[Floats, Floats]:
    """Return the sums of IoU of matched segments and their number, each (recordings,)."""
    return _iou_by_recording(compared) if compared else (np.zeros(size), np.zeros(size))


def confusion_table(compared: Sequence[AnnotatorPair], labels: int) -> Floats:
    """Return (labels + 1, labels + 1) matched pairs by label, the first annotator's down; the last are unmatched."""
    found = [_linked_tables(pair, pair.matched, 1).sum(0) for pair in compared]
    return sum(found, np.zeros((labels + 1, labels + 1)))


def _linked(compared: Sequence[AnnotatorPair]) -> Floats:
    """Return (recordings, pairs, k + 1, k + 1) as ELAN's kappa takes them."""
    found = [_linked_tables(pair, pair.linked, 2) for pair in compared]
    return np.stack(found, axis=1) if found else np.zeros((1, 0, 1, 1))


def _linked_tables(compared: AnnotatorPair, pairs: Overlaps, weight: int) -> Floats:
    """Return (recordings, k + 1, k + 1): `weight` for each pair, 1 in the last row and column for what none holds."""
    material = compared.material
    kinds = len(material.labels) + 1
    first, second = compared.segment_indices(pairs)
    alone_first, alone_second = compared.unmatched_indices(pairs)
    rest = np.full(len(material), kinds - 1)
    where, label = np.concatenate([first, alone_first, alone_second]), material.label
    return confusion_tables(
        np.concatenate([label[first], label[alone_first], rest[alone_second]]),
        np.concatenate([label[second], rest[alone_first], label[alone_second]]),
        np.concatenate([np.full(len(first), weight), np.ones(len(alone_first) + len(alone_second), np.int64)]),
        material.recording[where],
        kinds,
        len(material.recordings),
    )


def _matched(compared: Sequence[AnnotatorPair]) -> list[Overlaps]:
    return [pair.matched for pair in compared]


def _iou_by_recording(compared: Sequence[AnnotatorPair]) -> tuple[Floats, Floats]:
    pairs = _matched(compared)
    return _sum(compared, pairs, [found.iou for found in pairs]), _number(compared, pairs)


def _count_unmatched(compared: Sequence[AnnotatorPair]) -> Floats:
    return _segments(compared) - 2 * _number(compared, _matched(compared))


def _segments(compared: Sequence[AnnotatorPair]) -> Floats:
    def count(pair: AnnotatorPair) -> Floats:
        both = np.concatenate([pair.first_indices, pair.second_indices])
        return sum_by_group(pair.material.recording[both], len(pair.material.recordings))

    return sum((count(pair) for pair in compared), np.zeros(1))


def _number(compared: Sequence[AnnotatorPair], pairs: Sequence[Overlaps]) -> Floats:
    return _sum(compared, pairs, [np.ones(len(found)) for found in pairs])


def _sum(compared: Sequence[AnnotatorPair], pairs: Sequence[Overlaps], values: Sequence[Floats]) -> Floats:
    """Return (recordings,) sums of one value for each pair of segments."""

    def count(pair: AnnotatorPair, found: Overlaps, values: Floats) -> Floats:
        first, _ = pair.segment_indices(found)
        return sum_by_group(pair.material.recording[first], len(pair.material.recordings), values)

    return sum((count(*three) for three in zip(compared, pairs, values, strict=True)), np.zeros(1))


ONE_STATE = "Everybody used one and the same category throughout."


def build_grid(material: AgreementData, step_us: int) -> Grid:
    """Return what each annotator but the third says at each instant."""
    spans = material.spans()
    people = [index for index in range(len(material.annotators)) if index != material.third]
    lanes = [spans.take(material.annotator == person) for person in people]
    worked = material.worked[material.axis_recording][:, people]
    return sample_time_grid(lanes, material.axes_length_us(), step_us, worked)


def pair_tables(material: AgreementData, grid: Grid) -> Floats:
    """Return (recordings, pairs, k, k) instants, the pairs as `AgreementData.pairs` gives them."""
    recording, lane = material.axis_recording[grid.axis], _lanes(material)
    size, kinds = len(material.recordings), len(grid.names)
    found = [
        confusion_tables(grid.states[lane[a]], grid.states[lane[b]], grid.instants, recording, kinds, size)
        for a, b in material.pairs()
    ]
    return np.stack(found, axis=1) if found else np.zeros((size, 0, kinds, kinds))


def cohen_kappa(by_recording: Floats, options: Options, weights: Floats) -> StatisticResult:
    """Return Cohen's kappa of (recordings, pairs, k, k) instants."""
    highest = estimate_pooled(kappa_max, by_recording, weights[:0], (NO_ANNOTATIONS, ONE_CATEGORY))
    more: dict[str, Json] = {"step_ms": options.step_us / 1000, "kappa_max": highest.value}
    return estimate_pooled(kappa, by_recording, weights, (NO_ANNOTATIONS, ONE_CATEGORY), more)


def time_weighted_alpha(material: AgreementData, grid: Grid, options: Options, weights: Floats) -> StatisticResult:
    """Return nominal alpha over the instants that two or more annotators worked on; n is their number."""
    recording = material.axis_recording[grid.axis]
    found = count_coincidences(grid.states, recording, len(grid.names), len(material.recordings), grid.instants)
    shared = (grid.states >= 0).sum(0) > 1
    return estimate_from(
        lambda drawn: metric_alpha(found, nominal_distance(found.values), drawn),
        weights,
        int(grid.instants[shared].sum()),
        len(np.unique(recording[shared])),
        (NO_ANNOTATIONS, ONE_STATE),
        {"step_ms": options.step_us / 1000},
    )


def _lanes(material: AgreementData) -> Ints:
    """Return (annotators,) the row of each in the grid."""
    return np.cumsum(np.arange(len(material.annotators)) != material.third) - 1
