"""Kappas of more than two annotators: the mean over their pairs, weighted by how much each pair rests on.

Source: Light (1971), Measures of response agreement for qualitative data; the weights are ours, since pairs of one
study may share very different numbers of recordings.
"""

from collections.abc import Callable

import numpy as np

from benchmark.agreement.bootstrap import estimate
from benchmark.agreement.figure import Figure
from benchmark.agreement.types import Floats
from project.types import Json


def _total(tables: Floats) -> Floats:
    found: Floats = tables.sum((-1, -2))
    return found


def pooled(
    formula: Callable[[Floats], Floats],
    tables: Floats,
    weights: Floats,
    reasons: tuple[str, str],
    more: dict[str, Json] | None = None,
    size_of: Callable[[Floats], Floats] = _total,
) -> Figure:
    """Return the mean of a formula over pairs of annotators; pairs where it is undefined are left out.

    Args:
        formula: (b, pairs, ...) sums -> (b, pairs) figures.
        tables: (recordings, pairs, ...) what is added up over recordings.
        weights: (samples, recordings) of the bootstrap.
        reasons: as for `estimate`.
        more: what else belongs to the figure.
        size_of: how much the figure of one pair rests on; by default the sum of a table.
    """
    n = round(float(size_of(tables).sum()))
    return estimate(mean_over_pairs(formula, size_of), tables, weights, n, reasons, more)


def mean_over_pairs(
    formula: Callable[[Floats], Floats], size_of: Callable[[Floats], Floats] = _total
) -> Callable[[Floats], Floats]:
    """Return the formula for the mean: (b, pairs, ...) sums -> (b,) figures, NaN where no pair has one."""

    def mean(sums: Floats) -> Floats:
        values, size = formula(sums), size_of(sums)
        known = np.isfinite(values)
        total = (size * known).sum(-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.where(total > 0, (size * np.where(known, values, 0)).sum(-1) / total, np.nan)
        return found

    return mean
