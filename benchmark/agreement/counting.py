"""Sums by recording, from which figures and their intervals are made."""

import numpy as np

from benchmark.agreement.types import Floats, Ints


def per_group(group: Ints, groups: int, values: Floats | Ints | None = None) -> Floats:
    """Return (groups,) the sums of (n,) values, or how many there are, in each group."""
    return np.bincount(group, values, groups).astype(float)
