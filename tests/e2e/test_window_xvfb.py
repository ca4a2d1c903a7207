"""The real program in its own process, on a screen that nobody looks at."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app.gui.files.study_files import make_sample_study
from tests.builders.waiting import HANG_S, wait_until

GRAB = """
import sys
from PySide6.QtWidgets import QApplication
app = QApplication(sys.argv[:1])
app.primaryScreen().grabWindow(0).save(sys.argv[1])
"""

pytestmark = pytest.mark.e2e


def grab(environment: dict[str, str], path: Path) -> QImage:
    subprocess.run([sys.executable, "-c", GRAB, str(path)], env=environment, check=True, timeout=HANG_S)
    return QImage(str(path))


def share(image: QImage, wanted: tuple[int, int, int]) -> float:
    """Return which part of the screen is near a colour; every eighth pixel is looked at."""
    near = total = 0
    for y in range(0, image.height(), 8):
        for x in range(0, image.width(), 8):
            colour = image.pixelColor(x, y)
            total += 1
            seen = (colour.red(), colour.green(), colour.blue())
            near += all(abs(number - other) < 40 for number, other in zip(seen, wanted, strict=True))
    return near / total


def test_the_program_shows_the_study_and_leaves_one_file(display: dict[str, str], tmp_path: Path) -> None:
    study = make_sample_study(tmp_path / "study")
    log = tmp_path / "errors.txt"
    with log.open("wb") as errors:
        program = subprocess.Popen(
            [sys.executable, "-m", "greenroom", str(study)], env=display, stderr=errors, cwd=tmp_path
        )
    try:
        orange = (205, 85, 50)
        screen = tmp_path / "screen.png"
        # The suit in the sample's picture is on the screen.
        wait_until(lambda: program.poll() is not None or share(grab(display, screen), orange) > 0.01, log.read_text)
        assert program.poll() is None, log.read_text()
        seen = QImage(str(screen))
        assert share(seen, (30, 30, 30)) > 0.2 or share(seen, (240, 240, 240)) > 0.2, "the window is around it"
        program.send_signal(signal.SIGTERM)
        assert program.wait(HANG_S) == 0, log.read_text()
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
    assert sorted(p.name for p in study.parent.iterdir()) == ["sample.greenroom", "sample.mp4"]


def test_a_study_that_is_none_is_a_line_and_not_a_window(display: dict[str, str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.greenroom"
    broken.write_text("not a study")
    done = subprocess.run(
        [sys.executable, "-m", "greenroom", "open", str(broken)],
        env=display,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert_is_a_line(done)


def test_without_a_screen_there_is_a_line_too(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run(
        [sys.executable, "-m", "greenroom", "open", str(tmp_path / "any.greenroom")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert_is_a_line(done)
    assert "screen" in done.stderr


def assert_is_a_line(done: "subprocess.CompletedProcess[str]") -> None:
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("greenroom: ")
