"""The frames between two key frames: what was drawn there, moved along the flow and blended from both sides."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.flow.base import OpticalFlow
from models.flow.consistency import occluded, warped

Image = NDArray[np.uint8]

# Where a key does not show a pixel it still counts this little, so that what neither shows is a blend in time.
_UNSEEN = 1e-3
_SOFT = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A key frame.

    Attributes:
        frame: position in the source.
        source: (h, w) grey, what the crop showed.
        drawn: (H, W, 3), what was drawn in its place, at any size.
    """

    frame: int
    source: Image
    drawn: Image


def between(frame: int, source: Image, keys: Sequence[Key], flow: OpticalFlow) -> Image:
    """Return what a frame is to show.

    Each key's picture is pulled along the flow from the frame to the key. A key counts the more the nearer it is in
    time, and next to nothing where it does not show what the frame shows (`models.flow.consistency.occluded`).

    Args:
        frame: position in the source.
        source: (h, w) grey, what its crop shows.
        keys: the key before it and the one after it.
        flow: finds the motion.

    Returns:
        (H, W, 3).
    """
    height, width = keys[0].drawn.shape[:2]
    span = sum(abs(key.frame - frame) for key in keys)
    total = np.zeros((height, width, 1), np.float32)
    mixed = np.zeros((height, width, 3), np.float32)
    for key in keys:
        there, back = flow.between(source, key.source), flow.between(key.source, source)
        unseen = occluded(there, back, source, key.source).astype(np.float32)
        seen = 1 - np.maximum(unseen, cv2.GaussianBlur(unseen, (0, 0), _SOFT))
        weight = np.maximum(seen, _UNSEEN) * (1 - abs(key.frame - frame) / span if span else 1.0)
        scale = np.array([width / source.shape[1], height / source.shape[0]], np.float32)
        large = cv2.resize(there, (width, height), interpolation=cv2.INTER_LINEAR) * scale
        weight = cv2.resize(weight.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
        mixed += weight * warped(key.drawn, large.astype(np.float32)).astype(np.float32)
        total += weight
    return np.asarray(np.rint(mixed / total), np.uint8)
