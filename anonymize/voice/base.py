"""What a method of changing a voice must offer; one file per method, one line in the registry."""

from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Voice: TypeAlias = NDArray[np.float64]

RATE = 16_000
"""Samples a second at which voices are changed, at most.

What lies above 8 kHz is left out: it tells speakers apart, and no method here changes it.
"""

ALIASES_A_SECOND = 100


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

    def alias(self, chance: np.random.Generator) -> Voice:
        """Draw how one speaker is changed: (k,) numbers, the same for the same state of `chance`."""

    def change(self, samples: Voice, rate: int, aliases: Voice) -> Voice:
        """Return (n,) changed samples.

        How loud they are does not matter: they are made as loud as before. A sample may depend on what lies up to half
        a second before and after it, and on nothing else.

        Args:
            samples: (n,) one channel in -1..1, n > 0.
            rate: samples a second, at most `RATE`.
            aliases: (m, k) the alias that holds at each hundredth of a second from the first sample on, as `alias` drew
                it; covers all samples.
        """
