"""The quickest look that the chosen detectors can take, for the frames between those that all of them look at."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from models.faces.base import Detections, FaceDetector
from models.faces.registry import QUICK
from models.faces.scales import TwoScales
from models.faces.together import ALONE, Together
from project.types import Json


def glancing(detector: FaceDetector) -> FaceDetector:
    """Return one that is quick among several, or else the first of them looking at two scales."""
    if not isinstance(detector, Together):
        return detector if detector.key in QUICK else TwoScales(detector)
    every = detector.detectors
    quick = next((each for name in QUICK for each in every if each.key == name), None)
    return OneOfSeveral(quick or TwoScales(every[0]))


class OneOfSeveral:
    """One detector without the others, by the same rule: what it alone found must score 0.2."""

    def __init__(self, detector: FaceDetector) -> None:
        self._detector = detector

    @property
    def key(self) -> str:
        """That of the detector."""
        return self._detector.key

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Those of the detector, and the least score."""
        return {**self._detector.parameters, "alone": ALONE}

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor`, and 0.2, in an HxWx3 RGB picture of any size."""
        return self._detector.detect(image, max(floor, ALONE))
