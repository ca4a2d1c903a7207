"""From how likely speech is at each moment to stretches of speech."""

import numpy as np
from numpy.typing import NDArray

from models.speech.base import Spans
from models.speech.options import SpeechOptions


def stretches(likely: NDArray[np.float32], step_us: int, end_us: int, options: SpeechOptions) -> Spans:
    """Return the (n, 2) stretches of speech in microseconds, ascending, apart, inside the sound.

    Speech begins where the likelihood rises over a threshold and lasts until it falls under a lower one.

    Args:
        likely: (k,) 0 to 1, one for each step.
        step_us: how long a step is.
        end_us: of the sound; the last step may reach past it.
        options: see there.
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
    return settled(spans[spans[:, 1] > spans[:, 0]], end_us, options)


def settled(spans: Spans, end_us: int, options: SpeechOptions) -> Spans:
    """Join stretches with short pauses between them, leave out those that are too short then, and add the margin.

    Args:
        spans: (n, 2) in microseconds, ascending and apart.
        end_us: of the sound.
        options: see there.
    """
    joined: list[list[int]] = []
    for start, end in spans.tolist():
        if joined and start - joined[-1][1] < options.pause_ms * 1000:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    kept = [one for one in joined if one[1] - one[0] >= options.shortest_ms * 1000]
    return widened(np.array(kept, np.int64).reshape(-1, 2), options.margin_ms * 1000, end_us)


def widened(spans: Spans, margin_us: int, end_us: int) -> Spans:
    """Lengthen every span at both ends, but no further than half way to the next one."""
    if not len(spans):
        return spans
    half = (spans[1:, 0] - spans[:-1, 1]) // 2
    wide = spans.copy()
    wide[:, 0] -= np.minimum(margin_us, np.concatenate([spans[:1, 0], half]))
    wide[:, 1] += np.minimum(margin_us, np.concatenate([half, [end_us - spans[-1, 1]]]))
    return wide
