"""How a mouth moves over time, from the points of a face or from the pixels of its box."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.speakers.listening import BIN_US

SIDE = 64
"""Side in pixels of the picture of a face that motion is measured in."""
_MOUTH = (slice(40, 60), slice(16, 48))
_UPPER = (slice(8, 32), slice(8, 56))
_SMOOTH = np.array([0.06, 0.24, 0.4, 0.24, 0.06])
_LONGEST_GAP_US = 400_000

Series = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What was seen of one face.

    Attributes:
        times_us: (n,) int64, ascending.
        openings: (n,) of the mouth, as `mouth_opening` of `models.faces.landmarks.signals` gives it; NaN where no
            points were found.
        motions: (n,) how much more the mouth moved than the rest of the face since the look before, in grey levels a
            second; NaN at the first look.
    """

    times_us: NDArray[np.int64]
    openings: Series
    motions: Series


@dataclass(frozen=True, slots=True, eq=False)
class Mouth:
    """One mouth on the bins of `listening.Sound.loudness`.

    Attributes:
        first: the bin that the arrays begin at.
        activity: (b,) how strongly it moves, without a unit; NaN where the face is not seen.
        opening: (b,) as in `Looks`; NaN where nobody measured it.
    """

    first: int
    activity: Series
    opening: Series


def patch_motion(before: NDArray[np.uint8], after: NDArray[np.uint8], seconds: float) -> float:
    """Return how much more the mouth's part of a face changed than its eyes and brow, in grey levels a second.

    The difference takes out what moves the whole face: the head, the camera, a box that trembles.

    Args:
        before: SIDE x SIDE grey picture of the face's box.
        after: the same of a later look.
        seconds: between them.
    """
    first, second = (each.astype(np.float32) - each.mean(dtype=np.float32) for each in (before, after))
    change = np.abs(second - first)
    return float((change[_MOUTH].mean() - change[_UPPER].mean()) / max(seconds, 1e-3))


def mouth_over_time(looks: Looks) -> Mouth:
    """Return what was seen of a mouth on the bins of the sound, with gaps between looks filled.

    With points, the activity is the sum of three standard scores: how open the mouth is, how fast that changes, and
    the motion of the pixels; without, the last alone.
    """
    if len(looks.times_us) < 2:
        return Mouth(0, np.zeros(0), np.zeros(0))
    first, last = int(looks.times_us[0]) // BIN_US, int(looks.times_us[-1]) // BIN_US
    grid = (np.arange(first, last + 1) + 0.5) * BIN_US
    times = np.asarray(looks.times_us, np.float64)
    parts = [smooth(_on_grid(grid, times, looks.motions))]
    opening, pointed = np.full(len(grid), np.nan), np.isfinite(looks.openings)
    if np.count_nonzero(pointed) >= 2:
        opening = smooth(_on_grid(grid, times, looks.openings))
        steps = np.diff(times[pointed])
        speeds = np.asarray(np.abs(np.diff(looks.openings[pointed])) / np.maximum(steps, 1) * 1e6, np.float64)
        speeds[steps > _LONGEST_GAP_US] = np.nan
        parts += [opening, smooth(_on_grid(grid, times[pointed][1:], speeds))]
    return Mouth(first, _summed([_standard(one) for one in parts]), opening)


def _on_grid(grid: Series, times: Series, values: Series) -> Series:
    """Return values between looks; NaN before the first, after the last and in long gaps."""
    good = np.isfinite(values)
    if np.count_nonzero(good) < 2:
        return np.full(len(grid), np.nan)
    times, values = times[good], values[good]
    found = np.interp(grid, times, values)
    after = np.clip(np.searchsorted(times, grid), 1, len(times) - 1)
    gap = times[after] - times[after - 1] > _LONGEST_GAP_US
    outside = (grid < times[0] - BIN_US) | (grid > times[-1] + BIN_US)
    found[gap | outside] = np.nan
    return np.asarray(found, np.float64)


def smooth(values: Series) -> Series:
    """Return values averaged over about 0.1 s of bins, over those that are there."""
    there = np.isfinite(values)
    if len(values) < len(_SMOOTH):
        return values
    weights = np.convolve(there, _SMOOTH, "same")
    sums = np.convolve(np.where(there, values, 0), _SMOOTH, "same")
    return np.asarray(np.where(there, sums / np.maximum(weights, 1e-9), np.nan), np.float64)


def _standard(values: Series) -> Series:
    there = np.isfinite(values)
    if not there.any():
        return values
    middle, spread = values[there].mean(), values[there].std()
    return np.asarray((values - middle) / spread if spread > 1e-9 else values * 0)


def _summed(parts: Sequence[Series]) -> Series:
    """Return the sum of series; one that is not there at a time counts as its mean, 0."""
    stacked = np.array(parts)
    there = np.isfinite(stacked)
    return np.where(there.any(0), np.where(there, stacked, 0).sum(0), np.nan)
