"""Which of the visible faces says what is heard: mouths that move with the sound, against those that do not.

As in Cutler and Davis, "Look Who's Talking: Speaker Detection Using Video and Audio Correlation", IEEE ICME 2000, the
motion of each mouth is correlated with the sound; here with its loudness, since a mouth that speaks opens with its
syllables. Fisher's transformation ("On the Probable Error of a Coefficient of Correlation", Metron 1, 1921) makes a
correlation over a short stretch count less than one over a long one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.speakers.listening import BIN_US
from models.speakers.mouth_motion import Mouth

_AROUND_US = 400_000
_LEAST_BINS = 24
_LAGS = (-1, 0, 1, 2)
"""In bins: lips move a little before and after what they say is heard, and streams are not exactly aligned."""
_INDEPENDENT_BINS = 7.0
"""Values further apart than this tell something new: syllables last about a third of a second."""
_SPEAKING, _OTHER = np.arctanh(0.65), np.arctanh(0.2)
"""What the correlation is like for who speaks and for another face; the latter is not 0, as the best lag is taken."""
_OPENING_SPEAKING, _OPENING_STILL = (np.log(0.035), 0.6), (np.log(0.006), 1.0)
"""Mean and spread of the logarithm of how much a mouth's opening varies."""
_MOST_BY_OPENING = 2.5
_TEMPER = 0.7
_LEAST_SEEN = 0.6
NOBODY = 0.3
"""How probable it is beforehand that nobody visible speaks."""

Series = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Faces:
    """Who says a stretch.

    Attributes:
        scores: id of a track -> how probable it is that this face speaks; only of faces that are seen long enough.
        nobody: how probable it is that none of them does. All sum to 1.
    """

    scores: Mapping[str, float]
    nobody: float

    def best(self) -> tuple[str, float] | None:
        """Return the most probable face; None where no face is seen, or that nobody visible speaks is likelier."""
        if not self.scores:
            return None
        track = max(self.scores, key=lambda one: self.scores[one])
        return (track, self.scores[track]) if self.scores[track] > self.nobody else None


def who_speaks(mouths: Mapping[str, Mouth], sound: Series, start_us: int, end_us: int, shot: tuple[int, int]) -> Faces:
    """Judge the faces of one stretch of speech in one shot.

    Args:
        mouths: of the tracks.
        sound: (b,) loudness as `listening.Sound` has it, after `mouth_motion.smooth`.
        start_us: of the stretch.
        end_us: of the stretch.
        shot: start and end of the shot that it lies in, which no look may leave.
    """
    first, last = _bins(start_us, end_us, shot, len(sound))
    evidence: dict[str, float] = {}
    for track, mouth in mouths.items():
        if mouth.first < last and mouth.first + len(mouth.activity) > first:
            found = _evidence(mouth, sound, first, last)
            if found is not None:
                evidence[track] = found
    return _weighed(evidence)


def correlation(mouth: Mouth, sound: Series, first: int, last: int) -> tuple[float, int]:
    """Return the largest correlation of a mouth with the sound over a few lags, and over how many bins it was taken.

    0 where one of both does not change, or the face is seen too little.
    """
    best, count = -1.0, 0
    for lag in _LAGS:
        begin, stop = max(first, lag, 0), min(last, len(sound) + lag)
        if stop - begin < 3:
            continue
        here, heard = _part(mouth.activity, mouth.first, begin, stop), sound[begin - lag : stop - lag]
        here = here[: len(heard)]
        there = np.isfinite(here)
        if np.count_nonzero(there) < _LEAST_SEEN * (last - first):
            continue
        value = _pearson(here[there], heard[there])
        if value > best:
            best, count = value, int(np.count_nonzero(there))
    return (best, count) if count else (0.0, 0)


def _part(values: Series, start: int, begin: int, stop: int) -> Series:
    """Return the bins from `begin` to `stop` of values that start at a bin; NaN where there are none."""
    found = np.full(stop - begin, np.nan)
    first, last = max(begin, start), min(stop, start + len(values))
    if last > first:
        found[first - begin : last - begin] = values[first - start : last - start]
    return found


def _evidence(mouth: Mouth, sound: Series, first: int, last: int) -> float | None:
    """Return the logarithm of how much likelier it looks like this where the face speaks than where it does not."""
    value, count = correlation(mouth, sound, first, last)
    if not count:
        return None
    # Fisher: atanh(r) has a variance of 1 / (n - 3).
    precision = max(count / _INDEPENDENT_BINS - 3, 0.5)
    seen = np.arctanh(np.clip(value, -0.99, 0.99))
    by_sound = precision * (_SPEAKING - _OTHER) * (seen - (_SPEAKING + _OTHER) / 2)
    return float(_TEMPER * (by_sound + _by_opening(_part(mouth.opening, mouth.first, first, last))))


def _by_opening(opening: Series) -> float:
    there = opening[np.isfinite(opening)]
    if len(there) < 3:
        return 0.0
    moved = float(np.log(max(there.std(), 1e-4)))
    speaking, still = (
        -((moved - middle) ** 2) / (2 * spread**2) - np.log(spread)
        for middle, spread in (_OPENING_SPEAKING, _OPENING_STILL)
    )
    if moved > _OPENING_SPEAKING[0]:
        speaking = -np.log(_OPENING_SPEAKING[1])
    return float(np.clip(speaking - still, -_MOST_BY_OPENING, _MOST_BY_OPENING))


def _weighed(evidence: Mapping[str, float]) -> Faces:
    if not evidence:
        return Faces({}, 1.0)
    share = (1 - NOBODY) / len(evidence)
    weights = np.array([np.log(NOBODY), *(np.log(share) + one for one in evidence.values())])
    found = np.exp(weights - weights.max())
    found /= found.sum()
    return Faces(dict(zip(evidence, found[1:].tolist(), strict=True)), float(found[0]))


def _bins(start_us: int, end_us: int, shot: tuple[int, int], count: int) -> tuple[int, int]:
    """Return the bins to look at: of the stretch and a little around it, at least 1.2 s, inside the shot."""
    first = max(start_us - _AROUND_US, shot[0]) // BIN_US
    last = -(-min(end_us + _AROUND_US, shot[1]) // BIN_US)
    missing = _LEAST_BINS - (last - first)
    if missing > 0:
        first = max(first - missing // 2, -(-shot[0] // BIN_US))
        last = min(first + _LEAST_BINS, shot[1] // BIN_US)
    return max(0, first), min(count, last)


def _pearson(a: Series, b: Series) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 1e-9 else 0.0
