"""A second face detector, YuNet, that tells how well the program's own one did."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

SCORE = 0.6
# Frame, x, y, width, height of hits of YuNet in the recording of four friends that our masks miss and that are no
# faces. A person looked at every missed hit: these are hands, cushions, lamps and hair.
_THINGS = Path(__file__).with_name("things_taken_for_faces.json")
_SAME_THING = 0.5


class Witness:
    """Finds faces with YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023) at full size."""

    def __init__(self, model: Path, width: int, height: int, score: float = SCORE) -> None:
        self._yunet = cv2.FaceDetectorYN.create(str(model), "", (width, height), score)

    def faces(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return (n, 4) x, y, width, height of the faces in an RGB picture."""
        _, hits = self._yunet.detect(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
        return np.zeros((0, 4), np.float32) if hits is None else hits[:, :4].astype(np.float32)


def is_thing(frame: int, box: NDArray[np.float32]) -> bool:
    """Tell whether a hit in the recording of four friends is known to be no face."""
    return agrees(box, _things()[frame], _SAME_THING)


@cache
def _things() -> defaultdict[int, NDArray[np.float32]]:
    found: defaultdict[int, NDArray[np.float32]] = defaultdict(lambda: np.zeros((0, 4), np.float32))
    for frame, *box in json.loads(_THINGS.read_text("utf-8")):
        found[frame] = np.concatenate([found[frame], np.array([box], np.float32)])
    return found


def agrees(box: NDArray[np.float32], others: NDArray[np.float32], overlap: float) -> bool:
    """Tell whether any of the other boxes overlaps a box by that intersection over union."""
    if not len(others):
        return False
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[:2] + box[2:], others[:, :2] + others[:, 2:])
    shared = np.clip(high - low, 0, None).prod(1)
    return bool((shared / (box[2:].prod() + others[:, 2:].prod(1) - shared)).max() >= overlap)
