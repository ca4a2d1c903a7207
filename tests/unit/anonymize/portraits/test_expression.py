"""Pose and expression are read off points whatever the pose, and nothing else of the face is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods.synthetic.expression import SIGNALS, read_pose_and_expression, rotation_matrix
from tests.builders.points478 import usual_points

BOX = np.array([100, 80, 120, 165], np.float32)
angle = st.floats(-0.6, 0.6)


@given(turn=st.tuples(angle, angle, angle), scale=st.floats(0.2, 4), mouth=st.floats(0, 30), lids=st.floats(0, 12))
def test_a_turned_head_has_the_same_expression(
    turn: tuple[float, float, float], scale: float, mouth: float, lids: float
) -> None:
    points = usual_points(BOX, mouth, lids, across=2.0)
    pose, straight = read_pose_and_expression(points)
    assert np.abs(pose.turn).max() < 0.02
    assert pose.scale == pytest.approx(1, abs=0.01)
    moved = scale * points @ rotation_matrix(np.array(turn)).T + (40, -30, 5)
    seen, expression = read_pose_and_expression(moved.astype(np.float32))
    assert np.allclose(
        rotation_matrix(seen.turn), rotation_matrix(np.array(turn)) @ rotation_matrix(pose.turn), atol=2e-3
    )
    assert seen.scale == pytest.approx(scale * pose.scale, rel=1e-3)
    for name in SIGNALS:
        assert getattr(expression, name) == pytest.approx(getattr(straight, name), abs=0.02)


def test_distances_are_millimetres_of_a_usual_head() -> None:
    _, shut = read_pose_and_expression(usual_points(BOX))
    _, opened = read_pose_and_expression(usual_points(BOX, mouth=20.0))
    assert opened.open == pytest.approx(20, abs=0.5)
    assert opened.chin - shut.chin == pytest.approx(20, abs=0.5)
    assert read_pose_and_expression(usual_points(BOX, lids=0.5))[1].eye_left < 0.1 < 0.25 < shut.eye_left
    assert read_pose_and_expression(usual_points(BOX, across=3.0))[1].across == pytest.approx(3 / 27.2, abs=0.01)
