"""Figures of agreement of the choices and ratings that annotators filled in about matched segments."""

from dataclasses import replace

import numpy as np

from annotate.agreement.annotation_arrays import ChosenField, Options, RatedField, SegmentMatches
from annotate.agreement.coefficients import (
    ONE_CATEGORY,
    Coincidences,
    assign_bins,
    cohen_kappa,
    confusion_tables,
    free_marginal_kappa,
    interval_alpha,
    jaccard_distance,
    metric_alpha,
    moments,
    nominal_distance,
    ordinal_alpha,
    pearson,
    pooled_statistic,
    quadratic_kappa,
)
from annotate.agreement.figure_intervals import (
    Floats,
    Ints,
    Statistic,
    StatisticResult,
    estimate_from,
    finite_or_none,
    mean_statistic,
    sum_by_group,
)
from annotate.agreement.intraclass import (
    intraclass_agreement,
    intraclass_consistency,
    pair_agreement,
    pair_consistency,
    rating_moments,
)
from project.entities.study_records import Json

_MAX_STEPS = 1001
NOTHING_FILLED_IN = "No two matched segments have this field filled in on both sides."
ONE_VALUE = "Everybody gave one and the same value throughout."
ONE_CHOICE = "Nobody made this choice in a matched pair, or everybody always did."
_REASONS = (NOTHING_FILLED_IN, ONE_VALUE)


def choice_figures(field: ChosenField, matched: SegmentMatches, weights: Floats) -> dict[str, StatisticResult]:
    """Return the figures of a field with choices, over pairs in which both sides filled it in."""
    matched = matched.where_filled(field.filled)
    where, size = matched.recording, weights.shape[1]
    kinds, codes = np.unique(field.chosen[np.concatenate([matched.first, matched.second])], axis=0, return_inverse=True)
    array, other = np.split(codes.ravel(), 2)
    found = Coincidences(where, array, other, np.ones(len(array)), len(kinds), size)
    figures = {"same": mean_statistic(array == other, where, size, NOTHING_FILLED_IN)}
    if field.multiple:
        metric, distance = "jaccard", jaccard_distance(kinds)
        figures["jaccard"] = mean_statistic(1 - distance[array, other], where, size, NOTHING_FILLED_IN)
    else:
        metric, distance = "nominal", nominal_distance(len(kinds))
        figures["cohen_kappa"] = _kappa(array, other, matched, len(kinds), size, ONE_CATEGORY)
    rests_on = len(array), len(np.unique(where))
    alpha = estimate_from(
        lambda drawn: metric_alpha(found, distance, drawn), weights, *rests_on, _REASONS, {"metric": metric}
    )
    return {**{key: figure.estimate(weights) for key, figure in figures.items()}, "alpha": alpha}


def figures_by_choice(
    field: ChosenField, matched: SegmentMatches, weights: Floats
) -> dict[str, dict[str, StatisticResult]]:
    """Return choice -> in how many of the pairs where either made it both did, and kappa of having made it."""
    matched = matched.where_filled(field.filled)
    size = weights.shape[1]
    figures = {}
    for place, choice in enumerate(field.choices):
        first, second = field.chosen[matched.first, place], field.chosen[matched.second, place]
        either = first | second
        both = mean_statistic((first & second)[either], matched.recording[either], size, ONE_CHOICE)
        made = _kappa(first.astype(np.int64), second.astype(np.int64), matched, 2, size, ONE_CHOICE)
        figures[choice.key] = {"chosen_by_both": both.estimate(weights), "cohen_kappa": made.estimate(weights)}
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
    rests_on = len(array), len(np.unique(where))
    bins_one, bins_other = (assign_bins(side, field.minimum, field.maximum, options.bins) for side in (x, y))
    pairs = sum_by_group(where, size)
    same_bin = np.stack([sum_by_group(where[bins_one == bins_other], size), pairs], axis=-1)
    randolph = Statistic(
        lambda sums: free_marginal_kappa(sums[..., 0], sums[..., 1], options.bins),
        *(same_bin, pairs, _REASONS, {"bins": options.bins}),
    )
    correlation = pooled_statistic(
        pearson,
        moments(x, y, where * matched.pairs + matched.pair, size * matched.pairs).reshape(size, matched.pairs, 6),
        (NOTHING_FILLED_IN, "One side never varies."),
        size_of=lambda sums: sums[..., 0],
    )
    return {
        **_intraclass_figures(x, y, matched, weights),
        "alpha_ordinal": estimate_from(
            lambda drawn: ordinal_alpha(found, drawn), weights, *rests_on, _REASONS, {"metric": "ordinal"}
        ),
        "alpha_interval": estimate_from(
            lambda drawn: interval_alpha(found, values, drawn), weights, *rests_on, _REASONS, {"metric": "interval"}
        ),
        "randolph_kappa": randolph.estimate(weights),
        "weighted_kappa": _weighted_kappa(field, x, y),
        "pearson_r": correlation.estimate(weights),
        "mean_difference": mean_statistic(
            np.abs(x - y), where, size, NOTHING_FILLED_IN, {"range": field.maximum - field.minimum}
        ).estimate(weights),
    }


def _intraclass_figures(
    first: Floats, second: Floats, matched: SegmentMatches, weights: Floats
) -> dict[str, StatisticResult]:
    """Return ICC(2,1) and ICC(3,1): with the interval by F for one pair of annotators, else over recordings."""
    size = weights.shape[1]
    group = matched.recording * matched.pairs + matched.pair
    sums = rating_moments(first, second, group, size * matched.pairs).reshape(size, matched.pairs, 6)
    reasons = NOTHING_FILLED_IN, ONE_VALUE
    figures = {}
    for key, formula, exact in (
        ("icc_agreement", pair_agreement, intraclass_agreement),
        ("icc_consistency", pair_consistency, intraclass_consistency),
    ):
        pooled = pooled_statistic(formula, sums, reasons, {"interval": "recordings"}, lambda sums: sums[..., 0])
        figures[key] = pooled.estimate(weights)
        if len(np.unique(matched.pair)) == 1 and figures[key].value is not None:
            interval = exact(np.stack([first, second], axis=1))
            low, high = finite_or_none(interval.low), finite_or_none(interval.high)
            figures[key] = replace(figures[key], low=low, high=high, more={"interval": "F"})
    return figures


def mean_choices(
    field: ChosenField, matched: SegmentMatches, weights: Floats
) -> tuple[StatisticResult, StatisticResult]:
    """Return how many choices a segment has on average where both sides chose the same ones, and where they did not."""
    matched = matched.where_filled(field.filled)
    first, second = field.chosen[matched.first], field.chosen[matched.second]
    same = (first == second).all(1)
    numbers = np.concatenate([first.sum(1), second.sum(1)]).astype(float)
    where, alike = np.tile(matched.recording, 2), np.tile(same, 2)
    converged, diverged = (
        mean_statistic(numbers[which], where[which], weights.shape[1], "There is no such pair.").estimate(weights)
        for which in (alike, ~alike)
    )
    return converged, diverged


def _weighted_kappa(field: RatedField, first: Floats, second: Floats) -> StatisticResult:
    """Return kappa with quadratic weights; it comes without an interval."""
    said: dict[str, Json] = {"weights": "quadratic"}
    steps = round((field.maximum - field.minimum) / field.step) + 1
    codes = [np.rint((side - field.minimum) / field.step).astype(np.int64) for side in (first, second)]
    reason = ""
    if not len(first):
        reason = NOTHING_FILLED_IN
    elif steps > _MAX_STEPS:
        reason = f"The scale has more than {_MAX_STEPS} steps."
    elif len(np.unique(codes)) < 2:
        reason = ONE_VALUE
    if reason:
        return StatisticResult(None, len(first), reason=reason, more=said)
    ones = np.ones(len(first), np.int64)
    (value,) = quadratic_kappa(confusion_tables(codes[0], codes[1], ones, np.zeros_like(ones), steps, 1))
    return StatisticResult(finite_or_none(float(value)), len(first), more=said)


def _kappa(first: Ints, second: Ints, matched: SegmentMatches, kinds: int, size: int, undefined: str) -> Statistic:
    cells = max(kinds, 1)
    group = matched.recording * matched.pairs + matched.pair
    counted = confusion_tables(first, second, np.ones(len(first), np.int64), group, cells, size * matched.pairs)
    return pooled_statistic(
        cohen_kappa, counted.reshape(size, matched.pairs, cells, cells), (NOTHING_FILLED_IN, undefined)
    )
