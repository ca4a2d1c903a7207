"""What is known about the faces of a frame, and the places where a person has to look."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

BoxRows = NDArray[np.float64]
"""(n, 4), or (4,) for one: x, y, width, height in pixels."""


class Cover(StrEnum):
    """What is known about the faces of a frame."""

    COVERED = "covered"
    UNCERTAIN = "uncertain"
    UNCOVERED = "uncovered"


class Reason(StrEnum):
    """Why a frame needs a look, the worst first."""

    UNSEARCHED = "unsearched"
    DAMAGED = "damaged"
    GAP = "gap"
    ENDS = "ends"
    BEGINS = "begins"
    DOUBTFUL = "doubtful"
    WEAK = "weak"
    GUESSED = "guessed"
    DRAWN_END = "drawn end"
    NONE = ""


RANK = {reason: place for place, reason in enumerate(Reason)}
"""The worst reason has the least."""
WORSE = {Cover.UNCOVERED: 0, Cover.UNCERTAIN: 1, Cover.COVERED: 2}
"""The worst state has the least."""


@dataclass(frozen=True, slots=True)
class CertaintySpan:
    """A run of frames of one state.

    Attributes:
        start_us: time stamp of its first frame.
        end_us: when its last frame stops being shown.
        track_id: of the track or region that it is about; None where it is about none.
        frame: position of the frame to look at first.
        box: x, y, width, height in pixels, where a face may be bare in that frame; None where nothing tells.
        weight: the best score of the tracks it is about, 0 to 1; 1 where it is about none.
    """

    start_us: int
    end_us: int
    state: Cover
    reason: Reason
    track_id: str | None
    frame: int
    box: tuple[int, int, int, int] | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch that needs a look, before it is known what else lies over it.

    Attributes:
        first: position of its first frame.
        last: position of its last frame.
        track_id: see `CertaintySpan`.
        frame: see `CertaintySpan`; outside of the stretch for its first.
        boxes: (n, 4) x, y, width, height in pixels, a row a frame; None where nothing tells.
        weight: see `CertaintySpan`.
    """

    first: int
    last: int
    state: Cover
    reason: Reason
    track_id: str | None = None
    frame: int = -1
    boxes: BoxRows | None = None
    weight: float = 1.0

    @property
    def badness(self) -> tuple[int, int, float, int]:
        """What places are ordered by, the worst last."""
        return -WORSE[self.state], -RANK[self.reason], self.weight, self.last - self.first
