"""Looks at a picture at half its size, and at full size only where that left a doubt."""

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.base import Detections, FaceDetector
from models.faces.together import merge
from models.faces.windows import windows
from project.types import Json

# Pictures up to this are searched as they are.
_SMALL = 640
_REDUCED = 0.5
# A face this large in the whole picture, in pixels, is large enough for the detector when it is reduced.
_LARGE = 96
_CERTAIN = 0.35
_SUSPICIOUS = 0.1


class TwoScales:
    """A detector at less than a third of its price, which misses faces of a few pixels.

    What half the size shows beyond doubt, large and with a score of at least 0.35, counts. Around whatever else looks
    at all like a face there, windows of the picture are searched at full size, and they alone decide.

    Args:
        detector: what looks.
    """

    def __init__(self, detector: FaceDetector) -> None:
        self._detector = detector

    @property
    def key(self) -> str:
        """That of the detector: it is the same network."""
        return self._detector.key

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Those of the detector, and what is reduced and what confirmed."""
        scales = {"reduced": _REDUCED, "large": _LARGE, "certain": _CERTAIN, "suspicious": _SUSPICIOUS}
        return {**self._detector.parameters, **scales}

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor` in an HxWx3 RGB picture of any size."""
        height, width = image.shape[:2]
        if max(height, width) <= _SMALL:
            return self._detector.detect(image, floor)
        size = round(width * _REDUCED), round(height * _REDUCED)
        reduced = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        first = self._detector.detect(reduced, min(_SUSPICIOUS, floor))
        first = _moved(first, np.array([width / size[0], height / size[1]], np.float32), (0, 0))
        certain = (first.boxes[:, 2:].max(axis=1, initial=0) >= _LARGE) & (first.scores >= max(_CERTAIN, floor))
        answers = [_chosen(first, certain)]
        for left, top, right, bottom in windows(first.boxes[~certain], width, height):
            part = np.ascontiguousarray(image[top:bottom, left:right])
            answers.append(_moved(self._detector.detect(part, floor), np.ones(2, np.float32), (left, top)))
        return merge(answers, floor, alone=floor)


def _moved(found: Detections, scale: NDArray[np.float32], corner: tuple[int, int]) -> Detections:
    shift = np.array(corner, np.float32)
    boxes = np.concatenate([found.boxes[:, :2] * scale + shift, found.boxes[:, 2:] * scale], axis=1)
    return Detections(boxes, found.scores, None if found.landmarks is None else found.landmarks * scale + shift)


def _chosen(found: Detections, which: NDArray[np.bool_]) -> Detections:
    landmarks = None if found.landmarks is None else found.landmarks[which]
    return Detections(found.boxes[which], found.scores[which], landmarks)
