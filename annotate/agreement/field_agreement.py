"""Figures of agreement of the choices and ratings that annotators filled in about matched segments."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotate.agreement.annotation_arrays import AnnotatorPair, ChosenField, Options, RatedField
from annotate.agreement.coefficients import (
    ONE_CATEGORY,
    Coincidences,
    assign_bins,
    confusion_tables,
    estimate_pooled,
    free_marginal_kappa,
    interval_alpha,
    jaccard_distance,
    kappa,
    metric_alpha,
    moments,
    nominal_distance,
    ordinal_alpha,
    pearson,
    quadratic_kappa,
)
from annotate.agreement.figure_intervals import (
    Bools,
    Floats,
    Ints,
    StatisticResult,
    estimate,
    estimate_from,
    estimate_share,
    finite_or_none,
    sum_by_group,
    undefined_figure,
)
from project.entities.study_records import Json

_MAX_STEPS = 1001
NOTHING_FILLED_IN = "No two matched segments have this field filled in on both sides."
ONE_VALUE = "Everybody gave one and the same value throughout."
ONE_CHOICE = "Nobody made this choice in a matched pair, or everybody always did."


@dataclass(frozen=True, slots=True, eq=False)
class SegmentMatches:
    """Matched segments of all pairs of annotators.

    Attributes:
        first: (m,) segment, an index into the material.
        second: (m,) the segment that it is matched with.
        pair: (m,) which pair of annotators.
        recording: (m,).
        pairs: number of pairs of annotators.
    """

    first: Ints
    second: Ints
    pair: Ints
    recording: Ints
    pairs: int

    @classmethod
    def from_pairs(cls, compared: Sequence[AnnotatorPair], recording: Ints) -> "SegmentMatches":
        """Collect the matched segments; `recording` is (n,), of every segment."""
        found = [pair.segment_indices(pair.matched) for pair in compared]
        none = np.zeros(0, np.int64)
        first = np.concatenate([none, *(pair[0] for pair in found)])
        second = np.concatenate([none, *(pair[1] for pair in found)])
        pair = np.repeat(np.arange(len(found)), [len(array) for array, _ in found])
        return cls(first, second, pair, recording[first], len(found))

    def where_filled(self, filled: Bools) -> "SegmentMatches":
        """Return those in which both sides are among the segments that `filled` (n,) holds."""
        both = filled[self.first] & filled[self.second]
        return SegmentMatches(self.first[both], self.second[both], self.pair[both], self.recording[both], self.pairs)


def choice_figures(field: ChosenField, matched: SegmentMatches, weights: Floats) -> dict[str, StatisticResult]:
    """Return the figures of a field with choices, over pairs in which both sides filled it in."""
    matched = matched.where_filled(field.filled)
    where, size = matched.recording, weights.shape[1]
    kinds, codes = np.unique(field.chosen[np.concatenate([matched.first, matched.second])], axis=0, return_inverse=True)
    array, other = np.split(codes.ravel(), 2)
    found = Coincidences(where, array, other, np.ones(len(array)), len(kinds), size)
    rests_on, groups = len(array), len(np.unique(where))
    reasons = (NOTHING_FILLED_IN, ONE_VALUE)
    equal = sum_by_group(where[array == other], size)
    figures = {"same": estimate_share(equal, sum_by_group(where, size), weights, NOTHING_FILLED_IN)}
    if field.multiple:
        metric, distance = "jaccard", jaccard_distance(kinds)
        near = sum_by_group(where, size, 1 - distance[array, other])
        figures["jaccard"] = estimate_share(near, sum_by_group(where, size), weights, NOTHING_FILLED_IN)
    else:
        metric, distance = "nominal", nominal_distance(len(kinds))
        figures["cohen_kappa"] = _kappa(array, other, matched, len(kinds), weights, (NOTHING_FILLED_IN, ONE_CATEGORY))
    figures["alpha"] = estimate_from(
        lambda drawn: metric_alpha(found, distance, drawn), weights, rests_on, groups, reasons, {"metric": metric}
    )
    return figures


def figures_by_choice(
    field: ChosenField, matched: SegmentMatches, weights: Floats
) -> dict[str, dict[str, StatisticResult]]:
    """Return choice -> in how many of the pairs where either made it both did, and kappa of having made it."""
    matched = matched.where_filled(field.filled)
    where, size = matched.recording, weights.shape[1]
    figures = {}
    for place, choice in enumerate(field.choices):
        first, second = field.chosen[matched.first, place], field.chosen[matched.second, place]
        either = sum_by_group(where[first | second], size)
        both = sum_by_group(where[first & second], size)
        codes = first.astype(np.int64), second.astype(np.int64)
        figures[choice.key] = {
            "chosen_by_both": estimate_share(both, either, weights, ONE_CHOICE),
            "cohen_kappa": _kappa(*codes, matched, 2, weights, (NOTHING_FILLED_IN, ONE_CHOICE)),
        }
    return figures


def rating_figures(
    field: RatedField, matched: SegmentMatches, weights: Floats, options: Options
) -> dict[str, StatisticResult]:
    """Return the figures of a scale or slider, over pairs in which both sides gave a number."""
    matched = matched.where_filled(field.filled)
    where, size = matched.recording, weights.shape[1]
    x, y = field.numbers[matched.first], field.numbers[matched.second]
    values, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
    array, other = np.split(codes.ravel(), 2)
    found = Coincidences(where, array, other, np.ones(len(array)), len(values), size)
    rests_on, groups = len(array), len(np.unique(where))
    reasons = (NOTHING_FILLED_IN, ONE_VALUE)
    everything = sum_by_group(where, size)
    bins_one, bins_other = (assign_bins(side, field.minimum, field.maximum, options.bins) for side in (x, y))
    same_bin = sum_by_group(where[bins_one == bins_other], size)
    return {
        "alpha_ordinal": estimate_from(
            lambda drawn: ordinal_alpha(found, drawn), weights, rests_on, groups, reasons, {"metric": "ordinal"}
        ),
        "alpha_interval": estimate_from(
            lambda drawn: interval_alpha(found, values, drawn),
            weights,
            rests_on,
            groups,
            reasons,
            {"metric": "interval"},
        ),
        "randolph_kappa": estimate(
            lambda sums: free_marginal_kappa(sums[..., 0], sums[..., 1], options.bins),
            np.stack([same_bin, everything], axis=-1).astype(float),
            weights,
            rests_on,
            reasons,
            {"bins": options.bins},
        ),
        "weighted_kappa": _weighted_kappa(field, x, y),
        "pearson_r": estimate_pooled(
            pearson,
            moments(x, y, where * matched.pairs + matched.pair, size * matched.pairs).reshape(size, matched.pairs, 6),
            weights,
            (NOTHING_FILLED_IN, "One side never varies."),
            size_of=lambda sums: sums[..., 0],
        ),
        "mean_difference": estimate_share(
            sum_by_group(where, size, np.abs(x - y)), everything, weights, NOTHING_FILLED_IN
        ),
    }


def mean_choices(
    field: ChosenField, matched: SegmentMatches, weights: Floats
) -> tuple[StatisticResult, StatisticResult]:
    """Return how many choices a segment has on average where both sides chose the same ones, and where they did not."""
    matched = matched.where_filled(field.filled)
    first, second = field.chosen[matched.first], field.chosen[matched.second]
    same = (first == second).all(1)
    chosen = first.sum(1) + second.sum(1)
    size = weights.shape[1]
    converged, diverged = (
        estimate_share(
            sum_by_group(matched.recording[which], size, chosen[which]),
            2 * sum_by_group(matched.recording[which], size),
            weights,
            "There is no such pair.",
        )
        for which in (same, ~same)
    )
    return converged, diverged


def _weighted_kappa(field: RatedField, first: Floats, second: Floats) -> StatisticResult:
    """Return kappa with quadratic weights; it comes without an interval."""
    said: dict[str, Json] = {"weights": "quadratic"}
    steps = round((field.maximum - field.minimum) / field.step) + 1
    if not len(first):
        return undefined_figure(NOTHING_FILLED_IN, more=said)
    if steps > _MAX_STEPS:
        return undefined_figure(f"The scale has more than {_MAX_STEPS} steps.", len(first), more=said)
    codes = [np.rint((side - field.minimum) / field.step).astype(np.int64) for side in (first, second)]
    if len(np.unique(codes)) < 2:
        return undefined_figure(ONE_VALUE, len(first), more=said)
    ones = np.ones(len(first), np.int64)
    (value,) = quadratic_kappa(confusion_tables(codes[0], codes[1], ones, np.zeros_like(ones), steps, 1))
    return StatisticResult(finite_or_none(float(value)), len(first), more=said)


def _kappa(
    first: Ints, second: Ints, matched: SegmentMatches, kinds: int, weights: Floats, reasons: tuple[str, str]
) -> StatisticResult:
    size, cells = weights.shape[1], max(kinds, 1)
    group = matched.recording * matched.pairs + matched.pair
    counted = confusion_tables(first, second, np.ones(len(first), np.int64), group, cells, size * matched.pairs)
    return estimate_pooled(kappa, counted.reshape(size, matched.pairs, cells, cells), weights, reasons)
