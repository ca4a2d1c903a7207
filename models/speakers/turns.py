"""Cuts stretches of speech, of which only the times are known, into turns of one voice each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.speakers.clustering import Voices, group_voices, shares
from models.speakers.listening import Sound, Span
from project.timebase import SECOND

_STEP_US = 100_000
_SWITCH = 6.0
_LEAST = 1e-3


@dataclass(frozen=True, slots=True)
class Turn:
    """A stretch in which one voice speaks; `voice` is its label."""

    start_us: int
    end_us: int
    voice: int


def voices_of_windows(sound: Sound, number: int | None = None, expected: int | None = None) -> Voices:
    """Tell voices apart by windows that share no time; the labels are those of all windows.

    Args:
        sound: what was heard, with vectors.
        number: of voices, where somebody knows it.
        expected: a number that is taken where the voices do not speak against it.
    """
    alone, last_us, last_owner = [], -1, -1
    for row, (start, end) in enumerate(sound.times_us.tolist()):
        if sound.owners[row] != last_owner or start >= last_us:
            alone.append(row)
            last_us, last_owner = end, sound.owners[row]
    seconds = (sound.times_us[:, 1] - sound.times_us[:, 0]) / SECOND
    found = group_voices(sound.vectors[alone], seconds[alone], number, expected)
    labels = shares(sound.vectors, found.centres).argmax(1) if len(found.centres) else np.full(len(seconds), -1)
    return Voices(labels.astype(np.int32), found.centres)


def turns_of(spans: Sequence[Span], sound: Sound, centres: NDArray[np.float32]) -> list[Turn]:
    """Return the most probable sequence of turns inside each stretch (Viterbi over steps of 0.1 s).

    Args:
        spans: the stretches that `sound` was listened to in.
        sound: what was heard.
        centres: (k, d) of the voices.
    """
    if not len(centres):
        return []
    logs = np.log(np.maximum(shares(sound.vectors, centres), _LEAST))
    turns: list[Turn] = []
    for owner, (start, end) in enumerate(spans):
        rows = np.flatnonzero(sound.owners == owner)
        if len(rows):
            turns += _inside(start, end, sound.times_us[rows], logs[rows])
    return turns


def _inside(start: int, end: int, times: NDArray[np.int64], logs: NDArray[np.float64]) -> list[Turn]:
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
    return [Turn(first, last, int(path[edge])) for first, last, edge in zip(marks, marks[1:], edges, strict=False)]


def best_path(scores: NDArray[np.float64], switch: float) -> NDArray[np.int64]:
    """Return (n,) labels with the largest sum of scores, where each change of label costs `switch`.

    Args:
        scores: (n, k).
        switch: at least 0.
    """
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
