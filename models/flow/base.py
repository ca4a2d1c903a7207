"""What every optical flow takes and gives."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from project.types import Json

Picture = NDArray[np.uint8]
Flow = NDArray[np.float32]


class OpticalFlow(Protocol):
    """Finds the motion between two pictures of one size. The same pictures always give the same answer."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""

    def between(self, first: Picture, second: Picture) -> Flow:
        """Return the flow from one picture to another.

        Args:
            first: (h, w, 3) RGB or (h, w) grey.
            second: of the same shape.

        Returns:
            (h, w, 2) float32, u and v in pixels: what `first` shows at x, y, `second` shows at x + u, y + v.
        """
