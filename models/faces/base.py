"""What every face detector takes and gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from project.types import Json


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The faces found in one picture, best first.

    Attributes:
        boxes: (n, 4) float32, x, y, width, height in pixels of the picture; inside it.
        scores: (n,) float32, 0 to 1.
        landmarks: (n, 5, 2) float32, x, y of both eyes, the nose and the corners of the mouth; None where the
            detector has none.
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    landmarks: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    @classmethod
    def none(cls) -> "Detections":
        """Return the answer for a picture without a face."""
        return cls(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), np.zeros((0, 5, 2), np.float32))


class FaceDetector(Protocol):
    """Finds faces in one picture. `detect` may be called from several threads at once."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor` in an HxWx3 RGB picture of any size."""
