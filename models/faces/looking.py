"""Runs detectors over a recording: which frames they look at, where scenes change, several frames at a time."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.index import FrameIndex
from media.iterate import pictures
from media.picture import Picture
from models.faces.appearance import LENGTH, describe
from models.faces.base import FaceDetector
from models.faces.observations import Observation
from models.faces.options import FaceOptions
from models.faces.scenes import AHEAD, BEFORE, Scenes
from project.timebase import SECOND

_SLACK_US = 2_000
_LONG_AGO = -(1 << 62)

Found = tuple[NDArray[np.float32], NDArray[np.uint8]]
_NOTHING: Found = (np.zeros((0, 5), np.float32), np.zeros((0, LENGTH), np.uint8))


class _Pending:
    """A frame on its way through the detectors."""

    def __init__(self, picture: Picture, may_begin: bool) -> None:
        self.picture: Picture | None = picture
        self.frame, self.time_us, self.damaged = picture.index, picture.time_us, picture.damaged
        self.may_begin, self.cut, self.thorough = may_begin, False, False
        self.found: Future[Found] | None = None

    def settle(self, scenes: Scenes) -> None:
        self.cut = self.may_begin and scenes.begins(self.frame)

    def observation(self) -> Observation:
        hits, looks = _NOTHING if self.found is None else self.found.result()
        looked = self.found is not None
        return Observation(self.frame, self.time_us, looked, self.thorough, self.cut, self.damaged, hits, looks)


class _Turns:
    """When it is somebody's turn to look."""

    def __init__(self, per_second: float) -> None:
        self._interval = SECOND / per_second - _SLACK_US if per_second else None
        self._last = _LONG_AGO

    def due(self, time_us: int) -> bool:
        return self._interval is not None and time_us - self._last >= self._interval

    def taken(self, time_us: int) -> None:
        self._last = time_us


def look(
    path: Path,
    index: FrameIndex,
    detector: FaceDetector,
    quick: FaceDetector,
    options: FaceOptions,
    seen: Sequence[Observation] = (),
) -> Iterator[Observation]:
    """Yield one observation for every frame that is not in `seen` yet, in order.

    `detector` looks a few times a second and at scene changes, `quick` in between. Decoding, and the detectors on up
    to `workers` frames, run side by side. The answers do not depend on how many workers there are, nor on where an
    earlier run stopped.
    """
    done = len(seen)
    if done >= len(index):
        return
    workers = options.workers or os.cpu_count() or 1
    thorough, glances = _Turns(options.looks_per_second), _Turns(options.glances_per_second)
    for one in seen:
        if one.thorough:
            thorough.taken(one.time_us)
        if one.looked:
            glances.taken(one.time_us)
    scenes = Scenes(options.cut_level, options.cut_ratio)
    waiting: deque[_Pending] = deque()
    pool = ThreadPoolExecutor(workers, "faces")

    def search(picture: Picture, who: FaceDetector, before: Future[Found] | None) -> Found:
        if before is not None:
            before.result()  # One thread uses a picture at a time.
        found = who.detect(picture.image, options.weak)
        looks = [describe(picture.planes, box) for box in found.boxes]
        hits = np.concatenate([found.boxes, found.scores[:, None]], axis=1).astype(np.float32)
        return hits, np.array(looks, np.uint8).reshape(-1, LENGTH)

    def start(pending: _Pending, thoroughly: bool) -> None:
        if pending.picture is not None and (pending.found is None or thoroughly > pending.thorough):
            who = detector if thoroughly else quick
            pending.found = pool.submit(search, pending.picture, who, pending.found)
            pending.thorough = thoroughly

    try:
        for picture in pictures(path, index, start_us=index.times.time_of(max(0, done - BEFORE))):
            may_begin = scenes.add(picture.index, picture.planes)
            if picture.index < done:
                # A frame is never written before the next one was seen, so its side of a scene change is settled.
                continue
            if waiting:
                if may_begin:
                    start(waiting[-1], thoroughly=True)
                waiting[-1].picture = None
            waiting.append(_Pending(picture, may_begin))
            time_us = picture.time_us
            if may_begin or thorough.due(time_us) or picture.index == len(index) - 1:
                start(waiting[-1], thoroughly=True)
                thorough.taken(time_us)
                glances.taken(time_us)
            elif glances.due(time_us):
                start(waiting[-1], thoroughly=False)
                glances.taken(time_us)
            if len(waiting) > AHEAD:
                waiting[-1 - AHEAD].settle(scenes)
            while len(waiting) > 2 * workers + AHEAD:
                yield waiting.popleft().observation()
        for pending in [*waiting][-AHEAD:]:
            pending.settle(scenes)
        while waiting:
            yield waiting.popleft().observation()
    finally:
        pool.shutdown(cancel_futures=True)
