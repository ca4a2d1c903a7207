"""Tells where scenes change, from small copies of the pictures: cuts, not the flash of a lamp, not a lost picture.

A change from one picture to the next may be a cut where it is large, wide and sudden: larger than the changes just
before. It is one unless the pictures soon after look like those just before, as they do after a flash or a black
frame. So a scene change is certain only `AHEAD` pictures later.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

AHEAD = 3
"""Pictures after one that have to be known before it is certain whether a scene begins with it."""
BEFORE = 6
"""Pictures before one that its answer depends on."""

_SIZE = (48, 27)
# Brightness varies by about 40 over a well lit picture. In a dark or pale one, changes are as much smaller.
_USUAL_CONTRAST, _LEAST_CONTRAST = 40.0, 10.0
# What moves changes its own part of the picture; a cut changes nearly all. The widest in a shot of the test
# recordings were 0.29 of it, the narrowest cut 0.92.
_CELL_CHANGE, _LEAST_SHARE = 12.0, 0.35
# After a flash, a scene differs from what it was before by less than this share of the flash.
_SAME_SCENE = 0.35
# At the start of a recording little is known of how it moves, so what comes after is asked too.
_KNOWN = 4

Thumbnail = NDArray[np.float32]


def thumbnail(planes: Sequence[NDArray[np.uint8]]) -> Thumbnail:
    """Return (3, 27, 48): the luma and chroma planes of a picture, made small."""
    return np.stack([cv2.resize(plane, _SIZE, interpolation=cv2.INTER_AREA) for plane in planes]).astype(np.float32)


def difference(a: Thumbnail, b: Thumbnail) -> NDArray[np.float32]:
    """Return (27, 48): how much each cell differs, in levels of brightness of a well lit picture."""
    contrast = float(np.clip(max(a[0].std(), b[0].std()), _LEAST_CONTRAST, _USUAL_CONTRAST))
    return np.asarray(np.abs(a - b).sum(axis=0) * (_USUAL_CONTRAST / contrast), np.float32)


class Scenes:
    """Where scenes begin. Knows the last few pictures only; the answer for one depends on no other.

    Args:
        level: least mean difference at a scene change, 0 to 255.
        ratio: how many times the changes before it a scene change must be.
    """

    def __init__(self, level: float, ratio: float) -> None:
        self._level, self._ratio = level, ratio
        self._pictures: dict[int, Thumbnail] = {}
        self._changes: dict[int, float] = {}

    def add(self, frame: int, planes: Sequence[NDArray[np.uint8]]) -> bool:
        """Take the next picture, and tell whether a scene may begin with it."""
        new = thumbnail(planes)
        old = self._pictures.get(frame - 1)
        self._pictures[frame] = new
        for far in [f for f in self._pictures if f < frame - AHEAD - BEFORE]:
            del self._pictures[far]
            self._changes.pop(far, None)
        if old is None:
            return False
        cells = difference(old, new)
        change = float(cells.mean())
        self._changes[frame] = change
        earlier = [self._changes[f] for f in range(frame - BEFORE + 1, frame) if f in self._changes]
        usual = float(np.median(earlier)) if earlier else 0.0
        wide = float((cells > _CELL_CHANGE).mean()) >= _LEAST_SHARE
        return wide and change > self._level and change > self._ratio * usual

    def begins(self, frame: int) -> bool:
        """Tell whether a scene does begin with a picture that may, once the next `AHEAD` were added or none is left."""
        later = [self._changes[f] for f in range(frame + 1, frame + AHEAD + 1) if f in self._changes]
        if frame < _KNOWN and later and self._changes[frame] <= self._ratio * float(np.median(later)):
            return False
        before = [self._pictures[f] for f in range(frame - 1 - AHEAD, frame) if f in self._pictures]
        after = [self._pictures[f] for f in range(frame, frame + AHEAD + 1) if f in self._pictures]
        least = _SAME_SCENE * self._changes[frame]
        return not any(float(difference(b, a).mean()) < least for b in before for a in after)
