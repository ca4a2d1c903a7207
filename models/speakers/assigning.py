"""Says who speaks in each stretch, from the voices that are alike and the mouths that moved.

Every stretch votes, with its length and the score of each face, for who its voice belongs to; the voices are then given
to people so that most votes are followed (the assignment problem: Kuhn, "The Hungarian Method", Naval Research
Logistics Quarterly 2, 1955). What a person said about a stretch counts more than any face. For one stretch, voice and
faces are two witnesses whose probabilities are multiplied.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.speakers.active_speaker import NOBODY

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
_RATHER_THE_ROBOT = 0.3

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known about n stretches, k voices and p people.

    Attributes:
        seconds: (n,) their lengths.
        voices: (n, k) how probable each voice is; k = 0 where voices are not told apart.
        faces: (n, p) how probable it is that each person's face speaks.
        nobody: (n,) how probable it is that nobody visible speaks; with `faces` it sums to 1.
        said: (n,) number of the person who speaks, where somebody said so; -1 elsewhere.
        visible: (n, p) whether each person's face is seen well enough to have a score.
        robot: number of the person who is a robot, or None.
    """

    seconds: NDArray[np.float64]
    voices: Shares
    faces: Shares
    nobody: Shares
    said: NDArray[np.int64]
    visible: NDArray[np.bool_]
    robot: int | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """Whose voice one is.

    Attributes:
        person: a number; None where nobody fits.
        share: of what was heard of this voice that speaks for it, 0 to 1.
        unseen: share of it during which nobody visible spoke.
    """

    person: int | None
    share: float
    unseen: float


@dataclass(frozen=True, slots=True)
class Guess:
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


def match_voices(known: Evidence) -> list[Match]:
    """Say whose each voice is. A robot that has no face gets the voice that is heard while nobody visible speaks."""
    count = known.voices.shape[1]
    if not count:
        return []
    votes, nobody = _votes(known)
    total = votes.sum(1) + nobody
    share = votes / (total + _PRIOR_S)[:, None]
    unseen = nobody / np.maximum(total, 1e-9)
    owners: list[int | None] = [None] * count
    for voice, person in _followed(votes):
        if share[voice, person] >= _LEAST_SHARE:
            owners[voice] = person
    taken = {one for one in owners if one is not None}
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
        Match(owner, 0.0 if owner is None else float(share[voice, owner]), float(unseen[voice]))
        for voice, owner in enumerate(owners)
    ]


def guess_speakers(known: Evidence, matches: Sequence[Match]) -> list[Guess]:
    """Say who speaks in each stretch; what a person said stands, with confidence 1."""
    people = known.faces.shape[1]
    by_voice = _by_voice(known, matches)
    # Beyond the people: somebody who is not seen, one for each voice that is nobody's.
    extra = ((0, 0), (0, by_voice.shape[1] - people))
    seen, unseen = np.pad(known.faces, extra) + _EPSILON, np.maximum(known.nobody[:, None], _EPSILON)
    if known.voices.shape[1]:
        # Voices say how probable each is beforehand: what the faces were given beforehand is taken out again.
        seen *= np.clip(known.visible.sum(1, keepdims=True), 1, _MOST_SEEN) / (1 - NOBODY)
        unseen = unseen / NOBODY
    by_face = np.where(np.pad(known.visible, extra), seen, unseen)
    both = by_voice * by_face
    both /= np.maximum(both.sum(1, keepdims=True), 1e-12)
    guesses = []
    for row in range(len(known.seconds)):
        voice = int(known.voices[row].argmax()) if known.voices.shape[1] else None
        if known.said[row] >= 0:
            said = int(known.said[row])
            guesses.append(Guess(said, voice, 1.0, _other(known, matches, row, said)))
            continue
        best = int(both[row].argmax())
        person = best if best < people else None
        guesses.append(Guess(person, voice, float(both[row, best]), _other(known, matches, row, person)))
    return guesses


def _votes(known: Evidence) -> tuple[Shares, Shares]:
    """Return (k, p) seconds that speak for each person, and (k,) those during which nobody visible spoke."""
    heard = known.voices * known.seconds[:, None]
    told = known.said >= 0
    faces, nobody = np.where(told[:, None], 0, known.faces), np.where(told, 0, known.nobody)
    votes = heard.T @ faces
    rows = np.flatnonzero(told)
    np.add.at(votes.T, known.said[rows], _PERSON_SAID * heard[rows])
    return votes, heard.T @ nobody


def _followed(votes: Shares) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    voices, people = linear_sum_assignment(-votes)
    return [*zip(voices.tolist(), people.tolist(), strict=True)]


def _by_voice(known: Evidence, matches: Sequence[Match]) -> Shares:
    """Return (n, p + k): how probable each person is by the voice, then for each voice somebody who is not seen.

    A voice is mostly whose it was matched to; for the rest, and wholly where it was not matched, it is as probable for
    each person as they were seen to speak with it. Without voices all people are as probable, and so is one who is not
    seen.
    """
    people, count = known.faces.shape[1], known.voices.shape[1]
    if not count:
        alike = np.ones((len(known.seconds), people + 1))
        if known.robot is not None and not known.visible[:, known.robot].any():
            alike[:, people] = _RATHER_THE_ROBOT
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


def _other(known: Evidence, matches: Sequence[Match], row: int, person: int | None) -> int | None:
    """Return whom a sure face or a sure voice names beside the person that was taken."""
    sure: list[int | None] = []
    if known.faces.shape[1] and known.faces[row].max() >= _SURE:
        sure.append(int(known.faces[row].argmax()))
    if matches and known.voices[row].max() >= _SURE:
        sure.append(matches[int(known.voices[row].argmax())].person)
    return next((one for one in sure if one is not None and one != person), None)
