"""What is read of the system: libraries that are missing, and where sound can go; nothing is opened."""

import re
from pathlib import Path

import pytest

from app.diagnostics import system_facts
from app.diagnostics.system_facts import LIBRARIES, SOUND_VARIABLE, Library, LibraryUse, SoundOutput, sound_output
from tests.contract.documentation import ROOT


def test_the_setup_installs_what_the_program_looks_for() -> None:
    setup = (ROOT / ".ci" / "setup").read_text("utf-8")
    installed = set(re.findall(r"^library (\S+) (\S+)$", setup, re.MULTILINE))
    assert installed == {(library.file, library.package) for library in LIBRARIES}
    assert system_facts.VLC_PLUGINS in setup


def test_what_is_missing_is_told_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Library("libc.so.6", "libc6", LibraryUse.WINDOW)
    gone = Library("libgreenroom-is-none.so.1", "none1", LibraryUse.WINDOW)
    other = Library("libother-none.so.2", "none2", LibraryUse.X11)
    monkeypatch.setattr(system_facts, "LIBRARIES", (there, gone, other))
    assert system_facts.missing_libraries([LibraryUse.WINDOW]) == [gone]
    for program, command in (("/usr/bin/apt", "sudo apt install none1"), (None, "install what Debian calls none1")):
        monkeypatch.setattr("shutil.which", lambda name, program=program: program)
        line = system_facts.missing_library_text(gone)
        assert line == f"libgreenroom-is-none.so.1 is missing, which the window needs: {command}"


@pytest.mark.parametrize(
    ("variables", "on_x11"),
    [
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, False),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, False),
        ({"QT_QPA_PLATFORM": "xcb"}, True),
    ],
)
def test_the_libraries_of_x11_are_looked_for_where_the_window_opens_on_it(
    variables: dict[str, str], on_x11: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (LibraryUse.X11 in system_facts.window_uses()) == on_x11


def test_sound_goes_to_a_card_or_a_server_that_is_there_unless_the_user_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (SOUND_VARIABLE, "PULSE_SERVER", "PULSE_RUNTIME_PATH", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def touch(name: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    touch("dev/snd/pcmC0D0c")
    assert sound_output(tmp_path) is SoundOutput.NONE, "a card that only records"
    touch("dev/snd/pcmC0D0p")
    assert sound_output(tmp_path) is SoundOutput.CARD
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    touch("run/pulse/native")
    assert sound_output(tmp_path) is SoundOutput.SERVER
    monkeypatch.setenv(SOUND_VARIABLE, "dummy")
    assert sound_output(tmp_path) is SoundOutput.NONE
