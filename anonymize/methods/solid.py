"""A solid patch, which leaves nothing of the face."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

# The middle of the range is a neutral grey on a luma plane, no colour on a chroma plane and grey in RGB, whatever
# the matrix and the range of the picture.
NEUTRAL_GREY = 128


@dataclass(frozen=True, slots=True)
class SolidOptions:
    """There is nothing to choose: a colour taken from the picture would tell something about the face."""


class Solid:
    """Paints the mask in one grey that is the same for every face."""

    kind: ClassVar[Literal["plane"]] = "plane"
    name: ClassVar[str] = "solid"
    title: ClassVar[str] = "Solid"
    description: ClassVar[str] = "Paints the face over in grey. Nothing of it is left in the picture."
    reversible: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    options_type: ClassVar[type[SolidOptions]] = SolidOptions

    def __init__(self, options: SolidOptions | None = None) -> None:
        self.options = options or SolidOptions()

    def grid(self, face_width: float) -> int:  # noqa: ARG002
        """Return 2: any even rectangle will do."""
        return 2

    def cover(self, samples: NDArray[np.uint8], face_width: float, subsampling: tuple[int, int]) -> NDArray[np.uint8]:  # noqa: ARG002
        """Return grey; the samples are not looked at."""
        return np.full_like(samples, NEUTRAL_GREY)
