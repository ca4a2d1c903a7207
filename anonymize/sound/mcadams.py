"""Changes a voice by moving its formants with the McAdams coefficient."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonymize.sound.voice_methods import ALIASES_PER_SECOND, RATE, Voice, overlap_add, split_frames
from project.errors import UserError
from project.plugins.option_limits import check_limits, limited_field

_ORDER = 20
_WINDOW_S = 0.02
_EMPHASIS = 0.9
# Keeps the equations solvable where a frame is silent or has no energy in a part of the spectrum.
_WHITENING = 1e-9
_FLOOR = 1e-12


@dataclass(frozen=True, slots=True)
class McAdamsOptions:
    """Between which coefficients each speaker's own is drawn.

    Attributes:
        lowest: the strongest change that anybody gets.
        highest: the weakest change that anybody gets; 1 would change nothing.
    """

    lowest: float = limited_field(
        0.6, 0.4, 0.9, "Lowest coefficient", "The strongest change; words suffer most from it."
    )
    highest: float = limited_field(0.8, 0.4, 0.9, "Highest coefficient", "The weakest change; 1 would change nothing.")

    def __post_init__(self) -> None:
        check_limits(self)
        if self.lowest > self.highest:
            raise UserError("The lowest coefficient is larger than the highest.", "Swap the two coefficients.")


class McAdams:
    """Raises the angles of the poles of a linear prediction to a power (McAdams coefficient).

    After Patino, Tomashenko, Todisco, Nautsch and Evans, "Speaker anonymisation using the McAdams coefficient",
    Interspeech 2021, section 3: frames of 20 ms every 10 ms, linear prediction of order 20 at 16 kHz; the pole angle
    phi in radians becomes phi ** alpha, its radius and the residual stay. Two things differ: the sound is emphasised
    towards the treble before and back after, so that the poles lie on formants (words are recognised better);
    and at lower rates angles are taken as they would be at 16 kHz, so that alpha moves a formant by as much.
    """

    name: ClassVar[str] = "mcadams"
    title: ClassVar[str] = "Moved formants (McAdams)"
    description: ClassVar[str] = (
        "Moves the resonances of each voice by a factor of its own. Pitch, timing and loudness stay as they are."
    )
    weakness: ClassVar[str] = (
        "Misleads who does not expect it; who trains on voices changed like this recognises most speakers."
    )
    options_type: ClassVar[type[McAdamsOptions]] = McAdamsOptions

    def __init__(self, options: McAdamsOptions | None = None) -> None:
        self.options = options or McAdamsOptions()

    def draw_alias(self, chance: np.random.Generator) -> Voice:
        """Draw a coefficient: (1,)."""
        return chance.uniform(self.options.lowest, self.options.highest, 1)

    def change_voice(self, samples: Voice, rate: int, aliases: Voice) -> Voice:
        """Return the samples with the poles of every frame moved."""
        from scipy.signal import lfilter

        width, hop = round(_WINDOW_S * rate), round(rate / ALIASES_PER_SECOND)
        scale = rate / RATE
        window = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(width) / width))
        frames = split_frames(lfilter([1, -_EMPHASIS], [1], samples), window, hop)
        alphas = aliases[np.minimum(np.arange(len(frames)), len(aliases) - 1), 0]
        prediction = linear_prediction(frames, max(8, round(_ORDER * scale)))
        moved = _move_poles(prediction, alphas, scale)
        residual = _inverse_filter(frames, prediction)
        made = _synthesis_filter(residual, moved)
        whole: Voice = lfilter([1], [1, -_EMPHASIS], overlap_add(made, window, hop, len(samples)))
        return whole


def linear_prediction(frames: NDArray[np.float64], order: int) -> NDArray[np.float64]:
    """Return (frames, order + 1) prediction polynomials, first coefficient 1, by the autocorrelation method.

    Args:
        frames: (frames, n) windowed samples.
        order: how many poles.
    """
    size = 1 << (2 * frames.shape[1] - 1).bit_length()
    power = np.abs(np.fft.rfft(frames, size)) ** 2
    r = np.fft.irfft(power, size)[:, : order + 1]
    r[:, 0] = r[:, 0] * (1 + _WHITENING) + _FLOOR
    a = np.zeros((len(frames), order + 1))
    a[:, 0] = 1
    error = r[:, 0].copy()
    for step in range(1, order + 1):
        reflection = -(a[:, :step] * r[:, step:0:-1]).sum(axis=1) / error
        a[:, 1 : step + 1] += reflection[:, None] * a[:, step - 1 :: -1][:, :step]
        error = np.maximum(error * (1 - reflection**2), _FLOOR * _WHITENING)
    return a


def _move_poles(prediction: NDArray[np.float64], alphas: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return polynomials with the complex poles turned; `scale` is the rate over 16 kHz."""
    order = prediction.shape[1] - 1
    companion = np.zeros((len(prediction), order, order))
    companion[:, 0] = -prediction[:, 1:]
    companion[:, np.arange(1, order), np.arange(order - 1)] = 1
    poles = np.linalg.eigvals(companion)
    angles = np.abs(np.angle(poles))
    turned = np.minimum((angles * scale) ** alphas[:, None] / scale, np.pi)
    turned = np.where(np.abs(poles.imag) > _FLOOR, turned, angles)
    # Poles on the unit circle would ring without end.
    radius = np.minimum(np.abs(poles), 0.998)
    turned_poles = radius * np.exp(1j * np.where(poles.imag < 0, -turned, turned))
    made = np.zeros((len(prediction), order + 1), np.complex128)
    made[:, 0] = 1
    for k in range(order):
        made[:, 1:] -= turned_poles[:, k, None] * made[:, :-1].copy()
    return np.ascontiguousarray(made.real)


def _inverse_filter(frames: NDArray[np.float64], prediction: NDArray[np.float64]) -> NDArray[np.float64]:
    out = frames.copy()
    for delay in range(1, prediction.shape[1]):
        out[:, delay:] += prediction[:, delay, None] * frames[:, :-delay]
    return out


def _synthesis_filter(residual: NDArray[np.float64], prediction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Run every frame's all-pole filter, all frames at once and sample after sample."""
    order = prediction.shape[1] - 1
    backwards = np.ascontiguousarray(prediction[:, :0:-1])
    out = np.zeros((len(residual), order + residual.shape[1]))
    for n in range(residual.shape[1]):
        out[:, order + n] = residual[:, n] - np.einsum("ij,ij->i", backwards, out[:, n : n + order])
    return out[:, order:]
