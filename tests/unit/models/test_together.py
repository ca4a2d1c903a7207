"""Several detectors as one, which lose nothing that one is sure of; and a look at half the size, confirmed in doubt."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.faces.detector_ensemble import DetectorEnsemble, EnsembleMember, TwoScales, merge, quick_detector
from models.faces.face_detectors import Detections
from project.entities.study_records import Json
from tests.builders.face_pictures import overlap

FLOOR = 0.12


def hits(*rows: Sequence[float], marks: bool = True) -> Detections:
    """Each x, y, width, height, score."""
    table = np.array(sorted(rows, key=lambda row: -row[4]), np.float32).reshape(-1, 5)
    points = np.repeat(table[:, None, :2], 5, axis=1) if marks else None
    return Detections(table[:, :4], table[:, 4], points)


_place = st.integers(0, 200).map(float)
_side = st.integers(5, 120).map(float)
_answer = st.lists(st.tuples(_place, _place, _side, _side, st.integers(6, 100).map(lambda n: n / 100)), max_size=6).map(
    lambda rows: hits(*rows)
)


@given(st.lists(_answer, min_size=2, max_size=3))
def test_what_one_is_sure_of_stays_and_nothing_is_invented(answers: list[Detections]) -> None:
    found = merge(answers, FLOOR)
    given_boxes = np.concatenate([each.boxes for each in answers])
    given_scores = np.concatenate([each.scores for each in answers])
    assert len(found) <= len(given_boxes)
    assert (np.diff(found.scores) <= 0).all()
    assert set(found.scores.tolist()) <= set(given_scores.tolist())
    assert found.landmarks is not None
    assert len(found.landmarks) == len(found)
    for box, score in zip(given_boxes, given_scores, strict=True):
        if score >= 0.2:
            assert any(overlap(box, kept) > 0.2 for kept in found.boxes.astype(float))
    for box in found.boxes:
        assert (box[:2] >= given_boxes[:, :2].min(0) - 0.01).all()
        assert (box[:2] + box[2:] <= (given_boxes[:, :2] + given_boxes[:, 2:]).max(0) + 0.01).all()


def test_a_face_that_both_found_is_one_box_between_their_mean_and_their_hull() -> None:
    found = merge([hits((100, 100, 40, 50, 0.3)), hits((108, 96, 40, 50, 0.7))], FLOOR)
    assert found.scores.tolist() == [pytest.approx(0.7)]
    assert found.boxes.tolist() == [[102.0, 97.0, 44.0, 52.0]]
    assert found.landmarks[0, 0].tolist() == [108, 96]
    assert len(merge([hits((100, 100, 40, 50, 0.8)), hits((135, 100, 40, 50, 0.7))], FLOOR)) == 2, "neighbours"


def test_a_weak_hit_counts_where_another_saw_something_too() -> None:
    weak = hits((100, 100, 40, 50, 0.15))
    assert len(merge([weak, Detections.empty()], FLOOR)) == 0
    assert len(merge([weak, hits((101, 101, 40, 50, 0.07))], FLOOR)) == 1
    assert len(merge([hits((100, 100, 40, 50, 0.08)), hits((101, 101, 40, 50, 0.07))], FLOOR)) == 0


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
    assert TwoScales(inner).detect(_picture((200, 100, 160, 200, 240))).boxes.tolist() == [[200, 100, 160, 200]]
    TwoScales(inner).detect(np.zeros((360, 640, 3), np.uint8))
    assert inner.sizes == [(640, 360)] * 2


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
