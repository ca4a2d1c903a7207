"""Dialogs and menus of the program that a test fills in as a person does, while they block the window."""

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
_LOOK_MS = 5


class FileAnswers(Answers):
    """Answers the desktop's dialogs, which ask for files; the program's own are shown."""

    ask = Dialogs.ask
    text = Dialogs.text
    agree = Dialogs.agree

    def _parent_window(self) -> QWidget:
        window = QApplication.activeWindow()
        assert window is not None
        return window

    window = property(_parent_window)


@contextmanager
def filled_in(kind: type[D], fill: Callable[[D], object]) -> Iterator[None]:
    """Fill in a dialog of a kind that opens in the block; `fill` has to close it."""
    ended: list[BaseException | None] = []

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
            ended.append(None)
        except BaseException as error:
            ended.append(error)
            dialog.reject()

    timer = QTimer(interval=_LOOK_MS)
    timer.timeout.connect(look)
    timer.start()
    yield
    _wait_until_done(ended)


def choose_from(open_menu: Callable[[], object], *texts: str) -> None:
    """Open a menu and click an entry, named without its `&`; further texts are entries of its submenus."""
    ended: list[BaseException | None] = []

    def pick() -> None:
        try:
            for text in texts:
                menu = QApplication.activePopupWidget()
                assert isinstance(menu, QMenu)
                entries = {action.text().replace("&", ""): action for action in menu.actions()}
                assert entries[text].isEnabled()
                ended.append(None) if text == texts[-1] else None
                click(menu, QPointF(menu.actionGeometry(entries[text]).center()))
        except BaseException as error:
            ended.append(error)

    QTimer.singleShot(0, pick)
    open_menu()
    _wait_until_done(ended)


def choose_in(box: QComboBox, text: str) -> None:
    """Go to an entry of a box with the arrow keys."""
    place = box.findText(text, Qt.MatchFlag.MatchExactly)
    assert place >= 0, [box.itemText(entry) for entry in range(box.count())]
    steps = place - box.currentIndex()
    box.setFocus()
    press(box.window(), *["Down" if steps > 0 else "Up"] * abs(steps))
    assert box.currentText() == text


def _wait_until_done(ended: list[BaseException | None]) -> None:
    def happened() -> bool:
        QApplication.processEvents()
        return bool(ended)

    wait_until(happened)
    if ended[-1] is not None:
        raise ended[-1]
