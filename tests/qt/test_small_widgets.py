"""Widgets by themselves: empty pages, progress, questions, buttons of participants, the wheel."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.gui.faces.face_bars import PeopleBar
from project.entities.study_records import Participant, ParticipantRole
from tests.builders.mouse_and_keys import click, press
from widgets.dialogs.dialog_windows import AgreeDialog
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.input_fields import IntegerBox
from widgets.form.wheel_guard import ComboBox, Slider
from widgets.progress_bars import ProgressLine


def test_it_says_what_to_do_and_offers_it(qtbot):
    state = EmptyState(
        "film",
        "Welcome",
        "Open a study.",
        [EmptyStateAction("new", "New study…", "Ctrl+N", True), EmptyStateAction("open", "Open…")],
    )
    qtbot.addWidget(state)
    state.show()
    first, second = state.findChildren(QPushButton)
    assert first.toolTip() == "New study… (Ctrl+N)"
    with qtbot.waitSignal(state.button_clicked) as sent:
        click(second)
    assert sent.args == ["open"]


@pytest.fixture
def now() -> list[float]:
    return [0.0]


@pytest.fixture
def line(qtbot: QtBot, now: list[float]) -> ProgressLine:
    made = ProgressLine("Export", clock=lambda: now[0])
    qtbot.addWidget(made)
    return made


def test_it_says_how_long_it_still_takes_while_its_text_changes(line: ProgressLine, now: list[float]) -> None:
    line.show_progress(0, 400, "one.eaf")
    assert line.text.text() == "one.eaf: 0 of 400"
    now[0] = 10.0
    line.show_progress(100, 400, "hundred.eaf")
    assert line.text.text() == "hundred.eaf: 100 of 400, about 30 s left"
    line.hide()
    now[0] = 100.0
    line.show_progress(100, 400, "Reading")
    assert line.text.text() == "Reading: 100 of 400", "what is shown after that is another piece of work"


ACCEPTED, REJECTED = QDialog.DialogCode.Accepted, QDialog.DialogCode.Rejected


def shown(qtbot: QtBot, careful: bool) -> AgreeDialog:
    dialog = AgreeDialog("Share", "A copy is made.\n\n• <b>one</b>", "Choose a place…", None, careful=careful)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.mark.parametrize("careful", [False, True])
def test_enter_goes_on_unless_that_gives_something_up(qtbot: QtBot, careful: bool) -> None:
    dialog = shown(qtbot, careful)
    assert [dialog.buttons.away.isDefault(), dialog.buttons.go_on.isDefault()] == [careful, not careful]
    dialog.setFocus()
    press(dialog, "Return")
    assert dialog.result() == (REJECTED if careful else ACCEPTED)


@pytest.mark.parametrize("key", ["Return", "Esc"])
def test_enter_on_cancel_and_esc_say_no(qtbot: QtBot, key: str) -> None:
    dialog = shown(qtbot, careful=False)
    assert "<b>one</b>" in [label.text() for label in dialog.findChildren(QLabel)]
    dialog.buttons.away.setFocus()
    press(dialog, key)
    assert dialog.result() == REJECTED
    assert not dialog.isVisible()


PEOPLE = [Participant(f"id{number}", f"P{number:02d}", ParticipantRole.USER) for number in range(1, 31)]


def texts(bar: PeopleBar) -> list[str]:
    return [child.text() for child in bar.findChildren(QPushButton) if not child.isHidden()]


def test_thirty_participants_are_nine_buttons_and_a_menu(qtbot: QtBot) -> None:
    bar = PeopleBar()
    qtbot.addWidget(bar)
    bar.set_people(PEOPLE)
    bar.show()
    assert [text for text in texts(bar) if text[:1].isdigit()] == [f"{number} P{number:02d}" for number in range(1, 10)]
    chosen: list[object] = []
    bar.assign_requested.connect(chosen.append)
    entry = next(action for action in bar.more.menu().actions() if action.text() == "P30")
    entry.trigger()
    assert chosen == ["id30"]
    bar.show_choice("id30", False, enabled=True, named=True)
    assert (bar.more.text(), bar.more.isChecked()) == ("P30", True)
    bar.set_people(PEOPLE[:3])
    assert bar.more.isHidden()


def combo() -> ComboBox:
    made = ComboBox()
    made.addItems(["Silence", "Beep", "Leave it to be heard"])
    return made


def turn_wheel(control: QWidget) -> None:
    window = control.window()
    for notches in (-1, -1, 1):
        place = control.mapTo(window, control.rect().center()).toPointF()
        QTest.wheelEvent(window.windowHandle(), place, QPoint(0, 120 * notches))


@pytest.mark.parametrize("make", [combo, IntegerBox, Slider])
def test_the_wheel_changes_what_has_the_focus_and_nothing_else(qtbot: QtBot, make: Callable[[], QWidget]) -> None:
    page, control, other = QScrollArea(widgetResizable=True), make(), QLineEdit()
    inner = QWidget()
    column = QVBoxLayout(inner)
    control.setMaximumHeight(100)
    for widget in (other, control):
        column.addWidget(widget)
    column.addStretch()
    inner.setMinimumHeight(4000)
    page.setWidget(inner)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    other.setFocus()
    before = control.metaObject().userProperty().read(control)
    turn_wheel(control)
    assert control.metaObject().userProperty().read(control) == before
    assert page.verticalScrollBar().value() > 0
    assert control.focusPolicy() != Qt.FocusPolicy.WheelFocus, "Qt gives the focus before the wheel comes"
    scrolled = page.verticalScrollBar().value()
    control.setFocus()
    turn_wheel(control)
    assert page.verticalScrollBar().value() == scrolled
