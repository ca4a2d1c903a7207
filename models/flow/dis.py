"""Dense inverse search (Kroeger et al., "Fast optical flow using dense inverse search", ECCV 2016), by OpenCV."""

from collections.abc import Mapping
from typing import ClassVar

import cv2
import numpy as np

from models.flow.optical_flow import Flow, Picture
from project.entities.study_records import Json

# The coarsest level that OpenCV builds must hold a patch of eight pixels with room around it.
_LEAST = 32


class DenseInverseSearch:
    """Needs no weights."""

    key: ClassVar[str] = "dis"
    parameters: ClassVar[Mapping[str, Json]] = {"preset": "medium"}

    def between(self, first: Picture, second: Picture) -> Flow:
        """Return the flow; pictures smaller than 32 pixels are enlarged by repeating their edge."""
        grey: list[Picture] = [_grey(first), _grey(second)]
        height, width = grey[0].shape
        down, across = max(0, _LEAST - height), max(0, _LEAST - width)
        if down or across:
            grey = [np.pad(picture, ((0, down), (0, across)), mode="edge") for picture in grey]
        # It keeps the last flow inside, so each pair gets a search of its own: answers do not depend on the order.
        search = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
        found = search.calc(grey[0], grey[1], np.zeros((*grey[0].shape, 2), np.float32))
        return np.ascontiguousarray(found[:height, :width], np.float32)


def _grey(picture: Picture) -> Picture:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY) if picture.ndim == 3 else picture, np.uint8)
