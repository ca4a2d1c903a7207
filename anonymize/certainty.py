"""How sure one can be, frame by frame, that every face of a recording is hidden, and where a person has to look."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anonymize.places import RANK, WORSE, CertaintySpan, Cover, Place, Reason
from anonymize.track_ends import Course, Frames, Hidden, open_ends, true_runs
from project.regions import Region, RegionKind
from project.timebase import FrameTimes
from project.types import DOUBTFUL_BELOW, FaceTrack, Origin


def certainty(
    tracks: Sequence[FaceTrack],
    times: FrameTimes,
    size: tuple[int, int],
    *,
    searched: int,
    damaged: Iterable[int] = (),
    cuts: Iterable[int] = (),
    regions: Sequence[Region] = (),
    seen: Iterable[tuple[int, int]] = (),
) -> list[CertaintySpan]:
    """Return spans that lie end to end over all frames, each of one state for one reason.

    Uncovered: frames that were not searched or could not be decoded; gaps between two tracks that are probably one
    face; the half second after a likely face's track ends, or before it begins, away from the edge of the picture,
    from cuts, and from the ends of the recording. Uncertain: tracks that are doubtful and undecided, weak or long
    interpolated stretches, and ends that were drawn by hand. A frame is seen when a person's span holds all of it.

    Args:
        tracks: all faces, those drawn by hand as tracks among them; dismissed ones cover nothing and mean nothing.
        times: of all frames.
        size: width and height of the picture in pixels.
        searched: how many frames, from the first, the detectors had.
        damaged: positions of frames that could not be decoded whole.
        cuts: positions of frames that begin another shot.
        regions: areas and what is marked as nothing; what lies under them needs no look.
        seen: starts and ends of what people looked at and found covered.
    """
    total = len(times)
    if not total:
        return []
    frames = Frames(times, size, np.unique(np.array([*cuts], np.int64)))
    live = [Course(one) for one in tracks if not one.dismissed and len(one.frames)]
    hidden = Hidden(live, [one for one in regions if one.kind is not RegionKind.FACE], frames)
    places = [Place(searched, total - 1, Cover.UNCOVERED, Reason.UNSEARCHED)] if searched < total else []
    places += [Place(one, one, Cover.UNCOVERED, Reason.DAMAGED) for one in damaged if 0 <= one < total]
    places += open_ends(live, frames, hidden)
    for course in live:
        places += _stretches(course, frames)
    which = np.full(total, -1, np.int64)
    places.sort(key=lambda one: one.badness)
    for number, one in enumerate(places):
        which[one.first : one.last + 1] = number
    _absorb(which, frames.least)
    which[_seen_frames(times, seen)] = -1
    starts = np.concatenate([[0], np.flatnonzero(np.diff(which)) + 1, [total]]).tolist()
    return [_span(first, after - 1, which[first], places, times) for first, after in pairwise(starts)]


def queue(spans: Iterable[CertaintySpan]) -> list[CertaintySpan]:
    """Return the spans that need a look, the worst first: by state, by reason, the likeliest face, the longest."""
    waiting = (one for one in spans if one.state is not Cover.COVERED)
    return sorted(waiting, key=lambda one: (WORSE[one.state], RANK[one.reason], -one.weight, one.start_us - one.end_us))


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


def _stretches(course: Course, frames: Frames) -> list[Place]:
    """Return where a track itself is uncertain."""
    if not course.likely:
        return [Place(course.first, course.last, Cover.UNCERTAIN, Reason.DOUBTFUL, course.id, weight=course.weight)]
    track, found = course.track, []
    drawn = track.origins == Origin.DRAWN
    guessed = track.origins == Origin.INTERPOLATED
    weak = (track.scores < DOUBTFUL_BELOW) & ~drawn
    for mask, reason in ((weak, Reason.WEAK), (guessed, Reason.GUESSED)):
        for a, b in true_runs(mask, frames.least):
            first, last = int(track.frames[a]), int(track.frames[b - 1])
            found.append(Place(first, last, Cover.UNCERTAIN, reason, course.id, weight=course.weight))
    return found


def _seen_frames(times: FrameTimes, seen: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    ends = np.append(times.times_us[1:], times.end_us)
    found = np.zeros(len(times), np.bool_)
    for start, end in seen:
        first = int(np.searchsorted(times.times_us, start, side="left"))
        found[first : max(first, int(np.searchsorted(ends, end, side="right")))] = True
    return found


def _span(first: int, last: int, number: int, places: Sequence[Place], times: FrameTimes) -> CertaintySpan:
    start = times.time_of(first)
    end = times.time_of(last + 1) if last + 1 < len(times) else times.end_us
    if number < 0:
        return CertaintySpan(start, end, Cover.COVERED, Reason.NONE, None, first)
    place = places[number]
    frame = min(max(place.frame, first), last)
    box = None
    if place.boxes is not None:
        x, y, width, height = (
            round(one) for one in place.boxes[min(max(frame - place.first, 0), len(place.boxes) - 1)].tolist()
        )
        box = (x, y, width, height)
    return CertaintySpan(start, end, place.state, place.reason, place.track_id, frame, box, place.weight)
