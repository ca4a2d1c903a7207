"""Follows faces back to before they were found, and on after they were lost.

A detector knows a face later than the face comes, and loses it earlier than it goes: when it turns away, is half
hidden, or is cut by the picture's edge. From the first and the last hit of a track its box is followed through the
pictures (`following`) until it looks different, leaves, meets a scene change or another track, or for as long as the
options allow. A track that is followed to where another begins is the same face: they become one (`joining`).
Tracks that may be no face are not followed: things stay where they are for ever.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.index import FrameIndex
from media.iterate import pictures
from models.boxes import overlap
from models.faces.following import Follower, Reduced, reduced
from models.faces.joining import End, joined
from models.faces.options import FaceOptions
from project.progress import Progress
from project.types import FaceTrack, Origin

_SAME_FACE = 0.3
# Reduced pictures of 345 kB each: what is kept is under 60 MB at any frame rate.
_MOST_KEPT = 150
_LEAST_HITS = 5
_LEAST_BEST = 0.6


def extend(
    path: Path,
    index: FrameIndex,
    tracks: Sequence[FaceTrack],
    cuts: Iterable[int],
    options: FaceOptions,
    progress: Progress,
) -> list[FaceTrack]:
    """Return the tracks by their first frame, longer where their faces could be followed, fewer where two met.

    The boxes gained have `Origin.TRACKED`. Decodes the stretches before and after tracks once more, and keeps the
    pictures of `follow_us` at most, made small.

    Args:
        path: of the recording.
        index: of its frames.
        tracks: consecutive frames each.
        cuts: frames with which scenes begin.
        options: `follow_us` and `alike`.
        progress: told about every frame that is decoded again.
    """
    ends = _ends(tracks, index, np.array(sorted({0, *cuts, len(index)})), options.follow_us)
    others = _Others(tracks)
    for start, stop in _whole(sorted(each.stretch for each in ends)):
        inside = [each for each in ends if start <= each.hit <= stop]
        _follow(path, index, (start, stop), inside, others, options.alike, progress)
    return joined(tracks, ends, index)


def _ends(tracks: Sequence[FaceTrack], index: FrameIndex, scenes: NDArray[np.int64], follow_us: int) -> list[End]:
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
        found.append(End(track, first, max(int(scenes[scene - 1]), earliest, first - _MOST_KEPT)))
        found.append(End(track, last, min(int(scenes[scene]) - 1, latest, last + _MOST_KEPT)))
    return [each for each in found if each.hit != each.limit]


def _whole(stretches: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join stretches that touch."""
    now: tuple[int, int] | None = None
    for start, stop in stretches:
        if now is not None and start <= now[1] + 1:
            now = now[0], max(now[1], stop)
            continue
        if now is not None:
            yield now
        now = start, stop
    if now is not None:
        yield now


def _follow(
    path: Path,
    index: FrameIndex,
    stretch: tuple[int, int],
    ends: Sequence[End],
    others: "_Others",
    alike: float,
    progress: Progress,
) -> None:
    """Go through a stretch of the recording once: forward as pictures come, backward through those that are kept."""
    starting: dict[int, list[End]] = {}
    for each in ends:
        starting.setdefault(each.hit, []).append(each)
    kept: deque[Reduced] = deque(maxlen=1 + max(0, *(each.hit - each.limit for each in ends)))
    running: list[tuple[End, Follower]] = []
    times = index.times
    stop_us = times.time_of(stretch[1] + 1) if stretch[1] + 1 < len(index) else None
    for picture in pictures(path, index, times.time_of(stretch[0]), stop_us):
        progress.check_cancelled()
        progress.progress(picture.index + 1, len(index), "Following faces")
        small = reduced(picture.index, picture.planes)
        kept.append(small)
        running = [(end, follower) for end, follower in running if _step(end, follower, small, others)]
        for end in starting.get(picture.index, ()):
            follower = Follower(small, end.box, alike)
            if end.limit > end.hit:
                running.append((end, follower))
                continue
            for earlier in [*kept][-2::-1]:
                if not _step(end, follower, earlier, others):
                    break


def _step(end: End, follower: Follower, picture: Reduced, others: "_Others") -> bool:
    """Follow by one picture; False where it ends."""
    low, high = end.stretch
    if not low <= picture.frame <= high:
        return False
    box = follower.step(picture)
    if box is None:
        return False
    end.met = others.at(picture.frame, box, end.track.id)
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

    def at(self, frame: int, box: NDArray[np.float64], but: str) -> str | None:
        for place in np.flatnonzero((self._first <= frame) & (self._last >= frame)):
            track = self._tracks[place]
            if track.id != but and overlap(track.boxes[frame - track.frames[0]], box) >= _SAME_FACE:
                return track.id
        return None
