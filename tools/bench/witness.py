"""Other face detectors, that tell how well the program's own did."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

SCORE = 0.6
THIRD_SCORE = 0.7
# Frame, x, y, width, height of hits of YuNet in the recording of four friends that CenterFace's masks miss and that are
# no faces. A person looked at every missed hit: these are hands, cushions, lamps and hair.
_THINGS = Path(__file__).with_name("things_taken_for_faces.json")
_SAME_THING = 0.5
_THIRD_SIZE = (320, 240)
_THIRD_OVERLAP = 0.3
_ERRORS_ONLY = 3

Boxes = NDArray[np.float32]


class Witness:
    """Finds faces with YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023) at full size."""

    def __init__(self, model: Path, width: int, height: int, score: float = SCORE) -> None:
        self._yunet = cv2.FaceDetectorYN.create(str(model), "", (width, height), score)

    def faces(self, image: NDArray[np.uint8]) -> Boxes:
        """Return (n, 4) x, y, width, height of the faces in an RGB picture."""
        _, hits = self._yunet.detect(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
        return np.zeros((0, 4), np.float32) if hits is None else hits[:, :4].astype(np.float32)


class ThirdWitness:
    """Finds faces with RFB-320 of "Ultra-Light-Fast-Generic-Face-Detector-1MB" (MIT), which no set-up of ours uses."""

    def __init__(self, model: Path, score: float = THIRD_SCORE) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS_ONLY
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name
        self._score = score

    def faces(self, image: NDArray[np.uint8]) -> Boxes:
        """Return (n, 4) x, y, width, height of the faces in an RGB picture."""
        small = (cv2.resize(image, _THIRD_SIZE).astype(np.float32) - 127) / 128
        scores, corners = self._session.run(["scores", "boxes"], {self._input: small.transpose(2, 0, 1)[None]})
        kept = scores[0, :, 1] >= self._score
        found = corners[0][kept] * np.tile(image.shape[1::-1], 2)
        boxes = np.concatenate([found[:, :2], found[:, 2:] - found[:, :2]], axis=1)
        best = cv2.dnn.NMSBoxes(boxes.tolist(), scores[0][kept, 1].astype(float).tolist(), 0.0, _THIRD_OVERLAP)
        return boxes[np.asarray(best, np.intp).reshape(-1)].astype(np.float32)


def is_thing(frame: int, box: NDArray[np.float32]) -> bool:
    """Tell whether a hit in the recording of four friends is known to be no face."""
    return agrees(box, _things()[frame], _SAME_THING)


@cache
def _things() -> defaultdict[int, Boxes]:
    found: defaultdict[int, Boxes] = defaultdict(lambda: np.zeros((0, 4), np.float32))
    for frame, *box in json.loads(_THINGS.read_text("utf-8")):
        found[frame] = np.concatenate([found[frame], np.array([box], np.float32)])
    return found


def agrees(box: NDArray[np.float32], others: Boxes, overlap: float) -> bool:
    """Tell whether any of the other boxes overlaps a box by that intersection over union."""
    if not len(others):
        return False
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[:2] + box[2:], others[:, :2] + others[:, 2:])
    shared = np.clip(high - low, 0, None).prod(1)
    return bool((shared / (box[2:].prod() + others[:, 2:].prod(1) - shared)).max() >= overlap)
