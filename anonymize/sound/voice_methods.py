"""The interface of a voice-changing method, the registries of methods and covers, and overlap-add framing.

A new method is a file here and a line in `VOICES`.
"""

from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from project.plugins.plugin_registry import Plugins

Voice: TypeAlias = NDArray[np.float64]
Samples: TypeAlias = NDArray[np.float32]

RATE = 16_000
"""Samples a second at which voices are changed, at most.

What lies above 8 kHz is left out: it tells speakers apart, and no method here changes it.
"""

ALIASES_PER_SECOND = 100


class VoiceMethod(Protocol):
    """Makes one voice sound like another, in place: nothing is moved in time.

    Attributes:
        name: its key in the registry.
        title: for menus.
        description: one or two sentences on what is changed, for the form and for `--help`.
        weakness: one sentence on who can still tell the speaker.
        options_type: its dataclass of options; the form and the recorded parameters derive from its fields.
        options: an instance of it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    weakness: ClassVar[str]
    options_type: ClassVar[type[Any]]
    options: Any

    def draw_alias(self, chance: np.random.Generator) -> Voice:
        """Draw how one speaker is changed: (k,) numbers, the same for the same state of `chance`."""

    def change_voice(self, samples: Voice, rate: int, aliases: Voice) -> Voice:
        """Return (n,) changed samples.

        How loud they are does not matter: they are made as loud as before. A sample may depend on what lies up to half
        a second before and after it, and on nothing else.

        Args:
            samples: (n,) one channel in -1..1, n > 0.
            rate: samples a second, at most `RATE`.
            aliases: (m, k) the alias that holds at each hundredth of a second from the first sample on, as `draw_alias`
                drew it; covers all samples.
        """


DEFAULT_VOICE = "pitch-formant"

VOICES = Plugins[VoiceMethod](
    "voice method",
    {
        "mcadams": "anonymize.sound.mcadams:McAdams",
        "pitch-formant": "anonymize.sound.pitch_formant:PitchFormant",
    },
)
voice_type = VOICES.load


def create_voice(name: str = DEFAULT_VOICE, **options: Any) -> VoiceMethod:
    """Make a method ready for use."""
    return VOICES.make(name, VOICES.options(name, options))


def split_frames(samples: Voice, window: NDArray[np.float64], hop: int) -> NDArray[np.float64]:
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


def overlap_add(frames: NDArray[np.float64], window: NDArray[np.float64], hop: int, count: int) -> Voice:
    """Return (count,) samples of frames that `split_frames` cut and somebody changed, windowed again and added up.

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


MUTE, BEEP, SILENCE = "mute", "beep", "silence"
COVERS = {
    MUTE: "Silence",
    BEEP: "A beep",
    SILENCE: "The quiet room, made anew",
}
"""Title of each."""
