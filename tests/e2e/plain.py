"""What is in a file, read with PyAV alone: none of the program's own reading is used to judge what it wrote."""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

_RATE = 16_000
_STRUCTURAL_TAGS = {"language", "handler_name", "vendor_id", "major_brand", "minor_version", "compatible_brands"}


def frame_times(path: Path) -> list[int]:
    """Return the time stamps of all frames in microseconds from where the container starts."""
    with av.open(str(path)) as container:
        start = container.start_time or 0
        found = [p.pts * p.time_base * 1_000_000 for p in container.demux(video=0) if p.pts is not None]
    return sorted(round(time) - start for time in found)


def images(path: Path) -> Iterator[NDArray[np.uint8]]:
    """Yield every frame as RGB, (h, w, 3)."""
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        for frame in container.decode(video=0):
            yield frame.to_ndarray(format="rgb24")


def sound(path: Path) -> NDArray[np.float32]:
    """Return 16 kHz mono, from where the container starts."""
    heard = np.zeros(0, np.float32)
    with av.open(str(path)) as container:
        start = container.start_time or 0
        resampler = av.AudioResampler("fltp", "mono", _RATE)
        first: int | None = None
        blocks = []
        for frame in container.decode(audio=0):
            if first is None and frame.pts is not None and frame.time_base is not None:
                first = round(frame.pts * frame.time_base * 1_000_000) - start
            blocks += [block.to_ndarray()[0] for block in resampler.resample(frame)]
    if blocks:
        heard = np.concatenate([np.zeros(max(0, round((first or 0) * _RATE / 1_000_000)), np.float32), *blocks])
    return heard


def lag_ms(source: NDArray[np.float32], copy: NDArray[np.float32]) -> float:
    """Return how much later the same sound is heard in the copy: the peak of the cross-correlation."""
    size = 1 << (len(source) + len(copy)).bit_length()
    together = np.fft.irfft(np.fft.rfft(copy, size) * np.conj(np.fft.rfft(source, size)), size)
    peak = int(np.argmax(together))
    return (peak if peak < size // 2 else peak - size) * 1000 / _RATE


def loudness_lag_ms(source: NDArray[np.float32], copy: NDArray[np.float32]) -> float:
    """Return how much later the copy is loud where the source is; the waves of changed voices are not alike."""
    return lag_ms(_loudness(source), _loudness(copy))


def _loudness(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the logarithm of the power around each sample, in windows of 20 ms, about its mean."""
    window = np.hanning(_RATE // 50)
    power = np.convolve(samples.astype(np.float64) ** 2, window / window.sum(), "same")
    level = np.log10(power + 1e-6)
    return (level - level.mean()).astype(np.float32)


def tags(path: Path) -> set[str]:
    """Return the names and values of all tags but those that say what kind of file it is."""
    with av.open(str(path)) as container:
        every = [container.metadata, *(stream.metadata for stream in container.streams)]
    return {
        text for entry in every for key, value in entry.items() if key not in _STRUCTURAL_TAGS for text in (key, value)
    }
