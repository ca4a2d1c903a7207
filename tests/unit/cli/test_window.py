"""The look at the system before the window opens."""

from pathlib import Path

import pytest

from app.cli import launch as window
from app.cli.main import run
from app.diagnostics import system_facts as libraries
from app.diagnostics.system_facts import Library, LibraryUse


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
        "greenroom: The window cannot open: libraries of the system are missing. "
        "Get them all: sudo apt install libegl1 libxcb-cursor0",
    ]


def test_where_none_is_missing_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(libraries, "missing_libraries", lambda uses: [])
    window.check_libraries()
    assert capsys.readouterr().err == ""


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
        "xmessage -center The window cannot open: libraries of the system are missing. "
        "Get them all: sudo apt install libegl1"
    )
    assert run(["open"]) == 2
    assert len(said.read_text().splitlines()) == 2
