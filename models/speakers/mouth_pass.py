"""Records the mouth movement of face tracks during speech, in one pass over a recording's pictures."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from media.frame_index import FrameIndex
from media.picture import DecodedFrame
from models.faces.landmarks.face_signals import mouth_opening
from models.faces.landmarks.landmark_finders import LandmarkFinder
from models.speakers.active_speaker import PATCH_SIDE, FaceMovement, patch_motion
from models.speakers.voice_clustering import Span
from project.entities.study_records import FaceTrack
from project.progress import Progress
from project.timebase import SECOND_US, merge_spans, widen_intervals

SAMPLES_PER_SECOND = 20
_AROUND_US = SECOND_US
_LEAST_SIDE = 24
_LONGEST_GAP_US = SECOND_US // 2
_SLACK_US = 4_000
_STEADY_US = SECOND_US // 6
_EYES = (slice(4, 36), slice(4, 60))


def watch_mouths(
    path: Path,
    index: FrameIndex,
    tracks: Sequence[FaceTrack],
    spans: Sequence[Span],
    finder: LandmarkFinder | None,
    progress: Progress,
) -> dict[str, FaceMovement]:
    """Look at every face about 20 times a second, in and a second around the stretches of speech.

    Without a finder of landmarks, only pixels are looked at. Tracks that are never seen are left out. Progress is in
    seconds of the video.
    """
    watchers = [_Watcher(track) for track in tracks if float(np.median(track.boxes[:, 2])) >= _LEAST_SIDE]
    total = max(1, index.times.end_us // SECOND_US)
    for start, end in merge_spans(widen_intervals(spans, _AROUND_US)):
        here = [
            watcher for watcher in watchers if watcher.track.times_us[-1] >= start and watcher.track.times_us[0] < end
        ]
        if not here:
            continue
        due = start
        for picture in iterate_frames(path, index, max(0, start), end):
            progress.check_cancelled()
            if picture.time_us < due - _SLACK_US:
                continue
            due = max(due, picture.time_us) + SECOND_US // SAMPLES_PER_SECOND
            _watch_frame(picture, here, finder)
            progress.progress(min(picture.time_us // SECOND_US, total), total, "Watching mouths")
    return {watcher.track.id: watcher.looks() for watcher in watchers if watcher.seen}


class _Watcher:
    """Gathers what is seen of one face."""

    def __init__(self, track: FaceTrack) -> None:
        self.track = track
        self._rows: Mapping[int, int] = {int(frame): row for row, frame in enumerate(track.frames)}
        self._boxes = smooth_boxes(track.boxes, track.times_us)
        self._last: tuple[int, NDArray[np.uint8]] | None = None
        self.seen: list[tuple[int, float, float]] = []

    def box(self, frame: int) -> NDArray[np.float32] | None:
        row = self._rows.get(frame)
        return None if row is None else self._boxes[row]

    def add(self, time_us: int, patch: NDArray[np.uint8], opening: float) -> None:
        motion = float("nan")
        if self._last is not None and 0 < time_us - self._last[0] <= _LONGEST_GAP_US:
            before = align_to(self._last[1], patch)
            motion = patch_motion(before, patch, (time_us - self._last[0]) / SECOND_US)
        self._last = time_us, patch
        self.seen.append((time_us, opening, motion))

    def looks(self) -> FaceMovement:
        times, openings, motions = zip(*self.seen, strict=True)
        return FaceMovement(np.array(times, np.int64), np.array(openings, np.float64), np.array(motions, np.float64))


def _watch_frame(picture: DecodedFrame, watchers: Sequence[_Watcher], finder: LandmarkFinder | None) -> None:
    here = [(watcher, box) for watcher in watchers if (box := watcher.box(picture.index)) is not None]
    if not here or picture.damaged:
        return
    openings = [float("nan")] * len(here)
    if finder is not None:
        found = finder.find(picture.image, np.array([box for _, box in here], np.float32))
        openings = [float("nan") if face is None else mouth_opening(face) for face in found]
    luma = picture.planes[0]
    for (watcher, box), opening in zip(here, openings, strict=True):
        watcher.add(picture.time_us, _patch(luma, box), opening)


def _patch(luma: NDArray[np.uint8], box: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return what a box shows, as a grey picture of SIDE x SIDE; its edge goes on where it lies outside."""
    x, y, width, height = (float(value) for value in box)
    left, top, right, bottom = round(x), round(y), round(x + width), round(y + height)
    rows = np.clip(np.arange(top, max(bottom, top + 1)), 0, luma.shape[0] - 1)
    columns = np.clip(np.arange(left, max(right, left + 1)), 0, luma.shape[1] - 1)
    shown = luma[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    if shown.shape != (len(rows), len(columns)):
        shown = luma[np.ix_(rows, columns)]
    return np.asarray(cv2.resize(shown, (PATCH_SIDE, PATCH_SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def align_to(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a face's picture shifted to where its eyes and brow are in a later one.

    By phase correlation (Kuglin and Hines, "The Phase Correlation Image Alignment Method", IEEE Conference on
    Cybernetics and Society, 1975); a shift of more than an eighth of the picture is no shift of a head.
    """
    first, second = (patch[_EYES].astype(np.float32) for patch in (before, after))
    window = cv2.createHanningWindow((first.shape[1], first.shape[0]), cv2.CV_32F)
    (across, down), _ = cv2.phaseCorrelate(first, second, window)
    if max(abs(across), abs(down)) > PATCH_SIDE / 8:
        return before
    move = np.array([[1, 0, across], [0, 1, down]], np.float64)
    return np.asarray(cv2.warpAffine(before, move, (PATCH_SIDE, PATCH_SIDE), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def smooth_boxes(boxes: NDArray[np.float32], times_us: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return (n, 4) boxes averaged over a third of a second: a box that trembles would look like motion."""
    first = np.searchsorted(times_us, times_us - _STEADY_US)
    last = np.searchsorted(times_us, times_us + _STEADY_US, side="right")
    sums = np.concatenate([np.zeros((1, 4)), np.cumsum(boxes, axis=0, dtype=np.float64)])
    return np.asarray((sums[last] - sums[first]) / (last - first)[:, None], np.float32)
