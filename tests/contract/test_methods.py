"""What holds for every method of the registry, also for those that are yet to come."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from anonymize.masks import MaskSet
from anonymize.methods.registry import DEFAULT, METHODS, method, method_type
from anonymize.render import RenderPlan, render
from media.index import load_index
from project.errors import UserError
from tests.unit.anonymize.clips import make_clip, planes_of
from tests.unit.anonymize.tracks import track

ROOT = Path(__file__).resolve().parents[2]
TIMES = range(0, 2000, 40)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "two seconds.mp4", TIMES, (320, 240), block=4, sound=True)


@pytest.mark.parametrize("name", METHODS)
def test_it_says_what_it_is(name: str) -> None:
    kind = method_type(name)
    assert kind.name == name
    assert kind.title
    assert kind.description.endswith(".")
    assert isinstance(kind.reversible, bool)


@pytest.mark.parametrize("name", METHODS)
def test_its_options_are_one_frozen_dataclass_with_defaults_and_limits(name: str) -> None:
    options = method(name).options
    kind = method_type(name).options_type
    assert isinstance(options, kind)
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    for field in dataclasses.fields(kind):
        assert field.metadata["title"]
        assert field.metadata["description"]
        for outside in (field.metadata["minimum"] - 1, field.metadata["maximum"] + 1):
            with pytest.raises(UserError, match="not allowed"):
                method(name, **{field.name: outside})


@pytest.mark.parametrize("name", METHODS)
def test_it_hides_a_face_in_a_clip_of_two_seconds(name: str, clip: Path, tmp_path: Path) -> None:
    times = load_index(clip).times.times_us
    moving = track([(100 + i, 60, 60, 70) for i in range(len(times))], times_us=list(times))
    done = render(RenderPlan(clip, tmp_path / "out.mp4", [moving], len(times), method(name)))
    assert done.frames == len(times)
    assert (load_index(done.output).times.times_us == times).all()
    masks = MaskSet([moving])
    for frame, (before, after) in enumerate(zip(planes_of(clip), planes_of(done.output), strict=True)):
        alpha = masks.alpha(frame, 320, 240)
        face = (alpha == 255)[:, 1:]
        detail = [np.abs(np.diff(picture[0].astype(int), axis=1))[face].mean() for picture in (before, after)]
        assert detail[1] < detail[0] / 2
        untouched = alpha == 0
        assert np.abs(before[0].astype(int) - after[0])[untouched].mean() < 10


@pytest.mark.parametrize("name", METHODS)
def test_it_gives_the_same_answer_again_and_leaves_its_input_alone(name: str) -> None:
    samples = np.random.default_rng(0).integers(0, 256, (60, 80), np.uint8)
    before = samples.copy()
    first, second = (method(name).cover(samples, 40.0, (1, 1)) for _ in range(2))
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


def test_the_default_is_irreversible() -> None:
    assert not method_type(DEFAULT).reversible


def test_listing_the_methods_loads_nothing_heavy() -> None:
    """The window shows them before anything is rendered."""
    code = (
        "import sys; from anonymize.methods.registry import METHODS, method; [method(name) for name in METHODS];"
        "print({'cv2', 'av', 'onnxruntime', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
