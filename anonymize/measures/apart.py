"""Which people of a recording are certainly not the same."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.boxes import overlaps
from project.types import FaceTrack

_TOGETHER = 5
"""Frames in which two tracks must be seen side by side."""
_LOOKED_AT = 50
_SIDE_BY_SIDE = 0.1


def apart(tracks: Sequence[FaceTrack], people: Sequence[int], named: Sequence[bool]) -> NDArray[np.bool_]:
    """Return (p, p): both have a name, and not the same one, or they are seen side by side in a frame.

    Two tracks without a name may be one person who left and came back; as impostors of each other they would raise the
    threshold and hide that the person is recognized.

    Args:
        tracks: (t,) of one recording.
        people: (t,) who each is, 0 to p - 1.
        named: (t,) whether somebody said so.
    """
    count = max(people, default=-1) + 1
    found = np.zeros((count, count), bool)
    for one in range(len(tracks)):
        for other in range(one):
            a, b = people[one], people[other]
            if a == b or found[a, b]:
                continue
            if (named[one] and named[other]) or _side_by_side(tracks[one], tracks[other]):
                found[a, b] = found[b, a] = True
    return found


def _side_by_side(one: FaceTrack, other: FaceTrack) -> bool:
    if not len(one.frames) or not len(other.frames):
        return False
    if one.frames[-1] < other.frames[0] or other.frames[-1] < one.frames[0]:
        return False
    _, mine, theirs = np.intersect1d(one.frames, other.frames, assume_unique=True, return_indices=True)
    if len(mine) < _TOGETHER:
        return False
    some = np.linspace(0, len(mine) - 1, min(len(mine), _LOOKED_AT)).astype(int)
    shared = [overlaps(one.boxes[mine[k]], other.boxes[theirs[k]])[0, 0] for k in some]
    return float(np.median(shared)) < _SIDE_BY_SIDE
