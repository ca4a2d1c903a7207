"""Does what takes a moment and suffers nothing beside it, in a thread, while the window says what goes on."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout

from project.errors import Cancelled
from project.progress import Progress
from widgets import theme
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.progress_line import ProgressLine

Result = TypeVar("Result")
_SHOWN_AFTER_MS = 100
_WIDTH = 440
_TOLD_EVERY_S = 0.05


class Apart(QObject):
    """One piece of work at a time; whoever asks for it gets the result, as if it had been done at once.

    Signals:
        begun: a piece of work was begun.
        freed: the work is over.
    """

    begun = Signal()
    freed = Signal()
    _done = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.busy = False
        self.quiet = False
        """Whether nothing is shown of it, because the window is closed while jobs go on."""

    def run(self, work: Callable[[Progress], Result], text: str, *, stoppable: bool = False) -> Result:
        """Call `work` in a thread and return what it returns, or raise what it raises; windows are painted meanwhile.

        It returns when the work is over, whatever else happens: the program does not end before.

        Args:
            work: is told by its progress when it is not wanted any more.
            text: says what goes on.
            stoppable: whether somebody may stop it, because then it leaves nothing behind.
        """
        results: list[Result] = []
        errors: list[BaseException] = []
        saying = _Saying(text, stoppable, quiet=self.quiet)

        def do() -> None:
            try:
                results.append(work(saying.telling))
            except BaseException as error:
                errors.append(error)
            finally:
                self._done.emit()

        self.busy = True
        self.begun.emit()
        loop, thread = QEventLoop(), threading.Thread(target=do, name=text)
        self._done.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
        try:
            thread.start()
            while not (results or errors):
                # Where the program was told to end, the loop does not wait any more; the work goes on all the same.
                loop.exec()
                QCoreApplication.processEvents()
                thread.join(0.005)
            thread.join()
        finally:
            saying.end()
            self.busy = False
        self.freed.emit()
        if errors:
            raise errors[0]
        return results[0]


class _Telling(QObject):
    """Brings from the thread how far the work is, and tells it when it is not wanted any more.

    Signals:
        told (int, int, str): done, total, text.
    """

    told = Signal(int, int, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._told = 0.0

    def stop(self) -> None:
        self._stop.set()

    def progress(self, done: int, total: int, text: str = "") -> None:
        now = time.monotonic()
        if now - self._told > _TOLD_EVERY_S:
            self._told = now
            self.told.emit(done, total, text)

    def check_cancelled(self) -> None:
        if self._stop.is_set():
            raise Cancelled


class _Saying(OwnDialog):
    """Says what goes on, how far it is and how long it takes, once it lasts; keeps clicks and keys from all windows."""

    def __init__(self, text: str, stoppable: bool, *, quiet: bool) -> None:
        super().__init__(QApplication.activeWindow())
        self.setModal(True)
        self.setWindowFlag(Qt.WindowType.WindowCloseButtonHint, on=False)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)
        self.setWindowTitle(text)
        self.setMinimumWidth(_WIDTH)
        self._text, self._stoppable = text, stoppable
        self.telling = _Telling(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.GRID * 2,) * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(PlainLabel(text))
        self._line = ProgressLine(text)
        self._line.cancel.setVisible(stoppable)
        self._line.show_progress(0, 0, "")
        column.addWidget(self._line)
        self._line.cancel_requested.connect(self.reject)
        self.telling.told.connect(self._line.show_progress, Qt.ConnectionType.QueuedConnection)
        self._soon = QTimer(self, interval=_SHOWN_AFTER_MS)
        self._soon.timeout.connect(self._look)
        if not quiet:
            self._soon.start()

    def reject(self) -> None:
        """Ask the work to stop, where it can, and stay until it has."""
        if self._stoppable:
            self.telling.stop()
            self._line.cancel.setEnabled(False)

    def end(self) -> None:
        """Go away."""
        self._soon.stop()
        self.hide()
        self.deleteLater()

    def _look(self) -> None:
        # A question about it, such as for a passphrase, stays in front.
        if QApplication.activeModalWidget() is None:
            self._soon.stop()
            self.show()
