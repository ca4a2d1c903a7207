"""PFLD: 68 points of a face, run by onnxruntime. Another family of landmarks than MediaPipe's, to measure with.

Method: Guo et al., "PFLD: A Practical Facial Landmark Detector", arXiv 1902.10859. Against MediaPipe on
the same faces of recorded conversations, points that both have differ by a median of 4 % of the distance between the
outer corners of the eyes. It always answers: it cannot tell whether there is a face.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.face_cropping import FaceCrop, square_crop
from models.faces.landmarks.landmark_finders import IBUG, Landmarks
from models.weights.onnx_model import OnnxModel

_COUNT = 68
_SIDE = 112
_REACH = 1.0


class Pfld(OnnxModel):
    """Finds 68 points of a face, without depth."""

    key = weights = "pfld"

    def __init__(self, threads: int = 1) -> None:
        super().__init__(threads, reach=_REACH)

    def find(self, image: NDArray[np.uint8], boxes: NDArray[np.float32]) -> list[Landmarks | None]:
        """Find the points in (n, 4) boxes of an HxWx3 RGB picture; None for a box outside the picture alone."""
        boxes = np.asarray(boxes, np.float32).reshape(-1, 4)
        largest = max(image.shape[0], image.shape[1], 1) * 4
        crops = [square_crop(image, box, _REACH, largest) for box in boxes]
        there = [crop for crop in crops if crop is not None]
        if not there:
            return [None] * len(crops)
        blob = np.stack([_resize(crop.image) for crop in there]).astype(np.float32) / 255
        (found,) = self.session.run(None, {"input": np.ascontiguousarray(blob.transpose(0, 3, 1, 2))})
        answers = iter(np.asarray(found, np.float32).reshape(-1, _COUNT, 2))
        return [None if crop is None else _to_picture(next(answers), crop) for crop in crops]

    def close(self) -> None:
        """Free the network."""
        del self.session


def _resize(crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    method = cv2.INTER_AREA if crop.shape[0] > _SIDE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(crop, (_SIDE, _SIDE), interpolation=method), np.uint8)


def _to_picture(shares: NDArray[np.float32], crop: FaceCrop) -> Landmarks:
    """Return the landmarks of (68, 2) shares of a crop; their depth is 0."""
    points = np.pad(shares * np.float32(crop.image.shape[0]), ((0, 0), (0, 1)))
    return Landmarks(crop.to_picture(points), 1.0, IBUG)
