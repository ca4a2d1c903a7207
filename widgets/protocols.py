"""What the widgets need from the rest of the program; the window fills these in."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Clock(Protocol):
    """Where playback is, to the accuracy that a moving playhead needs."""

    @property
    def playing(self) -> bool:
        """Whether time is moving."""
        ...

    @property
    def rate(self) -> float:
        """Seconds of the recording a second of the wall clock; negative when shuttling backwards."""
        ...

    def now_us(self) -> int:
        """Return the current time on the recording's axis."""
        ...


class PeakSource(Protocol):
    """The loudness of a recording over time."""

    def peaks(self, start_us: int, end_us: int, columns: int) -> NDArray[np.float32] | None:
        """Return (columns, 2) lowest and highest samples of equal slices, in -1..1; None while there are none yet."""
        ...
