"""Which frames of a shot are drawn by the network; the others follow from them by flow."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

_SMOOTHED = (9, 9)
# Mean squared error of a cell, in grey levels, that is more than the noise of a camera.
_NOISE = 25.0
# Half way of a steady motion a frame is a quarter as far from either end, in squares, as they are from each other.
_ON_THE_WAY = 0.5
THUMBNAIL = (64, 64)


def change(before: NDArray[np.uint8], after: NDArray[np.uint8], cells: int = 1) -> float:
    """Return how much a picture changed: the mean squared error, both smoothed over 9 x 9 pixels.

    Over the whole picture it is the measure of FRESCO (Yang et al., CVPR 2024). In a face a blink is a small part of
    that, so the greatest error of any cell tells more.

    Args:
        before: (h, w).
        after: of the same shape.
        cells: into how many cells the picture is divided, across and down.
    """
    return _apart(cv2.GaussianBlur(before, _SMOOTHED, 0), cv2.GaussianBlur(after, _SMOOTHED, 0), cells)


def _apart(first: NDArray[Any], second: NDArray[Any], cells: int) -> float:
    error = np.square(first.astype(np.float32) - second.astype(np.float32))
    return float(cv2.resize(error, (cells, cells), interpolation=cv2.INTER_AREA).max())


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


def with_excursions(keys: Sequence[int], thumbnails: Sequence[NDArray[np.uint8]], least: int, cells: int) -> list[int]:
    """Add the frames of what comes and goes between two keys, such as lids that are closed for a moment.

    The greatest changes are where lids fall and where they rise, so those become keys, and what lies between would be
    made of two half-open eyes. Between two keys the frame that is least like either of them becomes one too, if it
    is not on the way from the one to the other; again and again.

    Args:
        keys: ascending positions.
        thumbnails: of all frames of the shot, (64, 64) grey.
        least: frames that an added key is apart from others at least.
        cells: see `change`.
    """
    found = [keys[0]]
    for key in keys[1:]:
        found += [*_between(found[-1], key, thumbnails, least, cells), key]
    return found


def _between(start: int, stop: int, thumbnails: Sequence[NDArray[np.uint8]], least: int, cells: int) -> list[int]:
    inside = range(start + least, stop - least + 1)
    if not inside:
        return []
    apart = [min(_apart(thumbnails[k], thumbnails[each], cells) for k in (start, stop)) for each in inside]
    place = int(np.argmax(apart))
    if apart[place] <= max(_NOISE, _ON_THE_WAY * _apart(thumbnails[start], thumbnails[stop], cells)):
        return []
    middle = inside[place]
    before = _between(start, middle, thumbnails, least, cells)
    return [*before, middle, *_between(middle, stop, thumbnails, least, cells)]
