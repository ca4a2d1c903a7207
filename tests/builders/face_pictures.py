"""Clips with a face whose true box is known, a stand-in for the detector, and observations made by hand."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import av
import numpy as np
from av.video.stream import VideoStream
from numpy.typing import NDArray

from models.faces.face_detectors import Detections
from models.faces.frame_detections import DESCRIPTION_LENGTH, Observation
from project.entities.study_records import Json
from project.errors import Cancelled

RATE = 25


def write_clip(path: Path, images: Sequence[NDArray[np.uint8]], codec: str = "libx264") -> Path:
    """Write RGB pictures at 25 frames a second; `ffv1` takes odd sizes."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=RATE)
        assert isinstance(stream, VideoStream)
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt = "yuv420p" if codec == "libx264" else "bgr0"
        for i, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = i, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union."""
    width = max(0.0, min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1]))
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)


class Bright:
    """Takes the bright rectangle of a dark picture for a face."""

    key = "bright"
    parameters: ClassVar[Mapping[str, Json]] = {}

    def __init__(self) -> None:
        self.calls = 0

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        self.calls += 1
        rows, columns = np.nonzero(image[:, :, 1] > 128)
        if not len(rows):
            return Detections.empty()
        x, y = columns.min(), rows.min()
        box = np.array([[x, y, columns.max() - x + 1, rows.max() - y + 1]], np.float32)
        return Detections(box, np.array([0.9], np.float32))


class StopAfter:
    """Progress that cancels the work after some frames."""

    def __init__(self, frames: int) -> None:
        self._left = frames

    def progress(self, done: int, total: int, text: str = "") -> None:
        pass

    def check_cancelled(self) -> None:
        self._left -= 1
        if self._left <= 0:
            raise Cancelled


def seen(
    frame: int,
    *hits: Sequence[float],
    looked: bool = True,
    cut: bool = False,
    damaged: bool = False,
    looks: Sequence[NDArray[np.uint8]] = (),
) -> Observation:
    """One frame at 25 frames a second; hits are x, y, width, height, score, and all look alike unless it is said."""
    found = np.array(hits, np.float32).reshape(-1, 5)
    alike = np.full((len(found), DESCRIPTION_LENGTH), 90, np.uint8)
    shown = np.array(looks, np.uint8) if len(looks) else alike
    return Observation(frame, frame * 40_000, looked, looked, cut, damaged, found, shown)
