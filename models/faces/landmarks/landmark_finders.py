"""The landmark finder interface and registry. A new finder is one file and one line here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.weights.model_plugins import InferenceModel, ModelPlugins

MEDIAPIPE = "mediapipe478"
"""468 points of MediaPipe's face mesh, then five of each iris: the right eye's first, its centre before its edge."""
IBUG = "ibug68"
"""The 68 points of the iBUG 300-W mark-up: jaw 0-16, brows 17-26, nose 27-35, eyes 36-47, mouth 48-67."""


@dataclass(frozen=True, slots=True, eq=False)
class Landmarks:
    """The points of one face.

    Attributes:
        points: (n, 3) float32: x, y in pixels of the picture, its upper left corner at 0; z on the same scale,
            smaller nearer to the camera, 0 where the model has none. They may lie outside the picture.
        score: 0 to 1; 1 where the model says no more than that there is a face.
        layout: `MEDIAPIPE` or `IBUG`.
        blendshapes: name, such as `mouthSmileLeft` -> 0 to 1, where the weights tell them; else None.
    """

    points: NDArray[np.float32]
    score: float
    layout: str
    blendshapes: Mapping[str, float] | None = None


class LandmarkFinder(InferenceModel, Protocol):
    """Finds the points of faces that a detector found. `find` may be called from several threads at once."""

    def find(self, image: NDArray[np.uint8], boxes: NDArray[np.float32]) -> list[Landmarks | None]:
        """Find the points of the faces in some boxes.

        `boxes` are (n, 4); a part of them may lie outside the picture. None where no face is seen in a box, as in most
        profiles.
        """

    def close(self) -> None:
        """Free what it holds; it cannot be used afterwards."""


LANDMARKS = ModelPlugins[LandmarkFinder](
    "finder of landmarks",
    {
        "mediapipe": "models.faces.landmarks.mediapipe_landmarks:MediaPipe",
        "pfld": "models.faces.landmarks.pfld:Pfld",
    },
    weights={"mediapipe": "face-landmarks", "pfld": "pfld"},
)


def create_landmark_finder(name: str = "mediapipe") -> LandmarkFinder:
    """Make a finder ready for use."""
    return LANDMARKS.make(name)
