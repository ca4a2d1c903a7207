"""Puts stretches of speech whose voices are alike together, with the number of voices known or found.

Stretches long enough to tell a voice by are joined from the bottom up (Ward, "Hierarchical Grouping to Optimize an
Objective Function", Journal of the American Statistical Association 58, 1963); then every stretch, also a short one,
goes to the nearest centre until nothing changes. The number of voices is the largest at which no two of them are as
alike as one voice is to itself: the mean cosine between two groups over the geometric mean of that within them,
between different stretches only (Spearman's correction for attenuation, American Journal of Psychology 15, 1904), is
below a limit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.voices.base import Vectors

MOST = 10
"""Voices that are told apart at most when nobody says how many there are."""
NOBODY = -1
"""Label of a stretch in which there is nothing to hear."""
LONG_S = 1.6
"""Seconds from which on a stretch tells a voice."""
_ALIKE = 0.9
_ALIKE_AS_EXPECTED = 0.94
_LEAST_S, _LEAST_STRETCHES = 3.0, 2
_CAP_S = 6.0
_ROUNDS = 10
_MOST_JOINED = 3_000
_SHARPNESS = 0.04

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Voices:
    """Which stretch has which voice.

    Attributes:
        labels: (n,), from 0 in the order in which the voices are first heard; `NOBODY` where nothing is heard.
        centres: (k, d) of length 1: what each voice is like.
    """

    labels: Labels
    centres: Vectors


def group_voices(
    vectors: Vectors, seconds: NDArray[np.floating], number: int | None = None, expected: int | None = None
) -> Voices:
    """Tell how many voices there are, and which stretch has which.

    Args:
        vectors: (n, d), of length 1 or all zeros, in the order in which they are heard.
        seconds: (n,) length of each stretch.
        number: of voices, where somebody knows it; fewer come back where there are fewer stretches.
        expected: a number that is taken where the voices do not speak against it.
    """
    heard = np.flatnonzero(np.linalg.norm(vectors, axis=1) > 0)
    labels = np.full(len(vectors), NOBODY, np.int32)
    if not len(heard):
        return Voices(labels, np.zeros((0, vectors.shape[1]), np.float32))
    some, weights = vectors[heard], np.minimum(np.asarray(seconds, np.float64)[heard], _CAP_S)
    long = weights >= LONG_S
    if np.count_nonzero(long) < max(2, number or 0):
        long[:] = True
    tree = _Tree(some, long)
    if number is not None:
        found = _settled(some, weights, tree.cut(min(number, tree.size)))
    else:
        found = _settled(some, weights, tree.cut(1))
        for count in range(2, min(MOST, tree.size) + 1):
            tried = _settled(some, weights, tree.cut(count))
            limit = _ALIKE_AS_EXPECTED if count == expected else _ALIKE
            if _stands(some[long], weights[long], tried[long], count, limit):
                found = tried
    order = [*dict.fromkeys(found.tolist())]
    labels[heard] = [order.index(one) for one in found.tolist()]
    return Voices(labels, _centres(some, weights, labels[heard]))


def shares(vectors: Vectors, centres: Vectors) -> NDArray[np.float64]:
    """Return (n, k): how probable each voice is for each stretch, by its nearness alone; rows sum to 1.

    All voices are as probable where nothing is heard.
    """
    if not len(centres):
        return np.zeros((len(vectors), 0))
    near = np.asarray(vectors @ centres.T, np.float64) / _SHARPNESS
    found = np.exp(near - near.max(1, keepdims=True))
    return np.asarray(found / found.sum(1, keepdims=True))


class _Tree:
    """The stretches that are long enough, joined from the bottom up; of very many, some spread evenly."""

    def __init__(self, vectors: Vectors, long: NDArray[np.bool_]) -> None:
        rows = np.flatnonzero(long)
        if len(rows) > _MOST_JOINED:
            rows = rows[np.linspace(0, len(rows) - 1, _MOST_JOINED).astype(int)]
        self.size = len(rows)
        self._rows, self._vectors = rows, vectors
        self._joins = None
        if self.size > 1:
            from scipy.cluster.hierarchy import linkage

            self._joins = linkage(vectors[rows], "ward")

    def cut(self, count: int) -> Labels:
        """Return (n,) labels of all stretches, each that of the nearest of `count` groups."""
        if count < 2 or self._joins is None:
            return np.zeros(len(self._vectors), np.int32)
        from scipy.cluster.hierarchy import fcluster

        part = fcluster(self._joins, count, "maxclust") - 1
        centres = _centres(self._vectors[self._rows], np.ones(len(self._rows)), part)
        labels = np.argmax(self._vectors @ centres.T, axis=1)
        labels[self._rows] = part
        return np.asarray(labels, np.int32)


def _settled(vectors: Vectors, weights: NDArray[np.float64], labels: Labels) -> Labels:
    """Move stretches to the nearest centre until none moves; no group is given up."""
    count = len(np.unique(labels))
    for _ in range(_ROUNDS):
        moved = np.argmax(vectors @ _centres(vectors, weights, labels).T, axis=1).astype(np.int32)
        if len(np.unique(moved)) < count or (moved == labels).all():
            break
        labels = moved
    return labels


def _centres(vectors: Vectors, weights: NDArray[np.float64], labels: NDArray[np.integer]) -> Vectors:
    members = np.zeros((int(labels.max(initial=0)) + 1, len(vectors)))
    members[labels, np.arange(len(vectors))] = weights
    sums = members @ vectors
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)


def _stands(vectors: Vectors, weights: NDArray[np.float64], labels: Labels, count: int, limit: float) -> bool:
    """Tell whether groups are large enough, and no two of them as alike as one voice is to itself."""
    seconds = np.bincount(labels, weights, count)
    stretches = np.bincount(labels, minlength=count)
    if seconds.min() < _LEAST_S or stretches.min() < _LEAST_STRETCHES:
        return False
    members = np.zeros((count, len(vectors)))
    members[labels, np.arange(len(vectors))] = weights
    sums = members @ vectors
    cosines, pairs = sums @ sums.T, np.outer(seconds, seconds)
    own = np.bincount(labels, weights**2, count)
    np.fill_diagonal(cosines, np.diag(cosines) - own)
    np.fill_diagonal(pairs, np.diag(pairs) - own)
    alike = cosines / pairs
    within = np.maximum(np.diag(alike), 1e-6)
    between = alike / np.sqrt(np.outer(within, within))
    np.fill_diagonal(between, 0)
    return bool(between.max() < limit)
