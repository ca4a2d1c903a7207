"""Which libraries of the system are missed, and what is said about them."""

import re

import pytest

from app.diagnostics import system_facts as libraries
from app.diagnostics.system_facts import LIBRARIES, Library, LibraryUse
from tests.contract.documentation import ROOT


def test_the_setup_installs_what_the_program_looks_for() -> None:
    setup = (ROOT / ".ci" / "setup").read_text("utf-8")
    installed = set(re.findall(r"^library (\S+) (\S+)$", setup, re.MULTILINE))
    assert installed == {(library.file, library.package) for library in LIBRARIES}
    assert libraries.VLC_PLUGINS in setup


def test_one_that_is_there_is_not_missed_and_one_that_is_not_is(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Library("libc.so.6", "libc6", LibraryUse.WINDOW)
    gone = Library("libgreenroom-is-none.so.1", "none1", LibraryUse.WINDOW)
    monkeypatch.setattr(libraries, "LIBRARIES", (there, gone, Library("libother-none.so.2", "none2", LibraryUse.X11)))
    assert libraries.missing_libraries([LibraryUse.WINDOW]) == [gone]
    assert libraries.missing_libraries([]) == []


@pytest.mark.parametrize(
    ("variables", "on_x11"),
    [
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, False),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, False),
        ({"QT_QPA_PLATFORM": "xcb"}, True),
        ({}, False),
    ],
)
def test_the_libraries_of_x11_are_looked_for_where_the_window_opens_on_it(
    variables: dict[str, str], on_x11: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (LibraryUse.X11 in libraries.window_uses()) == on_x11


@pytest.mark.parametrize("there", [True, False])
def test_a_line_says_how_to_get_it(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if there else None)
    line = libraries.missing_library_text(Library("libEGL.so.1", "libegl1", LibraryUse.WINDOW))
    command = "sudo apt install libegl1" if there else "install what Debian calls libegl1"
    assert line == f"libEGL.so.1 is missing, which the window needs: {command}"
