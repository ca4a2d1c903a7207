"""Sound with a pitch, formants and syllables, so that what changes voices has something to change."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter


def vowels(seconds: float, rate: int, pitch: float = 120.0, seed: int = 0) -> NDArray[np.float32]:
    """Return (1, n) a buzz through moving resonances, four syllables a second, with a course of the pitch."""
    count = round(seconds * rate)
    at = np.arange(count) / rate
    hertz = pitch * (1 + 0.15 * np.sin(2 * np.pi * 0.7 * at))
    phase = np.cumsum(hertz) / rate
    source = np.diff(np.floor(phase), prepend=0.0) + 0.003 * np.random.default_rng(seed).normal(size=count)
    for centre, width in ((600, 80), (1400, 110), (2600, 160)):
        radius, angle = np.exp(-np.pi * width / rate), 2 * np.pi * centre / rate
        source = lfilter([1 - radius], [1, -2 * radius * np.cos(angle), radius**2], source)
    source *= 0.05 + 0.95 * np.sin(np.pi * 2 * at) ** 2
    return (0.3 * source / max(1e-9, np.abs(source).max()))[None].astype(np.float32)
