"""What it costs to look less often: processor time of the detectors, and how well the faces stay covered.

Every detector looks at every frame once; what each way of looking would have found is taken from that.
"""

import hashlib
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import MaskSet, covered_share
from media.decoding import iterate_frames
from media.frame_index import load_index
from models.faces.detector_ensemble import DetectorEnsemble
from models.faces.face_detectors import Detections, FaceDetector, create_detector
from models.faces.face_tracking import track_faces
from models.faces.tracking_options import FaceOptions
from models.weights.adding import add_weights
from project.entities.study_records import Json
from tools.bench.face_speed import CLIP, ENOUGH, HALF, SURE, YUNET
from tools.bench.measuring import missing_row, weights_in
from tools.bench.row import Row
from tools.bench.witness import SCORE, Boxes, Witness

FLOOR = 0.05
WORK = "looking at faces less often, 720p"
# All detectors so often a second, the quick one so often; whether faces are followed.
WAYS = ((25, 0, True), (12.5, 0, True), (6, 0, True), (12.5, 30, True), (5, 30, True), (5, 30, False), (2.5, 30, True))


class Remembering:
    """A detector that is asked about a picture once; it counts what every answer cost."""

    def __init__(self, inner: FaceDetector) -> None:
        self._inner, self._known = inner, dict[bytes, tuple[Detections, float]]()
        self.key, self.spent_s = inner.key, 0.0

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Those of the detector."""
        return self._inner.parameters

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find faces, and add what it took when it was done."""
        name = hashlib.blake2b(image.tobytes(), digest_size=16).digest()
        if name not in self._known:
            began = time.thread_time()
            found = self._inner.detect(image, FLOOR)
            self._known[name] = found, time.thread_time() - began
        found, cost = self._known[name]
        self.spent_s += cost
        enough = found.scores >= floor
        marks = None if found.landmarks is None else found.landmarks[enough]
        return Detections(found.boxes[enough], found.scores[enough], marks)


@dataclass(frozen=True)
class FrameTruth:
    """What the witnesses see in one frame."""

    centerface: Boxes
    yunet: Boxes


def run() -> list[Row]:
    """Measure with one worker: processor time is what is compared."""
    if rows := missing_row(WORK, CLIP, YUNET):
        return rows
    index = load_index(CLIP)
    with tempfile.TemporaryDirectory() as folder, weights_in(Path(folder)):
        add_weights("yunet", YUNET)
        each = [Remembering(create_detector(name)) for name in ("centerface", "yunet")]
        witness = Witness(YUNET, index.canvas.width, index.canvas.height)
        truth = [
            FrameTruth(each[0].detect(frame.image, SURE).boxes, witness.faces(frame.image))
            for frame in iterate_frames(CLIP, index)
        ]
        return [_row(way, each, truth) for way in WAYS]


def _row(way: tuple[float, float, bool], each: list[Remembering], truth: list[FrameTruth]) -> Row:
    looks, glances, follow = way
    for remembering in each:
        remembering.spent_s = 0.0
    options = FaceOptions(looks_per_second=looks, glances_per_second=glances, workers=1)
    options = options if follow else replace(options, follow_us=0)
    tracks = track_faces(CLIP, DetectorEnsemble(each), options).tracks
    masks, index = MaskSet(tracks), load_index(CLIP)
    sure, quick, area = [], [], []
    for frame, seen in enumerate(truth):
        alpha = masks.draw_alpha(frame, index.canvas.width, index.canvas.height)
        area.append(float((alpha >= HALF).mean()))
        sure += [covered_share(alpha, box) >= ENOUGH for box in seen.centerface]
        quick += [covered_share(alpha, box) >= ENOUGH for box in seen.yunet]
    spent = sum(remembering.spent_s for remembering in each)
    between = f", YuNet {glances:g} times" if glances else ""
    return Row(
        f"{WORK}: both {looks:g} times a second{between}{'' if follow else ', nothing followed'}",
        f"{spent:.0f} s of a processor; CenterFace's faces at {SURE} {np.mean(sure):.2%},"
        f" YuNet's at {SCORE} {np.mean(quick):.2%} covered; {np.mean(area):.2%} of the picture masked",
    )
