"""Figures of agreement of segments: ELAN's modified kappa and overlap ratio, IoU, F1, and time-grid coefficients.

The modified kappa follows Holle and Rein. On the grid, "nothing marked" is a category too. Points have no length, so
they are matched within a tolerance; samples are compared one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotate.agreement.annotation_arrays import AgreementData, AnnotatorPair, MarkKind, Options, SegmentMatches
from annotate.agreement.coefficients import (
    ONE_CATEGORY,
    Coincidences,
    cohen_kappa,
    confusion_tables,
    count_coincidences,
    kappa_max,
    metric_alpha,
    nominal_distance,
    over_chance,
    pooled_statistic,
)
from annotate.agreement.figure_intervals import (
    Bools,
    Floats,
    Ints,
    Statistic,
    StatisticResult,
    estimate_from,
    mean_statistic,
    share_statistic,
    sum_by_group,
)
from annotate.agreement.span_matching import HOLLE_REIN_SHARE, Grid, Overlaps, sample_time_grid


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
NO_MATCH = "No two segments of different annotators could be matched."
NO_LINK = "No two segments share enough of the longer one."
NO_SAMPLE = "No sample was taken by two of these annotators."
ONE_STATE = "Everybody used one and the same category throughout."
IOU_LEVELS = (0.3, 0.5, 0.7)


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The counts behind the three shares.

    Attributes:
        comparable: (n,) segments in recordings that somebody else worked on too.
        overlapped: (n,) of those, which overlap one of somebody else's.
        overlapping: the pairs of segments that overlap.
        same: (pairs,) whether their labels are the same.
        disputed: (n,) whether a reviewer disagrees with the segment.
        from_reviews: whether there are reviews of these segments; else labels say what is in disagreement.
    """

    material: AgreementData
    comparable: Bools
    overlapped: Bools
    overlapping: SegmentMatches
    same: Bools
    disputed: Bools
    from_reviews: bool

    @classmethod
    def from_pairs(cls, material: AgreementData, compared: Sequence[AnnotatorPair]) -> "Shares":
        comparable, overlapped, disputed = (np.zeros(len(material), bool) for _ in range(3))
        for pair in compared:
            comparable[pair.first_indices] = comparable[pair.second_indices] = True
        overlapping = SegmentMatches.collect(material, compared, [pair.overlapping for pair in compared])
        overlapped[overlapping.first] = overlapped[overlapping.second] = True
        disputed[material.reviewed[~material.agreed]] = True
        same = material.label[overlapping.first] == material.label[overlapping.second]
        reviewed = bool(comparable[material.reviewed].any())
        return cls(material, comparable, overlapped, overlapping, same, disputed, reviewed)

    def statistics(self, about: Bools | None = None) -> dict[str, Statistic]:
        """Return the three shares, over the segments that `about` holds; a pair counts where it holds either."""
        about = np.ones(len(self.material), bool) if about is None else about
        segments = self.comparable & about
        pairs = about[self.overlapping.first] | about[self.overlapping.second]
        size = len(self.material.recordings)
        nothing = NO_OVERLAP if self.material.marks is MarkKind.SPANS else NO_MATCH
        where, between = self.material.recording[segments], self.overlapping.recording[pairs]
        return {
            "overlap_share": mean_statistic(self.overlapped[segments], where, size, NO_ANNOTATIONS),
            "verdict_agreement": mean_statistic(self.same[pairs], between, size, nothing),
            "disagreement_share": mean_statistic(
                self.disputed[segments], where, size, NO_ANNOTATIONS, {"basis": "reviews"}
            )
            if self.from_reviews
            else mean_statistic(~self.same[pairs], between, size, nothing, {"basis": "labels"}),
        }


def segment_statistics(
    material: AgreementData, compared: Sequence[AnnotatorPair], shares: Shares, instants: Floats, options: Options
) -> dict[str, Statistic]:
    """Return the figures of the segments of some pairs of annotators, in the order in which they are shown."""
    if material.sampling is not None:
        return _sample_statistics(shares, instants)
    size = len(material.recordings)
    matched = SegmentMatches.collect(material, compared, [pair.matched for pair in compared])
    same = material.label[matched.first] == material.label[matched.second]
    if material.points:
        return _point_statistics(material, compared, shares, matched, options)
    iou = sum_by_group(matched.recording, size, matched.iou)
    pairs_and_unmatched = count_segments(material, compared) - sum_by_group(matched.recording, size)
    linked = _linked(material, compared)
    on_grid, linked_reasons = (NO_ANNOTATIONS, ONE_CATEGORY), (NO_LINK, ONE_CATEGORY)
    grid_max = pooled_statistic(kappa_max, instants, on_grid).value
    linked_max = pooled_statistic(modified_kappa_max, linked, on_grid).value
    return {
        **shares.statistics(),
        "matched_agreement": mean_statistic(same, matched.recording, size, NO_MATCH),
        "mean_iou": mean_statistic(matched.iou, matched.recording, size, NO_MATCH),
        "cohen_kappa": pooled_statistic(
            cohen_kappa, instants, on_grid, {"step_ms": options.step_us / 1000, "kappa_max": grid_max}
        ),
        "elan_kappa": pooled_statistic(
            modified_kappa, linked, on_grid, {"share": HOLLE_REIN_SHARE, "kappa_max": linked_max}
        ),
        "elan_kappa_matched": pooled_statistic(
            cohen_kappa, linked[..., :-1, :-1] / 2, linked_reasons, {"share": HOLLE_REIN_SHARE}
        ),
        "elan_ratio": share_statistic(iou, pairs_and_unmatched, NO_ANNOTATIONS),
    }


def _sample_statistics(shares: Shares, instants: Floats) -> dict[str, Statistic]:
    reasons = (NO_SAMPLE, ONE_CATEGORY)
    agreeing, taken = np.einsum("rpkk->r", instants), instants.sum((-3, -2, -1))
    return {
        **{key: figure for key, figure in shares.statistics().items() if key != "verdict_agreement"},
        "sample_agreement": share_statistic(agreeing, taken, NO_SAMPLE),
        "sample_kappa": pooled_statistic(
            cohen_kappa, instants, reasons, {"kappa_max": pooled_statistic(kappa_max, instants, reasons).value}
        ),
    }


def _point_statistics(
    material: AgreementData,
    compared: Sequence[AnnotatorPair],
    shares: Shares,
    matched: SegmentMatches,
    options: Options,
) -> dict[str, Statistic]:
    """Return the figures of points, which are matched one to one within the tolerance.

    The kappa counts a matched pair once under the labels of both, and a point without a partner once under its label
    and "nothing". Nobody can have missed what nobody marked, so that cell is empty by definition and chance is fitted
    around it.

    Source: Bakeman, Quera and Gnisci (2009), Observer agreement for timed-event sequential data, on event-based kappa.
    """
    size = len(material.recordings)
    tables, within = point_tables(material, compared), {"tolerance_ms": options.tolerance_us / 1000}
    same = material.label[matched.first] == material.label[matched.second]
    points, hits = count_segments(material, compared), sum_by_group(matched.recording, size)
    reasons = (NO_ANNOTATIONS, ONE_CATEGORY)
    highest = pooled_statistic(modified_kappa_max, tables, reasons).value
    return {
        **shares.statistics(),
        "point_kappa": pooled_statistic(modified_kappa, tables, reasons, {**within, "kappa_max": highest}),
        "point_kappa_matched": pooled_statistic(cohen_kappa, tables[..., :-1, :-1], (NO_MATCH, ONE_CATEGORY), within),
        "point_f1": share_statistic(2 * hits, points, NO_ANNOTATIONS, within),
        "point_f1_same_label": share_statistic(
            2 * sum_by_group(matched.recording, size, same), points, NO_ANNOTATIONS, within
        ),
        "point_distance": mean_statistic(matched.distance_s(material), matched.recording, size, NO_MATCH, within),
    }


def point_tables(material: AgreementData, compared: Sequence[AnnotatorPair]) -> Floats:
    """Return (recordings, pairs, k + 1, k + 1) matched points, and in the last row and column those without partner."""
    found = [_linked_tables(pair, pair.matched, 1) for pair in compared]
    kinds = len(material.labels) + 1
    return np.stack(found, axis=1) if found else np.zeros((len(material.recordings), 0, kinds, kinds))


def point_alpha(
    material: AgreementData, compared: Sequence[AnnotatorPair], options: Options, weights: Floats
) -> StatisticResult:
    """Return nominal alpha over the matched points of all pairs, and those without partner as "nothing marked".

    A unit that m annotators worked on counts in m - 1 pairs of each, and so with a weight of 1 over m - 1, as in
    Krippendorff's table of coincidences.
    """
    tables = point_tables(material, compared)
    people = np.delete(material.worked, material.third, 1) if material.third >= 0 else material.worked
    recording, _, first, second = np.nonzero(tables)
    weight = tables[np.nonzero(tables)] / (people.sum(1)[recording] - 1)
    found = Coincidences(recording, first, second, weight, len(material.labels) + 1, len(material.recordings))
    return estimate_from(
        lambda drawn: metric_alpha(found, nominal_distance(found.values), drawn),
        weights,
        round(float(tables.sum())),
        len(np.unique(recording)),
        (NO_ANNOTATIONS, ONE_STATE),
        {"tolerance_ms": options.tolerance_us / 1000},
    )


def f1(
    material: AgreementData, compared: Sequence[AnnotatorPair], level: float, *, same_label: bool = False
) -> Statistic:
    """Return twice the pairs over all segments; n is the segments. `same_label` wants the same label in a pair."""
    pairs = [pair.match_at(level, same_label=same_label) for pair in compared]
    found = SegmentMatches.collect(material, compared, pairs)
    matched = 2 * sum_by_group(found.recording, len(material.recordings))
    return share_statistic(matched, count_segments(material, compared), NO_ANNOTATIONS)


def count_segments(material: AgreementData, compared: Sequence[AnnotatorPair]) -> Floats:
    """Return (recordings,) how many segments are compared; one counts in each pair of annotators."""
    both = [np.zeros(0, np.int64), *(side for pair in compared for side in (pair.first_indices, pair.second_indices))]
    return sum_by_group(material.recording[np.concatenate(both)], len(material.recordings))


def confusion_table(material: AgreementData, compared: Sequence[AnnotatorPair]) -> Floats:
    """Return (labels + 1, labels + 1) matched pairs by label, the first annotator's down; the last are unmatched."""
    kinds = len(material.labels) + 1
    return sum((_linked_tables(pair, pair.matched, 1).sum(0) for pair in compared), np.zeros((kinds, kinds)))


def _linked(material: AgreementData, compared: Sequence[AnnotatorPair]) -> Floats:
    """Return (recordings, pairs, k + 1, k + 1) as ELAN's kappa takes them."""
    found = [_linked_tables(pair, pair.linked, 2) for pair in compared]
    kinds = len(material.labels) + 1
    return np.stack(found, axis=1) if found else np.zeros((len(material.recordings), 0, kinds, kinds))


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


def build_grid(material: AgreementData, options: Options) -> Grid:
    """Return what each annotator but the third says at each instant, or of each sample; one not taken is missing."""
    spans = material.spans(options.tolerance_us)
    people = [index for index in range(len(material.annotators)) if index != material.third]
    lanes = [spans.take(material.annotator == person) for person in people]
    worked = material.worked[material.axis_recording][:, people]
    if material.sampling is None:
        return sample_time_grid(lanes, material.axes_length_us(), options.step_us, worked)
    first_us, _ = material.sampling.span(1)
    length = first_us + material.samples() * material.sampling.every_us
    grid = sample_time_grid(lanes, length, material.sampling.every_us, worked, first_us)
    return replace(grid, states=np.where(grid.states == 0, -1, grid.states))


def pair_tables(material: AgreementData, grid: Grid) -> Floats:
    """Return (recordings, pairs, k, k) instants, the pairs as `AgreementData.pairs` gives them."""
    recording, lane = material.axis_recording[grid.axis], _lanes(material)
    size, kinds = len(material.recordings), len(grid.names)
    found = [
        confusion_tables(grid.states[lane[a]], grid.states[lane[b]], grid.instants, recording, kinds, size)
        for a, b in material.pairs()
    ]
    return np.stack(found, axis=1) if found else np.zeros((size, 0, kinds, kinds))


def time_weighted_alpha(material: AgreementData, grid: Grid, options: Options, weights: Floats) -> StatisticResult:
    """Return nominal alpha over the instants or samples of two or more annotators; n is their number."""
    recording = material.axis_recording[grid.axis]
    found = count_coincidences(grid.states, recording, len(grid.names), len(material.recordings), grid.instants)
    shared = (grid.states >= 0).sum(0) > 1
    return estimate_from(
        lambda drawn: metric_alpha(found, nominal_distance(found.values), drawn),
        weights,
        int(grid.instants[shared].sum()),
        len(np.unique(recording[shared])),
        (NO_ANNOTATIONS if material.sampling is None else NO_SAMPLE, ONE_STATE),
        {"step_ms": (options.step_us if material.sampling is None else material.sampling.every_us) / 1000},
    )


def _lanes(material: AgreementData) -> Ints:
    """Return (annotators,) the row of each in the grid."""
    return np.cumsum(np.arange(len(material.annotators)) != material.third) - 1
