"""Changes a voice by scaling pitch and formants, each by its own factor."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymize.sound.voice_methods import ALIASES_PER_SECOND, RATE, Voice
from project.plugins.option_limits import check_limits, limited_field

_FRAME_MS = 5.0
_LOWEST_HZ, _HIGHEST_HZ = 60.0, 600.0
_FLOOR = 1e-16
_MIN_MOVE_SHARE = 0.8
_LIFT_RANGE_DB = (2.5, 4.5)
_LIFT_FROM_HZ, _LIFT_AROUND_HZ = 100.0, 1000.0


@dataclass(frozen=True, slots=True)
class PitchFormantOptions:
    """How far each speaker may be moved; everybody is moved by at least four fifths of it, up or down.

    Attributes:
        pitch: semitones.
        formants: percent of a resonance's frequency.
    """

    pitch: float = limited_field(
        4.0, 0.0, 8.0, "Pitch", "Semitones up or down at most; everybody gets four fifths or more.", "semitones"
    )
    formants: float = limited_field(
        28.0, 15.0, 40.0, "Formants", "Percent at most; everybody gets four fifths of it or more.", "%"
    )

    def __post_init__(self) -> None:
        check_limits(self)


class PitchFormant:
    """Takes a voice apart into pitch, spectral envelope and breath, and puts it together with the first two moved.

    The vocoder is WORLD (Morise, Yokomori and Ozawa, IEICE Transactions 2016): DIO and StoneMask for the pitch,
    CheapTrick for the envelope, D4C for the breath. The envelope is stretched along the frequency axis, as another
    length of the vocal tract would; the shape of the pitch contour stays. The treble is lifted, by some decibels an
    octave that are each speaker's own: words are recognised better so.
    """

    name: ClassVar[str] = "pitch-formant"
    title: ClassVar[str] = "Moved pitch and formants"
    description: ClassVar[str] = (
        "Makes each voice higher or lower, its throat longer or shorter, by factors of its own. Timing and intonation "
        "stay; music and noises suffer."
    )
    weakness: ClassVar[str] = "Misleads who does not expect it; who knows the method can try all factors."
    options_type: ClassVar[type[PitchFormantOptions]] = PitchFormantOptions

    def __init__(self, options: PitchFormantOptions | None = None) -> None:
        self.options = options or PitchFormantOptions()

    def draw_alias(self, chance: np.random.Generator) -> Voice:
        """Draw the factors of pitch and formants, and the lift of the treble in decibels an octave: (3,)."""
        sizes, up = chance.uniform(_MIN_MOVE_SHARE, 1.0, 2), chance.random() < 0.5
        sign = 1.0 if up else -1.0
        pitch = 2 ** (sign * sizes[0] * self.options.pitch / 12)
        formants = (1 + sizes[1] * self.options.formants / 100) ** sign
        return np.array([pitch, formants, chance.uniform(*_LIFT_RANGE_DB)])

    def change_voice(self, samples: Voice, rate: int, aliases: Voice) -> Voice:
        """Return the samples with pitch and envelope moved; at lower rates by way of 16 kHz, which D4C needs."""
        import pyworld
        from scipy.signal import resample_poly

        if rate < RATE:
            made = self.change_voice(resample_poly(samples, RATE, rate), RATE, aliases)
            return np.asarray(resample_poly(made, rate, RATE)[: len(samples)], np.float64)
        samples = np.ascontiguousarray(samples, np.float64)
        if not samples.any():
            return np.zeros_like(samples)
        rough, times = pyworld.dio(samples, rate, f0_floor=_LOWEST_HZ, f0_ceil=_HIGHEST_HZ, frame_period=_FRAME_MS)
        pitch = pyworld.stonemask(samples, rough, times, rate)
        envelope = pyworld.cheaptrick(samples, pitch, times, rate)
        breath = pyworld.d4c(samples, pitch, times, rate)
        at = np.minimum(np.rint(times * ALIASES_PER_SECOND).astype(np.int64), len(aliases) - 1)
        factors = aliases[at]
        moved, blown = (_scale_spectra(part, factors[:, 1]) for part in (envelope, breath))
        octaves = np.log2(np.maximum(np.linspace(0, rate / 2, moved.shape[1]), _LIFT_FROM_HZ) / _LIFT_AROUND_HZ)
        moved = moved * 10 ** (factors[:, 2, None] * octaves / 10)
        made = pyworld.synthesize(pitch * factors[:, 0], np.maximum(moved, _FLOOR), blown, rate, _FRAME_MS)
        out = np.zeros_like(samples)
        out[: min(len(made), len(out))] = made[: len(out)]
        return out


def _scale_spectra(spectra: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (frames, bins) spectra in which what was at f is at factor * f; the last value goes on above the end."""
    bins = spectra.shape[1]
    place = np.minimum(np.arange(bins)[None, :] / factors[:, None], bins - 1)
    low = place.astype(np.int64)
    high = np.minimum(low + 1, bins - 1)
    part = place - low
    rows = np.arange(len(spectra))[:, None]
    return np.ascontiguousarray(spectra[rows, low] * (1 - part) + spectra[rows, high] * part)
