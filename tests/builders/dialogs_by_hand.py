"""Dialogs, menus and boxes of the program that a test works as a person does, while they block the window."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QMenu, QWidget

from app.gui.study.dialogs import Dialogs
from tests.builders.mouse_and_keys import click, press
from tests.builders.scripted_dialogs import Answers
from tests.builders.waiting import wait_until

D = TypeVar("D", bound=QDialog)
Outcome = list[BaseException | None]
_LOOK_MS = 5


class FileAnswers(Answers):
    """Answers the desktop's dialogs, which ask for files; the program's own are shown, for `filled_in`."""

    ask, text, agree = Dialogs.ask, Dialogs.text, Dialogs.agree

    @property
    def window(self) -> QWidget:
        """The window that is used now."""
        window = QApplication.activeWindow()
        assert window is not None
        return window

    def _parent_window(self) -> QWidget:
        return self.window


@contextmanager
def filled_in(kind: type[D], fill: Callable[[D], object]) -> Iterator[None]:
    """Fill in a dialog of a kind that opens in the block; `fill` has to close it."""
    outcome: Outcome = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, kind):
            return
        timer.stop()
        try:
            # What was to be active before is so first.
            QApplication.processEvents()
            dialog.activateWindow()
            assert QTest.qWaitForWindowActive(dialog)
            fill(dialog)
            assert not dialog.isVisible(), "the dialog is still open"
            outcome.append(None)
        except BaseException as error:
            outcome.append(error)
            dialog.reject()

    timer = QTimer(interval=_LOOK_MS)
    timer.timeout.connect(look)
    timer.start()
    yield
    _finish(outcome)


def choose_from(open_menu: Callable[[], object], text: str) -> None:
    """Open a menu and click the entry of that text, which is given without its `&`."""
    outcome: Outcome = []

    def pick() -> None:
        try:
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            entry = {action.text().replace("&", ""): action for action in menu.actions()}[text]
            assert entry.isEnabled()
            outcome.append(None)
            click(menu, QPointF(menu.actionGeometry(entry).center()))
        except BaseException as error:
            outcome.append(error)

    QTimer.singleShot(0, pick)
    open_menu()
    _finish(outcome)


def choose_in(box: QComboBox, text: str) -> None:
    """Go to an entry of a box with the arrow keys."""
    place = box.findText(text, Qt.MatchFlag.MatchExactly)
    assert place >= 0, [box.itemText(entry) for entry in range(box.count())]
    steps = place - box.currentIndex()
    box.setFocus()
    press(box.window(), *["Down" if steps > 0 else "Up"] * abs(steps))
    assert box.currentText() == text


def _finish(outcome: Outcome) -> None:
    def is_over() -> bool:
        QApplication.processEvents()
        return bool(outcome)

    wait_until(is_over)
    if outcome[-1] is not None:
        raise outcome[-1]
