"""What ELAN reports of two annotators: the modified kappa of Holle and Rein, and the overlap ratio."""

import numpy as np

from benchmark.agreement.types import Floats


def modified_kappa(table: Floats) -> Floats:
    """Return (...) kappa of (..., k + 1, k + 1) tables; also where it is negative.

    In the table matched pairs count twice, and the last row and column are what the other annotator has no match for.

    Chance is what iterative proportional fitting of ones, with a zero where both are unmatched, converges to under the
    observed margins. With that one zero the limit has a closed form: each label's unmatched part follows the labels'
    margins, and the rest is independent.

    Source: Holle and Rein (2015), EasyDIAg, section on the modified kappa.
    """
    return _over_chance(table, np.einsum("...ii->...", table))


def modified_kappa_max(table: Floats) -> Floats:
    """Return (...) the highest modified kappa that the margins allow."""
    labels = np.minimum(table.sum(-1)[..., :-1], table.sum(-2)[..., :-1])
    return _over_chance(table, labels.sum(-1))


def expected_agreement(table: Floats) -> Floats:
    """Return (...) the share of agreement that chance gives in (..., k + 1, k + 1) tables."""
    rows, columns, total = table.sum(-1), table.sum(-2), table.sum((-1, -2))
    both = total - rows[..., -1] - columns[..., -1]
    by_label = (rows[..., :-1] * columns[..., :-1]).sum(-1)
    linked = rows[..., :-1].sum(-1) * columns[..., :-1].sum(-1) * total
    found: Floats = np.divide(both * by_label, linked, out=np.zeros_like(total), where=linked > 0)
    return found


def _over_chance(table: Floats, agreeing: Floats) -> Floats:
    total, expected = table.sum((-1, -2)), expected_agreement(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(1 - expected > 1e-12, (agreeing / total - expected) / (1 - expected), np.nan)
    return found
