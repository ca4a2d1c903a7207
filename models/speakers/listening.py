"""One pass over the sound of a recording: how loud it is over time, and the voices in stretches of speech."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from models.voices.base import RATE, Samples, Vectors, VoiceEmbedder
from project.timebase import SECOND

BIN_US = 50_000
"""How long one value of loudness lasts."""
_BIN = RATE * BIN_US // SECOND
_FLOOR = 1e-3
_HOP_S = 0.4
_LONGEST_US = 30 * SECOND

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

    def of_stretches(self, count: int) -> Vectors:
        """Return (count, d): the mean of each stretch's windows, of length 1, or all zeros where it has none."""
        sums = np.zeros((count, self.vectors.shape[1]), np.float64)
        np.add.at(sums, self.owners, self.vectors)
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)


def listen(blocks: Iterable[Samples], spans: Sequence[Span], embedder: VoiceEmbedder | None) -> Sound:
    """Measure loudness and embed windows of stretches of speech.

    Args:
        blocks: the sound end to end from 0, (n,) each, at `RATE`.
        spans: (start, end) of the stretches in microseconds; in any order, they may share time.
        embedder: of voices; none are embedded without one.
    """
    pieces = sorted(_pieces(spans))
    loud: list[NDArray[np.float32]] = []
    vectors: list[Vectors] = []
    times: list[tuple[int, int]] = []
    owners: list[int] = []
    held, start = np.zeros(0, np.float32), 0
    rest, at = np.zeros(0, np.float32), 0

    def finish(upto: int, last: bool) -> None:
        nonlocal at
        while at < len(pieces) and (last or pieces[at][1] <= upto):
            first, end, owner = pieces[at]
            at += 1
            cut = held[max(0, first - start) : max(0, end - start)]
            if embedder is None or not len(cut):
                continue
            starts = window_starts(len(cut), embedder.window)
            vectors.append(embedder.embed_windows(cut, starts))
            width = min(embedder.window, len(cut))
            times.extend((first + one, first + min(one + width, len(cut))) for one in starts)
            owners.extend([owner] * len(starts))

    for block in blocks:
        rest = np.concatenate([rest, block])
        whole = len(rest) // _BIN * _BIN
        loud.append(_loudness(rest[:whole]))
        rest = rest[whole:]
        held = np.concatenate([held, block])
        finish(start + len(held), last=False)
        # Pieces are in order of their starts: what lies before the next one is not needed any more.
        keep = pieces[at][0] if at < len(pieces) else start + len(held)
        drop = min(max(0, keep - start), len(held))
        held, start = held[drop:], start + drop
    finish(start + len(held), last=True)
    width = 0 if embedder is None else embedder.dimensions
    return Sound(
        np.concatenate([*loud, _loudness(rest)]) if loud else np.zeros(0, np.float32),
        np.concatenate([np.zeros((0, width), np.float32), *vectors]),
        np.array(times, np.int64).reshape(-1, 2) * SECOND // RATE,
        np.array(owners, np.int64),
    )


def window_starts(length: int, window: int) -> list[int]:
    """Return where the windows over a stretch of `length` samples start: 0.4 s apart, the last at its end."""
    hop = round(_HOP_S * RATE)
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
            yield first * RATE // SECOND, last * RATE // SECOND, owner


def _loudness(samples: Samples) -> NDArray[np.float32]:
    bins = samples[: len(samples) // _BIN * _BIN].reshape(-1, _BIN)
    powers = np.mean(np.square(bins, dtype=np.float64), axis=1)
    return np.asarray(np.log(np.maximum(np.sqrt(powers), _FLOOR)), np.float32)
