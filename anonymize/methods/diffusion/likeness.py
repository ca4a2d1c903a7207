"""Whether a drawn face is still the one in the source: asked of an identity network that has no part in drawing."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.faces.identity.base import Embedder
from models.faces.identity.registry import embedder, usual
from models.faces.landmarks import registry as landmarks
from models.faces.landmarks.base import LandmarkFinder
from models.faces.landmarks.signals import five_points

Image = NDArray[np.uint8]

TOO_CLOSE = 0.25
"""Mean cosine of source and result over the key frames of a batch from which on it is drawn again."""

_COPY = 0.97

# Of an upright face, as shares of its box: eyes, nose, corners of the mouth.
_USUAL = np.array([[0.31, 0.41], [0.69, 0.41], [0.5, 0.6], [0.35, 0.78], [0.65, 0.78]], np.float32)


class Likeness(Protocol):
    """Compares faces."""

    @property
    def key(self) -> str:
        """What it asks, for the key of what is kept."""

    def between(self, source: Image, drawn: Image, box: NDArray[np.float64]) -> float:
        """Return the cosine of two faces that lie in the same place of two crops.

        Args:
            source: (h, w, 3).
            drawn: of the same shape.
            box: x, y, width, height of the face in the crops.
        """

    def close(self) -> None:
        """Free what it holds."""


class Embedded:
    """Compares what an identity network says of both, at the same five points."""

    def __init__(self, embedder: Embedder, finder: LandmarkFinder | None) -> None:
        self._embedder, self._finder = embedder, finder

    @property
    def key(self) -> str:
        """The networks that are asked."""
        return f"{self._embedder.key}, {self._finder.key if self._finder else 'box'}"

    def between(self, source: Image, drawn: Image, box: NDArray[np.float64]) -> float:
        """Return the cosine; a face without landmarks, from the side, is compared at the usual places in its box."""
        points = (_USUAL * box[2:] + box[:2]).astype(np.float32)
        if self._finder is not None:
            found = self._finder.find(source, box[None].astype(np.float32))[0]
            points = points if found is None else five_points(found)
        pair = [self._embedder.embed(each, points[None])[0] for each in (source, drawn)]
        return float(pair[0] @ pair[1])

    def close(self) -> None:
        """Free what it holds."""
        if self._finder is not None:
            self._finder.close()


def copied(source: Image, drawn: Image, box: NDArray[np.float64]) -> bool:
    """Tell whether a drawn face is a mere copy, in whatever brightness and contrast: by the correlation of both.

    Args:
        source: (h, w, 3).
        drawn: of the same shape.
        box: x, y, width, height of the face in the crops.
    """
    x, y, width, height = (round(float(value)) for value in box)
    rows, columns = slice(max(0, y), max(0, y + height)), slice(max(0, x), max(0, x + width))
    pair = [each[rows, columns].astype(np.float64).mean(axis=2) for each in (source, drawn)]
    one, two = (each - each.mean() if each.size else each for each in pair)
    scale = float(np.sqrt((one**2).sum() * (two**2).sum()))
    return scale > 0 and float((one * two).sum()) / scale > _COPY


def installed() -> Embedded | None:
    """Return what compares faces with the networks that are installed; None where there is no identity network."""
    name = usual()
    if name is None:
        return None
    return Embedded(embedder(name), landmarks.landmark_finder() if landmarks.installed("mediapipe") else None)
