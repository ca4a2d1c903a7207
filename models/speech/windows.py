"""Cuts a recording at its silences into windows that a model listens to, and lays what it heard back onto the axis."""

from bisect import bisect_right
from itertools import accumulate, pairwise

import numpy as np

from models.speech.base import Piece, Spans
from models.speech.stretches import widened
from project.timebase import SECOND

LONGEST_US = 30 * SECOND
_MARGIN_US = 400_000
_ENOUGH_US = 27 * SECOND

Parts = tuple[tuple[int, int], ...]
"""Start and end of stretches in microseconds, ascending and apart."""


def plan_windows(speech: Spans, end_us: int) -> list[Parts]:
    """Return the parts of each window, in order of time.

    A window takes as many stretches of speech as have room, with some of the silence around them. It ends at the
    longest of the pauses at which it is nearly full.

    Args:
        speech: (n, 2) stretches in microseconds, ascending and apart, with all but the shortest silences between them.
        end_us: of the sound.
    """
    units = _units(widened(speech, _MARGIN_US, end_us))
    windows: list[Parts] = []
    at = 0
    while at < len(units):
        lengths = accumulate(end - start for start, end in units[at:])
        fitting = 0
        nearly = 0
        for total in lengths:
            if total > LONGEST_US:
                break
            fitting += 1
            nearly += total < _ENOUGH_US
        last = at + fitting
        if last < len(units) and nearly + 1 < fitting:
            ends = range(at + nearly + 1, last + 1)
            last = max(ends, key=lambda i: (units[i][0] - units[i - 1][1], i))
        windows.append(_merged(units[at:last]))
        at = last
    return windows


def placed(parts: Parts, pieces: list[Piece]) -> list[Piece]:
    """Return pieces whose times count from the beginning of a window with their times on the recording's axis.

    A piece lies in the part that holds its middle. Times that run backwards or past the end, as models give them, are
    put in order.
    """
    begins = [0, *accumulate(end - start for start, end in parts)]
    found: list[Piece] = []
    at = parts[0][0] if parts else 0
    for piece in pieces:
        middle = (piece.start_us + piece.end_us) // 2
        which = min(max(bisect_right(begins, middle) - 1, 0), len(parts) - 1)
        low, high = parts[which]
        shift = low - begins[which]
        start = min(max(piece.start_us + shift, low, at), high)
        if start < at:
            start = at
        end = max(start, min(piece.end_us + shift, high))
        at = end
        found.append(Piece(piece.text, start, end, piece.confidence))
    return found


def _units(speech: Spans) -> list[tuple[int, int]]:
    """Return the stretches, those that are longer than a window in equal pieces."""
    found: list[tuple[int, int]] = []
    for start, end in speech.tolist():
        pieces = -(-(end - start) // LONGEST_US)
        edges = np.linspace(start, end, pieces + 1).astype(np.int64).tolist()
        found += [*pairwise(edges)]
    return found


def _merged(units: list[tuple[int, int]]) -> Parts:
    """Join units that touch."""
    found: list[tuple[int, int]] = []
    for start, end in units:
        if found and found[-1][1] == start:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return tuple(found)
