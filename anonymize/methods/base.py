"""What a method of hiding a face must offer; one file per method, one line in the registry."""

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


class Method(Protocol):
    """Replaces the samples under a mask.

    A method sees a rectangle of one plane of the picture (luma, a chroma plane, or interleaved RGB) and returns
    what is to be seen instead. Where it is seen, and how it fades into its surroundings, is up to the renderer.
    A method is asked once for every plane of every face of every frame, so it must be quick, and the same input
    must always give the same output.

    Attributes:
        name: its key in the registry.
        title: for menus.
        description: one or two sentences on what is left of the face, for the form and for `--help`.
        reversible: whether a published attack has recovered identities from the result.
        options_type: its dataclass of options; the form and the recorded parameters derive from its fields.
        options: an instance of it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    reversible: ClassVar[bool]
    options_type: ClassVar[type[Any]]
    options: Any

    def grid(self, face_width: float) -> int:
        """Return the multiple of pixels on which the rectangle must start and end; an even number.

        The rectangle ends elsewhere only at the right and lower edge of the picture.
        """

    def cover(self, samples: NDArray[np.uint8], face_width: float, subsampling: tuple[int, int]) -> NDArray[np.uint8]:
        """Return what hides `samples`.

        Args:
            samples: (h, w) or (h, w, channels); must not be changed.
            face_width: in pixels of the picture; the same for all frames of a track, and never less than the
                width of the face in this frame.
            subsampling: pixels of the picture per sample, across and down; (1, 1) for luma and RGB.

        Returns:
            An array of the same shape.
        """
