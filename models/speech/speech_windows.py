"""Cuts a recording at its silences into windows for a recognizer, and maps its words back onto the axis."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from models.sound_spans import cut_spans
from models.speech.speech_recognizers import SAMPLE_RATE, RecognizedWord, Samples, Spans, SpeechOptions, Window
from project.timebase import SECOND_US, merge_spans


def likelihood_to_spans(likely: NDArray[np.float32], step_us: int, end_us: int, options: SpeechOptions) -> Spans:
    """Return the (n, 2) stretches of speech in microseconds, ascending, apart, inside the sound.

    Speech begins where the likelihood rises over a threshold and lasts until it falls under a lower one. `likely` is
    (k,) 0 to 1, one for each step of `step_us`; the last may reach past the end of the sound.
    """
    starts = np.flatnonzero(likely >= options.threshold)
    ends = np.flatnonzero(likely < options.release)
    found: list[tuple[int, int]] = []
    at = 0
    while (first := int(np.searchsorted(starts, at))) < len(starts):
        begin = int(starts[first])
        after = int(np.searchsorted(ends, begin))
        at = int(ends[after]) if after < len(ends) else len(likely)
        found.append((begin, at))
    spans = np.minimum(np.array(found, np.int64).reshape(-1, 2) * step_us, end_us)
    return clean_spans(spans[spans[:, 1] > spans[:, 0]], end_us, options)


def clean_spans(spans: Spans, end_us: int, options: SpeechOptions) -> Spans:
    """Join stretches with short pauses between them, leave out those that are too short then, and add the margin."""
    joined = merge_spans(map(tuple, spans.tolist()), options.pause_ms * 1000 - 1)
    kept = [span for span in joined if span[1] - span[0] >= options.shortest_ms * 1000]
    return widen_spans(np.array(kept, np.int64).reshape(-1, 2), options.margin_ms * 1000, end_us)


def widen_spans(spans: Spans, margin_us: int, end_us: int) -> Spans:
    """Lengthen every span at both ends, but no further than half way to the next one."""
    if not len(spans):
        return spans
    half = (spans[1:, 0] - spans[:-1, 1]) // 2
    wide = spans.copy()
    wide[:, 0] -= np.minimum(margin_us, np.concatenate([spans[:1, 0], half]))
    wide[:, 1] += np.minimum(margin_us, np.concatenate([half, [end_us - spans[-1, 1]]]))
    return wide


MAX_WINDOW_US = 30 * SECOND_US
_MARGIN_US = 400_000
_ENOUGH_US = 27 * SECOND_US

Parts = tuple[tuple[int, int], ...]
"""Start and end of stretches in microseconds, ascending and apart."""


def plan_windows(speech: Spans, end_us: int) -> list[Parts]:
    """Return the parts of each window, in order of time.

    A window takes as many stretches of speech as have room, with some of the silence around them. It ends at the
    longest of the pauses at which it is nearly full. `speech` are (n, 2) stretches in microseconds, ascending and
    apart.
    """
    units = _units(widen_spans(speech, _MARGIN_US, end_us))
    windows: list[Parts] = []
    at = 0
    while at < len(units):
        lengths = accumulate(end - start for start, end in units[at:])
        fitting = 0
        nearly = 0
        for total in lengths:
            if total > MAX_WINDOW_US:
                break
            fitting += 1
            nearly += total < _ENOUGH_US
        last = at + fitting
        if last < len(units) and nearly + 1 < fitting:
            ends = range(at + nearly + 1, last + 1)
            last = max(ends, key=lambda i: (units[i][0] - units[i - 1][1], i))
        windows.append(tuple(merge_spans(units[at:last])))
        at = last
    return windows


def place_words(parts: Parts, pieces: list[RecognizedWord]) -> list[RecognizedWord]:
    """Return pieces whose times count from the beginning of a window with their times on the recording's axis.

    A piece lies in the part that holds its middle. Times that run backwards or past the end, as models give them, are
    put in order.
    """
    begins = [0, *accumulate(end - start for start, end in parts)]
    found: list[RecognizedWord] = []
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
        found.append(RecognizedWord(piece.text, start, end, piece.confidence))
    return found


def _units(speech: Spans) -> list[tuple[int, int]]:
    """Return the stretches, those that are longer than a window in equal pieces."""
    found: list[tuple[int, int]] = []
    for start, end in speech.tolist():
        pieces = -(-(end - start) // MAX_WINDOW_US)
        edges = np.linspace(start, end, pieces + 1).astype(np.int64).tolist()
        found += [*pairwise(edges)]
    return found


def read_windows(blocks: Iterable[Samples], windows: Iterable[Parts]) -> Iterator[Window]:
    """Yield the sound of windows, which are in order of time.

    Blocks are read from a file's beginning: after a jump into the middle some formats do not know where they are.
    """
    planned = [*windows]
    spans = [(_sample(start), _sample(end)) for parts in planned for start, end in parts]
    pieces, at = cut_spans(blocks, spans), 0
    for parts in planned:
        # What the sound has ended before is silent.
        samples = [np.zeros(end - start, np.float32) for start, end in spans[at : at + len(parts)]]
        for whole in samples:
            _, piece = next(pieces, (0, whole[:0]))
            whole[: len(piece)] = piece
        at += len(parts)
        yield Window(parts, np.concatenate(samples))


def _sample(time_us: int) -> int:
    return time_us * SAMPLE_RATE // SECOND_US
