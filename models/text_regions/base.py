"""What a text detector is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from project.types import Json


@dataclass(frozen=True, slots=True, eq=False)
class TextBoxes:
    """Where text stands in one picture.

    Attributes:
        boxes: (n, 4) float32, x, y, width, height in pixels, inside the picture.
        scores: (n,) float32, 0 to 1.
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]


class TextFinder(Protocol):
    """Finds lines of text in pictures.

    Attributes:
        key: its name in the registry.
        parameters: what its answers depend on, for the record of a run.
    """

    key: str

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What its answers depend on."""
        ...

    def find(self, image: NDArray[np.uint8]) -> TextBoxes:
        """Return where text stands in a (h, w, 3) RGB picture."""
        ...
