"""Which frames of a shot are drawn by the network; the others follow from them by flow."""

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

_SMOOTHED = (9, 9)


def change(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> float:
    """Return how much a picture changed: the mean squared error, both smoothed over 9 x 9 pixels.

    The measure of FRESCO (Yang et al., CVPR 2024). Both pictures are (h, w) or (h, w, 3).
    """
    first, second = (cv2.GaussianBlur(each, _SMOOTHED, 0).astype(np.float32) for each in (before, after))
    return float(np.square(first - second).mean())


def keyframes(changes: Sequence[float], least: int, most: int) -> list[int]:
    """Choose the key frames of a shot, as FRESCO does.

    The first and the last frame are keys. Then the frame that changed most is added again and again, none closer
    than `least` to a key, until no two keys are further apart than `most`. Where no frame is far enough from the keys
    and a gap is still too wide, it is halved. With `least` equal to `most` the keys are evenly spaced.

    Args:
        changes: of each frame to the one before it, from the second on: one less than there are frames.
        least: frames that keys are apart at least, the last two excepted; 1 or more.
        most: frames that keys are apart at most; not less than `least`.

    Returns:
        Positions in the shot, ascending.
    """
    last = len(changes)
    if least == most:
        return sorted({*range(0, last, least), last})
    keys = sorted({0, last})
    near = np.zeros(last + 1, np.bool_)
    changed = np.concatenate([[0.0], np.asarray(changes, np.float64)])
    for key in keys:
        near[max(0, key - least + 1) : key + least] = True
    while max((b - a for a, b in pairwise(keys)), default=0) > most:
        if near.all():
            start, stop = max(pairwise(keys), key=lambda gap: gap[1] - gap[0])
            key = (start + stop) // 2
        else:
            key = int(np.where(near, -np.inf, changed).argmax())
        keys = sorted([*keys, key])
        near[max(0, key - least + 1) : key + least] = True
    return keys
