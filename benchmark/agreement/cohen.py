"""Cohen's kappa, from tables of how often one annotator said this while the other said that."""

import numpy as np

from benchmark.agreement.counting import per_group
from benchmark.agreement.grid import Grid
from benchmark.agreement.types import Floats, Ints

ONE_CATEGORY = "Both annotators used one and the same category throughout."


def tables(first: Ints, second: Ints, weight: Ints | Floats, group: Ints, categories: int, groups: int) -> Floats:
    """Return (groups, categories, categories) summed weights; a code of -1 on either side counts nowhere."""
    known = (first >= 0) & (second >= 0)
    place = (group[known] * categories + first[known]) * categories + second[known]
    counted = per_group(place, groups * categories * categories, weight[known])
    return counted.reshape(groups, categories, categories)


def kappa(table: Floats) -> Floats:
    """Return (...) kappa of (..., k, k) tables; NaN where chance alone agrees always.

    Source: Cohen (1960), A coefficient of agreement for nominal scales.
    """
    return _over_chance(table, np.einsum("...ii->...", table))


def kappa_max(table: Floats) -> Floats:
    """Return (...) the highest kappa that the margins of (..., k, k) tables allow."""
    return _over_chance(table, np.minimum(table.sum(-1), table.sum(-2)).sum(-1))


def _over_chance(table: Floats, agreeing: Floats) -> Floats:
    total = table.sum((-1, -2))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (table.sum(-1) * table.sum(-2)).sum(-1) / total**2
        found: Floats = np.where(1 - expected > 1e-12, (agreeing / total - expected) / (1 - expected), np.nan)
    return found


def grid_kappa(grid: Grid, first: int = 0, second: int = 1) -> float:
    """Return Cohen's kappa of two annotators over all instants of a grid; NaN where it is undefined."""
    table = tables(grid.states[first], grid.states[second], grid.instants, np.zeros_like(grid.axis), len(grid.names), 1)
    return float(kappa(table)[0])
