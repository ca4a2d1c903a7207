"""Settings, options with limits, optional parts, plugins, and machines that fail in the middle of a job."""

import errno
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from anonymize.masking.masks import MaskOptions
from models.faces.tracking_options import FaceOptions
from project.errors import UserError
from project.session.jobs import explain_machine_errors
from project.session.optional_parts import GPU, OptionalPart
from project.session.settings import (
    Settings,
    _settings_path,
    load_settings,
    load_view,
    log_path,
    save_settings,
    save_view,
)
from project.session.trust_store import is_inside_allowed


def test_settings_and_views_come_back_as_they_were_saved() -> None:
    chosen = Settings(theme="dark", annotator="Ada", volume=30)
    for name in "abca":
        chosen = chosen.with_recent(Path(f"/lab/{name}.greenroom"))
    assert [Path(recent).stem for recent in chosen.recent] == ["a", "c", "b"], "the newest first, and only once"
    save_settings(chosen)
    assert load_settings() == chosen
    assert [p.name for p in _settings_path().parent.iterdir()] == ["settings.json"]
    save_view("one", {"playhead": 5})
    assert (load_view("one"), load_view("two")) == ({"playhead": 5}, {})


def test_a_full_disk_leaves_the_settings_as_they_were_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    save_settings(Settings(annotator="Ada"))

    def full(*_arguments: object, **_more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    save_settings(Settings(annotator="Ben"))
    assert load_settings().annotator == "Ada"
    assert [p.name for p in _settings_path().parent.iterdir()] == ["settings.json"]


def test_damaged_settings_give_the_defaults() -> None:
    save_settings(Settings(theme="dark", annotator="Ada"))
    for content in ("{", "[]", '{"theme": 3, "unknown": 1}', '{"recent": 5}'):
        _settings_path().write_text(content)
        assert load_settings().volume == 80
    _settings_path().write_text('{"annotator": 7, "recent": ["a", 3], "window": [], "theme": "dark"}')
    found = load_settings()
    assert (type(found.annotator), found.recent, found.window, found.theme) == (str, ("a",), {}, "dark")


def test_of_a_long_log_the_newest_lines_stay_and_whoever_writes_goes_on() -> None:
    log = log_path()
    with log.open("a", buffering=1) as open_already:
        for number in range(100_000):
            open_already.write(f"line {number:06}\n")
        length = log.stat().st_size
        assert log_path() == log
        open_already.write("the last\n")
    lines = log.read_text().splitlines()
    assert log.stat().st_size < length
    assert lines[-1] == "the last"
    assert lines[:-1] == [f"line {number:06}" for number in range(100_000 - len(lines) + 1, 100_000)]
    assert log.stat().st_mode & 0o777 == 0o600


def part(*modules: str) -> OptionalPart:
    return OptionalPart("toy", "Playing", "Toys", "MIT", 1, {module: module for module in modules})


def test_a_part_is_installed_where_all_of_its_modules_are_there_and_none_is_imported_to_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    assert part("this", "email.message").is_installed
    assert "this" not in sys.modules
    assert not part("json", "no_such_module").is_installed
    assert not part("no_such_package.module").is_installed
    cuda = OptionalPart("toy", "Playing", "Toys", "MIT", 1, {**GPU.packages, "nvidia-cublas-cu12": "json"})
    assert not cuda.is_installed, "the usual onnxruntime is not that of a graphics card"


@pytest.mark.parametrize(
    ("place", "allowed"),
    [
        ("study/walk.mp4", True),
        ("media/day 1/walk.mp4", True),
        ("media and more/walk.mp4", False),
        ("study/../elsewhere/walk.mp4", False),
        ("study/link/walk.mp4", False),
        ("study/inner/walk.mp4", True),
    ],
)
def test_a_study_reads_from_its_folder_and_from_those_that_somebody_allowed(
    tmp_path: Path, place: str, allowed: bool
) -> None:
    for name in ("study/own", "media", "media and more", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "study" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "study" / "inner").symlink_to(tmp_path / "study" / "own")
    assert is_inside_allowed(tmp_path / "study", [str(tmp_path / "media")], tmp_path / place) is allowed


KNOBS = [(kind, knob) for kind in (FaceOptions, MaskOptions) for knob in fields(kind)]


def test_a_field_has_limits_a_title_and_a_description_and_is_held_to_them() -> None:
    for kind, knob in KNOBS:
        low, high, title, text = (knob.metadata[key] for key in ("minimum", "maximum", "title", "description"))
        assert low <= knob.default <= high
        assert title
        assert text.endswith(".")
        assert [getattr(kind(**{knob.name: inside}), knob.name) for inside in (low, high)] == [low, high]
        for outside in (low - 1, high + 1, "many", True, float("nan")):
            with pytest.raises(UserError, match="not allowed"):
                kind(**{knob.name: outside})


GONE = "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; expr=cudaStreamSynchronize(stream)"
FULL = "CUDA failure 2: out of memory ; GPU=0 ; hostname=lab"


class Fail(Exception):
    """As onnxruntime's is: of no other family."""


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (Fail(GONE), "The graphics card has stopped responding."),
        (Fail(FULL), "There is not enough memory on the graphics card."),
        (MemoryError(), "There is not enough memory in this computer."),
    ],
)
def test_what_the_machine_cannot_is_a_message(raised: Exception, told: str) -> None:
    with pytest.raises(UserError) as seen, explain_machine_errors():
        raise raised
    assert seen.value.message == told
    assert "tart the job again" in seen.value.hint


@pytest.mark.parametrize("raised", [ValueError("a bug"), UserError("No CUDA here.")])
def test_all_else_passes_as_it_is(raised: Exception) -> None:
    with pytest.raises(type(raised)) as seen, explain_machine_errors():
        raise raised
    assert seen.value is raised
