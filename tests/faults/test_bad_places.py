"""Places that do not take what is written: folders that are read-only, disks that are full, network drives."""

import contextlib
import errno
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.cli.main import run
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.waiting import HANG_S
from tests.faults.lab import Lab, may_mount, run_apart

MARK = ("--recording", "1", "--start", "0", "--end", "0.2", "--verdict", "error", "--annotator", "Ada")


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
    make_clip(film, size=(320, 240), frames=24, sound=True, draw=_snow)
    for command in (["new", study], ["add", study, film], ["faces", study]):
        with contextlib.redirect_stdout(io.StringIO()):
            assert run([*map(str, command)]) == 0
    return folder


@pytest.fixture
def tracked(lab: Lab, tracked_once: Path) -> Lab:
    """A copy of it in the lab."""
    shutil.copyfile(tracked_once / "study" / "lab.greenroom", lab.study)
    lab.keep(shutil.copyfile(tracked_once / "footage" / "a.mp4", lab.footage / "a.mp4"))
    lab.greenroom("relink", lab.study, lab.footage)
    return lab


@pytest.fixture
def mounts(tmp_path: Path) -> None:
    """Skip where not even a name space of one's own may mount."""
    if not may_mount(tmp_path):
        pytest.skip("this user may not mount a small disk, not even in a name space of their own")


def exported(lab: Lab, out: object) -> tuple[object, ...]:
    return ("anonymize", lab.study, "--recording", "1", "--out", out)


@pytest.mark.usefixtures("mounts")
def test_a_study_in_a_read_only_folder(tracked: Lab, tmp_path: Path) -> None:
    folder, study = tracked.study.parent, tracked.study
    before = study.read_bytes()
    reads = [("info", study), ("check", study), ("segment", "list", study), ("relink", study, tracked.footage)]
    writes = [
        ("add", study, tracked.film("b.mp4")),
        ("segment", "add", study, *MARK),
        ("faces", study),
        exported(tracked, tracked.clips),
        ("undo", study),
        ("new", folder / "other.greenroom"),
        ("demo", "--no-window", "--dir", folder),
        ("demo", "--no-window", "--dir", folder / "demo"),
    ]
    ended = run_apart(
        *reads, *writes, mounting=f"mount --bind '{folder}' '{folder}'; mount -o remount,bind,ro '{folder}'"
    )
    assert [code for code, _ in ended] == [0] * len(reads) + [2] * len(writes)
    assert "Read-only file system" in ended[len(reads)][1]
    assert study.read_bytes() == before
    assert not tracked.clips.exists()


@pytest.mark.usefixtures("mounts")
def test_an_export_into_a_read_only_folder(tracked: Lab) -> None:
    tracked.clips.mkdir()
    mounting = f"mount -t tmpfs -o ro none '{tracked.clips}'"
    ended = run_apart(exported(tracked, tracked.clips), exported(tracked, tracked.clips / "new"), mounting=mounting)
    assert all(code == 2 and "ead-only file system" in said for code, said in ended)


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize(("room", "hint"), [("4k", "Make room"), ("300k", "no room left")])
def test_an_export_onto_a_disk_that_fills_up(tracked: Lab, room: str, hint: str) -> None:
    tracked.clips.mkdir()
    list_after = tracked.clips.parent / "left"
    mounting = f"mount -t tmpfs -o size={room} none '{tracked.clips}'"
    ((code, said),) = run_apart(
        exported(tracked, tracked.clips), mounting=mounting, after=f"ls -A '{tracked.clips}' > '{list_after}'"
    )
    assert code == 2
    assert hint in said
    assert list_after.read_text() == ""


@pytest.mark.parametrize("largest_file", [8_000, 60_000, 300_000])
def test_an_export_that_may_not_grow(tracked: Lab, largest_file: int) -> None:
    ((code, _),) = run_apart(exported(tracked, tracked.clips), largest_file=largest_file)
    assert code == 2
    assert not tracked.clips.exists() or [*tracked.clips.iterdir()] == []
    tracked.greenroom("info", tracked.study)
    tracked.greenroom("segment", "add", tracked.study, *MARK)
    assert tracked.export()["frames"] == 24


@pytest.mark.usefixtures("mounts")
def test_a_study_on_a_full_disk(tracked: Lab, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    study = disk / "lab.greenroom"
    left = tmp_path / "left"
    copied = f"mount -t tmpfs -o size=1m none '{disk}'; cp '{tracked.study}' '{disk}'"
    fill = f"{copied}; cat /dev/zero > '{disk}/zeros' || true"
    ended = run_apart(
        ("info", study),
        ("check", study),
        ("segment", "add", study, *MARK),
        ("add", study, tracked.film("b.mp4")),
        ("new", disk / "other.greenroom"),
        ("demo", "--no-window", "--dir", disk),
        mounting=f"{{ {fill}; }} 2> '{tmp_path}/cat'",
        after=f"ls -A '{disk}' > '{left}'; cmp '{study}' '{tracked.study}'",
    )
    assert [code for code, _ in ended] == [0, 0, 2, 2, 2, 2]
    assert left.read_text().split() == ["lab.greenroom", "zeros"]


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("options", ["ro", "size=4k"])
def test_a_cache_that_takes_nothing(
    tracked: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    fill = f"mount -t tmpfs -o {options} none '{cache}'; cat /dev/zero > '{cache}/zeros' || true"
    ended = run_apart(
        ("faces", tracked.study),
        exported(tracked, tracked.clips),
        mounting=f"{{ {fill}; }} 2> '{tmp_path}/cat'",
    )
    assert all(code == 2 and str(cache) in said for code, said in ended)


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


def test_a_study_on_a_network_drive(tracked: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.store.study.is_on_network", lambda _: True)
    tracked.greenroom("segment", "add", tracked.study, *MARK)
    tracked.greenroom("undo", tracked.study)
    assert tracked.greenroom.json("faces", tracked.study)["frames"] == 24
    assert tracked.export()["frames"] == 24
    with Session.open(tracked.study, "Ada") as session, session.step("Rename") as step:
        session.study.set_property("name", "Elsewhere")
        assert not [p.name for p in tracked.study.parent.iterdir() if p.name.endswith(("-wal", "-shm"))]
        assert "only one window" in tracked.greenroom("info", tracked.study, code=2)
        assert "only one window" in tracked.greenroom("segment", "add", tracked.study, *MARK, code=2)
    assert step.changes
    assert tracked.greenroom.json("info", tracked.study)["name"] == "Elsewhere"


def test_an_export_onto_a_drive_without_rights_links_or_locks(tracked: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("media.encoding.os.link", refuse)
    monkeypatch.setattr("media.encoding.Path.chmod", refuse)
    monkeypatch.setattr("media.encoding.fcntl.flock", lambda *_: None)
    assert tracked.export()["frames"] == 24


def test_a_study_that_somebody_else_has_open(tracked: Lab) -> None:
    with Session.open(tracked.study, "Bo"):
        tracked.greenroom("info", tracked.study)
        for command in (("segment", "add", tracked.study, *MARK), ("faces", tracked.study), ("undo", tracked.study)):
            assert "another window" in tracked.greenroom(*command, code=2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_output_that_cannot_be_printed(lab: Lab, form: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "greenroom", "info", str(lab.study), *form]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=HANG_S)
    assert done.returncode == 2
    assert done.stderr.startswith("greenroom: The result cannot be printed")
    assert done.stderr.count("\n") == 1


def test_a_terminal_that_knows_few_characters(lab: Lab) -> None:
    lab.greenroom("add", lab.study, lab.film("ä 🎬.mp4"))
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "greenroom", "info", str(lab.study)]
    text, line = (
        subprocess.run([*command, *form], env=environment, capture_output=True, check=True, timeout=HANG_S).stdout
        for form in ((), ("--json",))
    )
    assert "ä \\U0001f3ac" in text.decode("latin-1")
    assert json.loads(line)["recording_list"][0]["name"] == "ä 🎬"
