"""Cutting sound into frames that overlap, and putting it together again."""

import numpy as np
from numpy.typing import NDArray

from anonymize.voice.base import Voice


def framed(samples: Voice, window: NDArray[np.float64], hop: int) -> NDArray[np.float64]:
    """Return (frames, width) windowed frames; the middle of frame k lies at sample k * hop.

    Args:
        samples: (n,); silence is taken to lie before and after.
        window: (width,).
        hop: samples from one frame to the next.
    """
    width = len(window)
    count = -(-len(samples) // hop) + 1
    padded = np.zeros((count - 1) * hop + width)
    padded[width // 2 : width // 2 + len(samples)] = samples
    return np.lib.stride_tricks.sliding_window_view(padded, width)[::hop] * window


def joined(frames: NDArray[np.float64], window: NDArray[np.float64], hop: int, count: int) -> Voice:
    """Return (count,) samples of frames that `framed` cut and somebody changed, windowed again and added up.

    Untouched frames give back the samples, whatever the window, where the frames cover them.
    """
    width = len(window)
    out, weight = np.zeros((len(frames) - 1) * hop + width), np.zeros((len(frames) - 1) * hop + width)
    for k, frame in enumerate(frames):
        out[k * hop : k * hop + width] += frame * window
        weight[k * hop : k * hop + width] += window**2
    middle = slice(width // 2, width // 2 + count)
    made: Voice = out[middle] / np.maximum(weight[middle], 1e-3)
    return made
