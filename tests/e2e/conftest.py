"""Fixtures of the end-to-end tests."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.diagnostics import system_facts as libraries
from tests.builders.lab import Lab
from tests.builders.terminal import Terminal

WIDTH, HEIGHT = 1440, 900
"""Of the virtual screen."""


@pytest.fixture
def lab(tmp_path: Path, greenroom: Terminal) -> Iterator[Lab]:
    made = Lab(tmp_path, greenroom)
    yield made
    made.look_after()


@pytest.fixture
def display(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a fresh virtual screen."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("Xvfb is not installed: sudo apt install xvfb")
    missing = libraries.missing_libraries([libraries.LibraryUse.WINDOW, libraries.LibraryUse.X11])
    if missing:
        pytest.skip("; ".join(map(libraries.missing_library_text, missing)))
    reading, writing = os.pipe()
    screen = subprocess.Popen(
        [server, "-displayfd", str(writing), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()
    try:
        yield {
            **os.environ,
            "DISPLAY": f":{number}",
            "QT_QPA_PLATFORM": "xcb",
            "QT_SCALE_FACTOR": "1",
            "GREENROOM_AOUT": "dummy",
        }
    finally:
        screen.terminate()
        screen.wait()
