"""Detects the active speaker among visible faces, and matches voices to people.

The mouth movement of each face is correlated with the loudness of the sound.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.speakers.voice_clustering import BIN_US

PATCH_SIDE = 64
"""Side in pixels of the picture of a face that motion is measured in."""
_MOUTH = (slice(40, 60), slice(16, 48))
_UPPER = (slice(8, 32), slice(8, 56))
_SMOOTH = np.array([0.06, 0.24, 0.4, 0.24, 0.06])
_LONGEST_GAP_US = 400_000

Series = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class FaceMovement:
    """What was seen of one face.

    Attributes:
        times_us: (n,) int64, ascending.
        openings: (n,) of the mouth, as `mouth_opening` of `models.faces.landmarks.face_signals` gives it; NaN where no
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
        opening: (b,) as in `FaceMovement`; NaN where nobody measured it.
    """

    first: int
    activity: Series
    opening: Series


def patch_motion(before: NDArray[np.uint8], after: NDArray[np.uint8], seconds: float) -> float:
    """Return how much more the mouth's part of a face changed than its eyes and brow, in grey levels a second.

    The difference takes out what moves the whole face: the head, the camera, a box that trembles. Both are grey
    pictures of the face's box, SIDE x SIDE.
    """
    first, second = (patch.astype(np.float32) - patch.mean(dtype=np.float32) for patch in (before, after))
    change = np.abs(second - first)
    return float((change[_MOUTH].mean() - change[_UPPER].mean()) / max(seconds, 1e-3))


def resample_mouth(looks: FaceMovement) -> Mouth:
    """Return what was seen of a mouth on the bins of the sound, with gaps between looks filled.

    With points, the activity is the sum of three standard scores: how open the mouth is, how fast that changes, and
    the motion of the pixels; without, the last alone.
    """
    if len(looks.times_us) < 2:
        return Mouth(0, np.zeros(0), np.zeros(0))
    first, last = int(looks.times_us[0]) // BIN_US, int(looks.times_us[-1]) // BIN_US
    grid = (np.arange(first, last + 1) + 0.5) * BIN_US
    times = np.asarray(looks.times_us, np.float64)
    parts = [smooth(_interpolate(grid, times, looks.motions))]
    opening, pointed = np.full(len(grid), np.nan), np.isfinite(looks.openings)
    if np.count_nonzero(pointed) >= 2:
        opening = smooth(_interpolate(grid, times, looks.openings))
        steps = np.diff(times[pointed])
        speeds = np.asarray(np.abs(np.diff(looks.openings[pointed])) / np.maximum(steps, 1) * 1e6, np.float64)
        speeds[steps > _LONGEST_GAP_US] = np.nan
        parts += [opening, smooth(_interpolate(grid, times[pointed][1:], speeds))]
    return Mouth(first, _sum_known([_standardize(part) for part in parts]), opening)


def _interpolate(grid: Series, times: Series, values: Series) -> Series:
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


def _standardize(values: Series) -> Series:
    there = np.isfinite(values)
    if not there.any():
        return values
    middle, spread = values[there].mean(), values[there].std()
    return np.asarray((values - middle) / spread if spread > 1e-9 else values * 0)


def _sum_known(parts: Sequence[Series]) -> Series:
    """Return the sum of series; one that is not there at a time counts as its mean, 0."""
    stacked = np.array(parts)
    there = np.isfinite(stacked)
    return np.where(there.any(0), np.where(there, stacked, 0).sum(0), np.nan)


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
NOBODY_PRIOR = 0.3
"""How probable it is beforehand that nobody visible speaks."""


@dataclass(frozen=True, slots=True)
class FaceSpeakingScores:
    """Who says a stretch.

    Attributes:
        scores: id of a track -> how probable it is that this face speaks; only of faces that are seen long enough.
        nobody: how probable it is that none of them does. All sum to 1.
    """

    scores: Mapping[str, float]
    nobody: float

    def best_face(self) -> tuple[str, float] | None:
        """Return the most probable face; None where no face is seen, or that nobody visible speaks is likelier."""
        if not self.scores:
            return None
        track = max(self.scores, key=lambda text: self.scores[text])
        return (track, self.scores[track]) if self.scores[track] > self.nobody else None


def score_faces(
    mouths: Mapping[str, Mouth], sound: Series, start_us: int, end_us: int, shot: tuple[int, int]
) -> FaceSpeakingScores:
    """Judge the faces of one stretch of speech in one shot.

    `sound` is (b,) smoothed loudness. No look may leave the shot.
    """
    first, last = _bins(start_us, end_us, shot, len(sound))
    evidence: dict[str, float] = {}
    for track, mouth in mouths.items():
        if mouth.first < last and mouth.first + len(mouth.activity) > first:
            found = _evidence(mouth, sound, first, last)
            if found is not None:
                evidence[track] = found
    return _to_scores(evidence)


def best_correlation(mouth: Mouth, sound: Series, first: int, last: int) -> tuple[float, int]:
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
    value, count = best_correlation(mouth, sound, first, last)
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


def _to_scores(evidence: Mapping[str, float]) -> FaceSpeakingScores:
    if not evidence:
        return FaceSpeakingScores({}, 1.0)
    share = (1 - NOBODY_PRIOR) / len(evidence)
    weights = np.array([np.log(NOBODY_PRIOR), *(np.log(share) + value for value in evidence.values())])
    found = np.exp(weights - weights.max())
    found /= found.sum()
    return FaceSpeakingScores(dict(zip(evidence, found[1:].tolist(), strict=True)), float(found[0]))


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


_PERSON_SAID = 4.0
_PRIOR_S = 1.5
_LEAST_SHARE = 0.35
_SAME_PERSON_TOO = 0.6
_UNSEEN = 0.6
_SURE = 0.65
_EPSILON = 0.02
_MATCHED = 0.85
_LITTLE = 0.5
_SELDOM = 0.05
_MOST_SEEN = 4
_MIN_ROBOT_SHARE = 0.3

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SpeakerEvidence:
    """What is known about n stretches, k voices and p people.

    Attributes:
        seconds: (n,) their lengths.
        voices: (n, k) how probable each voice is; k = 0 where voices are not told apart.
        faces: (n, p) how probable it is that each person's face speaks.
        nobody: (n,) how probable it is that nobody visible speaks; with `faces` it sums to 1.
        known_people: (n,) number of the person who speaks, where somebody said so; -1 elsewhere.
        visible: (n, p) whether each person's face is seen well enough to have a score.
        robot: number of the person who is a robot, or None.
    """

    seconds: NDArray[np.float64]
    voices: Shares
    faces: Shares
    nobody: Shares
    known_people: NDArray[np.int64]
    visible: NDArray[np.bool_]
    robot: int | None = None


@dataclass(frozen=True, slots=True)
class VoiceMatch:
    """Whose voice one is.

    Attributes:
        person: a number; None where nobody fits.
        share: of what was heard of this voice that speaks for it, 0 to 1.
    """

    person: int | None
    share: float


@dataclass(frozen=True, slots=True)
class SpeakerAssignment:
    """Who speaks in one stretch.

    Attributes:
        person: a number; None where it is nobody who is known.
        voice: the most probable one; None where voices are not told apart.
        confidence: 0 to 1.
        other: who else the face or the voice says it is, where both are sure and differ.
    """

    person: int | None
    voice: int | None
    confidence: float
    other: int | None = None


def match_voices(known: SpeakerEvidence) -> list[VoiceMatch]:
    """Say whose each voice is. A robot that has no face gets the voice that is heard while nobody visible speaks."""
    count = known.voices.shape[1]
    if not count:
        return []
    votes, nobody = _votes(known)
    total = votes.sum(1) + nobody
    share = votes / (total + _PRIOR_S)[:, None]
    unseen = nobody / np.maximum(total, 1e-9)
    owners: list[int | None] = [None] * count
    from scipy.optimize import linear_sum_assignment

    for voice, person in zip(*(numbers.tolist() for numbers in linear_sum_assignment(-votes)), strict=True):
        if share[voice, person] >= _LEAST_SHARE:
            owners[voice] = person
    taken = {number for number in owners if number is not None}
    for voice in range(count):
        if owners[voice] is None and len(taken):
            person = int(share[voice].argmax())
            if person in taken and share[voice, person] >= _SAME_PERSON_TOO:
                owners[voice] = person
    robot = known.robot
    if robot is not None and taken and robot not in taken and not known.visible[:, robot].any():
        free = [voice for voice in range(count) if owners[voice] is None and unseen[voice] >= _UNSEEN]
        if free:
            chosen = max(free, key=lambda voice: float(total[voice]))
            owners[chosen] = robot
            share[chosen, robot] = unseen[chosen] * total[chosen] / (total[chosen] + _PRIOR_S)
    return [
        VoiceMatch(owner, 0.0 if owner is None else float(share[voice, owner])) for voice, owner in enumerate(owners)
    ]


def guess_speakers(known: SpeakerEvidence, matches: Sequence[VoiceMatch]) -> list[SpeakerAssignment]:
    """Say who speaks in each stretch; what a person said stands, with confidence 1."""
    people = known.faces.shape[1]
    by_voice = _voice_probabilities(known, matches)
    # Beyond the people: somebody who is not seen, one for each voice that is nobody's.
    extra = ((0, 0), (0, by_voice.shape[1] - people))
    seen, unseen = np.pad(known.faces, extra) + _EPSILON, np.maximum(known.nobody[:, None], _EPSILON)
    if known.voices.shape[1]:
        # Voices say how probable each is beforehand: what the faces were given beforehand is taken out again.
        seen *= np.clip(known.visible.sum(1, keepdims=True), 1, _MOST_SEEN) / (1 - NOBODY_PRIOR)
        unseen = unseen / NOBODY_PRIOR
    by_face = np.where(np.pad(known.visible, extra), seen, unseen)
    both = by_voice * by_face
    both /= np.maximum(both.sum(1, keepdims=True), 1e-12)
    guesses = []
    for row in range(len(known.seconds)):
        voice = int(known.voices[row].argmax()) if known.voices.shape[1] else None
        said, best = int(known.known_people[row]), int(both[row].argmax())
        person, confidence = (said, 1.0) if said >= 0 else (best if best < people else None, float(both[row, best]))
        guesses.append(SpeakerAssignment(person, voice, confidence, _other_candidate(known, matches, row, person)))
    return guesses


def _votes(known: SpeakerEvidence) -> tuple[Shares, Shares]:
    """Return (k, p) seconds that speak for each person, and (k,) those during which nobody visible spoke."""
    heard = known.voices * known.seconds[:, None]
    told = known.known_people >= 0
    faces, nobody = np.where(told[:, None], 0, known.faces), np.where(told, 0, known.nobody)
    votes = heard.T @ faces
    rows = np.flatnonzero(told)
    np.add.at(votes.T, known.known_people[rows], _PERSON_SAID * heard[rows])
    return votes, heard.T @ nobody


def _voice_probabilities(known: SpeakerEvidence, matches: Sequence[VoiceMatch]) -> Shares:
    """Return (n, p + k): how probable each person is by the voice, then for each voice somebody who is not seen.

    A voice is mostly whose it was matched to; for the rest, and wholly where it was not matched, it is as probable for
    each person as they were seen to speak with it. Without voices all people are as probable, and so is one who is not
    seen.
    """
    people, count = known.faces.shape[1], known.voices.shape[1]
    if not count:
        alike = np.ones((len(known.seconds), people + 1))
        if known.robot is not None and not known.visible[:, known.robot].any():
            alike[:, people] = _MIN_ROBOT_SHARE
        return alike
    votes, nobody = _votes(known)
    total = np.maximum(votes.sum(1) + nobody, 1e-9)
    whose, unseen = votes / total[:, None], np.diag(nobody / total)
    for voice, match in enumerate(matches):
        if match.person is not None:
            whose[voice] *= 1 - _MATCHED
            whose[voice, match.person] += _MATCHED
            unseen[voice] *= _EPSILON
        else:
            # A voice that fits nobody may be several that were not told apart: it says little about one stretch.
            row = np.append(np.where(whose[voice] < _SELDOM, 0, whose[voice]), unseen[voice, voice]) ** _LITTLE
            whose[voice], unseen[voice, voice] = row[:-1] / row.sum(), row[-1] / row.sum()
    anybody = _EPSILON / max(people, 1)
    return np.concatenate([known.voices @ whose + anybody, known.voices @ unseen], axis=1)


def _other_candidate(known: SpeakerEvidence, matches: Sequence[VoiceMatch], row: int, person: int | None) -> int | None:
    """Return whom a sure face or a sure voice names beside the person that was taken."""
    sure: list[int | None] = []
    if known.faces.shape[1] and known.faces[row].max() >= _SURE:
        sure.append(int(known.faces[row].argmax()))
    if matches and known.voices[row].max() >= _SURE:
        sure.append(matches[int(known.voices[row].argmax())].person)
    return next((number for number in sure if number is not None and number != person), None)
