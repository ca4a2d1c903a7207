"""What a drawn face shows, and that nothing under a mask has a part in it."""

from dataclasses import replace

import numpy as np
import pytest

from anonymize.methods.synthetic.expression import REST_EXPRESSION, Expression, HeadPose
from anonymize.methods.synthetic.face_drawing import SceneLight
from anonymize.methods.synthetic.portrait import Portrait
from anonymize.methods.synthetic.synthetic_face import SyntheticFace, SyntheticOptions
from project.progress import Silent
from tests.builders.face_tracks import track
from tests.builders.points478 import Finder
from tests.builders.portrait_sources import Source

LEFT, RIGHT = (30, 40, 50, 62), (100, 44, 44, 54)
AWAKE = replace(REST_EXPRESSION, eye_left=1.0, eye_right=1.0)
DAY = SceneLight(1.0, 0.0, np.ones(3), 1.0)


def drawn(source: Source, finder: Finder | None = None, **options: float) -> list[np.ndarray | None]:
    how = SyntheticFace(SyntheticOptions(**options), finder or Finder())
    how.begin(source, Silent())
    faces = sorted((face for track in source.tracks for face in source.faces(track.id)), key=lambda face: face.frame)
    made = [how.draw(face) for face in faces]
    how.end()
    return made


def two(seed: int = 0) -> Source:
    tracks = [track([LEFT] * 3, name="a"), track([RIGHT] * 3, name="b")]
    return Source(tracks, seed, identities={"a": "P01", "b": "P02"})


def test_no_pixel_under_any_mask_has_an_influence() -> None:
    first, second = drawn(two()), drawn(two(seed=7))
    assert (two().picture(0) != two(7).picture(0)).any()
    for a, b in zip(first, second, strict=True):
        assert a is not None
        assert b is not None
        assert (a == b).all()


def test_the_shape_of_a_face_has_little_influence() -> None:
    """Wide and narrow faces of one expression are drawn nearly alike; the scale is that of the face."""
    array, other = (drawn(two(), Finder(shape=shape))[0] for shape in (0.94, 1.06))
    assert other is not None
    assert np.abs(array.astype(int) - other).mean() < 12


def test_who_is_drawn_depends_on_the_name_alone() -> None:
    source = two()
    source.identities = {"a": "P01", "b": "P01"}
    alone = drawn(two())[0]
    assert alone is not None
    assert (drawn(source)[0] == alone).all()
    source.identities = {"a": "P09", "b": "P02"}
    assert (drawn(source)[0] != alone).mean() > 0.1


def test_without_landmarks_nothing_is_drawn() -> None:
    source = Source([track([LEFT] * 40, name="a")])
    made = drawn(source, Finder(missed=frozenset(range(10, 40))))
    assert all(array is not None for array in made[:10])
    assert all(array is None for array in made[20:])


def portrait(
    expression: Expression, turn: tuple[float, float, float] = (0, 0, 0), light: SceneLight = DAY
) -> np.ndarray:
    source = Source([track([(60, 40, 80, 100)])])
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


@pytest.mark.parametrize("yaw", [-1.2, -0.7, 0.0, 0.7, 1.2])
def test_turned_heads_are_drawn(yaw: float) -> None:
    image = portrait(AWAKE, (0.1, yaw, -0.2))
    assert (image != 128).any(-1).mean() > 0.3


def test_a_scene_without_colours_gets_a_grey_face_and_a_dark_one_a_dark_face() -> None:
    grey = portrait(AWAKE, light=replace(DAY, saturation=0.0)).astype(int)
    assert np.ptp(grey, axis=-1).max() <= 2
    assert portrait(AWAKE, light=replace(DAY, level=0.5)).mean() < portrait(AWAKE).mean() - 10


def test_the_larger_of_two_overlapping_faces_is_in_front() -> None:
    near, far = track([(60, 30, 70, 86)] * 2, name="a"), track([(100, 40, 36, 44)] * 2, name="b")
    source = Source([near, far], identities={"a": "P01", "b": "P02"})
    how = SyntheticFace(finder=Finder())
    how.begin(source, Silent())
    first, second = (next(source.faces(name)) for name in ("a", "b"))
    front, behind = how.draw(first), how.draw(second)
    # The middle of the near face's right cheek lies in the far face's rectangle, and looks the same in both.
    x, y = 110, 70
    assert (front[y - first.y, x - first.x] == behind[y - second.y, x - second.x]).all()


def test_an_expression_can_be_drawn_stronger() -> None:
    source = Source([track([LEFT] * 30, name="a")])
    mouths = tuple(float(v) for v in np.abs(np.sin(np.arange(32) / 3)) * 12)
    plain, strong = drawn(source, Finder(mouth=mouths)), drawn(source, Finder(mouth=mouths), expression=1.5)
    assert any((a != b).any() for a, b in zip(plain, strong, strict=True) if a is not None and b is not None)
