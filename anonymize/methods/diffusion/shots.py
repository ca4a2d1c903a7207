"""The stretches in which a face is seen without a break: each is drawn on its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anonymize.methods.diffusion.crops import View, steady
from project.types import FaceTrack

# Longer gaps than this break a shot; nothing is known of the face meanwhile.
_GAP_US = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A face from one frame to another, with a view for each.

    Attributes:
        track_id: whose face it is.
        identity: who that is.
        first: position of its first frame.
        squares: (n, 3), x and y of the centre and side of the crop in each frame from the first on.
    """

    track_id: str
    identity: str
    first: int
    squares: NDArray[np.float64]

    @property
    def last(self) -> int:
        """Position of its last frame."""
        return self.first + len(self.squares) - 1

    def holds(self, frame: int) -> bool:
        """Tell whether the frame is one of the shot's."""
        return self.first <= frame <= self.last

    def view(self, frame: int) -> View:
        """Return the crop of a frame; that of the nearest where the frame lies outside."""
        x, y, side = self.squares[min(max(frame, self.first), self.last) - self.first]
        return View(x - side / 2, y - side / 2, side, side)


def shots(track: FaceTrack, identity: str, cuts: Sequence[int]) -> list[Shot]:
    """Divide a track at cuts and at long gaps; boxes between found ones are interpolated.

    Args:
        track: with one frame or more.
        identity: who it is.
        cuts: positions of the frames that a scene starts with, ascending.
    """
    frames, times = np.asarray(track.frames, np.int64), np.asarray(track.times_us, np.int64)
    boxes = np.asarray(track.boxes, np.float64)
    scene = np.searchsorted(np.asarray(cuts, np.int64), frames, side="right")
    breaks = np.flatnonzero((np.diff(times) > _GAP_US) | (np.diff(scene) > 0)) + 1
    found = []
    for start, stop in pairwise([0, *breaks, len(frames)]):
        first, last = int(frames[start]), int(frames[stop - 1])
        every = np.arange(first, last + 1)
        filled = np.stack([np.interp(every, frames[start:stop], column) for column in boxes[start:stop].T], axis=1)
        lasted = max(1, int(times[stop - 1] - times[start])) / 1e6
        found.append(Shot(track.id, identity, first, steady(filled, (last - first) / lasted)))
    return found


def nearest(there: Sequence[Shot], frame: int) -> Shot:
    """Return the shot that a frame belongs to; the nearest where it lies outside of all."""
    return min(there, key=lambda shot: max(shot.first - frame, frame - shot.last, 0))
