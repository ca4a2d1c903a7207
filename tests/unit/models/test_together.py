"""Several detectors as one: nothing that one is sure of is lost, and a face that both found is one face."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.faces.detector_ensemble import DetectorEnsemble, merge
from models.faces.face_detectors import Detections, FaceDetector
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


@given(_answer, _answer)
@example(
    hits((0, 0, 5, 5, 0.06), (0, 0, 5, 5, 0.06), (0, 0, 5, 5, 0.12)),
    hits((0, 0, 5, 5, 0.06), (0, 0, 5, 5, 0.06), (0, 0, 5, 6, 0.12)),
)
def test_the_order_of_two_detectors_does_not_matter(a: Detections, b: Detections) -> None:
    detections, other = merge([a, b], FLOOR), merge([b, a], FLOOR)
    assert sorted(detections.scores.tolist()) == sorted(other.scores.tolist())


@given(_answer)
def test_one_who_finds_nothing_changes_nothing_of_what_is_sure(answer: Detections) -> None:
    found = merge([answer, Detections.empty()], FLOOR)
    sure = answer.scores >= 0.2
    assert np.allclose(found.boxes, answer.boxes[sure])
    assert (found.scores == answer.scores[sure]).all()


def test_a_face_that_both_found_is_one_box_between_their_mean_and_their_hull() -> None:
    found = merge([hits((100, 100, 40, 50, 0.3)), hits((108, 96, 40, 50, 0.7))], FLOOR)
    assert found.scores.tolist() == [pytest.approx(0.7)]
    assert found.boxes.tolist() == [[102.0, 97.0, 44.0, 52.0]]
    assert found.landmarks[0, 0].tolist() == [108, 96]


def test_neighbours_stay_two() -> None:
    found = merge([hits((100, 100, 40, 50, 0.8)), hits((135, 100, 40, 50, 0.7))], FLOOR)
    assert len(found) == 2


def test_a_weak_hit_counts_where_another_saw_something_too() -> None:
    weak = hits((100, 100, 40, 50, 0.15))
    assert len(merge([weak, Detections.empty()], FLOOR)) == 0
    assert len(merge([weak, hits((101, 101, 40, 50, 0.07))], FLOOR)) == 1
    assert len(merge([hits((100, 100, 40, 50, 0.08)), hits((101, 101, 40, 50, 0.07))], FLOOR)) == 0


def test_without_landmarks_of_one_there_are_none() -> None:
    found = merge([hits((0, 0, 40, 50, 0.9)), hits((100, 100, 40, 50, 0.8), marks=False)], FLOOR)
    assert len(found) == 2
    assert found.landmarks is None


class Always:
    """Says the same about every picture."""

    def __init__(self, key: str, answer: Detections) -> None:
        self.key, self._answer = key, answer
        self.floors: list[float] = []

    @property
    def parameters(self) -> Mapping[str, Json]:
        return {"of": self.key}

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        self.floors.append(floor)
        return self._answer


def test_it_names_all_and_asks_all_for_half_of_the_floor() -> None:
    first, second = Always("a", hits((0, 0, 40, 50, 0.9))), Always("b", hits((100, 100, 40, 50, 0.8)))
    both: FaceDetector = DetectorEnsemble([first, second])
    assert both.key == "a+b"
    assert (both.parameters["a"], both.parameters["b"]) == ({"of": "a"}, {"of": "b"})
    assert len(both.detect(np.zeros((9, 9, 3), np.uint8), 0.12)) == 2
    assert first.floors == second.floors == [0.06]
