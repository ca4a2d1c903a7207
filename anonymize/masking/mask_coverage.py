"""Certainty, frame by frame, that every face of a recording is hidden, and the places a person has to review.

Such places are where a face may remain without a track: after one ends, before one begins, or in a gap.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import DOUBTFUL_SCORE, FaceTrack, Origin
from project.timebase import SECOND_US, FrameTimes, merge_spans

BoxRows = NDArray[np.float64]
"""(n, 4), or (4,) for one: x, y, width, height in pixels."""


class Cover(StrEnum):
    """What is known about the faces of a frame."""

    COVERED = "covered"
    UNCERTAIN = "uncertain"
    UNCOVERED = "uncovered"


class ReviewReason(StrEnum):
    """Why a frame needs a look, the worst first."""

    UNSEARCHED = "unsearched"
    DAMAGED = "damaged"
    NO_TRACK = "no track"
    GAP = "gap"
    ENDS = "ends"
    BEGINS = "begins"
    DOUBTFUL = "doubtful"
    WEAK = "weak"
    GUESSED = "guessed"
    DRAWN_END = "drawn end"
    NONE = ""


REASON_RANK = {reason: place for place, reason in enumerate(ReviewReason)}
"""The worst reason has the least."""
STATE_RANK = {Cover.UNCOVERED: 0, Cover.UNCERTAIN: 1, Cover.COVERED: 2}
"""The worst state has the least."""


@dataclass(frozen=True, slots=True)
class CertaintySpan:
    """A run of frames of one state.

    Attributes:
        start_us: time stamp of its first frame.
        end_us: when its last frame stops being shown.
        track_id: of the track or region that it is about; None where it is about none.
        frame: position of the frame to look at first.
        box: x, y, width, height in pixels, where a face may be bare in that frame; None where nothing tells.
        weight: the best score of the tracks it is about, 0 to 1; 1 where it is about none.
    """

    start_us: int
    end_us: int
    state: Cover
    reason: ReviewReason
    track_id: str | None
    frame: int
    box: tuple[int, int, int, int] | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ReviewSpan:
    """A stretch that needs a look, before it is known what else lies over it.

    Attributes:
        first: position of its first frame.
        last: position of its last frame.
        track_id: see `CertaintySpan`.
        frame: see `CertaintySpan`; outside of the stretch for its first.
        boxes: (n, 4) x, y, width, height in pixels, a row a frame; None where nothing tells.
        weight: see `CertaintySpan`.
    """

    first: int
    last: int
    state: Cover
    reason: ReviewReason
    track_id: str | None = None
    frame: int = -1
    boxes: BoxRows | None = None
    weight: float = 1.0

    @property
    def severity(self) -> tuple[int, int, float, int]:
        """What places are ordered by, the worst last."""
        return -STATE_RANK[self.state], -REASON_RANK[self.reason], self.weight, self.last - self.first


MAX_GAP_US = 5 * SECOND_US
"""Two tracks further apart in time are not taken for one face."""
END_SEARCH_US = SECOND_US // 2
"""For how long a face is looked for after its track ended in the middle of the picture, or before it began."""
MIN_REVIEW_US = 400_000
"""Weak or interpolated stretches that are shorter are not worth a look: not every frame is searched."""
_MAX_DISTANCE = 1.0
_MAX_DISTANCE_PER_SECOND = 1.5
_MAX_SIZE_RATIO = 2.0
_EDGE_SHARE = 0.1
_COVERED_SHARE = 0.5
_MAX_FRAMES_AT_CUT = 2


class Frames:
    """Times of frames, where shots begin and end, and how many frames make a stretch that is worth a look."""

    def __init__(self, times: FrameTimes, size: tuple[int, int], cuts: NDArray[np.int64]) -> None:
        self.times_us = times.times_us
        self.size = size
        self.bounds = np.unique(np.concatenate([[0], cuts[(cuts > 0) & (cuts < len(times))], [len(times)]]))
        self.second = SECOND_US / max(1.0, (times.end_us - times.time_of(0)) / len(times))
        self.least = max(2, round(MIN_REVIEW_US / SECOND_US * self.second))

    def shot_bounds(self, frame: int) -> tuple[int, int]:
        """Return the first and the last frame of the shot that a frame is in."""
        at = int(np.searchsorted(self.bounds, frame, side="right"))
        at = min(max(at, 1), len(self.bounds) - 1)
        return int(self.bounds[at - 1]), int(self.bounds[at]) - 1

    def first_frame_at(self, time_us: int) -> int:
        """Return the first frame that begins at a time or later."""
        return int(np.searchsorted(self.times_us, time_us, side="left"))


class TrackEndpoints:
    """A track, and what its ends are like."""

    def __init__(self, track: FaceTrack) -> None:
        self.track, self.id = track, track.id
        self.first, self.last = int(track.frames[0]), int(track.frames[-1])
        self.likely = not track.is_doubtful or track.participant_id is not None
        self.weight = float(track.scores.max())

    def end_box(self, last: bool) -> BoxRows:
        """Return the last box, or the first."""
        found: BoxRows = self.track.boxes[-1 if last else 0].astype(np.float64)
        return found

    def is_end_drawn(self, last: bool) -> bool:
        """Tell whether a person drew the last box, or the first."""
        return bool(self.track.origins[-1 if last else 0] == Origin.DRAWN)


class CoverageTest:
    """Tells where the place of a face is covered by something else."""

    def __init__(self, courses: Sequence[TrackEndpoints], regions: Sequence[Region], frames: Frames) -> None:
        self._courses, self._regions, self._frames = courses, regions, frames
        self._firsts = np.array([course.first for course in courses], np.int64)
        self._lasts = np.array([course.last for course in courses], np.int64)

    def covered_mask(self, first: int, boxes: BoxRows) -> NDArray[np.bool_]:
        """Say for each of the frames from `first` on whether half of its box lies under a track or a region."""
        wanted = np.arange(first, first + len(boxes))
        found = np.zeros(len(boxes), np.bool_)
        for at in np.flatnonzero((self._firsts <= wanted[-1]) & (self._lasts >= wanted[0])).tolist():
            track = self._courses[at].track
            place = np.clip(np.searchsorted(track.frames, wanted), 0, len(track.frames) - 1)
            there = track.frames[place] == wanted
            found |= there & (_overlap_share(boxes, track.boxes[place].astype(np.float64)) >= _COVERED_SHARE)
        times = self._frames.times_us[wanted]
        for region in self._regions:
            there = (times >= region.start_us) & (times < region.end_us)
            if there.any():
                found |= there & (_overlap_share(boxes, region.boxes_at(times)) >= _COVERED_SHARE)
        return found


def _overlap_share(boxes: BoxRows, others: BoxRows) -> NDArray[np.float64]:
    """Return (n,) which share of each box lies in the other of the same row."""
    low = np.maximum(boxes[:, :2], others[:, :2])
    high = np.minimum(boxes[:, :2] + boxes[:, 2:], others[:, :2] + others[:, 2:])
    sides = np.maximum(high - low, 0)
    shares: NDArray[np.float64] = sides.prod(1) / np.maximum(boxes[:, 2:].prod(1), 1e-9)
    return shares


def find_open_ends(courses: Sequence[TrackEndpoints], frames: Frames, hidden: CoverageTest) -> list[ReviewSpan]:
    """Return what lies after tracks that end, and before tracks that begin, where the face may still be there."""
    found: list[ReviewSpan] = []
    followed, following = set(), set()
    for before, after in _pair_continuations(courses, frames):
        followed.add(before.id)
        following.add(after.id)
        count = after.first - before.last - 1
        if count:
            share = (np.arange(1, count + 1) / (count + 1))[:, None]
            boxes = before.end_box(True) * (1 - share) + after.end_box(False) * share
            state = Cover.UNCOVERED if before.likely or after.likely else Cover.UNCERTAIN
            middle = before.last + (count + 1) // 2
            place = ReviewSpan(before.last + 1, after.first - 1, state, ReviewReason.GAP, before.id, middle, boxes)
            found += _uncovered_parts(replace(place, weight=min(before.weight, after.weight)), hidden, frames.least)
    length = max(1, round(END_SEARCH_US / SECOND_US * frames.second))
    for course in courses:
        for last, paired in ((True, followed), (False, following)):
            frame = course.last if last else course.first
            first, final = frames.shot_bounds(frame)
            if course.id in paired or _at_edge(course.end_box(last), frames.size):
                continue
            room = final - frame if last else frame - first
            if room <= _MAX_FRAMES_AT_CUT:
                continue
            count = min(length, room)
            reason = (
                ReviewReason.DRAWN_END
                if course.is_end_drawn(last)
                else ReviewReason.ENDS
                if last
                else ReviewReason.BEGINS
            )
            sure = course.likely and reason is not ReviewReason.DRAWN_END
            start, look = (frame + 1, frame + 1) if last else (frame - count, frame - 1)
            boxes = np.tile(course.end_box(last), (count, 1))
            state = Cover.UNCOVERED if sure else Cover.UNCERTAIN
            place = ReviewSpan(start, start + count - 1, state, reason, course.id, look, boxes, course.weight)
            found += _uncovered_parts(place, hidden, frames.least)
    return found


def _pair_continuations(
    courses: Sequence[TrackEndpoints], frames: Frames
) -> list[tuple[TrackEndpoints, TrackEndpoints]]:
    """Return pairs of tracks of which the second probably goes on with the face of the first, each used once a side."""
    by_start = sorted(courses, key=lambda track_endpoints: track_endpoints.first)
    starts = np.array([track_endpoints.first for track_endpoints in by_start], np.int64)
    pairs: list[tuple[float, TrackEndpoints, TrackEndpoints]] = []
    for before in courses:
        _, final = frames.shot_bounds(before.last)
        until = min(final, frames.first_frame_at(int(frames.times_us[before.last]) + MAX_GAP_US))
        low, high = np.searchsorted(starts, (before.last + 1, until + 1), side="left")
        for after in by_start[low:high]:
            seconds = (frames.times_us[after.first] - frames.times_us[before.last]) / SECOND_US
            cost = _box_distance(before.end_box(True), after.end_box(False), float(seconds))
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


def _box_distance(array: BoxRows, other: BoxRows, seconds: float) -> float | None:
    """Return how far two boxes are from each other, or None where they cannot be one face."""
    sides = np.sqrt(np.maximum([array[2] * array[3], other[2] * other[3]], 1.0))
    distance = float(np.hypot(*(array[:2] + array[2:] / 2 - other[:2] - other[2:] / 2))) / float(sides.max())
    if (
        float(sides.max() / sides.min()) > _MAX_SIZE_RATIO
        or distance > _MAX_DISTANCE + _MAX_DISTANCE_PER_SECOND * seconds
    ):
        return None
    return distance + seconds


def _at_edge(box: BoxRows, size: tuple[int, int]) -> bool:
    x, y, width, height = box.tolist()
    slack = _EDGE_SHARE * max(width, height)
    return bool(x < slack or y < slack or x + width > size[0] - slack or y + height > size[1] - slack)


def _uncovered_parts(place: ReviewSpan, hidden: CoverageTest, least: int) -> list[ReviewSpan]:
    """Return the parts of a stretch in which its boxes are not covered."""
    if place.boxes is None:
        return []
    # What covers a face for a moment does not split a place.
    free = merge_spans(find_runs(~hidden.covered_mask(place.first, place.boxes)), least - 1)
    return [replace(place, first=place.first + a, last=place.first + b - 1, boxes=place.boxes[a:b]) for a, b in free]


def find_runs(mask: NDArray[np.bool_], least: int = 1) -> list[tuple[int, int]]:
    """Return start and end of each run of at least so many true values, the end not in it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]))).reshape(-1, 2)
    return [(a, b) for a, b in edges[edges[:, 1] - edges[:, 0] >= least].tolist()]


def compute_certainty(
    tracks: Sequence[FaceTrack],
    times: FrameTimes,
    size: tuple[int, int],
    *,
    searched: int,
    damaged: Iterable[int] = (),
    cuts: Iterable[int] = (),
    regions: Sequence[Region] = (),
    seen: Iterable[tuple[int, int]] = (),
    has_people: bool = False,
) -> list[CertaintySpan]:
    """Return spans that lie end to end over all frames, each of one state for one reason.

    Uncovered: frames that were not searched or could not be decoded; all frames where people are in the recording and
    no face is known; gaps between two tracks that are probably one face; the half second after a likely face's track
    ends, or before it begins, away from the edge of the picture, from cuts, and from the ends of the recording.
    Uncertain: tracks that are doubtful and undecided, weak or long interpolated stretches, and ends that were drawn by
    hand. A frame is seen when a person's span holds all of it.

    Args:
        tracks: all faces, those drawn by hand as tracks among them; dismissed ones cover nothing and mean nothing.
        times: of all frames.
        size: width and height of the picture in pixels.
        searched: how many frames, from the first, the detectors had.
        damaged: positions of frames that could not be decoded whole.
        cuts: positions of frames that begin another shot.
        regions: areas and what is marked as nothing; what lies under them needs no look.
        seen: starts and ends of what people looked at and found covered.
        has_people: people are in the recording.
    """
    total = len(times)
    if not total:
        return []
    frames = Frames(times, size, np.unique(np.array([*cuts], np.int64)))
    live = [TrackEndpoints(track) for track in tracks if not track.dismissed and len(track.frames)]
    hidden = CoverageTest(live, [region for region in regions if region.kind is not RegionKind.FACE], frames)
    places = [ReviewSpan(searched, total - 1, Cover.UNCOVERED, ReviewReason.UNSEARCHED)] if searched < total else []
    places += [
        ReviewSpan(frame, frame, Cover.UNCOVERED, ReviewReason.DAMAGED) for frame in damaged if 0 <= frame < total
    ]
    if has_people and not tracks:
        places.append(ReviewSpan(0, total - 1, Cover.UNCOVERED, ReviewReason.NO_TRACK))
    places += find_open_ends(live, frames, hidden)
    for course in live:
        places += _uncertain_spans(course, frames)
    which = np.full(total, -1, np.int64)
    places.sort(key=lambda review_span: review_span.severity)
    for number, review_span in enumerate(places):
        which[review_span.first : review_span.last + 1] = number
    _absorb(which, frames.least)
    which[_seen_frames(times, seen)] = -1
    starts = np.concatenate([[0], np.flatnonzero(np.diff(which)) + 1, [total]]).tolist()
    return [_span(first, after - 1, which[first], places, times) for first, after in pairwise(starts)]


def order_for_review(spans: Iterable[CertaintySpan]) -> list[CertaintySpan]:
    """Return the spans that need a look, the worst first: by state, by reason, the likeliest face, the longest."""
    waiting = (span for span in spans if span.state is not Cover.COVERED)
    return sorted(
        waiting,
        key=lambda certainty_span: (
            STATE_RANK[certainty_span.state],
            REASON_RANK[certainty_span.reason],
            -certainty_span.weight,
            certainty_span.start_us - certainty_span.end_us,
        ),
    )


def _absorb(which: NDArray[np.int64], least: int) -> None:
    """Give short stretches to a worse place beside them, so that one look is enough; none becomes better by it.

    `which` holds for each frame the number of its place, worse ones having greater numbers; negative is none.
    """
    edges = [0, *(np.flatnonzero(np.diff(which)) + 1).tolist(), len(which)]
    runs = [(first, after, int(which[first])) for first, after in pairwise(edges)]
    for at in sorted(range(len(runs)), key=lambda at: runs[at][1] - runs[at][0]):
        first, after, number = runs[at]
        if number < 0 or after - first >= least:
            continue
        beside = [int(which[first - 1])] if first else []
        beside += [int(which[after])] if after < len(which) else []
        which[first:after] = max([number, *beside])


def _uncertain_spans(course: TrackEndpoints, frames: Frames) -> list[ReviewSpan]:
    """Return where a track itself is uncertain."""
    if not course.likely:
        return [
            ReviewSpan(
                course.first, course.last, Cover.UNCERTAIN, ReviewReason.DOUBTFUL, course.id, weight=course.weight
            )
        ]
    track, found = course.track, []
    drawn = track.origins == Origin.DRAWN
    guessed = track.origins == Origin.INTERPOLATED
    weak = (track.scores < DOUBTFUL_SCORE) & ~drawn
    for mask, reason in ((weak, ReviewReason.WEAK), (guessed, ReviewReason.GUESSED)):
        for a, b in find_runs(mask, frames.least):
            first, last = int(track.frames[a]), int(track.frames[b - 1])
            found.append(ReviewSpan(first, last, Cover.UNCERTAIN, reason, course.id, weight=course.weight))
    return found


def _seen_frames(times: FrameTimes, seen: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    ends = np.append(times.times_us[1:], times.end_us)
    found = np.zeros(len(times), np.bool_)
    for start, end in seen:
        first = int(np.searchsorted(times.times_us, start, side="left"))
        found[first : max(first, int(np.searchsorted(ends, end, side="right")))] = True
    return found


def _span(first: int, last: int, number: int, places: Sequence[ReviewSpan], times: FrameTimes) -> CertaintySpan:
    start = times.time_of(first)
    end = times.time_of(last + 1) if last + 1 < len(times) else times.end_us
    if number < 0:
        return CertaintySpan(start, end, Cover.COVERED, ReviewReason.NONE, None, first)
    place = places[number]
    frame = min(max(place.frame, first), last)
    box = None
    if place.boxes is not None:
        x, y, width, height = (
            round(side) for side in place.boxes[min(max(frame - place.first, 0), len(place.boxes) - 1)].tolist()
        )
        box = (x, y, width, height)
    return CertaintySpan(start, end, place.state, place.reason, place.track_id, frame, box, place.weight)
