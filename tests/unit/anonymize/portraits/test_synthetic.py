"""Drawn faces: pose and expression are read off points, smoothed, and drawn without anything under a mask."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods.synthetic.expression import (
    MAX_GAP_US,
    MAX_HOLD_US,
    REST_EXPRESSION,
    SIGNALS,
    Expression,
    FaceSample,
    HeadPose,
    read_pose_and_expression,
    smooth_motion,
)
from anonymize.methods.synthetic.synthetic_face import SyntheticFace, SyntheticOptions
from project.progress import Silent
from tests.builders.face_sources import NoiseSource
from tests.builders.face_tracks import track
from tests.builders.points478 import Finder, usual_points

FACE_BOX = np.array([100, 80, 120, 165], np.float32)
angle = st.floats(-0.6, 0.6)


def rotation(turn: np.ndarray) -> np.ndarray:
    return np.asarray(cv2.Rodrigues(turn)[0])


@given(turn=st.tuples(angle, angle, angle), scale=st.floats(0.2, 4), mouth=st.floats(0, 30), lids=st.floats(0, 12))
def test_a_turned_head_has_the_same_expression(
    turn: tuple[float, float, float], scale: float, mouth: float, lids: float
) -> None:
    points = usual_points(FACE_BOX, mouth, lids, across=2.0)
    pose, straight = read_pose_and_expression(points)
    assert np.abs(pose.turn).max() < 0.02
    assert pose.scale == pytest.approx(1, abs=0.01)
    moved = scale * points @ rotation(np.array(turn)).T + (40, -30, 5)
    seen, expression = read_pose_and_expression(moved.astype(np.float32))
    assert np.allclose(rotation(seen.turn), rotation(np.array(turn)) @ rotation(pose.turn), atol=2e-3)
    assert seen.scale == pytest.approx(scale * pose.scale, rel=1e-3)
    for name in SIGNALS:
        assert getattr(expression, name) == pytest.approx(getattr(straight, name), abs=0.02)


# What is drawn is smooth without lag, bridges short gaps, never a cut, and is relative to the face at rest

STEP = 40_000


def seen(frame: int, face: Expression | None = REST_EXPRESSION, x: float = 100.0) -> FaceSample:
    pose = HeadPose(np.zeros(3), np.array([x + 20, 70.0]), 0.5)
    return FaceSample(frame, frame * STEP, np.array([x, 50.0, 40.0, 50.0]), None if face is None else (pose, face))


def test_a_blink_is_drawn_when_it_happens_and_wholly() -> None:
    lids = [0.27] * 60
    lids[30:33] = [0.12, 0.05, 0.14]
    track = [seen(i, replace(REST_EXPRESSION, eye_left=v, eye_right=v)) for i, v in enumerate(lids)]
    drawn = smooth_motion(track, ())
    opened = np.array([drawn[i][1].eye_left for i in range(60)])
    assert opened.argmin() == 31
    assert opened.min() < 0.2
    assert opened[20] > 0.9
    assert np.abs(opened[[27, 35]] - opened[20]).max() < 0.2


def test_short_gaps_follow_the_box() -> None:
    missing = MAX_GAP_US // STEP - 1
    track = [seen(i, None if 20 <= i < 20 + missing else REST_EXPRESSION, x=100 + 2 * i) for i in range(50)]
    drawn = smooth_motion(track, ())
    assert sorted(drawn) == list(range(50))
    for i in range(20, 20 + missing):
        assert drawn[i][0].place[0] == pytest.approx(120 + 2 * i, abs=1.5)


def test_long_gaps_are_not_drawn_and_ends_are_held_briefly() -> None:
    track = [seen(i, REST_EXPRESSION if i < 20 or i >= 60 else None) for i in range(80)]
    held = MAX_HOLD_US // STEP
    assert sorted(smooth_motion(track, ())) == [*range(20 + held), *range(60 - held, 80)]
    assert smooth_motion([seen(i, None) for i in range(9)], ()) == {}


def test_nothing_is_smoothed_or_bridged_across_a_cut() -> None:
    smile = replace(REST_EXPRESSION, width=70.0)
    track = [seen(i, REST_EXPRESSION if i < 25 else smile) for i in range(50)]
    width = [smooth_motion(track, (25,))[i][1].width for i in (24, 25)]
    plain = [smooth_motion(track, ())[i][1].width for i in (24, 25)]
    assert width[1] - width[0] == pytest.approx(14, abs=0.01)
    assert plain[1] - plain[0] < 13.9


def test_what_a_face_is_at_rest_is_not_drawn() -> None:
    rng = np.random.default_rng(1)
    low = [replace(REST_EXPRESSION, inner_left=10.0 + e, lip=26.0 + e) for e in rng.normal(0, 0.3, 400)]
    drawn = smooth_motion([seen(i, face) for i, face in enumerate(low)], ())
    assert drawn[200][1].inner_left == pytest.approx(REST_EXPRESSION.inner_left, abs=0.45 * 7)
    assert drawn[200][1].lip == pytest.approx(REST_EXPRESSION.lip, abs=0.45 * 7)


# What a drawn face shows

LEFT, RIGHT = (30, 40, 50, 62), (100, 44, 44, 54)


def drawn(source: NoiseSource, finder: Finder | None = None, **options: float) -> list[np.ndarray | None]:
    how = SyntheticFace(SyntheticOptions(**options), finder or Finder())
    how.begin(source, Silent())
    faces = sorted((face for track in source.tracks for face in source.faces(track.id)), key=lambda face: face.frame)
    made = [how.draw(face) for face in faces]
    how.end()
    return made


def two(seed: int = 0) -> NoiseSource:
    tracks = [track([LEFT] * 3, name="a"), track([RIGHT] * 3, name="b")]
    return NoiseSource(tracks, seed, identities={"a": "P01", "b": "P02"})


def test_no_pixel_under_any_mask_has_an_influence() -> None:
    first, second = drawn(two()), drawn(two(seed=7))
    assert (two().picture(0) != two(7).picture(0)).any()
    assert len(first) == len(second) > 0
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_who_is_drawn_depends_on_the_name_alone() -> None:
    source = two()
    source.identities = {"a": "P01", "b": "P01"}
    alone = drawn(two())[0]
    assert (drawn(source)[0] == alone).all()
    source.identities = {"a": "P09", "b": "P02"}
    assert (drawn(source)[0] != alone).mean() > 0.1


def test_without_landmarks_nothing_is_drawn() -> None:
    source = NoiseSource([track([LEFT] * 40, name="a")])
    made = drawn(source, Finder(missed=frozenset(range(10, 40))))
    assert all(array is not None for array in made[:10])
    assert all(array is None for array in made[20:])


def test_the_larger_of_two_overlapping_faces_is_in_front() -> None:
    near, far = track([(60, 30, 70, 86)] * 2, name="a"), track([(100, 40, 36, 44)] * 2, name="b")
    source = NoiseSource([near, far], identities={"a": "P01", "b": "P02"})
    how = SyntheticFace(finder=Finder())
    how.begin(source, Silent())
    first, second = (next(source.faces(name)) for name in ("a", "b"))
    front, behind = how.draw(first), how.draw(second)
    # The middle of the near face's right cheek lies in the far face's rectangle, and looks the same in both.
    x, y = 110, 70
    assert (front[y - first.y, x - first.x] == behind[y - second.y, x - second.x]).all()
