"""YuNet, run by onnxruntime from weights that the user gets with `greenroom model`.

Method: Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", Machine Intelligence Research 20, 2023, section 3:
an anchor-free network that tells for every cell of 8, 16 and 32 pixels whether a face is there, its box and landmarks.
OpenCV's `FaceDetectorYN` runs the same file with the same answers (tested); it takes more than twice the processor's
time, and each of its detectors serves one thread.
"""

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from models.boxes import suppress_overlaps
from models.faces.face_detectors import Detections
from models.weights.onnx_model import OnnxModel

_STRIDES = (8, 16, 32)
_OUTPUTS = ("cls", "obj", "bbox", "kps")
# YuNet's scores against CenterFace's. On the recording of a conversation 93 in 100 of its hits at 0.6 are faces: what
# 0.2 stands for there, a face by itself. Below, its hits grow by a quarter every 0.1, most of them things, so its
# scale is cut short: 0.5 is where CenterFace's 0.12 is, the weakest hit that is looked at. Above, both end at 1.
_SCORES = (0.35, 0.6, 1.0)
_COMMON = (0.0, 0.2, 1.0)

Maps = Mapping[str, NDArray[np.float32]]


class YuNet(OnnxModel):
    """Finds faces at a quarter of CenterFace's cost. Its scores are put on CenterFace's scale.

    Pictures whose longer side is larger than `longest_side` pixels are made smaller to this before detection.
    """

    key = weights = "yunet"

    def __init__(self, longest_side: int = 1920, threads: int = 1, processor: str = "auto") -> None:
        super().__init__(threads, processor, longest_side=longest_side, scores=[*_SCORES], scale=[*_COMMON])
        self._longest_side = longest_side

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor`, on the common scale, in an HxWx3 RGB picture of any size."""
        height, width = image.shape[:2]
        if not height or not width:
            return Detections.empty()
        shrink = min(1.0, self._longest_side / max(height, width))
        columns, rows = (max(1, round(n * shrink)) for n in (width, height))
        if (columns, rows) != (width, height):
            image = np.asarray(cv2.resize(image, (columns, rows), interpolation=cv2.INTER_AREA), np.uint8)
        grid = _STRIDES[-1]
        blob = np.zeros((1, 3, -(-rows // grid) * grid, -(-columns // grid) * grid), np.float32)
        blob[0, :, :rows, :columns] = image[:, :, ::-1].transpose(2, 0, 1)
        names = [f"{output}_{stride}" for output in _OUTPUTS for stride in _STRIDES]
        maps = dict(zip(names, self.session.run(names, {"input": blob}), strict=True))
        found = decode(maps, blob.shape[3], float(np.interp(floor, _COMMON, _SCORES)))
        found = Detections(found.boxes, common_scale(found.scores), found.landmarks)
        scale = np.array([width / columns, height / rows], np.float32)
        return found.selected(found.scores >= floor).scaled(scale).clipped(width, height)


def common_scale(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Put YuNet's scores on the scale of CenterFace's, which the options of tracking are about."""
    return np.interp(scores, _SCORES, _COMMON).astype(np.float32)


def decode(maps: Maps, width: int, least: float) -> Detections:
    """Read the network's maps, in pixels of its input and with its own scores, best first.

    Args:
        maps: for the strides s of 8, 16 and 32 pixels and n cells, row by row: `cls_s` and `obj_s` (1, n, 1), whose
            geometric mean is the score; `bbox_s` (1, n, 4), offset of the centre and log size in cells; `kps_s`
            (1, n, 10), offsets of five points in cells.
        width: of the input.
        least: cells under it are left out.
    """
    boxes, scores, points = [], [], []
    for stride in _STRIDES:
        kind, there = (np.clip(maps[f"{name}_{stride}"][0, :, 0], 0, 1) for name in ("cls", "obj"))
        score = np.sqrt(kind * there)
        cells = np.flatnonzero(score >= least)
        corner = np.stack([cells % (width // stride), cells // (width // stride)], axis=1)
        box = maps[f"bbox_{stride}"][0, cells]
        centre, side = (corner + box[:, :2]) * stride, np.exp(box[:, 2:]) * stride
        boxes.append(np.concatenate([centre - side / 2, side], axis=1))
        points.append((maps[f"kps_{stride}"][0, cells].reshape(-1, 5, 2) + corner[:, None]) * stride)
        scores.append(score[cells])
    all_boxes, all_scores = np.concatenate(boxes).astype(np.float32), np.concatenate(scores)
    if not len(all_scores):
        return Detections.empty()
    best = suppress_overlaps(all_boxes, all_scores)
    return Detections(all_boxes[best], all_scores[best], np.concatenate(points)[best].astype(np.float32))
