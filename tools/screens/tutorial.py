"""The pictures of the tutorial, taken while its commands run on the sample: `python -m tools.screens.tutorial`."""

import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from app.cli.main import run
from project.queries.segment_rows import all_segments
from tests.contract.documentation import ROOT, page
from tools.screens.taking import WindowCamera, sample_window, use_own_folders

STEP = re.compile(r"^```(sh|srt)\n(.*?)^```$|^!\[[^\]]*\]\(tutorial-(\w+)\.png\)$", re.MULTILINE | re.DOTALL)
REFUSED = 2
SIZE = (1280, 800)
_SECOND = 1_000_000
_AT_US = 8 * _SECOND


def main() -> int:
    """Run the page's blocks in order, and take each picture where it stands in the page."""
    with tempfile.TemporaryDirectory() as folder:
        use_own_folders(folder)
        for kind, text, picture in STEP.findall(page("tutorial")):
            if picture:
                _take(picture)
            elif kind == "srt":
                Path("tutorial/said.srt").write_text(text, "utf-8")
            else:
                for line in text.replace("\\\n", "").splitlines():
                    if run(shlex.split(line)[1:]) not in (0, REFUSED):
                        return 1
    return 0


def _take(name: str) -> None:
    with sample_window(Path("tutorial/first.greenroom").resolve(), ROOT / "docs") as camera:
        window, session = camera.window, camera.session
        camera.settle(1.0)
        window.playback.jump(_AT_US)
        window.timeline.zoom_to_fit()
        segments = all_segments(session.study)
        if segments:
            window.studio.select([segments[0].id])
        camera.settle(1.5)
        _SHOTS[name](camera, f"tutorial-{name}")


def _whole(camera: WindowCamera, name: str) -> None:
    camera.take(name, seconds=0.5)


def _mode(mode: str) -> Callable[[WindowCamera, str], None]:
    def shoot(camera: WindowCamera, name: str) -> None:
        camera.window.set_mode(mode)
        camera.take(name, seconds=5.0)

    return shoot


def _export(camera: WindowCamera, name: str) -> None:
    """Lay the two pictures side by side that the command before has written."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage, QPainter

    pictures = sorted(Path("tutorial/pictures").glob("preview-*.png"), reverse=True)
    halves = [
        QImage(str(picture)).scaledToWidth(SIZE[0] // 2, Qt.TransformationMode.SmoothTransformation)
        for picture in pictures
    ]
    whole = QImage(SIZE[0], halves[0].height(), QImage.Format.Format_RGB32)
    painter = QPainter(whole)
    for place, half in enumerate(halves):
        painter.drawImage(place * SIZE[0] // 2, 0, half)
    painter.end()
    whole.save(str(ROOT / "docs" / f"{name}.png"))


def _release(camera: WindowCamera, name: str) -> None:
    from app.gui.release.release_tab import ReleaseTab

    widget = camera.window.windows.open_window("release")
    assert isinstance(widget, ReleaseTab)
    camera.settle(until=lambda: bool(widget.table.texts()))
    camera.take(name, widget, seconds=1.0)
    widget.window().close()


_SHOTS: Mapping[str, Callable[[WindowCamera, str], None]] = {
    "study": _whole,
    "error": _whole,
    "transcript": _mode("transcript"),
    "faces": _mode("faces"),
    "export": _export,
    "release": _release,
}

if __name__ == "__main__":
    sys.exit(main())
