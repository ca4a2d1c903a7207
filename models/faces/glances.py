"""The quickest look that the chosen detectors can take, for the frames between those that all of them look at."""

from models.faces.base import FaceDetector
from models.faces.registry import QUICK
from models.faces.scales import TwoScales
from models.faces.together import Together


def glancing(detector: FaceDetector) -> FaceDetector:
    """Return one that is quick among several, or else the first of them looking at two scales."""
    every = detector.detectors if isinstance(detector, Together) else (detector,)
    return next((each for name in QUICK for each in every if each.key == name), None) or TwoScales(every[0])
