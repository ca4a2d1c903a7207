"""Places that do not take what is written: folders that are read-only, disks that are full, drives without links."""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from media.clip_writer import paint_clip
from media.frame_index import load_index
from tests.builders.clips import make_clip
from tests.builders.commands import greenroom
from tests.builders.lab import Lab, may_mount, run_apart
from tests.builders.waiting import HANG_S

MARK = ("--recording", "1", "--start", "0", "--end", "0.2", "--verdict", "error", "--annotator", "Ada")
FRAMES = 12


def _snow(index: int, width: int, height: int) -> NDArray[np.uint8]:
    """Draw what compresses badly, so that a clip needs room."""
    return np.random.default_rng(index).integers(0, 255, (height, width, 3), np.uint8)


@pytest.fixture(scope="module")
def tracked_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like that of a lab: the study with one recording, whose faces were looked for."""
    folder = tmp_path_factory.mktemp("tracked")
    film, study = folder / "footage" / "a.mp4", folder / "study" / "lab.greenroom"
    film.parent.mkdir()
    study.parent.mkdir()
    make_clip(film, size=(320, 240), frames=FRAMES, sound=True, draw=_snow)
    greenroom("new", study)
    greenroom("add", study, film)
    greenroom("faces", "track", study)
    return folder


@pytest.fixture
def tracked(lab: Lab, tracked_once: Path) -> Lab:
    """A copy of it in the lab."""
    shutil.copyfile(tracked_once / "study" / "lab.greenroom", lab.study)
    lab.keep(shutil.copyfile(tracked_once / "footage" / "a.mp4", lab.footage / "a.mp4"))
    lab.greenroom("study", "relink", lab.study, lab.footage)
    return lab


def _mounted(folder: Path, options: str, *, full: bool = False) -> str:
    """Return the shell commands that put a small file system in the place of a folder, filled where wished."""
    folder.mkdir(exist_ok=True)
    fill = f"; cat /dev/zero > '{folder}/zeros' 2> /dev/null || true" if full else ""
    return f"mount -t tmpfs -o {options} none '{folder}'{fill}"


def test_what_takes_nothing_is_told_in_one_line_and_holds_nothing_half(tracked: Lab, tmp_path: Path) -> None:
    if not may_mount(tmp_path):
        pytest.skip("this user may not mount a small disk, not even in a name space of their own")
    read_only, disk, left = tracked.study.parent, tmp_path / "disk", tmp_path / "left"
    shut, tiny, short = (tmp_path / name for name in ("shut", "tiny", "short"))
    cache_shut, cache_full = tmp_path / "cache shut", tmp_path / "cache full"
    study, on_disk, film = tracked.study, disk / "lab.greenroom", tracked.film("b.mp4")
    elsewhere = shutil.copyfile(study, tmp_path / "elsewhere.greenroom")
    tracked.greenroom("study", "relink", elsewhere, tracked.footage)

    def export(out: Path, of: Path = elsewhere) -> tuple[object, ...]:
        return "anonymize", "export", of, "--recording", "1", "--out", out

    expected: list[tuple[tuple[object, ...], str]] = [
        (("info", study), ""),
        (("study", "check", study), ""),
        (("segment", "list", study), ""),
        (("study", "relink", study, tracked.footage), "greenroom: "),
        (("add", study, film), "Read-only file system"),
        (("segment", "add", study, *MARK), "greenroom: "),
        (("faces", "track", study), "greenroom: "),
        (export(tracked.clips, study), "greenroom: "),
        (("study", "undo", study), "greenroom: "),
        (("new", read_only / "other.greenroom"), "greenroom: "),
        (("demo", "--no-window", "--dir", read_only / "demo"), "greenroom: "),
        (export(shut), "ead-only file system"),
        (export(shut / "new"), "ead-only file system"),
        (export(tiny), "Free some space"),
        (export(short), "disk is full"),
        ((f"XDG_CACHE_HOME={cache_shut}", "faces", "track", elsewhere), str(cache_shut)),
        ((f"XDG_CACHE_HOME={cache_full}", *export(tmp_path / "not made")), str(cache_full)),
        (("info", on_disk), ""),
        (("study", "check", on_disk), ""),
        (("segment", "add", on_disk, *MARK), "greenroom: "),
        (("add", on_disk, film), "greenroom: "),
        (("new", disk / "other.greenroom"), "greenroom: "),
        (("demo", "--no-window", "--dir", disk), "greenroom: "),
    ]
    mounting = [
        _mounted(disk, "size=1m"),
        f"cp '{study}' '{disk}'; cat /dev/zero > '{disk}/zeros' 2> /dev/null || true",
        f"mount --bind '{read_only}' '{read_only}'; mount -o remount,bind,ro '{read_only}'",
        _mounted(shut, "ro"),
        _mounted(tiny, "size=4k"),
        _mounted(short, "size=100k"),
        _mounted(cache_shut, "ro"),
        _mounted(cache_full, "size=4k", full=True),
    ]
    before = study.read_bytes()
    ended = run_apart(
        *(command for command, _ in expected),
        mounting="\n".join(mounting),
        after=f"ls -A '{tiny}' '{short}' '{disk}' > '{left}'; cmp '{on_disk}' '{study}'",
    )
    for (command, words), (code, said) in zip(expected, ended, strict=True):
        assert (code, words in said) == (2 if words else 0, True), (command, said)
    assert left.read_text().split("\n\n") == [
        f"{disk}:\nlab.greenroom\nzeros",
        f"{short}:",
        f"{tiny}:\n",
    ]
    assert study.read_bytes() == before
    assert not tracked.clips.exists()


@pytest.mark.parametrize(
    "largest_file", [60_000, *(pytest.param(size, marks=pytest.mark.soak) for size in (8_000, 100_000))]
)
def test_a_clip_that_may_not_grow_is_not_left_and_the_study_is_as_it_was(tracked: Lab, largest_file: int) -> None:
    export = ("anonymize", "export", tracked.study, "--recording", "1", "--out", tracked.clips)
    ((code, _),) = run_apart(export, largest_file=largest_file)
    assert code == 2
    assert not tracked.clips.exists() or [*tracked.clips.iterdir()] == []
    tracked.greenroom("segment", "add", tracked.study, *MARK)
    assert tracked.export()["frames"] == FRAMES


def test_logs_and_settings_that_cannot_be_written(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from app.cli import main

    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(blocked))
    lab.greenroom("info", lab.study)
    with monkeypatch.context() as broken:
        broken.setattr(main, "require_utf8", lambda _: 1 / 0)
        assert main.run(["info"]) == main.EXIT_BUG
    said = capsys.readouterr().err
    assert said.startswith("greenroom: Unexpected error: ZeroDivisionError")
    assert said.count("\n") == 1


def test_a_clip_comes_onto_a_drive_without_rights_links_or_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = make_clip(tmp_path / "a.mp4", size=(64, 48), frames=FRAMES)
    refused: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        refused.append(arguments)
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("media.encoding.os.link", refuse)
    monkeypatch.setattr("media.encoding.Path.chmod", refuse)
    monkeypatch.setattr("media.encoding.fcntl.flock", lambda *_: None)
    paint_clip(source, tmp_path / "clip.mp4", lambda _: None)
    assert len(refused) > 1
    assert len(load_index(tmp_path / "clip.mp4")) == FRAMES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mp4", "clip.mp4"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_cannot_be_printed(lab: Lab) -> None:
    command = [sys.executable, "-m", "greenroom", "info", str(lab.study)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=HANG_S)
    assert done.returncode == 2
    assert done.stderr.startswith("greenroom: The result cannot be printed")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("form", [[], pytest.param(["--json"], marks=pytest.mark.soak)])
def test_a_terminal_that_knows_few_characters(lab: Lab, form: list[str]) -> None:
    lab.greenroom("add", lab.study, lab.film("ä 🎬.mp4"))
    command = [sys.executable, "-m", "greenroom", "info", str(lab.study), *form]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    said = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=HANG_S).stdout
    if form:
        assert json.loads(said)["recording_list"][0]["name"] == "ä 🎬"
    else:
        assert "ä \\U0001f3ac" in said.decode("latin-1")
