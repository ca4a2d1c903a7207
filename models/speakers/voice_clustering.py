"""Embeds and clusters voices, with a known or an estimated number, and cuts speech into speaker turns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.sound_spans import cut_spans
from models.voices.voice_embeddings import SAMPLE_RATE, Samples, Vectors, VoiceEmbedder
from project.timebase import SECOND_US

BIN_US = 50_000
"""How long one value of loudness lasts."""
_BIN = SAMPLE_RATE * BIN_US // SECOND_US
_FLOOR = 1e-3
_HOP_S = 0.4
_LONGEST_US = 30 * SECOND_US

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """What was heard.

    Attributes:
        loudness: (b,) float32, natural logarithm of the root mean square of every `BIN_US` from 0, floored at 0.001.
        vectors: (w, d) of windows of speech, of length 1; all zeros where nothing is heard; d = 0 without embedding.
        times_us: (w, 2) start and end of those windows.
        owners: (w,) which stretch each window is of.
    """

    loudness: NDArray[np.float32]
    vectors: Vectors
    times_us: NDArray[np.int64]
    owners: NDArray[np.int64]

    def mean_vectors(self, count: int) -> Vectors:
        """Return (count, d): the mean of each stretch's windows, of length 1, or all zeros where it has none."""
        sums = np.zeros((count, self.vectors.shape[1]), np.float64)
        np.add.at(sums, self.owners, self.vectors)
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)


def analyze_sound(blocks: Iterable[Samples], spans: Sequence[Span], embedder: VoiceEmbedder | None) -> Sound:
    """Measure loudness and embed windows of stretches of speech.

    Blocks are (n,) each at `SAMPLE_RATE`, end to end from 0. Spans, in microseconds, are in any order and may share
    time.
    """
    loud: list[NDArray[np.float32]] = []
    pieces = sorted(_pieces(spans)) if embedder is not None else []
    found: dict[int, tuple[Vectors, list[tuple[int, int]]]] = {}
    for row, cut in cut_spans(_measured(blocks, loud), [(first, end) for first, end, _ in pieces]):
        if embedder is not None and len(cut):
            first, starts = pieces[row][0], window_starts(len(cut), embedder.window)
            times = [(first + at, first + min(at + embedder.window, len(cut))) for at in starts]
            found[row] = embedder.embed_windows(cut, starts), times
    rows = sorted(found)
    width = 0 if embedder is None else embedder.dimensions
    return Sound(
        np.concatenate([np.zeros(0, np.float32), *loud]),
        np.concatenate([np.zeros((0, width), np.float32), *(found[row][0] for row in rows)]),
        np.array([time for row in rows for time in found[row][1]], np.int64).reshape(-1, 2) * SECOND_US // SAMPLE_RATE,
        np.array([pieces[row][2] for row in rows for _ in found[row][1]], np.int64),
    )


def _measured(blocks: Iterable[Samples], loud: list[NDArray[np.float32]]) -> Iterator[Samples]:
    """Yield the blocks, and add the loudness of every whole bin of them to a list."""
    rest = np.zeros(0, np.float32)
    for block in blocks:
        rest = np.concatenate([rest, block])
        loud.append(_loudness(rest))
        rest = rest[len(loud[-1]) * _BIN :]
        yield block


def window_starts(length: int, window: int) -> list[int]:
    """Return where the windows over a stretch of `length` samples start: 0.4 s apart, the last at its end."""
    hop = round(_HOP_S * SAMPLE_RATE)
    starts = [*range(0, max(1, length - window + 1), hop)]
    if length - window - starts[-1] > hop // 2:
        starts.append(length - window)
    return starts


def _pieces(spans: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end) in samples and the stretch's number, of pieces that are not too long to hold."""
    for owner, (start, end) in enumerate(spans):
        count = max(1, -(-(end - start) // _LONGEST_US))
        edges = [start + (end - start) * k // count for k in range(count + 1)]
        for first, last in pairwise(edges):
            yield first * SAMPLE_RATE // SECOND_US, last * SAMPLE_RATE // SECOND_US, owner


def _loudness(samples: Samples) -> NDArray[np.float32]:
    bins = samples[: len(samples) // _BIN * _BIN].reshape(-1, _BIN)
    powers = np.mean(np.square(bins, dtype=np.float64), axis=1)
    return np.asarray(np.log(np.maximum(np.sqrt(powers), _FLOOR)), np.float32)


MAX_VOICES = 10
"""Voices that are told apart at most when nobody says how many there are."""
NO_VOICE = -1
"""Label of a stretch in which there is nothing to hear."""
MIN_RELIABLE_S = 1.6
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
        labels: (n,), from 0 in the order in which the voices are first heard; `NO_VOICE` where nothing is heard.
        centres: (k, d) of length 1: what each voice is like.
    """

    labels: Labels
    centres: Vectors


def group_voices(
    vectors: Vectors, seconds: NDArray[np.floating], number: int | None = None, expected: int | None = None
) -> Voices:
    """Tell how many voices there are, and which stretch has which.

    `vectors` are (n, d), of length 1 or all zeros, in the order in which they are heard. `number` is how many voices
    there are, where somebody knows it; `expected` is taken where they do not speak against it.
    """
    heard = np.flatnonzero(np.linalg.norm(vectors, axis=1) > 0)
    labels = np.full(len(vectors), NO_VOICE, np.int32)
    if not len(heard):
        return Voices(labels, np.zeros((0, vectors.shape[1]), np.float32))
    some, weights = vectors[heard], np.minimum(np.asarray(seconds, np.float64)[heard], _CAP_S)
    long = weights >= MIN_RELIABLE_S
    if np.count_nonzero(long) < max(2, number or 0):
        long[:] = True
    tree = _Tree(some, long)
    if number is not None:
        found = _settle(some, weights, tree.cut(min(number, tree.size)))
    else:
        found = _settle(some, weights, tree.cut(1))
        for count in range(2, min(MAX_VOICES, tree.size) + 1):
            tried = _settle(some, weights, tree.cut(count))
            limit = _ALIKE_AS_EXPECTED if count == expected else _ALIKE
            if _is_plausible(some[long], weights[long], tried[long], count, limit):
                found = tried
    order = [*dict.fromkeys(found.tolist())]
    labels[heard] = [order.index(group) for group in found.tolist()]
    return Voices(labels, _centres(some, weights, labels[heard]))


def voice_probabilities(vectors: Vectors, centres: Vectors) -> NDArray[np.float64]:
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


def _settle(vectors: Vectors, weights: NDArray[np.float64], labels: Labels) -> Labels:
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


def _is_plausible(vectors: Vectors, weights: NDArray[np.float64], labels: Labels, count: int, limit: float) -> bool:
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


_STEP_US = 100_000
_SWITCH = 6.0
_LEAST = 1e-3


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """A stretch in which one voice speaks; `voice` is its label."""

    start_us: int
    end_us: int
    voice: int


def cluster_windows(sound: Sound, number: int | None = None, expected: int | None = None) -> Voices:
    """Tell voices apart by windows that share no time; the labels are those of all windows."""
    alone, last_us, last_owner = [], -1, -1
    for row, (start, end) in enumerate(sound.times_us.tolist()):
        if sound.owners[row] != last_owner or start >= last_us:
            alone.append(row)
            last_us, last_owner = end, sound.owners[row]
    seconds = (sound.times_us[:, 1] - sound.times_us[:, 0]) / SECOND_US
    found = group_voices(sound.vectors[alone], seconds[alone], number, expected)
    labels = (
        voice_probabilities(sound.vectors, found.centres).argmax(1) if len(found.centres) else np.full(len(seconds), -1)
    )
    return Voices(labels.astype(np.int32), found.centres)


def find_turns(spans: Sequence[Span], sound: Sound, centres: NDArray[np.float32]) -> list[SpeakerTurn]:
    """Return the most probable sequence of turns inside each stretch (Viterbi over steps of 0.1 s).

    `centres` are (k, d) of the voices.
    """
    if not len(centres):
        return []
    logs = np.log(np.maximum(voice_probabilities(sound.vectors, centres), _LEAST))
    turns: list[SpeakerTurn] = []
    for owner, (start, end) in enumerate(spans):
        rows = np.flatnonzero(sound.owners == owner)
        if len(rows):
            turns += _turns_in_span(start, end, sound.times_us[rows], logs[rows])
    return turns


def _turns_in_span(start: int, end: int, times: NDArray[np.int64], logs: NDArray[np.float64]) -> list[SpeakerTurn]:
    steps = max(1, (end - start) // _STEP_US)
    middles = start + (np.arange(steps) + 0.5) * ((end - start) / steps)
    centres = times.mean(1)
    # A window speaks for its middle most: a triangle that ends where the window does.
    near = 1 - np.abs(middles[:, None] - centres[None]) / np.maximum((times[:, 1] - times[:, 0]) / 2, 1)[None]
    near = np.maximum(near, 0)
    nearest = np.abs(middles[:, None] - centres[None]).argmin(1)
    near[np.arange(steps), nearest] += _LEAST
    path = best_path((near @ logs) / near.sum(1, keepdims=True), _SWITCH)
    edges = [0, *(np.flatnonzero(np.diff(path)) + 1).tolist(), steps]
    marks = [start + (end - start) * edge // steps for edge in edges]
    return [
        SpeakerTurn(first, last, int(path[edge])) for first, last, edge in zip(marks, marks[1:], edges, strict=False)
    ]


def best_path(scores: NDArray[np.float64], switch: float) -> NDArray[np.int64]:
    """Return (n,) labels with the largest sum of (n, k) scores, where each change of label costs `switch`."""
    count = len(scores)
    total = scores[0].copy()
    back = np.zeros(scores.shape, np.int64)
    everyone = np.arange(scores.shape[1])
    for step in range(1, count):
        best = int(total.argmax())
        stay = total >= total[best] - switch
        back[step] = np.where(stay, everyone, best)
        total = np.where(stay, total, total[best] - switch) + scores[step]
    path = np.empty(count, np.int64)
    path[-1] = int(total.argmax())
    for step in range(count - 1, 0, -1):
        path[step - 1] = back[step, path[step]]
    return path
