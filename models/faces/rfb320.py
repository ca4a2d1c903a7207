"""The slim detector of Linzaer, "Ultra-Light-Fast-Generic-Face-Detector-1MB", version RFB-320, run by onnxruntime.

A network with receptive field blocks (Liu et al., arXiv 1711.07767) that looks at 320x240 pixels and gives boxes
without landmarks. It was trained by other people on another loss than the detectors that tracking uses, and no
tracking uses it: what it sees after rendering, it sees by itself. Faces under about a twentieth of the picture are
missed.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.boxes import suppress_overlaps
from models.faces.face_detectors import Detections
from models.weights.onnx_model import OnnxModel

_WIDTH, _HEIGHT = 320, 240
_MIDDLE, _SPREAD = 127, 128
# Its scores against CenterFace's. On recorded conversations, of its hits at 0.9 and more all but 1 in 97 were faces
# that others saw too, at 0.5 to 0.9 half of them.
_SCORES = (0.3, 0.5, 0.9, 1.0)
_COMMON = (0.0, 0.12, 0.2, 1.0)


class Rfb320(OnnxModel):
    """Finds faces as a witness. Its scores are put on CenterFace's scale."""

    key = weights = "rfb320"

    def __init__(self, threads: int = 1, processor: str = "auto") -> None:
        super().__init__(threads, processor, any_size=True, scores=[*_SCORES], scale=[*_COMMON])

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor`, on the common scale, in an HxWx3 RGB picture of any size."""
        height, width = image.shape[:2]
        if not height or not width:
            return Detections.empty()
        scale = max(width / _WIDTH, height / _HEIGHT)
        columns, rows = (max(1, round(side / scale)) for side in (width, height))
        method = cv2.INTER_AREA if scale > 1 else cv2.INTER_LINEAR
        blob = np.zeros((1, 3, _HEIGHT, _WIDTH), np.float32)
        small = cv2.resize(image, (columns, rows), interpolation=method)
        blob[0, :, :rows, :columns] = (small.transpose(2, 0, 1).astype(np.float32) - _MIDDLE) / _SPREAD
        scores, corners = self.session.run(["scores", "boxes"], {"input": blob})
        there = np.array([_WIDTH * width / columns, _HEIGHT * height / rows], np.float32)
        start, end = corners[0, :, :2] * there, corners[0, :, 2:] * there
        common = np.interp(scores[0, :, 1], _SCORES, _COMMON).astype(np.float32)
        found = Detections(np.concatenate([start, end - start], axis=1), common)
        found = found.selected((common >= floor) & (common > 0)).clipped(width, height)
        return found.selected(suppress_overlaps(found.boxes, found.scores))
