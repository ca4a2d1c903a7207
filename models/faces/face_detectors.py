"""The face detector interface and registry. A new detector is one file and one line here."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from models.weights.model_plugins import InferenceModel, ModelPlugins


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The faces found in one picture, best first.

    Attributes:
        boxes: (n, 4) float32, x, y, width, height in pixels of the picture; inside it.
        scores: (n,) float32, 0 to 1.
        landmarks: (n, 5, 2) float32, x, y of both eyes, the nose and the corners of the mouth; None where the
            detector has none.
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    landmarks: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    @classmethod
    def empty(cls) -> "Detections":
        """Return the answer for a picture without a face."""
        return cls(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), np.zeros((0, 5, 2), np.float32))

    def selected(self, which: NDArray[np.bool_ | np.intp]) -> "Detections":
        """Return some of the detections."""
        return Detections(
            self.boxes[which], self.scores[which], None if self.landmarks is None else self.landmarks[which]
        )

    def scaled(self, scale: NDArray[np.float32], corner: tuple[int, int] = (0, 0)) -> "Detections":
        """Return the detections of a part of a picture in the pixels of the picture.

        `scale`, (2,), is pixels of the picture per pixel of the part; `corner` is x, y of the part in the picture.
        """
        shift = np.array(corner, np.float32)
        boxes = np.concatenate([self.boxes[:, :2] * scale + shift, self.boxes[:, 2:] * scale], axis=1)
        return Detections(boxes, self.scores, None if self.landmarks is None else self.landmarks * scale + shift)

    def clipped(self, width: int, height: int) -> "Detections":
        """Return the detections with their boxes cut at the picture's edges; what is left of none is left out."""
        size = np.array([width, height], np.float32)
        start, end = np.clip(self.boxes[:, :2], 0, size), np.clip(self.boxes[:, :2] + self.boxes[:, 2:], 0, size)
        boxes = np.concatenate([start, end - start], axis=1).astype(np.float32)
        return Detections(boxes, self.scores, self.landmarks).selected(np.all(end > start, axis=1))


class FaceDetector(InferenceModel, Protocol):
    """Finds faces in one picture. `detect` may be called from several threads at once."""

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        """Find the faces that score at least `floor` in an HxWx3 RGB picture of any size."""


DETECTORS = ModelPlugins[FaceDetector](
    "face detector",
    {
        "centerface": "models.faces.centerface:CenterFace",
        "yunet": "models.faces.yunet:YuNet",
        "rfb320": "models.faces.rfb320:Rfb320",
    },
    weights={"yunet": "yunet", "rfb320": "rfb320"},
)
DEFAULT_DETECTOR = "centerface"
"""The one that is there in every installation."""
QUICK_DETECTORS = ("yunet",)
"""Those that can look at every frame, the best first."""
WITNESS_DETECTORS = ("rfb320",)
"""Those that have no part in tracking, so that they can tell what it missed."""
SEPARATOR = "+"
PROCESSORS = {
    "auto": "a GPU where onnxruntime can use one",
    "cpu": "the processor",
    "cuda": "an NVIDIA GPU, or not at all",
}
"""What a detector may be told to run on."""


def join_names(names: Iterable[str]) -> str:
    """Return several names as one, each once, in the order of the registry."""
    return SEPARATOR.join(sorted(set(names), key=[*DETECTORS].index))


def default_detectors() -> str:
    """Return the default detectors as one name: all that are installed but witnesses."""
    return join_names(name for name in DETECTORS if name not in WITNESS_DETECTORS and DETECTORS.is_installed(name))


def find_independent(names: str) -> str | None:
    """Return an installed detector that is none of those in `names`, a witness first; None where there is none."""
    others = [name for name in DETECTORS if name not in names.split(SEPARATOR) and DETECTORS.is_installed(name)]
    return min(others, key=lambda name: name not in WITNESS_DETECTORS, default=None)


def require_installed(names: str) -> None:
    """Raise for unknown detectors and for missing weights, without loading a detector."""
    for name in names.split(SEPARATOR):
        DETECTORS.require_installed(name)


def create_detector(names: str = DEFAULT_DETECTOR, **options: object) -> FaceDetector:
    """Make a detector, or of several names joined by `+` one that asks them all; nothing heavy is imported before."""
    require_installed(names)
    made = [DETECTORS.make(name, **options) for name in names.split(SEPARATOR)]
    if len(made) == 1:
        return made[0]
    # It imports this module.
    together = import_module("models.faces.detector_ensemble")
    return cast(FaceDetector, together.DetectorEnsemble(made))
