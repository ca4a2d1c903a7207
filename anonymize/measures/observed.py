"""What was seen of each face, in rows: little of each, so that a long clip fits into memory."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

SIGNALS = (
    *("mouth", "eye", "brow", "yaw", "pitch", "roll"),
    *("iris_left_x", "iris_left_y", "iris_right_x", "iris_right_y"),
)
"""Columns of the signals that are read from landmarks; NaN where a model has none."""
NO_SIGNALS = np.full(len(SIGNALS), np.nan, np.float32)

Signals = NDArray[np.float32]


@dataclass(slots=True, eq=False)
class Sighting:
    """One face in one frame.

    Attributes:
        track: position of its track among those that are hidden.
        look: position of the frame among those that are looked at.
        time_us: on the recording's axis.
        covered: share of its box that the masks hide.
        in_source: whether the detector finds it in the source; None without a detector.
        in_clip: whether it finds it in the clip.
        measured: `Tools.landmarks` found points in the source.
        visible: there is a face in the clip that points can lie on.
        error: normalized mean error of its landmarks; NaN where one side has none.
        source: (10,) of `SIGNALS` in the source.
        clip: (10,) the same in the clip.
        driver_source: (10,) of `Tools.driver` in the source.
        driver_clip: (10,) the same in the clip.
        flicker: sums of warp errors in the source and in the clip, and how many pixels they are over.
        raw: for each embedder, (d,) of the source; empty where it was not embedded.
        anonymous: the same of the clip.
        veiled: the same of the clip, with all that is outside the mask painted grey.
        expressions: labels in the source and in the clip; empty where none was read.
    """

    track: int
    look: int
    time_us: int
    covered: float
    in_source: bool | None = None
    in_clip: bool | None = None
    measured: bool = False
    visible: bool = False
    error: float = float("nan")
    source: Signals = field(default_factory=lambda: NO_SIGNALS)
    clip: Signals = field(default_factory=lambda: NO_SIGNALS)
    driver_source: Signals = field(default_factory=lambda: NO_SIGNALS)
    driver_clip: Signals = field(default_factory=lambda: NO_SIGNALS)
    flicker: tuple[float, float, int] = (0.0, 0.0, 0)
    raw: tuple[NDArray[np.float32], ...] = ()
    anonymous: tuple[NDArray[np.float32], ...] = ()
    veiled: tuple[NDArray[np.float32], ...] = ()
    expressions: tuple[str, str] | tuple[()] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one frame showed.

    Attributes:
        time_us: of the frame, on the recording's axis.
        sightings: of the faces on tracks.
        strays: covered shares of faces that only the detector found in the source.
    """

    time_us: int
    sightings: tuple[Sighting, ...]
    strays: tuple[float, ...]


@dataclass(slots=True, eq=False)
class Observed:
    """Everything that was seen.

    Attributes:
        end_us: when the last of the frames stops standing for others.
        times_us: of the frames that were looked at, on the recording's axis.
        sightings: of faces on tracks, in order of time.
        strays: look and covered share of faces that only the detector found in the source.
    """

    end_us: int
    times_us: list[int] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    strays: list[tuple[int, float]] = field(default_factory=list)

    def add(self, look: Look) -> None:
        """Take what the next frame showed."""
        self.strays += [(len(self.times_us), covered) for covered in look.strays]
        self.times_us.append(look.time_us)
        self.sightings += look.sightings
