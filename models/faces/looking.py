"""Runs a detector over a recording: which frames it looks at, where scenes change, several frames at a time."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from media.index import FrameIndex
from media.iterate import pictures
from media.picture import Picture
from models.faces.base import FaceDetector
from models.faces.observations import Observation
from models.faces.options import FaceOptions
from project.timebase import SECOND

_THUMBNAIL = (48, 27)
_BEFORE = 4
_SLACK_US = 2_000
_NOTHING = np.zeros((0, 5), np.float32)


def _thumbnail(picture: Picture) -> NDArray[np.float32]:
    return cv2.resize(picture.planes[0], _THUMBNAIL, interpolation=cv2.INTER_AREA).astype(np.float32)


class _Pending:
    """A frame on its way through the detector."""

    def __init__(self, picture: Picture, cut: bool, change: float) -> None:
        self.picture: Picture | None = picture
        self.frame, self.time_us, self.damaged = picture.index, picture.time_us, picture.damaged
        self.cut, self.change = cut, change
        self.hits: Future[NDArray[np.float32]] | None = None

    def observation(self) -> Observation:
        hits = _NOTHING if self.hits is None else self.hits.result()
        return Observation(self.frame, self.time_us, self.hits is not None, self.cut, self.damaged, self.change, hits)


def look(
    path: Path, index: FrameIndex, detector: FaceDetector, options: FaceOptions, seen: Sequence[Observation] = ()
) -> Iterator[Observation]:
    """Yield one observation for every frame that is not in `seen` yet, in order.

    Decoding, and the detector on up to `workers` frames, run side by side. The answers do not depend on how many
    workers there are, nor on where an earlier run stopped.
    """
    done = len(seen)
    if done >= len(index):
        return
    workers = options.workers or os.cpu_count() or 1
    interval = SECOND / options.looks_per_second - _SLACK_US
    changes = deque((one.change for one in seen[-_BEFORE:]), _BEFORE)
    last_look = max((one.time_us for one in seen if one.looked), default=-(1 << 62))
    start_us = index.times.time_of(max(0, done - 1))
    waiting: deque[_Pending] = deque()
    thumbnail: NDArray[np.float32] | None = None
    pool = ThreadPoolExecutor(workers, "faces")

    def search(picture: Picture) -> NDArray[np.float32]:
        found = detector.detect(picture.image, options.weak)
        return np.concatenate([found.boxes, found.scores[:, None]], axis=1).astype(np.float32)

    def start(pending: _Pending) -> None:
        if pending.hits is None and pending.picture is not None:
            pending.hits = pool.submit(search, pending.picture)
            pending.picture = None

    try:
        for picture in pictures(path, index, start_us=start_us):
            before, thumbnail = thumbnail, _thumbnail(picture)
            if picture.index < done:
                # The frame before the first new one: its side of a scene change is settled in `seen` only if no
                # cut follows, so it is never written before the next frame was looked at.
                continue
            change = 0.0 if before is None else float(np.float32(np.abs(thumbnail - before).mean()))
            usual = float(np.mean(changes)) if changes else change
            cut = picture.index > 0 and change > options.cut_level and change > options.cut_ratio * usual
            changes.append(0.0 if cut else change)
            if cut and waiting:
                start(waiting[-1])
            pending = _Pending(picture, cut, 0.0 if cut else change)
            if cut or picture.time_us - last_look >= interval or picture.index == len(index) - 1:
                start(pending)
                last_look = picture.time_us
            while len(waiting) > 2 * workers:
                yield waiting.popleft().observation()
            if waiting and waiting[-1].hits is None:
                waiting[-1].picture = None
            waiting.append(pending)
        while waiting:
            yield waiting.popleft().observation()
    finally:
        pool.shutdown(cancel_futures=True)
