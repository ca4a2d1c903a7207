"""`greenroom FILE`: a study is opened as every editor opens a file; a command's own name is always the command."""

import struct
from pathlib import Path

import pytest

from app.cli import launch as window
from app.cli.command_table import FIRST_WORDS
from app.cli.main import is_file_argument, run
from app.diagnostics import system_facts as libraries
from app.diagnostics.system_facts import Library, LibraryUse
from project.store.study import Study
from tests.builders.terminal import Terminal

Opened = list[tuple[tuple[Path, ...], str | None]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """What the window would be opened on."""
    calls: Opened = []

    def run(study: Path | None, _annotator: object, recording: str | None, *_more: object, **given: object) -> int:
        recordings = given["recordings"]
        assert isinstance(recordings, tuple)
        calls.append((recordings if study is None else (study, *recordings), recording))
        return 0

    monkeypatch.setattr(window, "check_libraries", lambda: None)
    monkeypatch.setattr("app.gui.window.application.run", run)
    return calls


def test_a_study_or_recordings_are_opened_by_their_names_and_a_command_is_always_the_command(
    folder: Path, greenroom: Terminal, opened: Opened
) -> None:
    Study.create(folder / "lab.greenroom").close()
    greenroom("lab.greenroom", "--recording", "3")
    for name in ("one.mp4", "TWO.MOV"):
        (folder / name).write_bytes(b"picture")
    greenroom("one.mp4", "TWO.MOV")
    (folder / "lab.greenroom").rename(folder / "info")
    greenroom("./info")
    greenroom("open", "info")
    assert "greenroom ./info" in greenroom("info", code=2), "it says how the file is opened"
    greenroom("open", "--from-desktop", "gone.greenroom")
    assert opened == [
        ((Path("lab.greenroom"),), "3"),
        ((Path("one.mp4"), Path("TWO.MOV")), None),
        *[((Path("info"),), None)] * 2,
        ((Path("gone.greenroom"),), None),
    ]
    for name in FIRST_WORDS:
        (folder / name).touch()
        assert not is_file_argument(name), name


def test_what_cannot_be_opened_is_one_clear_line(folder: Path, greenroom: Terminal, opened: Opened) -> None:
    (folder / "empty").mkdir()
    (folder / "full").mkdir()
    Study.create(folder / "full" / "lab.greenroom").close()
    (folder / "note.txt").write_text("milk")
    (folder / "clip.mp4").write_bytes(b"picture")
    (folder / "other.db").write_bytes(b"SQLite format 3\0" + bytes(52) + struct.pack(">i", 7) + bytes(28))
    for arguments, said in (
        ("gone.greenroom", "The study “gone.greenroom” does not exist. Make it: greenroom new gone.greenroom"),
        ("gone.mp4", "The file “gone.mp4” does not exist. Check its path."),
        ("empty", "“empty” is a folder, not a study. Choose a file whose name ends in .greenroom."),
        ("full/", "“full” is a folder, not a study. Choose the study in it: full/lab.greenroom"),
        ("note.txt", "“note.txt” is neither a study nor a recording. A study ends in .greenroom, "),
        ("other.db", "“other.db” is neither a study nor a recording."),
        (
            "full/lab.greenroom clip.mp4",
            "A study cannot be opened together with other files. Add recordings to it: greenroom add ",
        ),
        ("full/lab.greenroom full/lab.greenroom", "A window can open only one study."),
        ("annotae", "No such command 'annotae'"),
    ):
        assert said in greenroom(*arguments.split(), code=2)
    assert opened == []


@pytest.mark.parametrize("command", [[], ["open", "study.greenroom"]])
def test_each_missing_library_is_one_line_and_the_window_is_not_tried(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = [
        Library("libEGL.so.1", "libegl1", LibraryUse.WINDOW),
        Library("libxcb-cursor.so.0", "libxcb-cursor0", LibraryUse.X11),
    ]
    monkeypatch.setattr(libraries, "missing_libraries", lambda uses: gone)
    monkeypatch.setattr("shutil.which", lambda name: name)
    assert run(command) == 2
    assert capsys.readouterr().err.splitlines() == [
        "libEGL.so.1 is missing, which the window needs: sudo apt install libegl1",
        "libxcb-cursor.so.0 is missing, which a window on X11 needs: sudo apt install libxcb-cursor0",
        "greenroom: The window cannot open: system libraries are missing. "
        "Install them: sudo apt install libegl1 libxcb-cursor0",
    ]


def test_started_from_the_desktop_another_program_says_why_there_is_no_window(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    for name, ends in (("zenity", 1), ("xmessage", 0)):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> "{said}"\nexit {ends}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.setattr(
        libraries, "missing_libraries", lambda uses: [Library("libEGL.so.1", "libegl1", LibraryUse.WINDOW)]
    )
    monkeypatch.setattr(libraries, "install_command", lambda names: "sudo apt install libegl1")
    assert run(["open", "--from-desktop"]) == 2
    first, second = said.read_text().splitlines()
    assert first.startswith("zenity --error")
    assert second == (
        "xmessage -center The window cannot open: system libraries are missing. Install them: sudo apt install libegl1"
    )
    assert run(["open"]) == 2
    assert len(said.read_text().splitlines()) == 2
