"""How much boxes share. A box is x, y, width, height, in pixels or in any other unit."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def overlaps(boxes: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return (n, m) intersections over union of (n, 4) and (m, 4) boxes; 0 where one has no area."""
    one = np.asarray(boxes, np.float64).reshape(-1, 1, 4)
    other = np.asarray(others, np.float64).reshape(1, -1, 4)
    low = np.maximum(one[..., :2], other[..., :2])
    high = np.minimum(one[..., :2] + one[..., 2:], other[..., :2] + other[..., 2:])
    shared = np.clip(high - low, 0, None).prod(-1)
    union = np.clip(one[..., 2:], 0, None).prod(-1) + np.clip(other[..., 2:], 0, None).prod(-1) - shared
    share: NDArray[np.float64] = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return share


def overlap(box: ArrayLike, other: ArrayLike) -> float:
    """Return the intersection over union of two boxes; see `overlaps`."""
    return float(overlaps(box, other)[0, 0])
