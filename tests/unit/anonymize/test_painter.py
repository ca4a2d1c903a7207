"""What a method that draws faces is given, where its drawing goes, and what is painted whatever the method."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from anonymize.masking.masks import MaskSet
from anonymize.methods.face_methods import Face, create_method
from anonymize.methods.solid import NEUTRAL_GREY
from anonymize.rendering.face_renderer import Painter, RenderPlan, render
from media.decoding import iterate_frames
from media.frame_index import load_index
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.progress import Silent
from tests.builders.face_clips import make_clip
from tests.builders.face_tracks import track
from tests.builders.green_method import Green

SIZE = (160, 120)
TIMES = range(0, 400, 40)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "source.mp4", TIMES, SIZE, block=4)


def painted(clip: Path, plan: RenderPlan) -> Iterator[tuple[int, NDArray[np.uint8], NDArray[np.uint8]]]:
    painter = Painter(plan, load_index(clip))
    painter.begin(Silent())
    for picture in iterate_frames(clip):
        raw = picture.image
        painter.paint(picture)
        yield picture.index, raw, picture.image
    painter.end()


def plan(clip: Path, how: object, **more: object) -> RenderPlan:
    face = track([(50 + i, 40, 30, 36) for i in range(6)], frames=range(2, 8), name="anna")
    return RenderPlan(clip, Path("unused.mp4"), [face], len(TIMES), how, **more)


def test_a_method_may_look_at_all_faces_before_the_first_frame(clip: Path) -> None:
    green = Green()
    list(painted(clip, plan(clip, green)))
    assert green.ahead == {"anna": list(range(1, 9))}
    assert [face.frame for face in green.seen] == list(range(1, 9))
    assert green.seen[1].box.tolist() == [50, 40, 30, 36]
    assert green.seen[0].identity == "anna"
    assert green.ended == 1
    pair = [track([(50, 40, 30, 36)] * 3, name="anna"), track([(100, 40, 30, 36)] * 2, frames=[2, 3], name="bob")]
    list(painted(clip, RenderPlan(clip, Path("unused.mp4"), pair, len(TIMES), green)))
    assert [[name for at, name in green.together if at == frame] for frame in range(5)] == [
        *(["anna"], ["anna", "bob"], ["anna", "bob"], ["anna", "bob"], ["bob"])
    ]


def test_no_method_sees_what_lies_in_an_area(clip: Path) -> None:
    green = Green()
    area = Region("a", "r", RegionKind.AREA, "badge", 0, 10_000_000, (Keyframe(0, 60, 50, 20, 20),))
    list(painted(clip, plan(clip, green, areas=[area])))
    for face in green.seen:
        assert (face.image[50:70, 60:80] == NEUTRAL_GREY).all()


def test_a_face_that_cannot_be_drawn_is_painted_solid_and_told(clip: Path, tmp_path: Path) -> None:
    green = Green(fails=4)
    wanted = plan(clip, green)
    masks = MaskSet(wanted.tracks)
    for frame, _, after in painted(clip, wanted):
        if frame == 4:
            hidden = after[masks.draw_alpha(frame, *SIZE) == 255]
            assert (np.ptp(hidden.astype(int), axis=1) <= 2).all()
            assert np.abs(hidden.astype(int) - NEUTRAL_GREY).max() < 30
    face = wanted.tracks[0]
    done = render(RenderPlan(clip, tmp_path / "out.mp4", [face], len(TIMES), Green(fails=4)))
    assert done.undrawn_us == (160_000,)


@pytest.mark.parametrize("from_source", [False, True])
def test_a_solid_face_lies_under_one_that_owes_nothing_to_the_picture_alone(clip: Path, from_source: bool) -> None:
    class Half(Green):
        def draw(self, face: Face) -> NDArray[np.uint8] | None:
            return super().draw(face) if face.track_id == "anna" else None

    Half.from_source = from_source
    for order in (("anna", "lamp"), ("lamp", "anna")):
        faces = [track([(50, 40, 30, 36)] * 10, name=name) for name in order]
        wanted = RenderPlan(clip, Path("unused.mp4"), faces, len(TIMES), Half())
        for _, _, after in painted(clip, wanted):
            assert (after[50:60, 60:70, 1] > 240).all() != from_source


def test_an_area_is_painted_over_whatever_the_method_while_it_lasts(clip: Path) -> None:
    moving = (Keyframe(80_000, 10, 10, 21, 11), Keyframe(240_000, 50, 70, 21, 11))
    area = Region("a", "r", RegionKind.AREA, "badge", 80_000, 280_000, moving)
    for how in (create_method("blur"), Green()):
        for frame, before, after in painted(clip, plan(clip, how, areas=[area])):
            x, y, width, height = (int(v) for v in area.boxes_at(np.array([frame * 40_000]))[0])
            inside = after[y : y + height, x : x + width].astype(int)
            if 2 <= frame < 7:
                assert (np.ptp(inside, axis=2) <= 2).all()
                assert inside.std() < 1
            elif frame in (0, 9):
                assert (before == after).all()


def test_the_method_is_let_go_when_rendering_fails(clip: Path, tmp_path: Path) -> None:
    class Wrong(Green):
        def draw(self, face: Face) -> NDArray[np.uint8]:
            return np.zeros((1, 1, 3), np.uint8)

    wrong = Wrong()
    face = track([(50, 40, 30, 36)], name="anna")
    with pytest.raises(ValueError, match="drew"):
        render(RenderPlan(clip, tmp_path / "out.mp4", [face], len(TIMES), wrong))
    assert wrong.ended == 1
    assert not list(tmp_path.iterdir())
