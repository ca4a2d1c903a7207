"""CenterFace, run by onnxruntime from the file in `resources/networks`.

Method: Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point", arXiv 1911.03599,
section 3: one heat map of face centres at a quarter of the resolution, with log size, sub-cell offset and five
landmarks at every cell.
"""

from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.boxes import suppress_overlaps
from models.faces.face_detectors import Detections
from models.runtime.onnx_files import free_shapes
from models.runtime.onnx_session import onnx_providers, open_session
from project.entities.study_records import Json
from project.errors import UserError
from resources import resource

_CELL = 4
_MULTIPLE = 32
_HINT = "The installation is damaged: reinstall Greenroom."


def weights_path() -> Path:
    """Return the path of the network, which is part of the program."""
    try:
        return resource("networks", "centerface.onnx")
    except FileNotFoundError:
        raise UserError(
            "The face detector's network file (centerface.onnx) is missing.",
            _HINT,
        ) from None


class CenterFace:
    """Finds faces from about 10 pixels wide.

    Larger pictures are made smaller to `longest_side` before detection, in pixels. Time grows with its square; faces
    under about 10 pixels at that size are missed. One thread of a call is best where several run side by side, as in
    tracking.
    """

    key = "centerface"

    def __init__(
        self, longest_side: int = 1920, threads: int = 1, path: Path | None = None, processor: str = "auto"
    ) -> None:
        path = path or weights_path()
        try:
            self._session = open_session(free_shapes(path.read_bytes()), threads, onnx_providers(processor))
        except (OSError, ValueError) as error:
            raise UserError(
                f"The face detector's network file cannot be read: {path}",
                _HINT,
            ) from error
        self._input = self._session.get_inputs()[0].name
        self._longest_side = longest_side
        self.parameters: Mapping[str, Json] = {
            "longest_side": longest_side,
            "processor": self._session.get_providers()[0],
        }

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor` in an HxWx3 RGB picture of any size."""
        height, width = image.shape[:2]
        if not height or not width:
            return Detections.empty()
        shrink = min(1.0, self._longest_side / max(height, width))
        columns, rows = (max(_MULTIPLE, -(-round(n * shrink) // _MULTIPLE) * _MULTIPLE) for n in (width, height))
        if (columns, rows) != (width, height):
            method = cv2.INTER_AREA if shrink < 1 else cv2.INTER_LINEAR
            image = cv2.resize(image, (columns, rows), interpolation=method).astype(np.uint8, copy=False)
        blob = np.ascontiguousarray(image.transpose(2, 0, 1)[None], np.float32)
        heat, size, offset, marks = self._session.run(None, {self._input: blob})
        scale = np.array([width / columns, height / rows], np.float32)
        return decode(heat[0, 0], size[0], offset[0], marks[0], floor).scaled(scale).clipped(width, height)


def decode(
    heat: NDArray[np.float32],
    size: NDArray[np.float32],
    offset: NDArray[np.float32],
    marks: NDArray[np.float32],
    floor: float,
) -> Detections:
    """Read the network's maps, in pixels of its input.

    Args:
        heat: (h, w) probability that a face has its centre in this cell of 4x4 pixels.
        size: (2, h, w) logarithm of height and width in cells.
        offset: (2, h, w) of the centre within the cell, down and right.
        marks: (10, h, w) y, x of five points, as shares of the box from its upper left corner.
        floor: cells under it are left out.
    """
    row, column = np.nonzero(heat >= floor)
    scores = heat[row, column]
    if not len(scores):
        return Detections.empty()
    sides = np.exp(size[::-1, row, column].T) * _CELL
    centres = (np.stack([column, row], 1) + offset[::-1, row, column].T + 0.5) * _CELL
    boxes = np.concatenate([centres - sides / 2, sides], 1).astype(np.float32)
    kept = suppress_overlaps(boxes, scores)
    points = marks[:, row[kept], column[kept]].T.reshape(-1, 5, 2)[:, :, ::-1]
    landmarks = points * sides[kept, None, :] + boxes[kept, None, :2]
    return Detections(boxes[kept], scores[kept].astype(np.float32), landmarks.astype(np.float32))
