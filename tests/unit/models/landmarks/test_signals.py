"""What is read from points: known heads, turned and lit with known mouths, eyes and brows, give what was put in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.faces.landmarks.face_signals import (
    brow_height,
    eye_closure,
    head_pose,
    iris_offset,
    mouth_opening,
)
from models.faces.landmarks.landmark_finders import IBUG, MEDIAPIPE, Landmarks
from tests.builders.heads import head, rotation, seen

LAYOUTS = [MEDIAPIPE, IBUG]
SIZE = (1280, 720)
turned = st.tuples(st.floats(-50, 50), st.floats(-35, 35), st.floats(-45, 45))
BETWEEN_EYES = 89.0


@given(turn=turned, place=st.tuples(st.floats(-200, 200), st.floats(-100, 100), st.floats(400, 1500)))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_turned_head_gives_its_angles_back(
    layout: str, turn: tuple[float, float, float], place: tuple[float, float, float]
) -> None:
    face = seen(head(layout), layout, rotation(*turn), SIZE, place)
    assert head_pose(face, SIZE) == pytest.approx(turn, abs=0.5)


def test_the_signs_of_the_pose() -> None:
    """The nose's tip goes where the face turns: to the right, up; a roll clockwise lowers the eye at the right."""
    for turn, axis, sign in (((30, 0, 0), 0, 1), ((0, 30, 0), 1, -1)):
        straight, face = (seen(head(IBUG), IBUG, rotation(*each)) for each in ((0, 0, 0), turn))
        assert sign * (face.points[30] - straight.points[30])[axis] > 5
    rolled = seen(head(IBUG), IBUG, rotation(0, 0, 20))
    assert rolled.points[45, 1] > rolled.points[36, 1]


@given(layout=st.sampled_from(LAYOUTS), turn=turned, gap=st.floats(0, 50))
def test_the_mouth_is_as_open_as_it_was_made_however_the_head_is_turned(
    layout: str, turn: tuple[float, float, float], gap: float
) -> None:
    """Far away, where nothing is larger for being nearer."""
    turn = turn if layout == MEDIAPIPE else (0, 0, turn[2])
    face = seen(head(layout, mouth=gap), layout, rotation(*turn), SIZE, (0, 0, 1e5))
    assert mouth_opening(face) == pytest.approx(gap / BETWEEN_EYES, abs=0.005)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_closed_eye_is_told_from_the_other_and_raised_brows_are_higher(layout: str) -> None:
    left, right = eye_closure(seen(head(layout, eyes=(0, 8)), layout))
    assert left == pytest.approx(1, abs=1e-4)
    assert right == pytest.approx(1 - 8 / 26.7 / 0.3, abs=0.05)
    left, right = eye_closure(seen(head(layout, eyes=(8, 0)), layout))
    assert right > left + 0.8
    low, high = (brow_height(seen(head(layout, brows=height), layout)) for height in (20, 30))
    assert low == pytest.approx((20 / BETWEEN_EYES,) * 2, rel=0.05)
    assert high == pytest.approx((30 / BETWEEN_EYES,) * 2, rel=0.05)


@given(st.floats(-8, 8), st.floats(-4, 4), st.floats(-45, 45))
def test_irises_are_where_they_were_put_along_the_eye(right: float, down: float, roll: float) -> None:
    face = seen(head(MEDIAPIPE, iris=(right, down)), MEDIAPIPE, rotation(0, 0, roll), SIZE, (0, 0, 1e5))
    offsets = iris_offset(face)
    assert offsets is not None
    assert offsets == pytest.approx(np.array([(right, down)] * 2) / 26.0, abs=0.03)


@given(scale=st.floats(0.05, 20), x=st.floats(-500, 500), y=st.floats(-500, 500))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_size_and_place_change_nothing(layout: str, scale: float, x: float, y: float) -> None:
    face = seen(head(layout, mouth=12, iris=(3, 1)), layout)
    moved = Landmarks((face.points * scale + (x, y, 0)).astype(np.float32), 1.0, layout)
    for signal in (mouth_opening, eye_closure, brow_height):
        assert np.array(signal(moved)) == pytest.approx(np.array(signal(face)), abs=0.02)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_points_that_all_coincide_break_nothing(layout: str) -> None:
    face = Landmarks(np.full((478 if layout == MEDIAPIPE else 68, 3), 7, np.float32), 1.0, layout)
    assert np.isfinite([mouth_opening(face), *eye_closure(face), *brow_height(face)]).all()
    assert np.isnan(head_pose(face, SIZE)).all()
    offsets = iris_offset(face)
    assert offsets is None or np.isfinite(offsets).all()
