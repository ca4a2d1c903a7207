"""The real program in its own process, on a screen that nobody looks at."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.gui.files.study_files import make_sample_study
from tests.builders.waiting import HANG_S

pytestmark = pytest.mark.e2e
ORANGE = (205, 85, 50)
"""The suit in the sample's picture."""

WATCH = """
import sys, time
from PySide6.QtWidgets import QApplication
from tests.e2e.test_window_xvfb import ORANGE, share
app = QApplication(sys.argv[:1])
while True:
    seen = app.primaryScreen().grabWindow(0).toImage()
    if share(seen, ORANGE) > 0.01:
        break
    time.sleep(0.1)
seen.save(sys.argv[1])
"""
"""Looks at the screen until there is enough of the colour."""


def share(image: QImage, wanted: tuple[int, int, int]) -> float:
    """Return which part of the screen is near a colour; every eighth pixel is looked at."""
    places = [(x, y) for y in range(0, image.height(), 8) for x in range(0, image.width(), 8)]
    seen = [image.pixelColor(x, y).getRgb()[:3] for x, y in places]
    near = [
        colour for colour in seen if all(abs(number - other) < 40 for number, other in zip(colour, wanted, strict=True))
    ]
    return len(near) / len(places)


def test_the_program_shows_the_study_and_leaves_one_file(display: dict[str, str], tmp_path: Path) -> None:
    study = make_sample_study(tmp_path / "study")
    screen, log = tmp_path / "screen.png", tmp_path / "errors.txt"
    root = Path(__file__).resolve().parents[2]
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "greenroom", str(study)],
            env=display,
            stderr=errors,
            cwd=tmp_path,
            start_new_session=True,
        ) as program,
        subprocess.Popen([sys.executable, "-c", WATCH, str(screen)], env=display, cwd=root) as watching,
    ):
        try:
            assert watching.wait(HANG_S) == 0, log.read_text()
            assert program.poll() is None, log.read_text()
            seen = QImage(str(screen))
            assert share(seen, (30, 30, 30)) > 0.2 or share(seen, (240, 240, 240)) > 0.2, "the window is around it"
            program.send_signal(signal.SIGTERM)
            assert program.wait(HANG_S) == 0, log.read_text()
        finally:
            program.kill()
            watching.kill()
    assert sorted(path.name for path in study.parent.iterdir()) == ["sample.greenroom", "sample.mp4"]


def test_without_a_screen_there_is_a_line(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run(
        [sys.executable, "-m", "greenroom", "open", str(tmp_path / "any.greenroom")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("greenroom: ")
    assert "screen" in done.stderr
