"""478 points of a usual face, and a finder that sees one in every box: drawing is tested without the network."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.faces.landmarks.landmark_finders import MEDIAPIPE, Landmarks
from project.entities.study_records import Json

# Right half of a face in millimetres (x mirrored on the left), from between the outer corners of the eyes.
_PAIRS = {
    (98, 327): (-18.5, 45.6, -15.1),
    (33, 263): (-44.5, 0.0, 0.0),
    (133, 362): (-17.3, 1.9, -5.4),
    (127, 356): (-69.4, -0.1, 49.9),
    (234, 454): (-69.0, 13.6, 56.2),
    (67, 297): (-35.0, -46.7, -14.4),
    (54, 284): (-59.2, -34.5, 10.9),
    (116, 345): (-63.6, 15.8, 14.4),
    (61, 291): (-28.0, 66.5, 2.0),
    (55, 285): (-15.0, -16.0, -24.0),
    (107, 336): (-16.0, -20.0, -25.0),
    (105, 334): (-41.0, -23.0, -17.0),
    (63, 293): (-49.0, -21.0, -9.0),
    (70, 300): (-56.0, -16.0, -1.0),
    (66, 296): (-29.0, -22.0, -22.0),
    (468, 473): (-31.0, -0.3, -5.5),
}
_MIDDLE = {
    10: (0.0, -48.9, -23.1),
    151: (0.0, -33.7, -25.0),
    9: (0.0, -18.2, -26.0),
    8: (0.0, -9.9, -23.9),
    168: (0.0, -1.9, -22.8),
    6: (0.0, 6.8, -26.4),
    197: (0.0, 14.6, -30.8),
    195: (0.0, 21.8, -35.6),
    1: (0.0, 44.9, -39.4),
    2: (0.0, 49.4, -23.1),
}


def usual_points(
    box: NDArray[np.float32], mouth: float = 0.0, lids: float = 8.0, across: float = 0.0
) -> NDArray[np.float32]:
    """Return (478, 3) points of a face that looks into the camera.

    Args:
        box: x, y, width, height that the face fills.
        mouth: gap between the lips, mm.
        lids: gap between the lids, mm.
        across: how far the irises are turned to the picture's right, mm.
    """
    points = np.zeros((478, 3))
    for pair, (x, y, z) in _PAIRS.items():
        for number, side in zip(pair, (1, -1), strict=True):
            points[number] = side * x, y, z
    points[[468, 473], 0] += across
    for number, place in _MIDDLE.items():
        points[number] = place
    for corner, lower in ((81, 178), (13, 14), (311, 402)):
        x = {81: -8.0, 13: 0.0, 311: 8.0}[corner]
        points[corner], points[lower] = (x, 68.5, -14.0), (x, 68.5 + mouth, -12.0)
    for upper, lower, x in ((160, 144, -36.0), (158, 153, -27.0), (385, 380, 27.0), (387, 373, 36.0)):
        points[upper], points[lower] = (x, 1.0 - lids / 2, -8.0), (x, 1.0 + lids / 2, -7.0)
    points[152] = 0.0, 114.5 + mouth, 7.0
    x, y, width, height = (float(value) for value in box)
    points *= height / 165.0
    points[:, :2] += x + width / 2, y + height * 0.32
    return points.astype(np.float32)


@dataclass
class Finder:
    """Sees a usual face in every box but those of the calls that it was told to miss.

    Attributes:
        missed: which calls, from 0.
    """

    missed: frozenset[int] = frozenset()
    calls: int = 0
    key: str = "fake"
    parameters: Mapping[str, Json] = field(default_factory=dict)

    def find(self, image: NDArray[np.uint8], boxes: NDArray[np.float32]) -> list[Landmarks | None]:
        found: list[Landmarks | None] = []
        for box in boxes:
            missed = self.calls in self.missed
            self.calls += 1
            found.append(None if missed else Landmarks(usual_points(box), 1.0, MEDIAPIPE))
        return found

    def close(self) -> None:
        pass
