"""A mosaic whose cells have the mean colour of what they cover."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from project.plugins.option_limits import check_limits, limited_field


@dataclass(frozen=True, slots=True)
class PixelateOptions:
    """How coarse the mosaic is.

    Attributes:
        cells: cells per width of a face. With 16 cells, four faces in five were recognised again; with 8, one in
            fifty, as good as chance, so there is no way to ask for more.
    """

    cells: int = limited_field(6, 1, 8, "Cells per face width", "Fewer cells hide more.")

    def __post_init__(self) -> None:
        check_limits(self)


class Pixelate:
    """Averages the picture over square cells that lie still.

    The cells lie on a grid that is fixed to the picture, not to the face's box, and have one size for a whole
    track: a box that trembles around a still face would otherwise sample the face differently in every frame, and the
    mean of many frames would show finer detail than any one of them.
    """

    kind: ClassVar[Literal["plane"]] = "plane"
    name: ClassVar[str] = "pixelate"
    title: ClassVar[str] = "Pixelate"
    description: ClassVar[str] = (
        "Replaces the face by a coarse mosaic. Attacks that know the method can recognise people in it."
    )
    reversible: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ()
    options_type: ClassVar[type[PixelateOptions]] = PixelateOptions

    def __init__(self, options: PixelateOptions | None = None) -> None:
        self.options = options or PixelateOptions()

    def grid(self, face_width: float) -> int:
        """Return the side of a cell in pixels, rounded up to an even number, so that chroma has whole cells too."""
        return 2 * max(1, math.ceil(face_width / self.options.cells / 2))

    def cover(self, samples: NDArray[np.uint8], face_width: float, subsampling: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the mosaic; cells that the edge of the picture cuts are averaged with their last samples repeated."""
        import cv2  # the window lists the methods without loading it

        height, width = samples.shape[:2]
        cell = self.grid(face_width)
        across, down = (math.ceil(cell / step) for step in subsampling)
        columns, rows = math.ceil(width / across), math.ceil(height / down)
        whole = cv2.copyMakeBorder(samples, 0, rows * down - height, 0, columns * across - width, cv2.BORDER_REPLICATE)
        means = cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA)
        mosaic = means.repeat(down, axis=0).repeat(across, axis=1)
        return np.asarray(mosaic[:height, :width], np.uint8)
