"""The rendering that is measured, and how closely."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonymize.masks import MaskOptions
from project.limits import hold_to_limits, limited
from project.regions import Region
from project.types import FaceTrack


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A recording and a rendering of it.

    Attributes:
        source: the recording's file.
        clip: the rendering.
        start_us: where on the recording's axis the clip's zero lies.
        tracks: every face that is known in the recording, as it was when the clip was rendered.
        method: key in the registry of methods.
        replaces: whether the method draws another face in the place of the one that it hides.
        identities: track id -> who that is: a pseudonym, or the track's id where nobody was named.
        named: ids of tracks of which somebody said who it is.
        exempt: ids of tracks that stay visible; nothing about them is measured.
        regions: drawn by hand: areas are hidden too, and in `nothing` there is no face.
        blanked_us: times of frames that were painted over wholly.
        masks: shape of the masks.
    """

    source: Path
    clip: Path
    start_us: int
    tracks: Sequence[FaceTrack]
    method: str
    replaces: bool = False
    identities: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    exempt: frozenset[str] = frozenset()
    regions: Sequence[Region] = ()
    blanked_us: frozenset[int] = frozenset()
    masks: MaskOptions = field(default_factory=MaskOptions)

    def identity(self, track_id: str) -> str:
        """Return who the face of a track is."""
        return self.identities.get(track_id, track_id)


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How closely a rendering is looked at.

    Attributes:
        looks_per_second: frames that are looked at, each with the one after it.
        most_looks: no more than this in all: a long clip is looked at less often.
        most_embeddings: of one track; those beyond are spread evenly.
        least_width: faces narrower than this, in pixels, are too small to recognize or measure.
    """

    looks_per_second: float = limited(3.0, 0.1, 240.0, "Looks a second", "How often the clip is looked at.")
    most_looks: int = limited(2_000, 1, 1_000_000, "Looks", "How often a clip is looked at, at most.")
    most_embeddings: int = limited(200, 2, 10_000, "Faces of a track", "How many faces of a track are compared.")
    least_width: int = limited(40, 8, 512, "Least face", "Narrower faces are not recognised or measured.")

    def __post_init__(self) -> None:
        hold_to_limits(self)
