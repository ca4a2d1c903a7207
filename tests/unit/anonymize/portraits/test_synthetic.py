"""Drawn faces: pose and expression are read off points, smoothed, and drawn without anything under a mask."""

from dataclasses import astuple, replace

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
from anonymize.methods.synthetic.face_drawing import SceneLight
from anonymize.methods.synthetic.head_shape import generate_appearance
from anonymize.methods.synthetic.portrait import Portrait
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


def test_distances_are_millimetres_of_a_usual_head() -> None:
    _, shut = read_pose_and_expression(usual_points(FACE_BOX))
    _, opened = read_pose_and_expression(usual_points(FACE_BOX, mouth=20.0))
    assert opened.open == pytest.approx(20, abs=0.5)
    assert opened.chin - shut.chin == pytest.approx(20, abs=0.5)
    assert read_pose_and_expression(usual_points(FACE_BOX, lids=0.5))[1].eye_left < 0.1 < 0.25 < shut.eye_left
    assert read_pose_and_expression(usual_points(FACE_BOX, across=3.0))[1].across == pytest.approx(3 / 27.2, abs=0.01)


@given(st.text(min_size=1), st.text(min_size=1))
def test_one_name_has_one_look(first: str, second: str) -> None:
    assert generate_appearance(first) == generate_appearance(first)
    assert (generate_appearance(first) == generate_appearance(second)) == (first == second)


def test_the_looks_of_a_study_are_of_all_kinds() -> None:
    looks = [generate_appearance(f"P{number:02}") for number in range(40)]
    assert len({look.hair for look in looks}) >= 5
    assert len({look.length for look in looks}) >= 5
    brightness = sorted(sum(look.skin) for look in looks)
    assert brightness[0] < 330
    assert brightness[-1] > 560
    assert all(0 <= value <= 255 for look in looks for colour in astuple(look)[:3] for value in colour)


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


def test_trembling_is_calmed_and_a_turn_is_not_delayed() -> None:
    tremble = np.random.default_rng(0).normal(0, 0.4, 100)
    place = 100 + np.where(np.arange(100) < 50, 0, 30) + tremble
    drawn = smooth_motion([seen(i, x=float(x)) for i, x in enumerate(place)], ())
    path = np.array([drawn[i][0].place[0] for i in range(100)])
    assert np.diff(path[5:40]).std() < 0.5 * np.diff(place[5:40]).std()
    assert np.interp(135, path, np.arange(100)) == pytest.approx(49.5, abs=1)


@pytest.mark.parametrize("missing", [1, MAX_GAP_US // STEP - 1])
def test_short_gaps_follow_the_box(missing: int) -> None:
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


def test_one_frame_is_enough_for_a_preview() -> None:
    assert list(smooth_motion([seen(7)], ())) == [7]


# What a drawn face shows

LEFT, RIGHT = (30, 40, 50, 62), (100, 44, 44, 54)
AWAKE = replace(REST_EXPRESSION, eye_left=1.0, eye_right=1.0)
DAY = SceneLight(1.0, 0.0, np.ones(3), 1.0)


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


def test_the_shape_of_a_face_has_little_influence() -> None:
    """Wide and narrow faces of one expression are drawn nearly alike; the scale is that of the face."""
    narrow, wide = (drawn(two(), Finder(shape=shape))[0] for shape in (0.94, 1.06))
    assert np.abs(narrow.astype(int) - wide).mean() < 12


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


def portrait(
    expression: Expression, turn: tuple[float, float, float] = (0, 0, 0), light: SceneLight = DAY
) -> np.ndarray:
    source = NoiseSource([track([(60, 40, 80, 100)])])
    face = next(source.faces("face"))
    layer = Portrait("P03").draw_layer(face, HeadPose(np.array(turn), np.array([100.0, 72.0]), 0.6), expression, light)
    shown = np.full(face.crop.shape, 128, np.uint8)
    layer.paste_onto(shown, face.x, face.y)
    return shown


def test_the_mouth_opens_as_far_as_it_is_told() -> None:
    plain = portrait(AWAKE)
    changed = [
        int((np.abs(portrait(replace(AWAKE, open=gap, chin=65 + gap)).astype(int) - plain).sum(-1) > 60).sum())
        for gap in (4.0, 10.0, 20.0)
    ]
    assert 0 < changed[0] < changed[1] < changed[2]


def test_shut_eyes_show_no_white() -> None:
    def white(image: np.ndarray) -> int:
        return int((image.min(-1) > 215).sum())

    shut = replace(AWAKE, eye_left=0.0, eye_right=0.0)
    assert white(portrait(shut)) == 0
    assert white(portrait(AWAKE)) > 10
    half = replace(AWAKE, eye_left=0.5, eye_right=0.5)
    assert 0 < white(portrait(half)) < white(portrait(AWAKE))


def test_turned_heads_are_drawn() -> None:
    for yaw in (-1.2, 0.7):
        assert (portrait(AWAKE, (0.1, yaw, -0.2)) != 128).any(-1).mean() > 0.3


def test_a_scene_without_colours_gets_a_grey_face_and_a_dark_one_a_dark_face() -> None:
    grey = portrait(AWAKE, light=replace(DAY, saturation=0.0)).astype(int)
    assert np.ptp(grey, axis=-1).max() <= 2
    assert portrait(AWAKE, light=replace(DAY, level=0.5)).mean() < portrait(AWAKE).mean() - 10


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


def test_an_expression_can_be_drawn_stronger() -> None:
    source = NoiseSource([track([LEFT] * 8, name="a")])
    mouths = tuple(float(gap) for gap in np.abs(np.sin(np.arange(10) / 3)) * 12)
    plain, strong = drawn(source, Finder(mouth=mouths)), drawn(source, Finder(mouth=mouths), expression=1.5)
    assert any((a != b).any() for a, b in zip(plain, strong, strict=True))
