"""Records marking, anonymizing and comparing in the real window: `python -m tools.screens.tour [FOLDER]`."""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollBar, QWidget

from project.queries.segment_rows import all_segments
from tests.contract.documentation import ROOT
from tools.screens.filled import ANNOTATOR, make_study
from tools.screens.taking import WindowCamera, use_own_folders

SIZE = (1280, 800)
WIDTH = 960
FRAME_MS = 125
_SECOND = 1_000_000
_QUALITY = 62


class Recorder:
    """Takes a picture of the window, and of a dialog over it, eight times a second of the recording."""

    def __init__(self, camera: WindowCamera) -> None:
        self.camera = camera
        self.frames: list[QImage] = []
        self.caption = ""

    def take(self, dialog: QWidget | None = None, *, times: int = 1) -> None:
        """Add a frame, and the same again to hold it."""
        window = self.camera.window
        picture = window.grab().toImage()
        painter = QPainter(picture)
        if dialog is not None:
            painter.fillRect(picture.rect(), QColor(0, 0, 0, 90))
            corner = QPoint((picture.width() - dialog.width()) // 2, (picture.height() - dialog.height()) // 2)
            painter.drawPixmap(corner, dialog.grab())
        self._draw_caption(painter, picture)
        painter.end()
        small = picture.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation)
        self.frames += [small] * times

    def trigger(self, action: str) -> None:
        """Trigger an action, and show what came of it for half a second."""
        self.camera.window.menus.actions[action].trigger()
        self.camera.settle(0.2)
        self.take(times=4)

    def write(self, path: Path) -> None:
        """Write all frames as an animated WebP that plays again and again."""
        from PIL import Image

        pictures = []
        for frame in self.frames:
            plain = frame.convertToFormat(QImage.Format.Format_RGB888)
            pictures.append(
                Image.frombytes(
                    "RGB", (plain.width(), plain.height()), bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine()
                )
            )
        pictures[0].save(
            path, save_all=True, append_images=pictures[1:], duration=FRAME_MS, loop=0, quality=_QUALITY, method=4
        )

    def _draw_caption(self, painter: QPainter, picture: QImage) -> None:
        font = QFont(painter.font())
        font.setPixelSize(22)
        painter.setFont(font)
        place = picture.rect().adjusted(0, picture.height() - 44, 0, 0)
        painter.fillRect(place, QColor(20, 20, 24, 225))
        painter.setPen(Qt.GlobalColor.white)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self.caption)


def main() -> int:
    """Record the tour into docs/tour.webp."""
    with tempfile.TemporaryDirectory() as folder:
        study = make_study(Path(sys.argv[1] if len(sys.argv) > 1 else folder).resolve() / "study")
        use_own_folders(folder)
        _record(study, ROOT / "docs" / "tour.webp")
    return 0


def _record(study: Path, path: Path) -> None:
    from app.gui.startup import make_application
    from app.gui.window.main_window import MainWindow
    from project.queries.recording_rows import all_recordings
    from tools.screens.answers import NobodyThere

    app = make_application()
    window = MainWindow(NobodyThere(study.parent))
    window.commands.set_theme("light")
    window.resize(*SIZE)
    window.show()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    window.studio.change_settings(lambda kept: replace(kept, annotator=ANNOTATOR))
    window.studio.open(study, ANNOTATOR)
    recorder = Recorder(WindowCamera(window, path.parent))
    window.choose_recording(all_recordings(recorder.camera.session.study)[-1].id)
    recorder.camera.settle(1.0, until=lambda: window.player.times is not None)
    for scene in (_mark, _anonymize, _compare):
        scene(recorder)
    recorder.write(path)
    window.close()
    app.processEvents()


def _mark(recorder: Recorder) -> None:
    window = recorder.camera.window
    recorder.caption = "Mark: I and O set start and end, a key sets the label"
    window.set_mode("annotate")
    window.timeline.zoom_to_fit()
    window.studio.select(())
    window.playback.jump(int(17.6 * _SECOND))
    window.timeline.setFocus()
    recorder.camera.settle(1.0)
    recorder.take(times=6)
    recorder.trigger("mark_in")
    window.playback.jump(int(19.2 * _SECOND))
    recorder.camera.settle(0.4)
    recorder.take(times=3)
    window.playback.jump(int(20.8 * _SECOND))
    recorder.camera.settle(0.4)
    recorder.take(times=3)
    recorder.trigger("mark_out")
    window.editing.create_from_marks("competence")
    recorder.camera.settle(0.5)
    recorder.take(times=10)


def _anonymize(recorder: Recorder) -> None:
    window = recorder.camera.window
    recorder.caption = "Anonymize: faces are tracked and replaced on this machine"
    window.set_mode("faces")
    window.playback.jump(3 * _SECOND)
    recorder.camera.settle(2.0)
    recorder.take(times=12)
    from app.gui.export.export_preview import BeforeAfter

    def look(dialog: QWidget) -> None:
        recorder.camera.settle(8.0)
        recorder.take(dialog, times=6)
        (compared,) = dialog.findChildren(BeforeAfter)
        for step in (*range(50, 4, -5), *range(5, 96, 6), *range(95, 49, -5)):
            compared.set_position(step / 100)
            recorder.camera.settle(0.03)
            recorder.take(dialog)

    _in_dialog(recorder.camera, window.menus.actions["export"].trigger, look)


def _compare(recorder: Recorder) -> None:
    window = recorder.camera.window
    recorder.caption = "Compare: people and models judge the same segment, side by side"
    window.set_mode("judges")
    here = window.studio.recording
    segments = [
        segment
        for segment in all_segments(recorder.camera.session.study)
        if here is not None and segment.recording_id == here.id and segment.label == "error"
    ]
    window.studio.select([segments[0].id])
    window.playback.jump(segments[0].start_us)
    recorder.camera.settle(1.5)
    recorder.take(times=8)
    bars = [bar for bar in window.findChildren(QScrollBar) if bar.isVisible()]
    bar = max((bar for bar in bars if bar.orientation() is Qt.Orientation.Horizontal), key=QScrollBar.maximum)
    for step in range(1, 13):
        bar.setValue(bar.maximum() * step // 12)
        recorder.camera.settle(0.05)
        recorder.take()
    recorder.take(times=16)


def _in_dialog(camera: WindowCamera, ask: Callable[[], object], act: Callable[[QWidget], None]) -> None:
    """Open a dialog, act in it, and close it."""
    before = {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()}
    done: list[bool] = []

    def begin() -> None:
        shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget not in before]
        act(shown[-1])
        for widget in shown:
            widget.close()
        done.append(True)

    QTimer.singleShot(3000, begin)
    ask()
    camera.settle(until=lambda: bool(done))


if __name__ == "__main__":
    sys.exit(main())
