"""Picks the sound of windows out of a stream, one after the other, however long it is."""

from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from models.speech.base import RATE, Samples, Window
from models.speech.windows import Parts
from project.timebase import SECOND


def read_windows(blocks: Iterable[Samples], windows: Iterable[Parts]) -> Iterator[Window]:
    """Yield the sound of windows, which are in order of time.

    Args:
        blocks: (k,) float32 at `RATE`, end to end from time zero. Read from a file's beginning: after a jump into the
            middle some formats do not know where they are.
        windows: their parts.
    """
    sound = _Sound(iter(blocks))
    for parts in windows:
        taken = [sound.take(_sample(start), _sample(end)) for start, end in parts]
        yield Window(parts, np.concatenate(taken))


def _sample(time_us: int) -> int:
    return time_us * RATE // SECOND


class _Sound:
    """A stream that is read forwards; holds no more than was asked for last."""

    def __init__(self, blocks: Iterator[Samples]) -> None:
        self._blocks = blocks
        self._held: deque[Samples] = deque()
        self._begin = self._end = 0

    def take(self, start: int, end: int) -> Samples:
        """Return samples from `start` up to `end`; silence where the sound has ended before."""
        while self._end < end:
            block = next(self._blocks, None)
            if block is None:
                break
            self._held.append(block)
            self._end += len(block)
            self._forget(start)
        self._forget(start)
        found = np.concatenate([*self._held, np.zeros(0, np.float32)])[start - self._begin : end - self._begin]
        return np.pad(found, (0, end - start - len(found)))

    def _forget(self, before: int) -> None:
        while self._held and self._begin + len(self._held[0]) <= before:
            self._begin += len(self._held.popleft())
