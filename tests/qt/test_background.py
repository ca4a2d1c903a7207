"""Work in a thread: under a line that says how far it is, or unseen; who no longer wants it hears nothing of it."""

from collections.abc import Callable, Iterator
from threading import Event

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.study.background import BackgroundPool, ModalTask, PendingTask
from project.errors import Cancelled
from project.progress import Progress
from project.session.session import Session
from tests.builders.waiting import HANG_S


@pytest.fixture
def apart(qapp: QApplication) -> Iterator[ModalTask]:
    made = ModalTask(qapp)
    yield made
    made.deleteLater()


def once_it_is_shown(do: Callable[[QDialog], object]) -> QTimer:
    """Look every few milliseconds whether the dialog is there, and do something with it once."""
    timer = QTimer(interval=10)

    def look() -> None:
        found = QApplication.activeModalWidget()
        if isinstance(found, QDialog):
            timer.stop()
            do(found)

    timer.timeout.connect(look)
    timer.start()
    return timer


def cancel_of(dialog: QDialog) -> QPushButton:
    (button,) = dialog.findChildren(QPushButton)
    return button


def test_what_it_returns_or_raises_is_as_if_it_had_been_done_at_once(apart: ModalTask) -> None:
    order: list[str] = []
    apart.started.connect(lambda: order.append("begun"))
    apart.finished.connect(lambda: order.append("freed"))
    assert apart.run(lambda _progress: order.append("done") or 7, "Work") == 7
    assert order == ["begun", "done", "freed"]
    with pytest.raises(ZeroDivisionError):
        apart.run(lambda _progress: 1 / 0, "Work")
    assert not apart.busy


def test_it_says_how_far_it_is_and_cancel_stops_it(apart: ModalTask) -> None:
    seen: list[tuple[str, str]] = []

    def work(progress: Progress) -> None:
        progress.progress(1, 4, "")
        while True:
            progress.check_cancelled()

    def look(dialog: QDialog) -> None:
        told = [child.text() for child in dialog.findChildren(QLabel)]
        seen.append((told[0], told[-1]))
        cancel_of(dialog).click()

    timer = once_it_is_shown(look)
    with pytest.raises(Cancelled):
        apart.run(work, "Changing 5,000 segments…", stoppable=True)
    assert not timer.isActive()
    assert seen == [("Changing 5,000 segments…", "25 %")]


def test_what_may_not_be_stopped_has_no_button_and_esc_does_nothing(apart: ModalTask) -> None:
    go_on, shown = Event(), list[bool]()

    def look(dialog: QDialog) -> None:
        shown.append(cancel_of(dialog).isVisible())
        dialog.reject()
        shown.append(dialog.isVisible())
        go_on.set()

    timer = once_it_is_shown(look)
    apart.run(lambda _progress: go_on.wait(), "Encrypting…")
    assert not timer.isActive()
    assert shown == [False, True]


def test_a_read_that_was_stopped_calls_nothing_back_however_it_ends(qtbot: QtBot, session: Session) -> None:
    owner = QObject()
    pool, heard = BackgroundPool(owner), list[object]()

    def read(how: str) -> None:
        """Read in a thread, and stop it just before it ends."""
        began, go_on = Event(), Event()

        def look(second: Session, progress: Progress) -> str:
            began.set()
            assert go_on.wait(HANG_S)
            if how == "fails":
                raise ValueError(how)
            return second.annotator_name

        pending = pool.read(session, look, heard.append, heard.append, lambda *done: heard.append(done))
        assert began.wait(HANG_S)
        if how != "wanted":
            pending.stop()
        go_on.set()

    for how in ("stopped", "fails", "wanted"):
        read(how)
    qtbot.waitUntil(lambda: "Ada" in heard)
    pool.close()
    QApplication.processEvents()
    assert heard == ["Ada"], "only who was not stopped is told"
    late = PendingTask(heard.append, heard.append, None)
    late.stop()
    late.deliver("what had ended by then", None)
    assert heard == ["Ada"]
