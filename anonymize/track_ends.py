"""Where a face may still be there although no track says so: after one ends, before one begins, between two."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anonymize.places import BoxRows, Cover, Place, Reason
from project.regions import Region
from project.timebase import SECOND, FrameTimes
from project.types import FaceTrack, Origin

LONGEST_GAP_US = 5 * SECOND
"""Two tracks further apart in time are not taken for one face."""
AFTER_END_US = SECOND // 2
"""For how long a face is looked for after its track ended in the middle of the picture, or before it began."""
SHORTEST_US = 400_000
"""Weak or interpolated stretches that are shorter are not worth a look: not every frame is searched."""
_NEAR = 1.0
_NEAR_PER_SECOND = 1.5
_LIKE_SIZE = 2.0
_EDGE = 0.1
_COVERED_SHARE = 0.5
_AT_CUT = 2


class Frames:
    """Times of frames, where shots begin and end, and how many frames make a stretch that is worth a look."""

    def __init__(self, times: FrameTimes, size: tuple[int, int], cuts: NDArray[np.int64]) -> None:
        self.times_us = times.times_us
        self.size = size
        self.bounds = np.unique(np.concatenate([[0], cuts[(cuts > 0) & (cuts < len(times))], [len(times)]]))
        self.second = SECOND / max(1.0, (times.end_us - times.time_of(0)) / len(times))
        self.least = max(2, round(SHORTEST_US / SECOND * self.second))

    def shot(self, frame: int) -> tuple[int, int]:
        """Return the first and the last frame of the shot that a frame is in."""
        at = int(np.searchsorted(self.bounds, frame, side="right"))
        at = min(max(at, 1), len(self.bounds) - 1)
        return int(self.bounds[at - 1]), int(self.bounds[at]) - 1

    def near(self, time_us: int) -> int:
        """Return the first frame that begins at a time or later."""
        return int(np.searchsorted(self.times_us, time_us, side="left"))


class Course:
    """A track, and what its ends are like."""

    def __init__(self, track: FaceTrack) -> None:
        self.track, self.id = track, track.id
        self.first, self.last = int(track.frames[0]), int(track.frames[-1])
        self.likely = not track.doubtful or track.participant_id is not None
        self.weight = float(track.scores.max())

    def end(self, last: bool) -> BoxRows:
        """Return the last box, or the first."""
        found: BoxRows = self.track.boxes[-1 if last else 0].astype(np.float64)
        return found

    def drawn(self, last: bool) -> bool:
        """Tell whether a person drew the last box, or the first."""
        return bool(self.track.origins[-1 if last else 0] == Origin.DRAWN)


class Hidden:
    """Tells where the place of a face is covered by something else."""

    def __init__(self, courses: Sequence[Course], regions: Sequence[Region], frames: Frames) -> None:
        self._courses, self._regions, self._frames = courses, regions, frames
        self._firsts = np.array([one.first for one in courses], np.int64)
        self._lasts = np.array([one.last for one in courses], np.int64)

    def at(self, first: int, boxes: BoxRows) -> NDArray[np.bool_]:
        """Say for each of the frames from `first` on whether half of its box lies under a track or a region."""
        wanted = np.arange(first, first + len(boxes))
        found = np.zeros(len(boxes), np.bool_)
        for at in np.flatnonzero((self._firsts <= wanted[-1]) & (self._lasts >= wanted[0])).tolist():
            track = self._courses[at].track
            place = np.clip(np.searchsorted(track.frames, wanted), 0, len(track.frames) - 1)
            there = track.frames[place] == wanted
            found |= there & (_shared(boxes, track.boxes[place].astype(np.float64)) >= _COVERED_SHARE)
        times = self._frames.times_us[wanted]
        for region in self._regions:
            there = (times >= region.start_us) & (times < region.end_us)
            if there.any():
                found |= there & (_shared(boxes, region.boxes_at(times)) >= _COVERED_SHARE)
        return found


def _shared(boxes: BoxRows, others: BoxRows) -> NDArray[np.float64]:
    """Return (n,) which share of each box lies in the other of the same row."""
    low = np.maximum(boxes[:, :2], others[:, :2])
    high = np.minimum(boxes[:, :2] + boxes[:, 2:], others[:, :2] + others[:, 2:])
    sides = np.maximum(high - low, 0)
    shares: NDArray[np.float64] = sides.prod(1) / np.maximum(boxes[:, 2:].prod(1), 1e-9)
    return shares


def open_ends(courses: Sequence[Course], frames: Frames, hidden: Hidden) -> list[Place]:
    """Return what lies after tracks that end, and before tracks that begin, where the face may still be there."""
    found: list[Place] = []
    followed, following = set(), set()
    for before, after in _one_face(courses, frames):
        followed.add(before.id)
        following.add(after.id)
        count = after.first - before.last - 1
        if count:
            share = (np.arange(1, count + 1) / (count + 1))[:, None]
            boxes = before.end(True) * (1 - share) + after.end(False) * share
            state = Cover.UNCOVERED if before.likely or after.likely else Cover.UNCERTAIN
            middle = before.last + (count + 1) // 2
            place = Place(before.last + 1, after.first - 1, state, Reason.GAP, before.id, middle, boxes)
            found += _open(replace(place, weight=min(before.weight, after.weight)), hidden, frames.least)
    length = max(1, round(AFTER_END_US / SECOND * frames.second))
    for course in courses:
        for last, paired in ((True, followed), (False, following)):
            frame = course.last if last else course.first
            first, final = frames.shot(frame)
            if course.id in paired or _at_edge(course.end(last), frames.size):
                continue
            room = final - frame if last else frame - first
            if room <= _AT_CUT:
                continue
            count = min(length, room)
            reason = Reason.DRAWN_END if course.drawn(last) else Reason.ENDS if last else Reason.BEGINS
            sure = course.likely and reason is not Reason.DRAWN_END
            start, look = (frame + 1, frame + 1) if last else (frame - count, frame - 1)
            boxes = np.tile(course.end(last), (count, 1))
            state = Cover.UNCOVERED if sure else Cover.UNCERTAIN
            place = Place(start, start + count - 1, state, reason, course.id, look, boxes, course.weight)
            found += _open(place, hidden, frames.least)
    return found


def _one_face(courses: Sequence[Course], frames: Frames) -> list[tuple[Course, Course]]:
    """Return pairs of tracks of which the second probably goes on with the face of the first, each used once a side."""
    by_start = sorted(courses, key=lambda one: one.first)
    starts = np.array([one.first for one in by_start], np.int64)
    pairs: list[tuple[float, Course, Course]] = []
    for before in courses:
        _, final = frames.shot(before.last)
        until = min(final, frames.near(int(frames.times_us[before.last]) + LONGEST_GAP_US))
        low, high = np.searchsorted(starts, (before.last + 1, until + 1), side="left")
        for after in by_start[low:high]:
            seconds = (frames.times_us[after.first] - frames.times_us[before.last]) / SECOND
            cost = _apart(before.end(True), after.end(False), float(seconds))
            if cost is not None:
                pairs.append((cost, before, after))
    pairs.sort(key=lambda pair: pair[0])
    used: tuple[set[str], set[str]] = (set(), set())
    found = []
    for _, before, after in pairs:
        if before.id not in used[0] and after.id not in used[1]:
            used[0].add(before.id)
            used[1].add(after.id)
            found.append((before, after))
    return found


def _apart(one: BoxRows, other: BoxRows, seconds: float) -> float | None:
    """Return how far two boxes are from each other, or None where they cannot be one face."""
    sides = np.sqrt(np.maximum([one[2] * one[3], other[2] * other[3]], 1.0))
    distance = float(np.hypot(*(one[:2] + one[2:] / 2 - other[:2] - other[2:] / 2))) / float(sides.max())
    if float(sides.max() / sides.min()) > _LIKE_SIZE or distance > _NEAR + _NEAR_PER_SECOND * seconds:
        return None
    return distance + seconds


def _at_edge(box: BoxRows, size: tuple[int, int]) -> bool:
    x, y, width, height = box.tolist()
    slack = _EDGE * max(width, height)
    return bool(x < slack or y < slack or x + width > size[0] - slack or y + height > size[1] - slack)


def _open(place: Place, hidden: Hidden, least: int) -> list[Place]:
    """Return the parts of a stretch in which its boxes are not covered."""
    if place.boxes is None:
        return []
    free = _closed(true_runs(~hidden.at(place.first, place.boxes)), least)
    return [replace(place, first=place.first + a, last=place.first + b - 1, boxes=place.boxes[a:b]) for a, b in free]


def _closed(runs: list[tuple[int, int]], least: int) -> list[tuple[int, int]]:
    """Join runs with fewer frames than that between them: what covers a face for a moment does not split a place."""
    joined: list[tuple[int, int]] = []
    for first, after in runs:
        if joined and first - joined[-1][1] < least:
            joined[-1] = (joined[-1][0], after)
        else:
            joined.append((first, after))
    return joined


def true_runs(mask: NDArray[np.bool_], least: int = 1) -> list[tuple[int, int]]:
    """Return start and end of each run of at least so many true values, the end not in it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]))).reshape(-1, 2)
    return [(a, b) for a, b in edges[edges[:, 1] - edges[:, 0] >= least].tolist()]
