"""What holds for every method of the registry, also for those that are yet to come."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from anonymize.masking.masks import MaskSet
from anonymize.methods.deepfake import source_faces_folder as source_folder
from anonymize.methods.face_methods import (
    DEFAULT_METHOD,
    METHODS,
    create_method,
    method_type,
    missing_weights,
    recommended_method,
)
from anonymize.rendering.compositing import hide_faces
from anonymize.rendering.face_renderer import Painter, RenderPlan, render
from media.decoding import iterate_frames
from media.frame_index import load_index
from models.weights import installed_weights as weights
from project.entities.study_records import FaceTrack
from project.errors import UserError
from project.progress import Silent
from tests.builders.face_clips import make_clip, planes_of
from tests.builders.face_tracks import track
from tests.builders.points478 import Finder
from tests.builders.portrait_networks import install_cartoon, install_swap, source_faces

TIMES = [0, 33, 100, 133, 233, 266, 300, 340, 420, 460]
SIZE = (320, 240)
FACES = [name for name in METHODS if method_type(name).kind == "face"]
PLANES = [name for name in METHODS if name not in FACES]
QUICK = {"diffusion": {"preset": "fast", "size": 64, "steps": 2}}
"""Options without which a method takes too long for a test."""
FACES_DAILY = [pytest.param(name, marks=pytest.mark.soak if name in QUICK else ()) for name in FACES]


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiny weights for all methods that need some."""
    folder, base = tmp_path_factory.mktemp("weights"), tmp_path_factory.mktemp("networks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(weights.FOLDER_VARIABLE, str(folder))
        install_cartoon(base)
        install_swap(base)
        source_faces(source_folder())
        if "diffusion" in METHODS:
            from tests.builders.tiny_diffusion import install

            install(base / "diffusion")
    return folder


@pytest.fixture(autouse=True)
def _ready(networks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(networks))
    for module in ("synthetic.synthetic_face", "deepfake"):
        monkeypatch.setattr(f"anonymize.methods.{module}.create_landmark_finder", Finder)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of variable rate, with sound."""
    return make_clip(tmp_path_factory.mktemp("clip") / "clip.mp4", TIMES, SIZE, block=4, sound=True)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "short.mp4", TIMES[:3], SIZE, block=4)


@pytest.mark.parametrize("name", METHODS)
def test_it_says_what_it_is_and_its_options_are_one_frozen_dataclass_with_defaults_and_limits(name: str) -> None:
    method, options = method_type(name), method_type(name).options_type
    assert method.name == name
    assert method.title
    assert method.description.endswith(".")
    assert isinstance(method.reversible, bool)
    assert isinstance(create_method(name).options, options)
    assert options.__dataclass_params__.frozen
    for field in dataclasses.fields(options):
        assert field.metadata["title"]
        assert field.metadata["description"]
        if "choices" in field.metadata:
            outside = ["no such choice"]
        else:
            outside = [field.metadata["minimum"] - 1, field.metadata["maximum"] + 1]
        for value in outside:
            with pytest.raises(UserError, match="not allowed"):
                create_method(name, **{field.name: value})


def test_what_a_face_method_needs_is_in_the_catalogue_and_told_when_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    for name in METHODS:
        assert missing_weights(name) == list(method_type(name).needs)
    assert all(method_type(name).needs for name in FACES)


def test_the_default_is_irreversible_and_the_drawn_face_is_recommended_once_its_weights_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not method_type(DEFAULT_METHOD).reversible
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    assert recommended_method() == DEFAULT_METHOD
    weights.weights_location("face-landmarks").write_bytes(b"")
    assert recommended_method() == "synthetic"


@pytest.mark.parametrize("name", [*PLANES, *FACES_DAILY])
def test_in_a_clip_of_variable_rate_it_hides_the_face_and_keeps_times_and_what_is_beside_it(
    name: str, clip: Path, tmp_path: Path
) -> None:
    times = load_index(clip).times.times_us
    face = moving(list(times))
    done = render(
        RenderPlan(clip, tmp_path / "out.mp4", [face], len(times), create_method(name, **QUICK.get(name, {})))
    )
    assert (done.frames, done.undrawn_us) == (len(times), ())
    assert (load_index(done.output).times.times_us == times).all()
    masks = MaskSet([face])
    for frame, (before, after) in enumerate(zip(planes_of(clip), planes_of(done.output), strict=True)):
        alpha = masks.draw_alpha(frame, *SIZE)
        hidden = alpha == 255
        detail = [np.abs(np.diff(picture[0].astype(int), axis=1))[hidden[:, 1:]].mean() for picture in (before, after)]
        assert name in FACES or detail[1] < detail[0] / 2
        assert alike(before[0][hidden], after[0][hidden]) < 0.5 or name in PLANES
        assert np.abs(before[0].astype(int) - after[0])[alpha == 0].mean() < 10


def moving(times: list[int], name: str = "face") -> FaceTrack:
    return track([(100 + 0.5 * i, 60, 60, 70) for i in range(len(times))], times_us=times, name=name)


def drawn(clip: Path, name: str, tracks: list[FaceTrack]) -> Iterator[tuple[int, np.ndarray, np.ndarray, bool]]:
    """Yield frame, picture before and after, and whether a face could be drawn."""
    index = load_index(clip)
    chosen = create_method(name, **QUICK.get(name, {}))
    painter = Painter(RenderPlan(clip, Path("unused.mp4"), tracks, len(index), chosen), index)
    painter.begin(Silent())
    for picture in iterate_frames(clip):
        before = picture.image
        painter.paint(picture)
        yield picture.index, before, picture.image, picture.time_us not in painter.undrawn_us
    painter.end()


def alike(first: np.ndarray, second: np.ndarray) -> float:
    if not first.std() or not second.std():
        return 0.0
    return abs(float(np.corrcoef(first.ravel(), second.ravel())[0, 1]))


@pytest.mark.parametrize("name", FACES)
def test_it_draws_another_face_the_same_again_and_nothing_outside_the_mask(name: str, short: Path) -> None:
    times = list(load_index(short).times.times_us)
    masks = MaskSet([moving(times)])
    first, second = ([*drawn(short, name, [moving(times)])] for _ in range(2))
    assert len(first) == len(times)
    for (frame, before, after, could), (_, _, again, _) in zip(first, second, strict=True):
        alpha = masks.draw_alpha(frame, *SIZE)
        hidden = alpha == 255
        assert could
        assert (after == again).all()
        assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.5
        far = np.ones(alpha.shape, bool)
        rows, columns = np.nonzero(alpha)
        far[max(0, rows.min() - 2) : rows.max() + 3, max(0, columns.min() - 2) : columns.max() + 3] = False
        assert (before[far] == after[far]).all()


@pytest.mark.parametrize("name", FACES_DAILY)
def test_faces_at_the_edges_small_and_large_are_drawn_or_painted_solid(name: str, short: Path) -> None:
    times = list(load_index(short).times.times_us)[:2]
    boxes = {
        "corner": (-20, -25, 60, 70),
        "below": (250, 200, 90, 100),
        "tiny": (200, 30, 6, 7),
        "huge": (-60, -80, 400, 420),
    }
    for key, box in boxes.items():
        face = track([box, box], times_us=times, name=key)
        masks = MaskSet([face])
        for frame, before, after, _ in [*drawn(short, name, [face])][:2]:
            hidden = masks.draw_alpha(frame, *SIZE) == 255
            assert hidden.sum() > 40, key
            assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.6, key


@pytest.mark.parametrize("name", ["cartoon", *(pytest.param(name, marks=pytest.mark.soak) for name in FACES[::2])])
def test_forty_faces_are_all_hidden(name: str, short: Path) -> None:
    times = list(load_index(short).times.times_us)[:2]
    boxes = [(10 + 38 * (i % 8), 8 + 46 * (i // 8), 24, 28) for i in range(40)]
    faces = [track([box, box], times_us=times, name=f"face {i}") for i, box in enumerate(boxes)]
    masks = MaskSet(faces)
    for frame, before, after, _ in [*drawn(short, name, faces)][:2]:
        for face in faces:
            hidden = MaskSet([face]).draw_alpha(frame, *SIZE) == 255
            assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.5
        hidden = masks.draw_alpha(frame, *SIZE) == 255
        assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.5


@pytest.mark.parametrize("name", FACES_DAILY)
def test_where_it_cannot_draw_the_mask_is_solid(name: str, short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_type(name), "draw", lambda self, face: None)
    face = moving(list(load_index(short).times.times_us))
    masks = MaskSet([face])
    for picture, (frame, _, after, could) in zip(iterate_frames(short), drawn(short, name, [face]), strict=True):
        hide_faces(picture.planes, masks.masks_at(frame), create_method("solid"))
        assert (picture.image == after).all()
        assert not could


@pytest.mark.parametrize("name", PLANES)
def test_it_gives_the_same_answer_again_and_leaves_its_input_alone(name: str) -> None:
    samples = np.random.default_rng(0).integers(0, 256, (60, 80), np.uint8)
    before = samples.copy()
    first, second = (create_method(name).cover(samples, 40.0, (1, 1)) for _ in range(2))
    assert (first.shape, first.dtype) == (samples.shape, np.uint8)
    assert (first == second).all()
    assert (samples == before).all()
