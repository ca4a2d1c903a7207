"""A large picture is searched cheaply, and no less is found."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.boxes import crop_windows
from models.faces.detector_ensemble import search_faces
from models.faces.face_detectors import Detections
from project.entities.study_records import Json
from tests.builders.face_tracks import Box

SMALL: Box = (100, 100, 40, 40)
LARGE: Box = (100, 100, 200, 200)
WIDTH, HEIGHT = 1600, 1200
Answers = Sequence[tuple[Box, float]]


def half(box: Box) -> Box:
    return (box[0] / 2, box[1] / 2, box[2] / 2, box[3] / 2)


class Asked:
    """A detector with one answer for the reduced picture, one for the whole at full size, one for windows of it."""

    key = "asked"
    parameters: Mapping[str, Json] = {}

    def __init__(self, reduced: Answers = (), window: Answers = (), whole: Answers = ()) -> None:
        self._answers = {"reduced": reduced, "window": window, "whole": whole}
        self.looks: list[str] = []

    def detect(self, image: np.ndarray, floor: float = 0.2) -> Detections:
        kinds = {WIDTH // 2: "reduced", WIDTH: "whole"}
        self.looks.append(kinds.get(image.shape[1], "window"))
        found = [(box, score) for box, score in self._answers[self.looks[-1]] if score >= floor]
        boxes = np.array([box for box, _ in found], np.float32).reshape(-1, 4)
        return Detections(boxes, np.array([score for _, score in found], np.float32))


@pytest.mark.parametrize(
    ("eye", "near", "looks", "scores"),
    [
        (Asked([(half(SMALL), 0.09)]), [], "reduced", []),
        (Asked([(half(SMALL), 0.1)]), [], "reduced window", []),
        (Asked([(half(LARGE), 0.24)]), [], "reduced", []),
        (Asked([(half(LARGE), 0.25)]), [], "reduced window", []),
        (Asked(window=[(SMALL, 0.34)], whole=[(SMALL, 0.9)]), [SMALL], "reduced window", []),
        (Asked(window=[(SMALL, 0.35)], whole=[(SMALL, 0.9)]), [SMALL], "reduced window whole", [0.9]),
        (Asked(window=[(SMALL, 0.35)], whole=[(SMALL, 0.49)]), [SMALL], "reduced window whole", []),
        (Asked(window=[(LARGE, 0.9)]), [LARGE], "reduced", []),
    ],
)
def test_a_closer_look_is_taken_with_a_reason(eye: Asked, near: list[Box], looks: str, scores: list[float]) -> None:
    found = search_faces(eye, np.zeros((HEIGHT, WIDTH, 3), np.uint8), near, 0.5)
    assert eye.looks == looks.split()
    assert found.scores.tolist() == pytest.approx(scores)


def test_a_small_picture_is_searched_as_it_is() -> None:
    eye = Asked(window=[(SMALL, 0.5), (LARGE, 0.49)])
    found = search_faces(eye, np.zeros((480, 640, 3), np.uint8), [SMALL], 0.5)
    assert eye.looks == ["window"]
    assert found.boxes.tolist() == [[*SMALL]]


sides = st.floats(-50, 2000, allow_nan=False)
sizes = st.floats(1, 300, allow_nan=False)


@given(st.lists(st.tuples(sides, sides, sizes, sizes), max_size=12))
def test_windows_show_every_box_with_its_surroundings_once(boxes: list[Box]) -> None:
    found = crop_windows(boxes, WIDTH, HEIGHT)
    shown = np.zeros((HEIGHT, WIDTH), np.uint8)
    for left, top, right, bottom in found:
        assert 0 <= left < right <= WIDTH
        assert 0 <= top < bottom <= HEIGHT
        shown[top:bottom, left:right] += 1
    assert shown.max(initial=0) <= 1
    for x, y, w, h in boxes:
        rows = slice(max(0, round(y - 32)), max(0, round(y + h + 32)))
        columns = slice(max(0, round(x - 32)), max(0, round(x + w + 32)))
        assert shown[rows, columns].all()
