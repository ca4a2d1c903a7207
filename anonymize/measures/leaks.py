"""Which faces the mask did not cover, and for how long in a row."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure, share
from project.timebase import SECOND

COVERED = 0.9
"""A face is covered when at least this share of its box lies where nothing is left of the source."""


@dataclass(frozen=True, slots=True)
class Leaks:
    """What the masks missed.

    Attributes:
        coverage: share of faces in frames that are covered.
        frames: looked-at frames with a face that is not.
        longest_frames: the longest run of such frames, in frames of the clip: every looked-at frame stands for those
            up to the next one.
        longest_s: the same in seconds.
        first_us: time of the first such frame; None without any.
    """

    coverage: Figure
    frames: int
    longest_frames: int
    longest_s: float
    first_us: int | None


def leaks(
    shares: NDArray[np.floating],
    frames: NDArray[np.integer],
    looked: NDArray[np.integer],
    times_us: NDArray[np.integer],
    end_us: int,
    stride: int = 1,
) -> Leaks:
    """Count faces and frames that are not covered.

    Args:
        shares: (n,) of each face's box that is hidden, 0 to 1.
        frames: (n,) in which frame of `looked` each face is.
        looked: (k,) the frames that were looked at, rising.
        times_us: (k,) their times.
        end_us: when the last of them stops being shown, or stops standing for those after it.
        stride: how many frames a looked-at one stands for.
    """
    bare = np.asarray(shares) < COVERED
    leaking = np.isin(looked, np.asarray(frames)[bare])
    ends = np.append(np.asarray(times_us, np.int64)[1:], end_us)
    longest, longest_us = 0, 0
    run, start = 0, 0
    for place, leak in enumerate(leaking):
        if not leak:
            run = 0
            continue
        start = place if not run else start
        run += 1
        longest = max(longest, run)
        longest_us = max(longest_us, int(ends[place] - times_us[start]))
    first = int(times_us[int(np.argmax(leaking))]) if leaking.any() else None
    return Leaks(
        share(int((~bare).sum()), len(bare), "faces to cover"),
        int(leaking.sum()),
        longest * stride,
        longest_us / SECOND,
        first,
    )
