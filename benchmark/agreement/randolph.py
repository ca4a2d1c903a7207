"""Randolph's free-marginal kappa: agreement over what blind choice among a fixed number of bins would give."""

import numpy as np

from benchmark.agreement.types import Floats, Ints


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


def binned(numbers: Floats, minimum: float, maximum: float, bins: int) -> Ints:
    """Return the bin of each number, of equal width from minimum to maximum; the maximum is in the last."""
    width = (maximum - minimum) / bins
    return np.clip(np.floor((numbers - minimum) / width).astype(np.int64), 0, bins - 1)
