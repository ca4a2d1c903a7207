"""Rectangles that people draw on a recording's picture: regions of their own, and corrections of detected tracks.

Both are keyframes: a rectangle at a time. Between two keyframes it moves in a straight line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from project.entities.study_records import FaceTrack, Origin

_SAME_TIME_US = 2


class RegionKind(StrEnum):
    """What a region says about what is in it."""

    FACE = "face"
    """A face that no detector found: hidden by the method, like every other."""
    AREA = "area"
    """A badge, a monitor, a mirror, a burned-in date: always painted over."""
    NOTHING = "nothing"
    """Nothing that needs hiding: what a detector finds in it after rendering is no face."""


@dataclass(frozen=True, slots=True)
class Keyframe:
    """A rectangle at a time: x, y, width, height in whole pixels of the picture as shown; may reach outside it."""

    time_us: int
    x: int
    y: int
    width: int
    height: int

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The rectangle."""
        return self.x, self.y, self.width, self.height


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle drawn by hand, from a start to an end, which is not included.

    Attributes:
        label: what it hides, in a person's words.
        participant_id: whose face it is, where it is one and somebody said so.
        keyframes: at least one, in order of time. Before the first and after the last it stays where it is.
    """

    id: str
    recording_id: str
    kind: RegionKind
    label: str
    start_us: int
    end_us: int
    keyframes: tuple[Keyframe, ...]
    participant_id: str | None = None

    def boxes_at(self, times_us: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n, 4) x, y, width, height at (n,) times, whether the region lasts then or not."""
        return interpolate_boxes(self.keyframes, times_us)

    def is_active_at(self, time_us: int) -> bool:
        """Tell whether the region is there at a time."""
        return self.start_us <= time_us < self.end_us


def interpolate_boxes(keyframes: Sequence[Keyframe], times_us: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (n, 4) boxes at (n,) times, in straight lines between keyframes in order of time, held outside them."""
    known = np.array([keyframe.time_us for keyframe in keyframes], np.float64)
    boxes = np.array([keyframe.box for keyframe in keyframes], np.float64)
    return np.stack([np.interp(times_us, known, column) for column in boxes.T], axis=1)


def apply_keyframes(
    track: FaceTrack, keyframes: Sequence[Keyframe], times_us: NDArray[np.int64] | None = None
) -> FaceTrack:
    """Return a track with a person's keyframes on it.

    What is interpolated is the difference between a keyframe and the found box of its time; before the first and after
    the last keyframe the difference stays. So one keyframe moves the whole track, and a detector's way of following
    a face is kept.

    Args:
        track: as it was found.
        keyframes: in order of time.
        times_us: (m,) time stamps of all frames of the medium. A keyframe outside of the track then makes it
            longer, up to that keyframe; without them such a keyframe only moves what is there.
    """
    if not keyframes or not len(track.frames):
        return track
    first, last = keyframes[0].time_us, keyframes[-1].time_us
    frames, times = track.frames.astype(np.int64), track.times_us.astype(np.int64)
    if times_us is not None and (first < times[0] or last > times[-1]):
        before = np.flatnonzero((times_us >= first - _SAME_TIME_US) & (np.arange(len(times_us)) < frames[0]))
        after = np.flatnonzero((times_us <= last + _SAME_TIME_US) & (np.arange(len(times_us)) > frames[-1]))
        frames = np.concatenate([before, frames, after])
        times = np.concatenate([times_us[before], times, times_us[after]])
    found = track.boxes.astype(np.float64)
    base = _interpolate_clamped(track.times_us, found, times)
    known = np.array([keyframe.time_us for keyframe in keyframes], np.int64)
    differences = np.array([keyframe.box for keyframe in keyframes], np.float64) - _interpolate_clamped(
        track.times_us, found, known
    )
    boxes = base + _interpolate_clamped(known, differences, times)
    boxes[:, 2:] = np.maximum(boxes[:, 2:], 1.0)
    place = np.clip(np.searchsorted(track.frames, frames), 0, len(track.frames) - 1)
    here = track.frames[place] == frames
    origins = np.where(here, track.origins[place], Origin.INTERPOLATED).astype(np.uint8)
    origins[(np.abs(times[:, None] - known[None]) <= _SAME_TIME_US).any(axis=1)] = Origin.DRAWN
    return replace(
        track,
        frames=frames.astype(np.int32),
        times_us=times,
        boxes=boxes.astype(np.float32),
        scores=track.scores[place],
        origins=origins,
    )


def region_to_track(region: Region, times_us: NDArray[np.int64]) -> FaceTrack | None:
    """Return a region as a face track over the frames of a medium; None where no frame begins while it lasts.

    Args:
        region: any.
        times_us: (m,) time stamps of all frames of the medium. The frame that is shown when the region starts is in.
    """
    first = max(0, int(np.searchsorted(times_us, region.start_us, side="right")) - 1)
    frames = np.arange(first, int(np.searchsorted(times_us, region.end_us, side="left")), dtype=np.int32)
    if not len(frames):
        return None
    times = times_us[frames].astype(np.int64)
    return FaceTrack(
        id=region.id,
        frames=frames,
        times_us=times,
        boxes=region.boxes_at(times).astype(np.float32),
        scores=np.ones(len(frames), np.float32),
        origins=np.full(len(frames), Origin.DRAWN, np.uint8),
        participant_id=region.participant_id,
    )


def _interpolate_clamped(
    known: NDArray[np.int64], columns: NDArray[np.float64], at: NDArray[np.int64]
) -> NDArray[np.float64]:
    return np.stack([np.interp(at, known.astype(np.float64), column) for column in columns.T], axis=1)
