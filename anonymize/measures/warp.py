"""Whether a rendering flickers more than its source does."""

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure
from models.flow.base import Flow, Picture
from models.flow.consistency import warped

# Forward-backward check: a pixel whose way there and back differs by more than this was hidden or left the picture
# (Sundaram, Brox and Keutzer, ECCV 2010, as Ruder et al. and Lai et al. use it).
_RELATIVE, _ABSOLUTE = 0.01, 0.5
_MOTION_RELATIVE, _MOTION_ABSOLUTE = 0.01, 0.002


def seen_in_both(forward: Flow, backward: Flow) -> NDArray[np.bool_]:
    """Return (h, w), where a pixel of the first picture is seen in the second too, off the borders of motion.

    Not so where |f + b(x + f)|^2 > 0.01 (|f|^2 + |b|^2) + 0.5, where the flow leaves the picture, or where
    |grad f|^2 > 0.01 |f|^2 + 0.002.
    """
    height, width = forward.shape[:2]
    back = np.asarray(warped(backward, forward), np.float32)
    both = (forward**2).sum(-1) + (back**2).sum(-1)
    kept = ((forward + back) ** 2).sum(-1) <= _RELATIVE * both + _ABSOLUTE
    rows, columns = np.mgrid[:height, :width]
    x, y = forward[..., 0] + columns, forward[..., 1] + rows
    kept &= (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    if min(height, width) > 1:
        bends = sum(np.gradient(forward[..., axis], axis=way) ** 2 for axis in (0, 1) for way in (0, 1))
        kept &= bends <= _MOTION_RELATIVE * (forward**2).sum(-1) + _MOTION_ABSOLUTE
    return np.asarray(kept, np.bool_)


def warp_error(first: Picture, second: Picture, forward: Flow, mask: NDArray[np.bool_]) -> tuple[float, int]:
    """Return sum M ||A_t - warp(A_t+1)||^2 over three channels of 0..1, and the number of pixels in M.

    Lai et al., "Learning Blind Video Temporal Consistency", ECCV 2018, section 4.2. Flow and mask are those of the raw
    clip for both the source and the rendering, so that both are held to the same motion.

    Args:
        first: (h, w, 3) at time t.
        second: (h, w, 3) at time t + 1.
        forward: (h, w, 2) from t to t + 1 in the raw clip.
        mask: (h, w) of the pixels that count.
    """
    apart = (first.astype(np.float32) - warped(second.astype(np.float32), forward)) / 255
    return float((apart**2).sum(-1)[mask].sum()), int(mask.sum())


def warp_ratio(raw: float, other: float, pixels: int) -> Figure:
    """Return how many times the error of the source the error of the rendering is; None where the source has none."""
    if not pixels:
        return Figure(None, 0, "No pixel could be followed from a frame to the next.")
    if raw <= 0:
        return Figure(None, pixels, "The source does not change from a frame to the next.")
    return Figure(other / raw, pixels)
