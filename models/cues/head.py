"""Nodding and shaking of the head: oscillations of its pitch and yaw.

Between-the-eyes trackers told the two apart by alternating extremes (Kawato and Ohya, "Real-time Detection of Nodding
and Head-shaking by Directly Detecting and Tracking the 'Between-Eyes'", FG 2000). Here the pose itself is filtered to
the band of conversation's head movements (0.8 to 4 Hz; Hadar, Steiner, Grant and Rose, "Kinematics of Head Movements
Accompanying Speech during Conversation", Human Movement Science 1983, tell slow ones below 1.8, ordinary ones to 3.7
Hz), and three swings in a row must stand out from the person's quiet moments and from the other axis.
"""

from collections.abc import Iterator

import numpy as np

from models.cues.found import NOD, SHAKE, Found
from models.cues.usual import Times, Values, evenly

RATE = 25.0
BAND_HZ = (0.8, 4.0)
_HOLE_US = 250_000
_SWINGS = 3
_LEAST_DEG = {NOD: 3.5, SHAKE: 5.0}
_OVER_NOISE = 6.0
_OVER_OTHER = 1.4
_ITSELF = 0.4
_EVEN = 0.35
_SHORTEST_S = 1.5
_QUIET = 25


def head_movements(times_us: Times, yaw: Values, pitch: Values) -> list[Found]:
    """Find nods and shakes of one head.

    Args:
        times_us: (n,) ascending, on the recording's axis.
        yaw: (n,) degrees, positive to the picture's right; NaN where unknown.
        pitch: (n,) degrees, positive upwards; NaN where unknown.
    """
    pieces = [
        (times, pose, np.stack([_in_band(pose[:, axis]) for axis in (0, 1)], axis=1))
        for times, pose in evenly(times_us, np.stack([yaw, pitch], axis=1), RATE, _HOLE_US)
        if len(times) >= _SHORTEST_S * RATE
    ]
    if not pieces:
        return []
    quiet = [_quiet_level([band[:, axis] for *_, band in pieces]) for axis in (0, 1)]
    found = [
        one
        for times, pose, band in pieces
        for kind, axis in ((NOD, 1), (SHAKE, 0))
        for one in _swinging(times, pose, band, axis, kind, max(_LEAST_DEG[kind], _OVER_NOISE * quiet[axis]))
    ]
    return sorted(found, key=lambda one: one.start_us)


def _in_band(values: Values) -> Values:
    from scipy.signal import butter, sosfiltfilt

    low_high = [edge / (RATE / 2) for edge in BAND_HZ]
    made: Values = sosfiltfilt(butter(2, low_high, "bandpass", output="sos"), values)
    return made


def _quiet_level(bands: list[Values]) -> float:
    """Return the standard deviation of the quiet quarter of the time, second by second."""
    size = round(RATE)
    parts = [band[: len(band) // size * size].reshape(-1, size).std(1) for band in bands]
    return float(np.percentile(np.concatenate(parts), _QUIET))


def _swinging(times: Times, pose: Values, band: Values, axis: int, kind: str, least: float) -> Iterator[Found]:
    signal, other = band[:, axis], band[:, 1 - axis]
    turns = _turns(signal, least / 2)
    longest, shortest = RATE / BAND_HZ[0] / 2, RATE / BAND_HZ[1] / 2
    run: list[int] = []
    for before, turn in zip([-1, *turns], turns, strict=False):
        fits = before >= 0 and shortest - 1 <= turn - before <= longest + 1
        if fits and _swings(signal, pose[:, axis], before, turn, least):
            run = run or [before]
            run.append(turn)
        else:
            yield from _told(times, signal, other, run, kind, least)
            run = []
    yield from _told(times, signal, other, run, kind, least)


def _swings(signal: Values, pose: Values, before: int, turn: int, least: float) -> bool:
    """Tell whether the head itself turned back: the filter alone makes swings around a single quick turn."""
    filtered, itself = float(signal[turn] - signal[before]), float(pose[turn] - pose[before])
    return abs(filtered) >= least and itself * np.sign(filtered) >= _ITSELF * abs(filtered)


def _told(times: Times, signal: Values, other: Values, run: list[int], kind: str, least: float) -> Iterator[Found]:
    if len(run) <= _SWINGS:
        return
    swings = np.abs(np.diff(signal[run]))
    mean = float(swings.mean())
    part = slice(run[0], run[-1] + 1)
    if float(swings.min()) < _EVEN * float(swings.max()):
        return
    if float(signal[part].std()) < _OVER_OTHER * float(other[part].std()):
        return
    start, end = int(times[run[0]]), int(times[run[-1]])
    pace = len(swings) / 2 / ((end - start) / 1e6)
    yield Found(kind, start, end, mean / least, f"{len(swings)} swings of {mean:.0f} degrees, {pace:.1f} a second")


def _turns(signal: Values, prominence: float) -> list[int]:
    """Return the positions of alternating highs and lows that stand out by a prominence."""
    turns: list[int] = []
    if not len(signal):
        return turns
    high = low = 0
    rising: bool | None = None
    for at, value in enumerate(signal.tolist()):
        high = at if value > signal[high] else high
        low = at if value < signal[low] else low
        if rising is not False and value < signal[high] - 2 * prominence:
            turns.append(high)
            rising, low = False, at
        elif rising is not True and value > signal[low] + 2 * prominence:
            turns.append(low)
            rising, high = True, at
    last = high if rising else low
    if rising is not None and (not turns or last > turns[-1]):
        turns.append(last)
    return turns
