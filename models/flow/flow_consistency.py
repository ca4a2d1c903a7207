"""Warps a picture along a flow, and finds occluded pixels by forward-backward consistency."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.flow.optical_flow import Flow, Picture

Mask = NDArray[np.bool_]
_RELATIVE, _ABSOLUTE = 0.01, 0.5
_COLOUR = 0.25 * 255


def warp(picture: NDArray[Any], flow: Flow) -> NDArray[Any]:
    """Pull a picture, (h, w) or (h, w, channels), back along the (h, w, 2) flow that leads to it.

    It is then as seen from where the flow starts, bilinear, edges repeated.
    """
    height, width = flow.shape[:2]
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    return cv2.remap(
        picture, columns + flow[..., 0], rows + flow[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def find_occlusions(forward: Flow, backward: Flow, first: Picture | None = None, second: Picture | None = None) -> Mask:
    """Return which pixels of the first picture the second one does not show.

    A pixel is lost where going there and back does not end where it began, |f + b| > 0.01 (|f| + |b|) + 0.5 with b the
    backward flow at the pixel's new place (the check of Sundaram et al., ECCV 2010, with lengths in place of their
    squares, as FRESCO has it, CVPR 2024); where its way leads out of the picture; and where the colours found there
    differ by more than a quarter of their range. Flows are (h, w, 2), there and back. Colours are compared where the
    pictures are given.
    """
    height, width = forward.shape[:2]
    back = warp(backward, forward)
    apart = np.linalg.norm(forward + back, axis=2)
    far = np.linalg.norm(forward, axis=2) + np.linalg.norm(back, axis=2)
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    x, y = columns + forward[..., 0], rows + forward[..., 1]
    lost = (apart > _RELATIVE * far + _ABSOLUTE) | (x < 0) | (y < 0) | (x > width - 1) | (y > height - 1)
    if first is not None and second is not None:
        difference = np.abs(first.astype(np.float32) - warp(second, forward).astype(np.float32))
        lost |= (difference.mean(axis=2) if difference.ndim == 3 else difference) > _COLOUR
    return np.asarray(lost, np.bool_)
