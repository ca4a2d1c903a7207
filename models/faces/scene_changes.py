"""Detects scene changes (cuts, no fades) from thumbnails; a flash or a lost picture does not count as one."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from media.frame_index import FrameIndex
from models.faces.tracking_options import FaceOptions
from project.progress import Progress
from project.timebase import SECOND_US

FRAMES_AHEAD = 3
"""Pictures after one that have to be known before it is certain whether a scene begins with it."""
FRAMES_BEFORE = 6
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


def make_thumbnail(planes: Sequence[NDArray[np.uint8]]) -> Thumbnail:
    """Return (3, 27, 48): the luma and chroma planes of a picture, made small."""
    return np.stack([cv2.resize(plane, _SIZE, interpolation=cv2.INTER_AREA) for plane in planes]).astype(np.float32)


def cell_difference(a: Thumbnail, b: Thumbnail) -> NDArray[np.float32]:
    """Return (27, 48): how much each cell differs, in levels of brightness of a well lit picture."""
    contrast = float(np.clip(max(a[0].std(), b[0].std()), _LEAST_CONTRAST, _USUAL_CONTRAST))
    return np.asarray(np.abs(a - b).sum(axis=0) * (_USUAL_CONTRAST / contrast), np.float32)


class Scenes:
    """Where scenes begin. Knows the last few pictures only; the answer for one depends on no other.

    A change is at least `level` on the mean, 0 to 255, and `ratio` times those before it.
    """

    def __init__(self, level: float, ratio: float) -> None:
        self._level, self._ratio = level, ratio
        self._pictures: dict[int, Thumbnail] = {}
        self._changes: dict[int, float] = {}

    def add(self, frame: int, planes: Sequence[NDArray[np.uint8]]) -> bool:
        """Take the next picture, and tell whether a scene may begin with it."""
        new = make_thumbnail(planes)
        old = self._pictures.get(frame - 1)
        self._pictures[frame] = new
        for far in [f for f in self._pictures if f < frame - FRAMES_AHEAD - FRAMES_BEFORE]:
            del self._pictures[far]
            self._changes.pop(far, None)
        if old is None:
            return False
        cells = cell_difference(old, new)
        change = float(cells.mean())
        self._changes[frame] = change
        earlier = [self._changes[f] for f in range(frame - FRAMES_BEFORE + 1, frame) if f in self._changes]
        usual = float(np.median(earlier)) if earlier else 0.0
        wide = float((cells > _CELL_CHANGE).mean()) >= _LEAST_SHARE
        return wide and change > self._level and change > self._ratio * usual

    def is_scene_start(self, frame: int) -> bool:
        """Tell whether a candidate picture begins a scene, once the next `FRAMES_AHEAD` were added or none is left."""
        later = [self._changes[f] for f in range(frame + 1, frame + FRAMES_AHEAD + 1) if f in self._changes]
        if frame < _KNOWN and later and self._changes[frame] <= self._ratio * float(np.median(later)):
            return False
        before = [self._pictures[f] for f in range(frame - 1 - FRAMES_AHEAD, frame) if f in self._pictures]
        after = [self._pictures[f] for f in range(frame, frame + FRAMES_AHEAD + 1) if f in self._pictures]
        least = _SAME_SCENE * self._changes[frame]
        return not any(float(cell_difference(b, a).mean()) < least for b in before for a in after)


MIN_SCENE_US = SECOND_US // 4
"""What is shorter is no scene: of several changes that near to each other, the last one counts."""
_EVERY = 25


def scene_changes(path: Path, index: FrameIndex, progress: Progress) -> list[int]:
    """Return the positions of the frames with which a view begins, ascending, without the first of the file.

    Frames that cannot be decoded begin and end no view.
    """
    options = FaceOptions()
    scenes = Scenes(options.cut_level, options.cut_ratio)
    waiting: list[int] = []
    found: list[int] = []
    damaged: set[int] = set()
    for picture in iterate_frames(path, index):
        if picture.index % _EVERY == 0:
            progress.check_cancelled()
            progress.progress(picture.index, len(index), "Looking for scene changes")
        if picture.damaged:
            damaged.add(picture.index)
        if scenes.add(picture.index, picture.planes):
            waiting.append(picture.index)
        if waiting and picture.index - waiting[0] >= FRAMES_AHEAD:
            found += [waiting[0]] if scenes.is_scene_start(waiting[0]) else []
            del waiting[0]
    found += [frame for frame in waiting if scenes.is_scene_start(frame)]
    progress.progress(len(index), len(index), "Looking for scene changes")
    whole = [frame for frame in found if frame not in damaged and frame - 1 not in damaged]
    return _drop_short_scenes(whole, index)


def _drop_short_scenes(found: list[int], index: FrameIndex) -> list[int]:
    kept: list[int] = []
    for frame in found:
        if kept and index.times.time_of(frame) - index.times.time_of(kept[-1]) < MIN_SCENE_US:
            kept[-1] = frame
        else:
            kept.append(frame)
    return kept
