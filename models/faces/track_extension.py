"""Extends face tracks before their first and after their last detection by median flow, and joins tracks that meet."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from media.frame_index import FrameIndex
from models.boxes import iou
from models.faces.frame_detections import compare_descriptions, describe_face
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import FaceTrack, Origin
from project.progress import Progress
from project.timebase import merge_spans

_LONGEST = 640
_GRID = 8
_INNER = 0.8
# What is compared around a point: half of the face, within these pixels.
_WINDOW, _LEAST_WINDOW, _MOST_WINDOW = 0.5, 15, 31
_LEVELS = 3
_AROUND = 0.75
_LEAST_SIDE = 8.0
_LEAST_POINTS = 12
# Half of the points come back to where they started, within this share of the box's side.
_COME_BACK = 0.04
_LEAST_BACK = 0.5
_LEAST_AWAY = 0.5
_MOST_ZOOM = 1.05
_LEAST_INSIDE = 0.5

Box = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ReducedFrame:
    """A picture made small enough to keep many of them.

    Attributes:
        frame: its position in the recording.
        planes: luma and both chroma planes, at most 640 pixels wide or high.
        scale: pixels of the recording per pixel here.
    """

    frame: int
    planes: tuple[NDArray[np.uint8], ...]
    scale: float


def reduce_picture(frame: int, planes: Sequence[NDArray[np.uint8]]) -> ReducedFrame:
    """Make the planes of a picture small; they are copied in any case."""
    height, width = planes[0].shape
    scale = max(1.0, max(height, width) / _LONGEST)
    luma = max(1, round(width / scale)), max(1, round(height / scale))
    sizes = (luma, *[((luma[0] + 1) // 2, (luma[1] + 1) // 2)] * 2)
    small = (cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane, size in zip(planes, sizes, strict=True))
    return ReducedFrame(frame, tuple(np.array(plane, np.uint8) for plane in small), scale)


class MedianFlowTracker:
    """Goes on from a box, one picture at a time, forward or backward.

    `box` is in pixels of the recording; what it shows must be `alike` what it was at the start, see
    `compare_descriptions`.
    """

    def __init__(self, start: ReducedFrame, box: NDArray[np.floating], alike: float) -> None:
        self._picture, self._alike = start, alike
        self._box = np.asarray(box, np.float64) / start.scale
        self._look = describe_face(start.planes, self._box)

    def step(self, picture: ReducedFrame) -> Box | None:
        """Return the box in the neighbouring picture, in pixels of the recording; None where it is lost."""
        moved = _moved(self._picture.planes[0], picture.planes[0], self._box)
        if moved is None or _inside(moved, picture.planes[0].shape) < _LEAST_INSIDE:
            return None
        if (
            float(compare_descriptions(describe_face(picture.planes, moved)[None], self._look[None])[0, 0])
            < self._alike
        ):
            return None
        self._picture, self._box = picture, moved
        return moved * picture.scale


def _moved(old: NDArray[np.uint8], new: NDArray[np.uint8], box: Box) -> Box | None:
    if min(box[2:]) < _LEAST_SIDE or old.shape != new.shape:
        return None
    height, width = old.shape
    around = _AROUND * max(box[2:])
    left, top = (max(0, int(v - around)) for v in box[:2])
    right, bottom = min(width, int(box[0] + box[2] + around)), min(height, int(box[1] + box[3] + around))
    if right - left < _LEAST_SIDE or bottom - top < _LEAST_SIDE:
        return None
    before, after = (np.ascontiguousarray(plane[top:bottom, left:right]) for plane in (old, new))
    points = _points(box, (left, top), before.shape)
    if len(points) < _LEAST_POINTS:
        return None
    # Beside the picture's edge, what is around a point is not all there: then little of it is compared.
    for window in (round(min(max(_WINDOW * min(box[2:]), _LEAST_WINDOW), _MOST_WINDOW)) | 1, _LEAST_WINDOW):
        there, reached = _flow(before, after, points, window)
        back, returned = _flow(after, before, there, window)
        away = np.linalg.norm(back - points, axis=1)
        good = reached & returned & (away <= max(_LEAST_AWAY, _COME_BACK * min(box[2:])))
        if good.sum() >= max(_LEAST_POINTS, _LEAST_BACK * len(points)):
            break
    else:
        return None
    start, end = points[good].astype(np.float64), there[good].astype(np.float64)
    shift = np.median(end - start, axis=0)
    zoom = float(np.clip(_spread(end) / max(_spread(start), 1e-6), 1 / _MOST_ZOOM, _MOST_ZOOM))
    size = box[2:] * zoom
    return np.concatenate([box[:2] + box[2:] / 2 + shift - size / 2, size])


def _flow(
    before: NDArray[np.uint8], after: NDArray[np.uint8], points: NDArray[np.float32], window: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return where (n, 2) points went, and which of them were found there."""
    place = points.copy()
    there, reached, _ = cv2.calcOpticalFlowPyrLK(
        before, after, points, place, winSize=(window, window), maxLevel=_LEVELS
    )
    return np.asarray(there, np.float32), np.asarray(reached).ravel() == 1


def _points(box: Box, corner: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return (n, 2) points on a grid in the inner part of the box, those inside the picture."""
    steps = (np.linspace(-_INNER, _INNER, _GRID) + 1) / 2
    x, y = np.meshgrid(box[0] - corner[0] + steps * box[2], box[1] - corner[1] + steps * box[3])
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    inside = np.all((points >= 1) & (points < np.array(shape[::-1]) - 1), axis=1)
    return np.ascontiguousarray(points[inside], np.float32)


def _spread(points: NDArray[np.float64]) -> float:
    """Return the median distance of points from their median: how far apart they lie."""
    return float(np.median(np.linalg.norm(points - np.median(points, axis=0), axis=1)))


def _inside(box: Box, shape: tuple[int, ...]) -> float:
    """Return the share of a box that lies in the picture."""
    low, high = np.maximum(box[:2], 0), np.minimum(box[:2] + box[2:], np.array(shape[::-1], float))
    return float(np.clip(high - low, 0, None).prod() / box[2:].prod())


_SAME_FACE = 0.3

Boxes = dict[int, NDArray[np.float64]]


@dataclass(slots=True)
class TrackEnd:
    """One end of a track, and what following it gave.

    Attributes:
        hit: the frame where the face was found for the first or last time.
        limit: the frame up to which it may be followed; before `hit` for the first, after it for the last.
        found: the boxes by frame.
        met: the track that it was followed to.
    """

    track: FaceTrack
    hit: int
    limit: int
    found: Boxes = field(default_factory=dict)
    met: str | None = None

    @property
    def is_forward(self) -> bool:
        """Whether this is the last hit."""
        return self.limit > self.hit

    @property
    def box(self) -> NDArray[np.float32]:
        """Where the face was found."""
        box: NDArray[np.float32] = self.track.boxes[self.hit - self.track.frames[0]]
        return box

    @property
    def frame_range(self) -> tuple[int, int]:
        """The first and last frame that matter."""
        return min(self.hit, self.limit), max(self.hit, self.limit)


def join_tracks(tracks: Sequence[FaceTrack], ends: Sequence[TrackEnd], index: FrameIndex) -> list[FaceTrack]:
    """Return the tracks with what their ends gained, those of one face joined, by their first frame."""
    last = {end.track.id: end for end in ends if end.is_forward}
    first = {end.track.id: end for end in ends if not end.is_forward}
    following: dict[str, str] = {}
    for earlier, end in last.items():
        later = [name for name, begin in first.items() if _is_same_face(end, begin)]
        nearest = min(later, key=lambda name: first[name].hit, default=None)
        if nearest is not None and nearest not in following.values():
            following[earlier] = nearest
    longer = {
        track.id: _with_gains(track, [side[track.id].found for side in (first, last) if track.id in side], index)
        for track in tracks
    }
    done = []
    for track in tracks:
        if track.id in following.values():
            continue
        whole, name = longer[track.id], track.id
        while name in following:
            before, name = last[name], following[name]
            whole = _join(whole, longer[name], before.hit, first[name].hit, index)
        done.append(whole)
    return sorted(done, key=lambda t: int(t.frames[0]))


def _is_same_face(end: TrackEnd, begin: TrackEnd) -> bool:
    """Tell whether a face that was lost is the one that was found later."""
    if end.hit >= begin.hit:
        return False
    if end.met == begin.track.id or begin.met == end.track.id:
        return True
    return any(iou(end.found[f], begin.found[f]) >= _SAME_FACE for f in end.found.keys() & begin.found.keys())


def _with_gains(track: FaceTrack, gains: Sequence[Boxes], index: FrameIndex) -> FaceTrack:
    """Return the track with the boxes gained, which replace what was only guessed from its speed."""
    gained = {frame: box for gain in gains for frame, box in gain.items()}
    if not gained:
        return track
    first, last = min(int(track.frames[0]), *gained), max(int(track.frames[-1]), *gained)
    frames = np.arange(first, last + 1, dtype=np.int32)
    known = frames.clip(track.frames[0], track.frames[-1]) - track.frames[0]
    boxes, origins = track.boxes[known].copy(), track.origins[known].copy()
    for frame, box in gained.items():
        boxes[frame - first] = box
        origins[frame - first] = Origin.TRACKED
    times = index.times.times_us[first : last + 1].astype(np.int64)
    return replace(track, frames=frames, times_us=times, boxes=boxes, scores=track.scores[known], origins=origins)


def _join(a: FaceTrack, b: FaceTrack, lost: int, found: int, index: FrameIndex) -> FaceTrack:
    """Join two tracks of one face: `a` up to its last hit, `b` from its first, in between from one to the other."""
    first, last = int(a.frames[0]), int(b.frames[-1])
    frames = np.arange(first, last + 1, dtype=np.int32)
    by_a = frames.clip(None, a.frames[-1]) - a.frames[0]
    by_b = frames.clip(b.frames[0], None) - b.frames[0]
    weight = np.clip((frames - lost) / (found - lost), 0, 1)
    # Where only one of both was followed to, it alone is believed.
    weight[(frames > lost) & (frames < b.frames[0]) & (frames <= a.frames[-1])] = 0
    weight[(frames < found) & (frames > a.frames[-1]) & (frames >= b.frames[0])] = 1
    boxes = a.boxes[by_a] * (1 - weight[:, None]) + b.boxes[by_b] * weight[:, None]
    origins = np.where(frames <= lost, a.origins[by_a], b.origins[by_b])
    origins[(frames > lost) & (frames < found)] = Origin.TRACKED
    return replace(
        a,
        frames=frames,
        times_us=index.times.times_us[first : last + 1].astype(np.int64),
        boxes=boxes.astype(np.float32),
        scores=np.where(weight < 0.5, a.scores[by_a], b.scores[by_b]),
        origins=origins.astype(np.uint8),
    )


# Reduced pictures of 345 kB each: what is kept is under 60 MB at any frame rate.
_MOST_KEPT = 150
_LEAST_HITS = 5
_LEAST_BEST = 0.6


def extend_tracks(
    path: Path,
    index: FrameIndex,
    tracks: Sequence[FaceTrack],
    cuts: Iterable[int],
    options: FaceOptions,
    progress: Progress,
) -> list[FaceTrack]:
    """Return the tracks by their first frame, longer where their faces could be followed, fewer where two met.

    The boxes gained have `Origin.TRACKED`. Decodes the stretches before and after tracks once more, and keeps the
    pictures of `follow_us` at most, made small. Tracks have consecutive frames; `cuts` are frames with which scenes
    begin.
    """
    ends = _ends(tracks, index, np.array(sorted({0, *cuts, len(index)})), options.follow_us)
    others = _Others(tracks)
    for start, stop in merge_spans((end.frame_range for end in ends), gap=1):
        inside = [end for end in ends if start <= end.hit <= stop]
        _follow(path, index, (start, stop), inside, others, options.alike, progress)
    return join_tracks(tracks, ends, index)


def _ends(tracks: Sequence[FaceTrack], index: FrameIndex, scenes: NDArray[np.int64], follow_us: int) -> list[TrackEnd]:
    times = index.times.times_us
    found = []
    for track in tracks:
        hits = track.frames[track.origins == Origin.DETECTED]
        if len(hits) < _LEAST_HITS or track.scores.max() < _LEAST_BEST:
            continue
        first, last = int(hits[0]), int(hits[-1])
        scene = int(np.searchsorted(scenes, first, side="right"))
        earliest = int(np.searchsorted(times, times[first] - follow_us))
        latest = int(np.searchsorted(times, times[last] + follow_us, side="right")) - 1
        found.append(TrackEnd(track, first, max(int(scenes[scene - 1]), earliest, first - _MOST_KEPT)))
        found.append(TrackEnd(track, last, min(int(scenes[scene]) - 1, latest, last + _MOST_KEPT)))
    return [end for end in found if end.hit != end.limit]


def _follow(
    path: Path,
    index: FrameIndex,
    stretch: tuple[int, int],
    ends: Sequence[TrackEnd],
    others: "_Others",
    alike: float,
    progress: Progress,
) -> None:
    """Go through a stretch of the recording once: forward as pictures come, backward through those that are kept."""
    starting: dict[int, list[TrackEnd]] = {}
    for end in ends:
        starting.setdefault(end.hit, []).append(end)
    kept: deque[ReducedFrame] = deque(maxlen=1 + max(0, *(end.hit - end.limit for end in ends)))
    running: list[tuple[TrackEnd, MedianFlowTracker]] = []
    times = index.times
    stop_us = times.time_of(stretch[1] + 1) if stretch[1] + 1 < len(index) else None
    for picture in iterate_frames(path, index, times.time_of(stretch[0]), stop_us):
        progress.check_cancelled()
        progress.progress(picture.index + 1, len(index), "Following faces")
        small = reduce_picture(picture.index, picture.planes)
        kept.append(small)
        running = [(end, follower) for end, follower in running if _step(end, follower, small, others)]
        for end in starting.get(picture.index, ()):
            follower = MedianFlowTracker(small, end.box, alike)
            if end.limit > end.hit:
                running.append((end, follower))
                continue
            for earlier in [*kept][-2::-1]:
                if not _step(end, follower, earlier, others):
                    break


def _step(end: TrackEnd, follower: MedianFlowTracker, picture: ReducedFrame, others: "_Others") -> bool:
    """Follow by one picture; False where it ends."""
    low, high = end.frame_range
    if not low <= picture.frame <= high:
        return False
    box = follower.step(picture)
    if box is None:
        return False
    end.met = others.track_at(picture.frame, box, end.track.id)
    if end.met is not None:
        return False
    end.found[picture.frame] = box
    return True


class _Others:
    """The tracks by frame, to see who else is where a face is followed to."""

    def __init__(self, tracks: Sequence[FaceTrack]) -> None:
        self._tracks = [*tracks]
        self._first = np.array([track.frames[0] for track in tracks], np.int64)
        self._last = np.array([track.frames[-1] for track in tracks], np.int64)

    def track_at(self, frame: int, box: NDArray[np.float64], but: str) -> str | None:
        for place in np.flatnonzero((self._first <= frame) & (self._last >= frame)):
            track = self._tracks[place]
            if track.id != but and iou(track.boxes[frame - track.frames[0]], box) >= _SAME_FACE:
                return track.id
        return None
