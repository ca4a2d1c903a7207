"""The interface of a face-hiding method and the registry of methods.

A new method is a file here and a line in `METHODS`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from models.weights import installed_weights
from project.entities.study_records import FaceTrack
from project.plugins.plugin_registry import Plugins
from project.progress import Progress

Image: TypeAlias = NDArray[np.uint8]


class MethodDescription(Protocol):
    """What every method says about itself.

    Attributes:
        description: one or two sentences on what is left of the face, for the form and for `--help`.
        reversible: whether a published attack has recovered identities from the result.
        needs: names in the catalogue of weights without which it cannot run.
        options_type: its dataclass of options; the form and the recorded parameters derive from its fields.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    reversible: ClassVar[bool]
    needs: ClassVar[tuple[str, ...]]
    options_type: ClassVar[type[Any]]
    options: Any


class PlaneMethod(MethodDescription, Protocol):
    """Replaces the samples under a mask.

    A method sees a rectangle of one plane of the picture (luma, a chroma plane, or interleaved RGB) and returns
    what is to be seen instead. It is asked once for every plane of every face of every frame, so it must be quick, and
    the same input must always give the same output.
    """

    kind: ClassVar[Literal["plane"]]

    def grid(self, face_width: float) -> int:
        """Return the multiple of pixels on which the rectangle must start and end; an even number.

        The rectangle ends elsewhere only at the right and lower edge of the picture.
        """

    def cover(self, samples: NDArray[np.uint8], face_width: float, subsampling: tuple[int, int]) -> NDArray[np.uint8]:
        """Return what hides `samples`.

        `samples` are (h, w) or (h, w, channels) and must not be changed; the answer has their shape. `face_width`, in
        pixels of the picture, is the same for all frames of a track, and never less than the width of the face in this
        frame. `subsampling` is pixels of the picture per sample, across and down; (1, 1) for luma and RGB.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One face in one frame of the source.

    Attributes:
        identity: who that is: a participant's pseudonym; the track's id where nobody said so. What a drawn face looks
            like must follow from this, and never from who is in the picture.
        box: (4,) float64, x, y, width, height of the face in pixels of the picture; may reach outside it.
        face_width: the greatest width of the face in its track, in pixels.
        image: (H, W, 3) RGB, the whole picture with its always-masked areas painted over, and nothing else; must not
            be changed.
        x: left edge of the rectangle that the mask needs, inside the picture; even.
        y: its upper edge; even.
        alpha: (h, w) uint8, the mask in that rectangle; 255 hides fully.
    """

    track_id: str
    identity: str
    frame: int
    time_us: int
    box: NDArray[np.float64]
    face_width: float
    image: Image
    x: int
    y: int
    alpha: NDArray[np.uint8]

    @property
    def rect(self) -> tuple[int, int, int, int]:
        """X, y, width and height of the rectangle that is to be drawn."""
        height, width = self.alpha.shape
        return self.x, self.y, width, height

    @property
    def crop(self) -> Image:
        """(h, w, 3) view of the picture in that rectangle."""
        x, y, width, height = self.rect
        return self.image[y : y + height, x : x + width]


class FaceSource(Protocol):
    """All faces that are to be hidden in the part of a recording that is rendered."""

    @property
    def tracks(self) -> Sequence[FaceTrack]:
        """Those that are hidden at some time."""

    @property
    def identities(self) -> Mapping[str, str]:
        """Track id -> identity, see `Face.identity`."""

    @property
    def cuts(self) -> Sequence[int]:
        """Positions of the frames with which a scene starts, ascending; may be empty."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""

    @property
    def cache(self) -> Path | None:
        """A folder of this work alone, the same when it is done again; None where nothing may be kept."""

    def faces(self, track_id: str | None = None) -> Iterator[Face]:
        """Yield the face of a track in every frame that it is hidden in, in order; decodes as it goes.

        Without a track, yields all faces of a frame, then those of the next, in one pass over the recording.
        """


class FaceMethod(MethodDescription, Protocol):
    """Draws another face in the place of the one that is hidden.

    The same source and options must always give the same result. A method that cannot draw a face, because it
    finds no landmarks or its network fails, says so with None; it never lets the source through.

    Attributes:
        from_source: whether what it draws is made from the picture under the mask, so that another face that lies
            there could show in it.
    """

    kind: ClassVar[Literal["face"]]
    from_source: ClassVar[bool]

    def begin(self, source: FaceSource, progress: Progress) -> None:
        """Load what is needed, and look at the faces ahead where the method must; called before the first frame."""

    def draw(self, face: Face) -> Image | None:
        """Return (h, w, 3) RGB for the whole of `face.rect`, or None where no face can be drawn.

        Called for every face of every frame in order of time. None makes the renderer paint the mask solid, and say so.
        """

    def end(self) -> None:
        """Let go of networks and files; called once after the last frame, also after an error."""


Method: TypeAlias = PlaneMethod | FaceMethod


DEFAULT_METHOD = "solid"
"""Needs nothing, and leaves nothing of a face."""

_RECOMMENDED = ("synthetic",)
"""Better for a release than the default, once what they need is installed; best first."""

METHODS = Plugins[Method](
    "anonymization method",
    {
        "solid": "anonymize.methods.solid:Solid",
        "blur": "anonymize.methods.blur:Blur",
        "pixelate": "anonymize.methods.pixelate:Pixelate",
        "synthetic": "anonymize.methods.synthetic.synthetic_face:SyntheticFace",
        "cartoon": "anonymize.methods.cartoon:Cartoon",
        "deepfake": "anonymize.methods.deepfake:Deepfake",
        "diffusion": "anonymize.methods.diffusion.diffusion_face:Diffusion",
    },
)
method_type = METHODS.load


def missing_weights(name: str) -> list[str]:
    """Return the weights that a method needs and that are not installed, by their names in the catalogue."""
    return [needed for needed in method_type(name).needs if not installed_weights.is_installed(needed)]


def recommended_method() -> str:
    """Return the method that is best for a release with what is installed."""
    return next((name for name in _RECOMMENDED if name in METHODS and not missing_weights(name)), DEFAULT_METHOD)


def create_method(name: str = DEFAULT_METHOD, **options: Any) -> Method:
    """Make a method ready for use."""
    return METHODS.make(name, METHODS.options(name, options))
