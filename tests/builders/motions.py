"""Motions that are known, in place of those that a flow finds."""

import numpy as np
from numpy.typing import NDArray

from models.flow.optical_flow import Flow, Picture


class Shift:
    """Says that each picture is the one before, moved by so many pixels; the first pixel's red numbers them."""

    key = "shift"
    parameters: dict[str, object] = {}

    def __init__(self, across: float) -> None:
        self._step = across, 0

    def between(self, first: Picture, second: Picture) -> Flow:
        steps = int(second[0, 0, 0]) - int(first[0, 0, 0])
        return np.broadcast_to(np.float32(self._step) * steps, (*first.shape[:2], 2)).astype(np.float32).copy()


def shifted(count: int, size: int, across: int, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Pictures of one texture that moves to the right; the first pixel numbers them for `Shift`."""
    rng = np.random.default_rng(seed)
    wide = rng.integers(20, 60, (size, size + across * count, 3), np.uint8)
    found = []
    for index in range(count):
        start = across * (count - index)
        picture = wide[:, start : start + size].copy()
        picture[0, 0, 0] = index
        found.append(picture)
    return found
