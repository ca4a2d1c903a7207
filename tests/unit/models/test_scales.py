"""A look at half the size, confirmed at full size where it left a doubt."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from models.faces.detector_ensemble import DetectorEnsemble, EnsembleMember, TwoScales, quick_detector
from models.faces.face_detectors import Detections
from project.entities.study_records import Json

FULL = (1280, 720)


class Levels:
    """Finds rectangles of one brightness each; the share of full brightness is the score, smaller ones score less."""

    key = "levels"
    parameters: ClassVar[Mapping[str, Json]] = {"kind": "fake"}

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        self.sizes.append((image.shape[1], image.shape[0]))
        boxes, scores = [], []
        for level in np.unique(image[:, :, 0]):
            rows, columns = np.nonzero(image[:, :, 0] == level)
            width, height = columns.max() - columns.min() + 1, rows.max() - rows.min() + 1
            score = level / 250 * min(1, width / 40)
            if level > 20 and len(rows) == width * height and score >= floor:
                boxes.append((columns.min(), rows.min(), width, height))
                scores.append(score)
        return Detections(np.array(boxes, np.float32).reshape(-1, 4), np.array(scores, np.float32))


def _picture(*boxes: tuple[int, int, int, int, int]) -> NDArray[np.uint8]:
    image = np.zeros((FULL[1], FULL[0], 3), np.uint8)
    for x, y, width, height, level in boxes:
        image[y : y + height, x : x + width] = level
    return image


def test_a_large_sure_face_needs_no_second_look() -> None:
    inner = Levels()
    found = TwoScales(inner).detect(_picture((200, 100, 160, 200, 240)))
    assert inner.sizes == [(640, 360)]
    assert found.boxes.tolist() == [[200, 100, 160, 200]]


@pytest.mark.parametrize(("box", "score"), [((200, 100, 40, 40, 240), 0.96), ((200, 100, 160, 160, 80), 0.32)])
def test_a_small_or_unsure_one_is_looked_at_closely_and_that_decides(
    box: tuple[int, int, int, int, int], score: float
) -> None:
    inner = Levels()
    found = TwoScales(inner).detect(_picture(box))
    assert len(inner.sizes) == 2
    assert inner.sizes[1][0] * inner.sizes[1][1] < FULL[0] * FULL[1] / 4
    assert found.boxes.tolist() == [list(box[:4])]
    assert found.scores[0] == pytest.approx(score, abs=0.01)


def test_a_small_picture_is_looked_at_once() -> None:
    inner = Levels()
    TwoScales(inner).detect(np.zeros((360, 640, 3), np.uint8))
    assert inner.sizes == [(640, 360)]


class Quick(Levels):
    """One that is quick, by its name."""

    key = "yunet"


def test_the_quick_one_of_several_glances_by_the_rule_for_one_alone() -> None:
    quick = Quick()
    glance = quick_detector(DetectorEnsemble([Levels(), quick]))
    assert isinstance(glance, EnsembleMember)
    assert glance.key == "yunet"
    assert len(glance.detect(_picture((200, 100, 160, 160, 40)), 0.12)) == 0
    assert len(quick.sizes) == 1
    assert len(glance.detect(_picture((200, 100, 160, 160, 60)), 0.12)) == 1


def test_alone_a_quick_one_looks_as_ever_and_another_at_two_scales() -> None:
    quick, slow = Quick(), Levels()
    assert quick_detector(quick) is quick
    assert isinstance(quick_detector(slow), TwoScales)
    assert quick_detector(slow).parameters["reduced"] == 0.5
