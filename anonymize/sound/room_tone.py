"""The sound of a quiet room: noise made from how loud the quietest moments are, with nothing copied from them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from media.audio import Samples

_WIDTH = 512
_CHUNK = 16_384
_QUIETEST = 0.1
_NO_SOUND = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class RoomTone:
    """Noise with the spectrum of a recording's quiet moments.

    Attributes:
        response: (channels, taps) of the filter that makes it from white noise.
        seed: the same one makes the same noise.
    """

    response: NDArray[np.float64]
    seed: int = 0

    def heard(self, first: int, count: int, channels: int) -> NDArray[np.float32]:
        """Return (channels, count) samples of it from place `first` on; a place always sounds the same."""
        taps = self.response.shape[1]
        out = np.zeros((channels, count), np.float32)
        for channel in range(channels):
            shape = self.response[min(channel, len(self.response) - 1)]
            white = _white(self.seed, channel, first - taps + 1, count + taps - 1)
            out[channel] = np.convolve(white, shape, "valid")
        return out


def measure_room(blocks: Iterator[Samples], rate: int, seed: int = 0) -> RoomTone:
    """Return the tone of the room from (channels, n) blocks: the mean spectrum of the quietest moments.

    In each second the quietest frame that is not digital silence counts; of those, the quietest tenth.
    """
    window = np.hanning(_WIDTH)
    found: list[tuple[float, NDArray[np.float64]]] = []
    rest: Samples | None = None
    for block in blocks:
        rest = block if rest is None else np.concatenate([rest, block], axis=1)
        while rest.shape[1] >= max(rate, _WIDTH):
            second, rest = rest[:, : max(rate, _WIDTH)], rest[:, max(rate, _WIDTH) :]
            found += _quietest(second, window)
    if rest is not None and rest.shape[1] >= _WIDTH:
        found += _quietest(rest, window)
    if not found:
        return RoomTone(np.zeros((1, 1)), seed)
    found.sort(key=lambda one: one[0])
    power = np.mean([one[1] for one in found[: max(1, round(_QUIETEST * len(found)))]], axis=0)
    response = np.fft.fftshift(np.fft.irfft(np.sqrt(power), _WIDTH), axes=1) * np.hanning(_WIDTH)
    return RoomTone(response, seed)


def _quietest(second: Samples, window: NDArray[np.float64]) -> list[tuple[float, NDArray[np.float64]]]:
    frames = np.lib.stride_tricks.sliding_window_view(second, _WIDTH, axis=1)[:, :: _WIDTH // 2]
    energy = (frames.astype(np.float64) ** 2).sum(axis=(0, 2))
    energy[energy < _NO_SOUND * _WIDTH] = np.inf
    best = int(energy.argmin())
    if not np.isfinite(energy[best]):
        return []
    power = np.abs(np.fft.rfft(frames[:, best] * window, axis=1)) ** 2 / (window**2).sum()
    return [(float(energy[best]), power)]


def _white(seed: int, channel: int, first: int, count: int) -> NDArray[np.float64]:
    """Return white noise from a place on, made in chunks so that any part of it can be made alone."""
    parts = []
    for chunk in range(first // _CHUNK, (first + count - 1) // _CHUNK + 1):
        made = np.random.default_rng([seed, channel, chunk + (1 << 32)]).standard_normal(_CHUNK)
        parts.append(made[max(0, first - chunk * _CHUNK) : max(0, first + count - chunk * _CHUNK)])
    return np.concatenate(parts)
