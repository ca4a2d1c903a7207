"""Whether a rendering shows the same expressions, as a model of expressions sees them."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure, share


class ExpressionReader(Protocol):
    """Names the expression of a face."""

    @property
    def key(self) -> str:
        """Which model it is."""

    def read(self, image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> list[str]:
        """Return one label for each of (n, 5, 2) faces in an (h, w, 3) RGB picture."""


NOT_MEASURED = "No model of expressions is installed."


def agreement(raw: Sequence[str], other: Sequence[str]) -> Figure:
    """Return the share of faces with the same label in the source and in the clip."""
    return share(sum(a == b for a, b in zip(raw, other, strict=True)), len(raw), "faces with an expression")


def kappa(raw: Sequence[str], other: Sequence[str]) -> Figure:
    """Return Cohen's kappa of the labels (Cohen, 1960): agreement beyond chance; None where chance alone agrees."""
    n = len(raw)
    if not n:
        return Figure(None, 0, "There are no faces with an expression.")
    labels = sorted({*raw, *other})
    seen = sum(a == b for a, b in zip(raw, other, strict=True)) / n
    chance = sum((list(raw).count(label) / n) * (list(other).count(label) / n) for label in labels)
    if chance >= 1:
        return Figure(None, n, "All faces have the same expression.")
    return Figure((seen - chance) / (1 - chance), n)
