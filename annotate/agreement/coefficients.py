"""Coefficients of agreement, computed from tables of counts.

Krippendorff's alpha, Cohen's kappa and its pooled forms, the grid kappa, Pearson's correlation, and Randolph's free-
marginal kappa.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, Ints, Statistic, ratio, sum_by_group
from project.entities.study_records import Json

_BATCH_ELEMENTS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Coincidences:
    """Every pair of values that two annotators gave to the same unit.

    Attributes:
        group: (p,) what is resampled: the recording of the unit.
        first: (p,) code of one value.
        second: (p,) code of the other.
        weight: (p,) units of that kind over the number of values each has less one.
    """

    group: Ints
    first: Ints
    second: Ints
    weight: Floats
    values: int
    groups: int


def count_coincidences(codes: Ints, group: Ints, values: int, groups: int, units: Ints | None = None) -> Coincidences:
    """Pair up what annotators said.

    Args:
        codes: (annotators, u) value of each unit by each annotator; -1 is missing.
        group: (u,) recording of each unit.
        values: number of codes.
        groups: number of recordings.
        units: (u,) how many equal units each column stands for; one when not given.
    """
    given = codes >= 0
    count = given.sum(0)
    each = np.ones(codes.shape[1]) if units is None else units.astype(float)
    found: list[tuple[Ints, Ints, Ints, Floats]] = []
    for index in range(len(codes)):
        for other in range(index + 1, len(codes)):
            both = given[index] & given[other]
            found.append((group[both], codes[index][both], codes[other][both], each[both] / (count[both] - 1)))
    if not found:
        none = np.zeros(0, np.int64)
        return Coincidences(none, none, none, np.zeros(0), values, groups)
    groups_of, first, second, weight = (np.concatenate(column) for column in zip(*found, strict=True))
    return Coincidences(groups_of, first, second, weight, values, groups)


def nominal_distance(values: int) -> Floats:
    """Return (values, values): any two different values are equally far apart."""
    return 1 - np.eye(values)


def metric_alpha(found: Coincidences, distance: Floats, resamples: Floats | None = None) -> Floats:
    """Return alpha under a (values, values) table of squared distances between values."""
    counts, total, chosen = _counts(found, resamples)
    apart = _by_group(found, distance[found.first, found.second])
    return _alpha(chosen @ apart, ((counts @ distance) * counts).sum(-1), total)


def interval_alpha(found: Coincidences, numbers: Floats, resamples: Floats | None = None) -> Floats:
    """Return alpha with squared differences; `numbers` is what each code stands for."""
    counts, total, chosen = _counts(found, resamples)
    centred = numbers - numbers.mean() if len(numbers) else numbers
    apart = _by_group(found, (centred[found.first] - centred[found.second]) ** 2)
    return _alpha(chosen @ apart, _spread(counts, centred), total)


def ordinal_alpha(found: Coincidences, resamples: Floats | None = None) -> Floats:
    """Return alpha on ranks; codes are in the order of the values.

    Krippendorff's ordinal distance of two values is the squared difference of their mean ranks.
    """
    counts, total, chosen = _counts(found, resamples)
    rank = np.cumsum(counts, -1) - counts / 2
    rank -= total[:, None] / 2
    apart = np.empty(len(chosen))
    chunk = max(1, _BATCH_ELEMENTS // max(1, len(found.first)))
    for start in range(0, len(chosen), chunk):
        part = slice(start, start + chunk)
        difference = rank[part][:, found.first] - rank[part][:, found.second]
        apart[part] = 2 * (chosen[part][:, found.group] * found.weight * difference**2).sum(-1)
    return _alpha(apart, _spread(counts, rank), total)


def jaccard_distance(sets: Bools) -> Floats:
    """Return (n, n): of the choices that either of two sets holds, the share that only one does; empty sets agree.

    Args:
        sets: (n, choices) which choices each set holds.
    """
    chosen = sets.astype(float)
    both = chosen @ chosen.T
    either = chosen.sum(1)[:, None] + chosen.sum(1) - both
    alike: Floats = np.divide(both, either, out=np.ones_like(both), where=either > 0)
    return 1 - alike


def _counts(found: Coincidences, resamples: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return how often each value occurs (b, values), in all (b,), and the weights of the groups (b, groups)."""
    chosen = np.ones((1, found.groups)) if resamples is None else resamples
    size = found.groups * found.values
    counted = sum_by_group(found.group * found.values + found.first, size, found.weight)
    counted += sum_by_group(found.group * found.values + found.second, size, found.weight)
    counts = chosen @ counted.reshape(found.groups, found.values)
    return counts, counts.sum(-1), chosen


def _by_group(found: Coincidences, distance: Floats) -> Floats:
    return 2 * sum_by_group(found.group, found.groups, found.weight * distance)


def _spread(counts: Floats, numbers: Floats) -> Floats:
    """Return the sum of squared differences over all ordered pairs of values."""
    mean = (counts * numbers).sum(-1) / np.maximum(counts.sum(-1), 1e-300)
    found: Floats = 2 * counts.sum(-1) * (counts * (numbers - mean[:, None]) ** 2).sum(-1)
    return found


def _alpha(observed: Floats, expected: Floats, total: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(expected > 1e-12 * total**2, 1 - (total - 1) * observed / expected, np.nan)
    return found


ONE_CATEGORY = "Both annotators used one and the same category throughout."


def confusion_tables(
    first: Ints, second: Ints, weight: Ints | Floats, group: Ints, categories: int, groups: int
) -> Floats:
    """Return (groups, categories, categories) summed weights; a code of -1 on either side counts nowhere."""
    known = (first >= 0) & (second >= 0)
    place = (group[known] * categories + first[known]) * categories + second[known]
    counted = sum_by_group(place, groups * categories * categories, weight[known])
    return counted.reshape(groups, categories, categories)


def cohen_kappa(table: Floats) -> Floats:
    """Return (...) kappa of (..., k, k) tables; NaN where chance alone agrees always.

    Source: Cohen (1960), A coefficient of agreement for nominal scales.
    """
    return over_chance(table, np.einsum("...ii->...", table), _chance(table))


def kappa_of_codes(codes: Ints, categories: int, weight: Ints | Floats) -> float:
    """Return Cohen's kappa of two raters from the (2, n) codes that they gave, from 0; NaN as for `kappa`."""
    return float(cohen_kappa(confusion_tables(codes[0], codes[1], weight, np.zeros_like(codes[0]), categories, 1))[0])


def kappa_max(table: Floats) -> Floats:
    """Return (...) the highest kappa that the margins of (..., k, k) tables allow."""
    return over_chance(table, np.minimum(table.sum(-1), table.sum(-2)).sum(-1), _chance(table))


def quadratic_kappa(table: Floats) -> Floats:
    """Return (...) kappa of (..., k, k) tables of ordered values, weighted by squared distance; NaN as for `kappa`.

    Source: Cohen (1968), Weighted kappa.
    """
    steps = np.arange(table.shape[-1])
    apart = (steps[:, None] - steps) ** 2
    chance = table.sum(-1)[..., :, None] * table.sum(-2)[..., None, :] / table.sum((-1, -2))[..., None, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = 1 - (apart * table).sum((-1, -2)) / (apart * chance).sum((-1, -2))
    return found


def over_chance(table: Floats, agreeing: Floats, expected: Floats) -> Floats:
    """Return (...) how far agreement is above the share that chance gives; NaN where chance alone agrees always.

    Args:
        table: (..., k, k).
        agreeing: (...) the part of the table that agrees.
        expected: (...) the share of agreement that chance gives.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(
            1 - expected > 1e-12, (agreeing / table.sum((-1, -2)) - expected) / (1 - expected), np.nan
        )
    return found


def _chance(table: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        expected: Floats = (table.sum(-1) * table.sum(-2)).sum(-1) / table.sum((-1, -2)) ** 2
    return expected


def moments(first: Floats, second: Floats, group: Ints, groups: int) -> Floats:
    """Return (groups, 6): the number of pairs, and the sums of x, y, x squared, y squared and x times y."""
    x = first - (first.mean() if len(first) else 0)
    y = second - (second.mean() if len(second) else 0)
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    return np.stack([sum_by_group(group, groups, column) for column in columns], axis=-1)


def pearson(sums: Floats) -> Floats:
    """Return (...) r of (..., 6) moments; NaN where either side never varies."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    varies = (spread_x > 1e-9 * np.maximum(n * xx, 1e-300)) & (spread_y > 1e-9 * np.maximum(n * yy, 1e-300))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(varies, (n * xy - x * y) / np.sqrt(spread_x * spread_y), np.nan)
    return np.clip(found, -1, 1)


def _total(tables: Floats) -> Floats:
    found: Floats = tables.sum((-1, -2))
    return found


def pooled_statistic(
    formula: Callable[[Floats], Floats],
    tables: Floats,
    reasons: tuple[str, str],
    more: Mapping[str, Json] = MappingProxyType({}),
    size_of: Callable[[Floats], Floats] = _total,
) -> Statistic:
    """Return the mean of a formula over pairs of annotators; pairs where it is undefined are left out.

    Args:
        formula: (b, pairs, ...) sums -> (b, pairs) figures.
        tables: (recordings, pairs, ...) what is added up over recordings.
        reasons: as of `Statistic`.
        more: what else belongs to the figure.
        size_of: how much the figure of one pair rests on; by default the sum of a table.
    """
    return Statistic(_mean_over_pairs(formula, size_of), tables, size_of(tables).sum(-1), reasons, more)


def _mean_over_pairs(
    formula: Callable[[Floats], Floats], size_of: Callable[[Floats], Floats]
) -> Callable[[Floats], Floats]:
    """Return the formula for the mean: (b, pairs, ...) sums -> (b,) figures, NaN where no pair has one."""

    def mean(sums: Floats) -> Floats:
        values, size = formula(sums), size_of(sums)
        known = np.isfinite(values)
        return ratio(np.stack([(size * np.where(known, values, 0)).sum(-1), (size * known).sum(-1)], axis=-1))

    return mean


def free_marginal_kappa(agreeing: Floats, pairs: Floats, bins: int) -> Floats:
    """Return kappa; NaN without pairs or with one bin.

    Args:
        agreeing: (...) how many pairs of ratings fall into the same bin.
        pairs: (...) how many there are.
        bins: into how many the scale was cut.

    Source: Randolph (2005), Free-marginal multirater kappa.
    """
    chance = 1 / bins
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = (agreeing / pairs - chance) / (1 - chance) if bins > 1 else np.full_like(pairs, np.nan)
    return found


def assign_bins(numbers: Floats, minimum: float, maximum: float, bins: int) -> Ints:
    """Return the bin of each number, of equal width from minimum to maximum; the maximum is in the last."""
    width = (maximum - minimum) / bins
    return np.clip(np.floor((numbers - minimum) / width).astype(np.int64), 0, bins - 1)
