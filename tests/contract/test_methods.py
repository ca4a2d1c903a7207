"""What holds for every method of the registry, also for those that are yet to come."""

import dataclasses
import subprocess
import sys
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
from anonymize.rendering.face_renderer import RenderPlan, create_painter, render
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

ROOT = Path(__file__).resolve().parents[2]
TIMES = range(0, 2000, 40)
SIZE = (320, 240)
FACES = [name for name in METHODS if method_type(name).kind == "face"]
PLANES = [name for name in METHODS if name not in FACES]
QUICK = {"diffusion": {"preset": "fast", "size": 64, "steps": 2}}
"""Options without which a method takes too long for a test."""


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
    return make_clip(tmp_path_factory.mktemp("clip") / "two seconds.mp4", TIMES, SIZE, block=4, sound=True)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "short.mp4", TIMES[:4], SIZE, block=4)


@pytest.mark.parametrize("name", METHODS)
def test_it_says_what_it_is(name: str) -> None:
    kind = method_type(name)
    assert kind.name == name
    assert kind.title
    assert kind.description.endswith(".")
    assert isinstance(kind.reversible, bool)


@pytest.mark.parametrize("name", METHODS)
def test_its_options_are_one_frozen_dataclass_with_defaults_and_limits(name: str) -> None:
    options = create_method(name).options
    kind = method_type(name).options_type
    assert isinstance(options, kind)
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    for field in dataclasses.fields(kind):
        assert field.metadata["title"]
        assert field.metadata["description"]
        if "choices" in field.metadata:
            with pytest.raises(UserError, match="not allowed"):
                create_method(name, **{field.name: "no such choice"})
            continue
        for outside in (field.metadata["minimum"] - 1, field.metadata["maximum"] + 1):
            with pytest.raises(UserError, match="not allowed"):
                create_method(name, **{field.name: outside})


def test_what_a_face_method_needs_is_in_the_catalogue_and_told_when_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    for name in METHODS:
        assert missing_weights(name) == list(method_type(name).needs)
    assert all(method_type(name).needs for name in FACES)


@pytest.mark.parametrize("name", PLANES)
def test_it_hides_a_face_in_a_clip_of_two_seconds(name: str, clip: Path, tmp_path: Path) -> None:
    times = load_index(clip).times.times_us
    moving = track([(100 + i, 60, 60, 70) for i in range(len(times))], times_us=list(times))
    done = render(RenderPlan(clip, tmp_path / "out.mp4", [moving], len(times), create_method(name)))
    assert done.frames == len(times)
    assert (load_index(done.output).times.times_us == times).all()
    masks = MaskSet([moving])
    for frame, (before, after) in enumerate(zip(planes_of(clip), planes_of(done.output), strict=True)):
        alpha = masks.draw_alpha(frame, 320, 240)
        face = (alpha == 255)[:, 1:]
        detail = [np.abs(np.diff(picture[0].astype(int), axis=1))[face].mean() for picture in (before, after)]
        assert detail[1] < detail[0] / 2
        untouched = alpha == 0
        assert np.abs(before[0].astype(int) - after[0])[untouched].mean() < 10


def moving(times: list[int], name: str = "face") -> FaceTrack:
    return track([(100 + 0.5 * i, 60, 60, 70) for i in range(len(times))], times_us=times, name=name)


def drawn(clip: Path, name: str, tracks: list[FaceTrack]) -> Iterator[tuple[int, np.ndarray, np.ndarray, bool]]:
    """Yield frame, picture before and after, and whether a face could be drawn."""
    index = load_index(clip)
    chosen = create_method(name, **QUICK.get(name, {}))
    painter = create_painter(RenderPlan(clip, Path("unused.mp4"), tracks, len(index), chosen), index)
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
def test_it_draws_another_face_and_nothing_outside_the_mask(name: str, short: Path) -> None:
    times = list(load_index(short).times.times_us)
    face = moving(times)
    masks = MaskSet([face])
    seen = 0
    for frame, before, after, could in drawn(short, name, [face]):
        alpha = masks.draw_alpha(frame, *SIZE)
        hidden = alpha == 255
        assert could
        assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.5
        far = np.ones(alpha.shape, bool)
        rows, columns = np.nonzero(alpha)
        far[max(0, rows.min() - 2) : rows.max() + 3, max(0, columns.min() - 2) : columns.max() + 3] = False
        assert (before[far] == after[far]).all()
        seen += 1
    assert seen == len(times)


@pytest.mark.parametrize("name", FACES)
def test_it_draws_the_same_again(name: str, short: Path) -> None:
    face = moving(list(load_index(short).times.times_us))
    first, second = ([after for _, _, after, _ in drawn(short, name, [face])] for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("name", FACES)
def test_a_clip_of_variable_rate_keeps_its_time_stamps(name: str, tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "variable.mp4", [0, 33, 100, 133, 233, 266], SIZE, block=4)
    times = load_index(clip).times.times_us
    chosen = create_method(name, **QUICK.get(name, {}))
    done = render(RenderPlan(clip, tmp_path / "out.mp4", [moving(list(times))], len(times), chosen))
    assert (load_index(done.output).times.times_us == times).all()
    assert done.undrawn_us == ()


@pytest.mark.parametrize("name", FACES)
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
        for frame, before, after, _ in drawn(short, name, [face]):
            hidden = masks.draw_alpha(frame, *SIZE) == 255
            if hidden.sum() > 50:
                assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.6


@pytest.mark.parametrize("name", [name for name in FACES if name != "diffusion"])
def test_forty_faces_are_all_hidden(name: str, short: Path) -> None:
    times = list(load_index(short).times.times_us)[:2]
    boxes = [(10 + 38 * (i % 8), 8 + 46 * (i // 8), 24, 28) for i in range(40)]
    faces = [track([box, box], times_us=times, name=f"face {i}") for i, box in enumerate(boxes)]
    masks = MaskSet(faces)
    for frame, before, after, _ in drawn(short, name, faces):
        hidden = masks.draw_alpha(frame, *SIZE) == 255
        if frame < 2:
            assert alike(before[hidden][:, 1], after[hidden][:, 1]) < 0.5


@pytest.mark.parametrize("name", FACES)
def test_where_it_cannot_draw_the_mask_is_solid(name: str, short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method_type(name), "draw", lambda self, face: None)
    times = list(load_index(short).times.times_us)
    face = moving(times)
    masks = MaskSet([face])
    for picture, after in zip(iterate_frames(short), drawn(short, name, [face]), strict=True):
        hide_faces(picture.planes, masks.masks_at(after[0]), create_method("solid"))
        assert (picture.image == after[2]).all()
        assert not after[3]


@pytest.mark.parametrize("name", PLANES)
def test_it_gives_the_same_answer_again_and_leaves_its_input_alone(name: str) -> None:
    samples = np.random.default_rng(0).integers(0, 256, (60, 80), np.uint8)
    before = samples.copy()
    first, second = (create_method(name).cover(samples, 40.0, (1, 1)) for _ in range(2))
    assert first.shape == samples.shape
    assert first.dtype == np.uint8
    assert (first == second).all()
    assert (samples == before).all()


@pytest.mark.parametrize("name", METHODS)
def test_the_documentation_mentions_it_and_its_options(name: str) -> None:
    page = (ROOT / "docs" / "anonymization.md").read_text("utf-8")
    assert f"| `{name}`" in page
    for field in dataclasses.fields(method_type(name).options_type):
        assert f"`{field.name}`" in page


def test_the_drawn_face_is_recommended_once_its_weights_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    assert recommended_method() == DEFAULT_METHOD
    weights.weights_location("face-landmarks").write_bytes(b"")
    assert recommended_method() == "synthetic"


def test_the_default_is_irreversible() -> None:
    assert not method_type(DEFAULT_METHOD).reversible


def test_listing_the_methods_loads_nothing_heavy() -> None:
    """The window shows them before anything is rendered."""
    code = (
        "import sys; from anonymize.methods.face_methods import METHODS, create_method;"
        "[create_method(name) for name in METHODS];"
        "print({'cv2', 'av', 'onnxruntime', 'scipy', 'mediapipe', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
