"""A text detector that gives a map of where text stands, such as PP-OCR's, run by onnxruntime.

Method: Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", AAAI 2020 (arXiv 1911.08947),
section 3.2 and 3.6: the map of a shrunk line is cut at a threshold, each part is a line, and is grown again by its area
over its length. Here a line is its upright rectangle, since what is done with it is painting it over.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.text_regions.text_detectors import TextBoxes
from models.weights import installed_weights
from models.weights.onnx_model import OnnxModel

_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_SPREAD = np.array([0.229, 0.224, 0.225], np.float32)
_STEP = 32
_LEAST_SIDE = 3
# Larger pictures are made smaller to this first.
_LONGEST_SIDE = 960
# Where the map has more than the first, and on the mean the second, is a line.
_THRESHOLD, _LEAST_SCORE = 0.3, 0.6
# How much a line grows, times its area over its length.
_GROWTH = 1.5


class Binarization(OnnxModel):
    """Finds lines of text."""

    key = "binarization"
    weights = "text-regions"

    def __init__(self) -> None:
        super().__init__(longest_side=_LONGEST_SIDE, threshold=_THRESHOLD, least_score=_LEAST_SCORE, growth=_GROWTH)
        fit = installed_weights.signature_match(self.weights)
        self._names, self._shape = fit.names, fit.shapes["picture"]

    def find(self, image: NDArray[np.uint8]) -> TextBoxes:
        """Return where text stands in a (h, w, 3) RGB picture."""
        height, width = image.shape[:2]
        if min(height, width) < 1:
            return _boxes([], [])
        size = self._size(width, height)
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        given = np.ascontiguousarray(((small - _MEAN) / _SPREAD).transpose(2, 0, 1)[None], np.float32)
        answer = self.session.run([self._names["map"]], {self._names["picture"]: given})[0]
        likely = np.asarray(answer, np.float32).reshape(np.shape(answer)[-2:])
        boxes, scores = self._lines(likely)
        scale = np.array([width / likely.shape[1], height / likely.shape[0]] * 2, np.float32)
        found = _boxes(boxes, scores)
        edges = found.boxes * scale
        edges[:, 2:] += edges[:, :2]
        edges = np.clip(edges, 0, np.array([width, height] * 2, np.float32))
        edges[:, 2:] -= edges[:, :2]
        return TextBoxes(edges.astype(np.float32), found.scores)

    def _size(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of the network's input: its own where it states one, else near the picture's."""
        scale = min(1.0, _LONGEST_SIDE / max(width, height))
        sides = [max(_STEP, round(side * scale / _STEP) * _STEP) for side in (width, height)]
        return self._shape[3] or sides[0], self._shape[2] or sides[1]

    def _lines(self, likely: NDArray[np.float32]) -> tuple[list[tuple[float, float, float, float]], list[float]]:
        parts, labels, stats, _ = cv2.connectedComponentsWithStats((likely > _THRESHOLD).astype(np.uint8))
        boxes: list[tuple[float, float, float, float]] = []
        scores: list[float] = []
        for part in range(1, parts):
            x, y, width, height, _ = (int(value) for value in stats[part])
            if min(width, height) < _LEAST_SIDE:
                continue
            window = slice(y, y + height), slice(x, x + width)
            score = float(likely[window][labels[window] == part].mean())
            if score >= _LEAST_SCORE:
                grown = _GROWTH * width * height / (2 * (width + height))
                boxes.append((x - grown, y - grown, width + 2 * grown, height + 2 * grown))
                scores.append(score)
        return boxes, scores


def _boxes(boxes: list[tuple[float, float, float, float]], scores: list[float]) -> TextBoxes:
    return TextBoxes(np.array(boxes, np.float32).reshape(-1, 4), np.array(scores, np.float32))
