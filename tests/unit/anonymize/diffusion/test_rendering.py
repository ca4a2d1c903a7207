"""The whole method with tiny networks: from tracks to faces in the picture; stopped, resumed, short of memory."""

import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import torch

from anonymize.masking.masks import MaskSet
from anonymize.methods.diffusion import diffusion_options as presets
from anonymize.methods.diffusion import diffusion_setup as loading
from anonymize.methods.diffusion.diffusion_face import Diffusion
from anonymize.methods.diffusion.diffusion_options import DiffusionOptions
from anonymize.methods.diffusion.diffusion_rendering import MAX_ATTEMPTS, DiffusionRenderer
from anonymize.methods.diffusion.keyframe_drawing import (
    FaceComparer,
    choose_appearance,
    create_comparer,
    draw_landmark_lines,
    is_copy,
)
from anonymize.methods.diffusion.pipeline import GeneratedBatch, Translator
from anonymize.methods.diffusion.shot_drawing import GeneratedKeyframe, interpolate_frame
from anonymize.methods.solid import Solid
from anonymize.rendering.compositing import hide_faces
from anonymize.rendering.face_renderer import RenderPlan, render
from media.frame_index import load_index
from models.faces.landmarks.landmark_finders import MEDIAPIPE, Landmarks
from models.flow.dis import DenseInverseSearch
from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from project.errors import Cancelled, UserError
from project.progress import Silent
from tests.builders import tiny_diffusion as tiny
from tests.builders.face_clips import make_clip, planes_of
from tests.builders.face_sources import MovingSource as Source
from tests.builders.face_sources import moving_face as moving
from tests.builders.face_tracks import track
from tests.builders.motions import Shift

FRAMES = 14
QUICK = replace(presets.PRESETS["thorough"], steps=2, guidance=1.0, least=2, most=4, optimized=0)
OPTIONS = DiffusionOptions(size=64, batch=4)


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, tiny.one_thread():
        patch.setitem(presets.PRESETS, "balanced", QUICK)
        patch.setitem(presets.PRESETS, "baseline", replace(QUICK, whole_frame=True))
        yield


# Frames between keys


def texture(height: int, width: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).uniform(0, 255, (height, width, 3)).astype(np.float32)
    return np.uint8(np.clip((cv2.GaussianBlur(noise, (0, 0), 3) - 128) * 6 + 128, 0, 255))


def grey(picture: np.ndarray, number: int) -> np.ndarray:
    made = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    made[0, 0] = number
    return made


class GreyShift(Shift):
    """Knows the motion; the first pixel numbers the pictures."""

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return super().between(first[..., None], second[..., None])


@pytest.mark.parametrize(("flow", "scale"), [(GreyShift(2), 2), (DenseInverseSearch(), 1)])
def test_a_texture_follows_the_motion_of_the_source_also_where_it_is_drawn_larger(flow: Any, scale: int) -> None:
    source, drawn = texture(64, 74, 0), texture(64 * scale, 74 * scale, 1)
    starts = [2 * (5 - i) for i in range(5)]
    sources = [grey(source[:, start : start + 64], i) for i, start in enumerate(starts)]
    textures = [drawn[:, start * scale : (start + 64) * scale] for start in starts]
    keys = [GeneratedKeyframe(at, sources[at], textures[at]) for at in (0, 4)]
    middle = interpolate_frame(2, sources[2], keys, flow)
    assert middle.shape == textures[2].shape
    inner = slice(8 * scale, -8 * scale)
    apart, still = (
        np.abs(picture[inner, inner].astype(int) - textures[2][inner, inner]) for picture in (middle, textures[0])
    )
    assert apart.mean() < still.mean() / 5


def test_what_only_one_key_shows_comes_from_that_one() -> None:
    before = texture(64, 64, 0)[..., 0]
    after = before.copy()
    after[20:40, 20:40] = after[20:40, 20:40] + 128
    before[0, 0] = after[0, 0] = 0
    black, white = np.zeros((64, 64, 3), np.uint8), np.full((64, 64, 3), 255, np.uint8)
    keys = [GeneratedKeyframe(0, before, black), GeneratedKeyframe(9, after, white)]
    mixed = interpolate_frame(3, after, keys, GreyShift(0))
    assert mixed[25:35, 25:35].min() > 250
    assert mixed[50:, 50:].max() < 100


# Who is drawn, and what is kept of the source


def test_each_person_is_drawn_differently_and_the_same_in_all_versions() -> None:
    """Otherwise a person would look different in recordings that are rendered later."""
    looks = {choose_appearance(f"P{number:02d}") for number in range(100)}
    assert len({look.seed for look in looks}) == 100
    assert len({look.prompt for look in looks}) > 90
    assert choose_appearance("P01").seed == 6859106274410656092
    again = choose_appearance("P01", 1)
    assert again.prompt == choose_appearance("P01").prompt, "another attempt changes the noise and not the words"
    assert again.seed != choose_appearance("P01").seed


def test_lines_lie_where_the_landmarks_are() -> None:
    points = np.random.default_rng(0).uniform(20, 44, (478, 3)).astype(np.float32)
    lines = draw_landmark_lines(Landmarks(points, 1.0, MEDIAPIPE), (64, 80))
    assert lines.shape == (80, 64, 3)
    assert lines[16:49, 16:49].any()
    lines[16:49, 16:49] = 0
    assert not lines.any()
    assert not draw_landmark_lines(None, (32, 32)).any()


class MeanColour:
    """Takes the mean colour for the identity."""

    key = "means"
    parameters: dict[str, object] = {}
    dimensions = 3

    def embed(self, image: np.ndarray, points: np.ndarray) -> np.ndarray:
        assert points.shape == (1, 5, 2)
        mean = image.mean((0, 1))
        return (mean / np.linalg.norm(mean))[None].astype(np.float32)


def test_a_face_is_like_itself_and_unlike_another_and_nothing_is_compared_without_a_network() -> None:
    red, blue = np.zeros((2, 32, 32, 3), np.uint8)
    red[..., 0] = blue[..., 2] = 200
    compare = FaceComparer(MeanColour(), None)
    box = np.array([4.0, 4, 20, 24])
    assert compare.similarity(red, red, box) == pytest.approx(1)
    assert compare.similarity(red, blue, box) == pytest.approx(0)
    assert create_comparer() is None


def test_a_copy_is_noticed_in_other_colours_too() -> None:
    source, other = np.random.default_rng(0).integers(0, 256, (2, 40, 40, 3), np.uint8)
    box = np.array([-4.0, 5, 30, 40])
    assert is_copy(source, source, box)
    assert is_copy(source, source // 2 + 60, box)
    assert not is_copy(source, other, box)
    assert not is_copy(source, np.zeros_like(source), box)
    assert not is_copy(source, source, np.array([100.0, 100, 10, 10]))


def test_options_fall_back_to_their_preset_and_what_is_not_safe_cannot_be_chosen() -> None:
    assert DiffusionOptions(preset="fast").resolved_preset.steps == 8
    assert DiffusionOptions(preset="fast", steps=12).resolved_preset.steps == 12
    assert [DiffusionOptions(size=size).resolved_preset.size for size in (400, 1)] == [384, 64]
    with pytest.raises(UserError, match="not allowed"):
        DiffusionOptions(strength=0.49)


# The work: key frames in batches, kept, resumed, halved


class Told(Silent):
    """Keeps what it was told, and may lose its patience."""

    def __init__(self, patience: int = 10**9) -> None:
        self.texts: list[str] = []
        self.drawn: list[int] = []
        self.patience = patience

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.texts.append(text)
        if text == "Drawing faces":
            self.drawn.append(done)

    def check_cancelled(self) -> None:
        self.patience -= 1
        if self.patience < 0:
            raise Cancelled


class Fixed:
    """Says of each attempt how close it came out, by the order in which it is asked."""

    key = "fixed"

    def __init__(self, *answers: float) -> None:
        self.answers = list(answers)
        self.closed = False

    def similarity(self, source: np.ndarray, drawn: np.ndarray, box: np.ndarray) -> float:
        assert source.shape == drawn.shape
        assert (box[:2] >= 0).all()
        assert (box[:2] + box[2:] <= source.shape[:2][::-1]).all()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def close(self) -> None:
        self.closed = True


def work(source: Source, told: Silent | None = None, likeness: Any = None, **options: Any) -> DiffusionRenderer:
    chosen = DiffusionOptions(**{"size": 64, "batch": 3, **options})
    flow = DenseInverseSearch()
    return DiffusionRenderer(chosen, source, tiny.pipeline(), flow, likeness, None, "tiny", told or Silent())


def drawn(made: DiffusionRenderer, source: Source) -> list[np.ndarray]:
    """Draw everything that the source asks for."""
    made.draw_keyframes()
    images = []
    for face_track in source.tracks:
        for face in source.faces(face_track.id):
            image = made.draw(face)
            assert image.shape == face.crop.shape
            assert image.dtype == np.uint8
            images.append(image)
    return images


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return len(first) == len(second) and all((a == b).all() for a, b in zip(first, second, strict=True))


def batches(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.npz"))


@pytest.fixture(scope="module")
def kept(_quick: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[np.ndarray]]:
    """The cache of a face that was drawn over all frames in one go, and what was drawn."""
    cache = tmp_path_factory.mktemp("whole") / "cache"
    source = Source([moving(FRAMES)], cache=cache)
    return cache, drawn(work(source), source)


@pytest.fixture
def expected(kept: tuple[Path, list[np.ndarray]]) -> list[np.ndarray]:
    return kept[1]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source([moving(FRAMES)], cache=tmp_path / "cache")


@pytest.fixture
def drawn_source(source: Source, kept: tuple[Path, list[np.ndarray]]) -> Source:
    """The same face, with a cache in which all of it was drawn."""
    shutil.copytree(kept[0], source.cache)
    return source


def test_every_frame_is_drawn_and_the_source_is_not_kept(kept: tuple[Path, list[np.ndarray]]) -> None:
    cache, images = kept
    assert len(images) == FRAMES + 1
    crops = [face.crop for face in Source([moving(FRAMES)]).faces("track")]
    assert min(np.abs(a.astype(int) - b).mean() for a, b in zip(images, crops, strict=True)) > 10
    for path in batches(cache):
        with np.load(path) as content:
            assert set(content.files) == {"frames", "images", "way"}
    assert {path.suffix for path in cache.rglob("*") if path.is_file()} == {".npz", ".json"}


def test_a_whole_frame_can_be_drawn_instead_of_a_crop() -> None:
    source = Source([moving(4)])
    assert len(drawn(work(source, preset="baseline"), source)) == 5


@pytest.mark.parametrize("patience", [30, *(pytest.param(asked, marks=pytest.mark.soak) for asked in (3, 12, 20))])
def test_stopped_work_goes_on_with_the_same_result(source: Source, expected: list[np.ndarray], patience: int) -> None:
    with pytest.raises(Cancelled):
        work(source, Told(patience)).draw_keyframes()
    before = {path: path.stat().st_mtime_ns for path in batches(source.cache)}
    assert same(drawn(work(source), source), expected)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len(batches(source.cache)) > len(before)


def test_a_damaged_batch_is_drawn_again(drawn_source: Source, expected: list[np.ndarray]) -> None:
    for number, path in enumerate(batches(drawn_source.cache)):
        path.write_bytes([b"", b"broken", path.read_bytes()[:-100]][number % 3])
    assert same(drawn(work(drawn_source), drawn_source), expected)


def test_another_identity_and_another_picture_are_drawn_anew(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    source = Source([moving(3)], cache=cache)
    first = drawn(work(source), source)
    person = Source([moving(3)], identities={"track": "P02"}, cache=cache)
    assert not same(drawn(work(person), person), first)
    other = Source([moving(3)], cache=cache, seed=1)
    assert not same(drawn(work(other), other), first)


def test_without_a_cache_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = work(Source([moving(3)]))
    made.draw_keyframes()
    assert list(tmp_path.glob("greenroom-*"))
    made.close()
    assert not list(tmp_path.glob("greenroom-*"))


def short_of_memory(monkeypatch: pytest.MonkeyPatch, fits: int, error: Exception) -> list[int]:
    """Let no more frames than these go through the networks at once; returns how many were tried."""
    tried: list[int] = []
    real = Translator.draw

    def draw(self: Translator, frames: Any, *others: Any, **more: Any) -> Any:
        tried.append(len(frames))
        if len(frames) > fits:
            raise error
        return real(self, frames, *others, **more)

    monkeypatch.setattr(Translator, "draw", draw)
    return tried


def test_short_of_memory_batches_are_halved(
    source: Source, monkeypatch: pytest.MonkeyPatch, expected: list[np.ndarray]
) -> None:
    told = Told()
    with monkeypatch.context() as patch:
        tried = short_of_memory(patch, 3, torch.OutOfMemoryError("CUDA out of memory"))
        assert same(drawn(work(source, told, batch=8), source), expected)
    assert tried[:2] == [6, 3]
    assert max(tried[1:]) == 3
    assert any("3 key frames at a time" in text for text in told.texts)
    assert told.drawn == sorted(told.drawn)


def test_when_not_even_one_frame_fits_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = short_of_memory(monkeypatch, 0, RuntimeError("can't allocate memory: 1 GB"))
    with pytest.raises(UserError, match="not enough memory to draw a face at 64 x 64"):
        work(Source([moving(FRAMES)]), batch=4).draw_keyframes()
    assert tried == [4, 2, 1]


def test_a_face_too_close_to_the_source_is_drawn_with_another_seed(tmp_path: Path) -> None:
    first, second = (Source([moving(3)], cache=tmp_path / name) for name in ("first", "second"))
    far = drawn(work(first, likeness=Fixed(0.0)), first)
    again = drawn(work(second, likeness=Fixed(0.9, 0.9, 0.0)), second)
    assert not same(far, again)
    assert same(drawn(work(second, likeness=Fixed(0.0)), second), again)


def test_a_face_that_stays_too_close_is_not_drawn_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = short_of_memory(monkeypatch, 100, RuntimeError())
    source = Source([moving(3)], cache=tmp_path / "cache")
    for _ in range(2):
        likeness = Fixed(1.0)
        made = work(source, likeness=likeness)
        made.draw_keyframes()
        assert [made.draw(face) for face in source.faces("track")] == [None] * 4
        made.close()
        assert likeness.closed
    assert len(tried) == MAX_ATTEMPTS


def test_networks_that_give_back_the_source_draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_back(self: Translator, frames: list[np.ndarray], *_: Any, **__: Any) -> GeneratedBatch:
        return GeneratedBatch(np.stack(frames).astype(np.float32) / 255, torch.zeros(1, 2, 4, 8, 8))

    monkeypatch.setattr(Translator, "draw", give_back)
    source = Source([moving(3)])
    made = work(source)
    made.draw_keyframes()
    assert [made.draw(face) for face in source.faces("track")] == [None] * 4


def test_shots_are_drawn_on_their_own_and_faces_of_several_people_also_at_the_border(tmp_path: Path) -> None:
    outside = moving(4, "outside")
    outside.boxes[:, 0] -= 50
    people = {"track": "P01", "outside": "P02"}
    source = Source([moving(4), outside], identities=people, cuts=(2,), cache=tmp_path / "cache")
    assert len(drawn(work(source), source)) > 4
    assert len(list((tmp_path / "cache").iterdir())) == 4


# As the renderer uses it, with networks installed as a lab would install them


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model and a ControlNet as diffusers saves them."""
    return tiny.folders(tmp_path_factory.mktemp("networks"))


@pytest.fixture
def lab(folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a network, on which both were added."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for name, folder in zip((loading.MODEL, loading.CONTROLNET), folders, strict=True):
        add_weights(name, folder, "ours")

    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("something calls out")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("lab")
def test_a_clip_is_rendered_and_nothing_outside_the_masks_is_touched(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", range(0, 200, 40), (160, 120), block=4)
    times = load_index(clip).times.times_us
    face = track([(40 + i, 40, 40, 48) for i in range(len(times))], times_us=list(times))
    done = render(RenderPlan(clip, tmp_path / "out.mp4", [face], len(times), Diffusion(OPTIONS)))
    assert (done.frames, done.undrawn_us) == (len(times), ())
    masks = MaskSet([face])
    solid = planes_of(clip)
    for frame, (before, after) in enumerate(zip(planes_of(clip), planes_of(done.output), strict=True)):
        alpha = masks.draw_alpha(frame, 160, 120)
        hide_faces(solid[frame], masks.masks_at(frame), Solid())
        assert np.abs(before[0].astype(int) - after[0])[alpha == 0].mean() < 10
        assert np.abs(before[0].astype(int) - after[0])[alpha == 255].mean() > 30
        assert np.abs(solid[frame][0].astype(int) - after[0])[alpha == 255].mean() > 5  # it was drawn, not painted over


@pytest.mark.usefixtures("lab")
def test_a_cancelled_beginning_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    method = Diffusion(OPTIONS)
    with pytest.raises(Cancelled):
        method.begin(Source([moving(3)]), Told(patience=0))
    method.end()
    assert not list(tmp_path.glob("greenroom-*"))


UNET = "unet/diffusion_pytorch_model.safetensors"


def cut_short(model: Path) -> None:
    (model / UNET).write_bytes((model / UNET).read_bytes()[:1000])


def pickled(model: Path) -> None:
    (model / UNET).rename((model / UNET).with_suffix(".bin"))


@pytest.mark.parametrize("harm", [cut_short, pickled])
def test_other_networks_are_refused_in_one_line(
    folders: tuple[Path, Path], tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    model = Path(shutil.copytree(folders[0], tmp_path / "model"))
    harm(model)
    with pytest.raises(UserError, match=r"The weights “stable-diffusion” (cannot be|are of another)") as said:
        loading.load_pipeline(model, folders[1], presets.PRESETS["fast"])
    assert "\n" not in said.value.message
