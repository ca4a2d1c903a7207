"""The whole method with tiny networks: from tracks to faces in the picture; stopped, resumed, short of memory."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anonymize.methods.diffusion import diffusion_options as presets
from anonymize.methods.diffusion import shot_drawing as store
from anonymize.methods.diffusion.diffusion_options import DiffusionOptions
from anonymize.methods.diffusion.diffusion_rendering import MAX_ATTEMPTS, DiffusionRenderer
from anonymize.methods.diffusion.pipeline import GeneratedBatch, Translator
from models.flow.dis import DenseInverseSearch
from project.errors import Cancelled, UserError
from project.progress import Silent
from tests.builders import tiny_diffusion as tiny
from tests.builders.diffusion_sources import Source, moving

FRAMES = 14
QUICK = replace(presets.PRESETS["thorough"], steps=3, least=2, most=4, optimized=1, iterations=1)


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(presets.PRESETS, "balanced", QUICK)
        patch.setitem(presets.PRESETS, "baseline", replace(QUICK, whole_frame=True))
        yield


@pytest.fixture(scope="module")
def expected(_quick: None, tmp_path_factory: pytest.TempPathFactory) -> list[np.ndarray]:
    """What is drawn in one go, of one face over all frames."""
    whole = Source([moving(FRAMES)])
    return drawn(work(tmp_path_factory.mktemp("whole"), whole), whole)


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


def work(
    folder: Path, source: Source, told: Silent | None = None, likeness: Any = None, **options: Any
) -> DiffusionRenderer:
    chosen = DiffusionOptions(**{"size": 64, "batch": 3, **options})
    pipe = tiny.pipeline(folder)
    return DiffusionRenderer(chosen, source, pipe, DenseInverseSearch(), likeness, None, "tiny", told or Silent())


def drawn(made: DiffusionRenderer, source: Source) -> list[np.ndarray]:
    """Draw everything that the source asks for."""
    made.draw_keyframes()
    found = []
    for track in source.tracks:
        for face in source.faces(track.id):
            image = made.draw(face)
            assert image.shape == face.crop.shape
            assert image.dtype == np.uint8
            found.append(image)
    return found


def same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return len(first) == len(second) and all((a == b).all() for a, b in zip(first, second, strict=True))


def test_every_frame_is_drawn_also_those_in_which_a_mask_lingers(tmp_path: Path) -> None:
    source = Source([moving(FRAMES)])
    made = work(tmp_path, source)
    found = drawn(made, source)
    assert len(found) == FRAMES + 1
    crops = [face.crop for face in source.faces("track")]
    assert min(np.abs(a.astype(int) - b).mean() for a, b in zip(found, crops, strict=True)) > 10
    made.close()


def test_the_same_again_is_the_same_and_another_identity_is_not(tmp_path: Path) -> None:
    track = moving(5)
    found = [
        drawn(work(tmp_path, source), source)
        for source in (Source([track]), Source([track]), Source([track], {"track": "P02"}))
    ]
    assert same(found[0], found[1])
    assert not same(found[0], found[2])


def test_a_whole_frame_can_be_drawn_instead_of_a_crop(tmp_path: Path) -> None:
    source = Source([moving(4)])
    assert len(drawn(work(tmp_path, source, preset="baseline"), source)) == 5


@pytest.mark.parametrize("patience", [3, 20, 30, 45])
def test_work_that_was_stopped_goes_on_where_it_ended_with_the_same_result(
    tmp_path: Path, expected: list[np.ndarray], patience: int
) -> None:
    source = Source([moving(FRAMES)], cache=tmp_path / "cache")
    with pytest.raises(Cancelled):
        work(tmp_path, source, Told(patience)).draw_keyframes()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.npz")}
    told = Told()
    assert same(drawn(work(tmp_path, source, told), source), expected)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert len(list((tmp_path / "cache").rglob("*.npz"))) > len(kept)


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_work_that_was_killed_while_it_wrote_goes_on_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: list[np.ndarray], writes: int
) -> None:
    source = Source([moving(FRAMES)], cache=tmp_path / "cache")
    real, left = store.os.fsync, [writes]

    def killed(file: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(store.os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            work(tmp_path, source).draw_keyframes()
    assert same(drawn(work(tmp_path, source), source), expected)


def test_nothing_is_drawn_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: list[np.ndarray]) -> None:
    source = Source([moving(FRAMES)], cache=tmp_path / "cache")
    work(tmp_path, source).draw_keyframes()
    again = work(tmp_path, source)
    monkeypatch.setattr(Translator, "draw", lambda *_, **__: pytest.fail("drawn again"))
    assert same(drawn(again, source), expected)


@pytest.mark.parametrize(
    "other", [{"strength": 1.0}, {"steps": 5}, {"preset": "baseline"}, {"size": 128}], ids=lambda each: next(iter(each))
)
def test_other_options_are_drawn_anew(tmp_path: Path, other: dict[str, Any]) -> None:
    source = Source([moving(3)], cache=tmp_path / "cache")
    first = drawn(work(tmp_path, source), source)
    assert not same(drawn(work(tmp_path, source, **other), source), first)


def test_another_picture_is_drawn_anew(tmp_path: Path) -> None:
    first, second = (Source([moving(6)], cache=tmp_path / "cache", seed=seed) for seed in (0, 1))
    assert not same(drawn(work(tmp_path, first), first), drawn(work(tmp_path, second), second))


def test_a_damaged_batch_is_drawn_again(tmp_path: Path, expected: list[np.ndarray]) -> None:
    source = Source([moving(FRAMES)], cache=tmp_path / "cache")
    work(tmp_path, source).draw_keyframes()
    for number, path in enumerate(sorted((tmp_path / "cache").rglob("*.npz"))):
        path.write_bytes([b"", b"broken", path.read_bytes()[:-100]][number % 3])
    assert same(drawn(work(tmp_path, source), source), expected)


def test_the_source_is_not_kept(tmp_path: Path) -> None:
    source = Source([moving(5)], cache=tmp_path / "cache")
    drawn(work(tmp_path, source), source)
    for path in (tmp_path / "cache").rglob("*.npz"):
        with np.load(path) as kept:
            assert set(kept.files) == {"frames", "images", "way"}
    assert {path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file()} == {".npz", ".json"}


def test_without_a_cache_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = Source([moving(3)])
    made = work(tmp_path, source)
    drawn(made, source)
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


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("can't allocate memory: 1 GB"), MemoryError()]
)
def test_short_of_memory_the_batch_is_halved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    tried = short_of_memory(monkeypatch, 3, error)
    source = Source([moving(FRAMES)], cache=tmp_path / "cache")
    told = Told()
    found = drawn(work(tmp_path, source, told, batch=8), source)
    assert tried[:2] == [6, 3]
    assert max(tried[1:]) == 3
    assert any("3 key frames at a time" in text for text in told.texts)
    assert told.drawn == sorted(told.drawn)
    expected = Source([moving(FRAMES)])
    assert same(found, drawn(work(tmp_path, expected, batch=3), expected))


def test_what_was_halved_is_resumed_with_the_same_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source([moving(FRAMES)], cache=tmp_path / "cache")
    with monkeypatch.context() as patch:
        short_of_memory(patch, 3, torch.OutOfMemoryError())
        expected = drawn(work(tmp_path, source, batch=8), source)
    for path in sorted((tmp_path / "cache").rglob("*.npz"))[1:]:
        path.unlink()
    assert same(drawn(work(tmp_path, source, batch=8), source), expected)


def test_when_not_even_one_frame_fits_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = short_of_memory(monkeypatch, 0, torch.OutOfMemoryError())
    with pytest.raises(UserError, match="not enough memory to draw a face at 64 x 64"):
        work(tmp_path, Source([moving(FRAMES)]), batch=4).draw_keyframes()
    assert tried == [4, 2, 1]


def test_another_error_is_a_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short_of_memory(monkeypatch, 0, RuntimeError("something else"))
    with pytest.raises(RuntimeError, match="something else"):
        work(tmp_path, Source([moving(3)])).draw_keyframes()


def test_a_face_too_close_to_the_source_is_drawn_with_another_seed(tmp_path: Path) -> None:
    source = Source([moving(3)], cache=tmp_path / "cache")
    first = drawn(work(tmp_path, source, likeness=Fixed(0.0)), source)
    other = Source([moving(3)], cache=tmp_path / "other")
    second = drawn(work(tmp_path, other, likeness=Fixed(0.9, 0.9, 0.0)), other)
    assert not same(first, second)
    resumed = work(tmp_path, other, likeness=Fixed(0.0))
    assert same(drawn(resumed, other), second)


def test_a_face_that_stays_too_close_is_not_drawn_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = short_of_memory(monkeypatch, 100, RuntimeError())
    source = Source([moving(3)], cache=tmp_path / "cache")
    for _ in range(2):
        likeness = Fixed(1.0)
        made = work(tmp_path, source, likeness=likeness)
        made.draw_keyframes()
        assert [made.draw(face) for face in source.faces("track")] == [None] * 4
        made.close()
        assert likeness.closed
    assert len(tried) == MAX_ATTEMPTS


def test_networks_that_give_back_the_source_draw_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_back(self: Translator, frames: list[np.ndarray], *_: Any, **__: Any) -> GeneratedBatch:
        return GeneratedBatch(np.stack(frames).astype(np.float32) / 255, torch.zeros(1, 2, 4, 8, 8))

    monkeypatch.setattr(Translator, "draw", give_back)
    source = Source([moving(3)])
    made = work(tmp_path, source)
    made.draw_keyframes()
    assert [made.draw(face) for face in source.faces("track")] == [None] * 4


def test_shots_are_drawn_on_their_own(tmp_path: Path) -> None:
    source = Source([moving(FRAMES)], cuts=(6,), cache=tmp_path / "cache")
    drawn(work(tmp_path, source), source)
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_faces_of_several_people_and_a_face_at_the_border(tmp_path: Path) -> None:
    outside = moving(6, "outside")
    outside.boxes[:, 0] -= 50
    source = Source([moving(6), outside], {"track": "P01", "outside": "P02"})
    assert len(drawn(work(tmp_path, source), source)) > 6


def test_a_face_that_nothing_is_known_of_is_not_drawn(tmp_path: Path) -> None:
    source = Source([moving(3)])
    made = work(tmp_path, source)
    made.draw_keyframes()
    stranger = Source([moving(3, "stranger")])
    assert made.draw(next(stranger.faces("stranger"))) is None
    made.close()
    assert made.draw(next(source.faces("track"))) is None
