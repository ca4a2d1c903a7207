"""Suggests which tracks are one person: before and after a cut, or after somebody was away.

A suggestion only, for a person to take or leave. Two tracks that are seen at the same time are two people. Otherwise
two are as likely one as their looks are alike (`appearance`: clothes, hair and light weigh as much as features, so it
holds within a recording at most), or as the vectors of an identity embedding agree, where one is installed. Groups
grow from the likeliest pair on, by the mean over all their pairs (average linkage: Sokal and Michener, "A Statistical
Method for Evaluating Systematic Relationships", 1958).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.faces.appearance import likeness
from models.faces.observations import Observation
from project.types import FaceTrack, Origin

_LEAST_HITS = 5
_LEAST_BEST = 0.5
_MOST_LOOKS = 50
# Of four friends over six shots, tracks of one person were 0.953 to 0.986 alike, of two people up to 0.966, and up to
# 0.95 as the mean of pairs of groups.
_LOOKS = (0.94, 0.99)
# Vectors of two people agree by more than 0.25 in one case of a hundred, of one person mostly by 0.4 to 0.8.
_IDENTITY = (0.2, 0.6)
_LEAST_CONFIDENCE = 0.3

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Tracks that may show one person.

    Attributes:
        tracks: ids, by their first frame.
        confidence: 0 to 1, of the least likely step that made the group.
    """

    tracks: tuple[str, ...]
    confidence: float


def looks_of(tracks: Sequence[FaceTrack], seen: Sequence[Observation]) -> dict[str, Matrix]:
    """Return the mean description, (104,), of every track that was found often and surely enough to compare.

    Args:
        tracks: of the recording.
        seen: every frame of it, from the first.
    """
    found = {}
    for track in tracks:
        hits = np.flatnonzero(track.origins == Origin.DETECTED)
        if len(hits) < _LEAST_HITS or track.scores.max() < _LEAST_BEST:
            continue
        chosen = hits[np.linspace(0, len(hits) - 1, min(_MOST_LOOKS, len(hits))).astype(int)]
        looks = []
        for place in chosen:
            one = seen[int(track.frames[place])]
            middle = track.boxes[place, :2] + track.boxes[place, 2:] / 2
            away = np.abs(one.hits[:, :2] + one.hits[:, 2:4] / 2 - middle).sum(axis=1)
            looks.append(one.looks[int(away.argmin())])
        found[track.id] = np.asarray(np.mean(looks, axis=0), np.float64)
    return found


def suggest(
    tracks: Sequence[FaceTrack], looks: Mapping[str, Matrix], identities: Mapping[str, NDArray[np.float32]]
) -> list[Suggestion]:
    """Return groups of two tracks or more, the likeliest first.

    Args:
        tracks: of the recording.
        looks: (104,) by track, see `looks_of`; tracks without are left out.
        identities: (d,) unit vectors by track, where an embedding is installed and saw the face.
    """
    chosen = [track for track in tracks if track.id in looks]
    if len(chosen) < 2:
        return []
    alike = np.array([looks[track.id] for track in chosen])
    sure = _confidence(likeness(alike, alike), _LOOKS)
    known = [i for i, track in enumerate(chosen) if track.id in identities]
    if known:
        vectors = np.array([identities[chosen[i].id] for i in known], np.float64)
        sure[np.ix_(known, known)] = _confidence(vectors @ vectors.T, _IDENTITY)
    groups = _grown(sure, _together(chosen))
    found = [Suggestion(tuple(chosen[i].id for i in sorted(group)), round(least, 3)) for group, least in groups]
    return sorted(found, key=lambda one: -one.confidence)


def _confidence(values: Matrix, limits: tuple[float, float]) -> Matrix:
    low, high = limits
    return np.clip((values - low) / (high - low), 0, 1)


def _together(tracks: Sequence[FaceTrack]) -> NDArray[np.bool_]:
    """Return (n, n): which tracks are found in the same frame anywhere, and so are two people."""
    spans = []
    for track in tracks:
        hits = track.frames[track.origins == Origin.DETECTED]
        spans.append((hits[0], hits[-1]))
    first, last = np.array(spans).T
    both: NDArray[np.bool_] = (first[:, None] <= last[None]) & (first[None] <= last[:, None])
    return both


def _grown(sure: Matrix, apart: NDArray[np.bool_]) -> list[tuple[list[int], float]]:
    """Join the likeliest two groups that may be one until none are likely; the members, and the least confidence."""
    mean = np.where(apart, -1.0, sure)
    groups = {i: ([i], 1.0) for i in range(len(mean))}
    while True:
        a, b = (int(i) for i in np.unravel_index(int(mean.argmax()), mean.shape))
        best = float(mean[a, b])
        if best < _LEAST_CONFIDENCE:
            return [group for group in groups.values() if len(group[0]) > 1]
        (ours, least), (theirs, other) = groups[a], groups.pop(b)
        groups[a] = (ours + theirs, min(least, other, best))
        joint = (len(ours) * mean[a] + len(theirs) * mean[b]) / (len(ours) + len(theirs))
        joint[(mean[a] < 0) | (mean[b] < 0)] = -1.0
        joint[a] = -1.0
        mean[a], mean[:, a] = joint, joint
        mean[b], mean[:, b] = -1.0, -1.0
