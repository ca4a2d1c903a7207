"""Pearson's correlation, from sums that can be added up over recordings."""

import numpy as np

from benchmark.agreement.counting import per_group
from benchmark.agreement.types import Floats, Ints


def moments(first: Floats, second: Floats, group: Ints, groups: int) -> Floats:
    """Return (groups, 6): the number of pairs, and the sums of x, y, x squared, y squared and x times y."""
    x = first - (first.mean() if len(first) else 0)
    y = second - (second.mean() if len(second) else 0)
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    return np.stack([per_group(group, groups, column) for column in columns], axis=-1)


def pearson(sums: Floats) -> Floats:
    """Return (...) r of (..., 6) moments; NaN where either side never varies."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    varies = (spread_x > 1e-9 * np.maximum(n * xx, 1e-300)) & (spread_y > 1e-9 * np.maximum(n * yy, 1e-300))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(varies, (n * xy - x * y) / np.sqrt(spread_x * spread_y), np.nan)
    return np.clip(found, -1, 1)
