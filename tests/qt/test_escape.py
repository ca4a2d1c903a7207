"""Esc means one thing in every field: it takes back what was typed; once more, it leaves the field or closes."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.gui.annotate.segments_tab import SegmentsTab
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_of
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.mouse_and_keys import press, type_text
from tests.qt.conftest import OpenWindow
from widgets.dialogs.dialog_windows import TextDialog
from widgets.form.input_fields import DecimalBox, GrowingTextEdit, IntegerBox, NoteEdit, TimeEdit, mark_search_field
from widgets.table.record_table import RecordColumn, RecordTable


def _filled(field: QWidget, text: str) -> QWidget:
    if isinstance(field, QLineEdit):
        field.setText(text)
    elif isinstance(field, QPlainTextEdit | QTextEdit):
        field.setPlainText(text)
    elif isinstance(field, IntegerBox | DecimalBox):
        field.setRange(0, 1_000)
        field.setValue(float(text) if isinstance(field, DecimalBox) else int(text))
    elif isinstance(field, QComboBox):
        field.setEditText(text)
    return field


def _text(field: QWidget) -> str:
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return field.toPlainText()
    line = field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)
    return line.text()


FIELDS: dict[str, Callable[[], QWidget]] = {
    "line": lambda: _filled(QLineEdit(), "12"),
    "note": lambda: _filled(NoteEdit(), "12"),
    "text": lambda: _filled(QPlainTextEdit(), "12"),
    "rich text": lambda: _filled(QTextEdit(), "12"),
    "area": lambda: _filled(GrowingTextEdit(lambda: None), "12"),
    "whole number": lambda: _filled(IntegerBox(), "12"),
    "number": lambda: _filled(DecimalBox(), "12"),
    "choice that can be typed": lambda: _filled(QComboBox(editable=True), "12"),
    "time": lambda: TimeEdit("Start"),
}


@pytest.fixture
def dialog(qtbot: QtBot) -> QDialog:
    shown = QDialog()
    qtbot.addWidget(shown)
    QVBoxLayout(shown)
    shown.show()
    qtbot.waitExposed(shown)
    shown.activateWindow()
    return shown


def _enter(qtbot: QtBot, dialog: QDialog, field: QWidget) -> QWidget:
    layout = dialog.layout()
    layout.addWidget(field)
    field.show()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    return field


@pytest.mark.parametrize("kind", FIELDS)
def test_esc_takes_back_what_was_typed_and_only_then_closes(kind: str, qtbot: QtBot, dialog: QDialog) -> None:
    field = _enter(qtbot, dialog, FIELDS[kind]())
    before = _text(field)
    QTest.keyClicks(field, "3")
    assert _text(field) != before
    press(dialog, "Esc")
    assert _text(field) == before
    assert dialog.isVisible()
    assert field.hasFocus()
    if kind != "time":
        QTest.keyClicks(field, "3")
        _filled(field, "77")
        shown = _text(field)
        QTest.keyClicks(field, "4")
        press(dialog, "Esc")
        assert _text(field) == shown, "what the program shows meanwhile, never the value of before"
    press(dialog, "Esc")
    assert not field.hasFocus() or not dialog.isVisible(), "it left the field, or closed the dialog"


def test_return_makes_the_new_value_the_old_one(qtbot: QtBot, dialog: QDialog) -> None:
    field = _enter(qtbot, dialog, QLineEdit("12"))
    dialog.accept = lambda: None
    QTest.keyClicks(field, "3")
    press(dialog, "Return")
    QApplication.processEvents()
    QTest.keyClicks(field, "4")
    press(dialog, "Esc")
    assert _text(field) == "123"


def test_what_was_taken_back_can_be_had_again(qtbot: QtBot, dialog: QDialog) -> None:
    field = _enter(qtbot, dialog, QPlainTextEdit("Robot"))
    QTest.keyClicks(field, "Well, ")
    press(dialog, "Esc")
    assert _text(field) == "Robot"
    press(dialog, "Ctrl+Z")
    assert "Well, " in _text(field)


def test_a_search_is_emptied_whatever_stood_in_it(qtbot: QtBot, dialog: QDialog) -> None:
    field = QLineEdit()
    mark_search_field(field)
    _enter(qtbot, dialog, field)
    QTest.keyClicks(field, "robot")
    other = _enter(qtbot, dialog, QLineEdit())
    field.setFocus()
    qtbot.waitUntil(lambda: not other.hasFocus())
    press(dialog, "Esc")
    assert _text(field) == ""
    assert dialog.isVisible()


def test_what_cannot_be_changed_does_not_hold_esc_up(qtbot: QtBot, dialog: QDialog) -> None:
    _enter(qtbot, dialog, QLineEdit("12", readOnly=True))
    press(dialog, "Esc")
    assert not dialog.isVisible()


def test_a_cell_of_a_table_keeps_its_value(qtbot: QtBot, dialog: QDialog) -> None:
    chosen: list[str] = []
    columns = [
        RecordColumn[str]("Lane", str),
        RecordColumn[str]("Who", lambda _: "Ada", write=lambda _, text: chosen.append(text)),
    ]
    table = RecordTable("Lanes", columns, key=str)
    table.show_records(["speech"])
    _enter(qtbot, dialog, table)
    table.setCurrentIndex(table.model().index(0, 1))
    table.edit(table.model().index(0, 1))
    field = table.viewport().findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "Bo")
    press(dialog, "Esc")
    assert field.text() == "Ada"
    press(dialog, "Esc")
    assert dialog.isVisible()
    assert table.texts() == [("speech", "Ada")]
    assert chosen == []


def test_a_dialog_that_asks_for_a_word(qtbot: QtBot) -> None:
    asked = TextDialog("Rename recording", "Name of the recording", "first", None)
    qtbot.addWidget(asked)
    asked.show()
    qtbot.waitUntil(asked.field.hasFocus)
    QTest.keyClicks(asked.field, "other")
    press(asked, "Esc")
    assert asked.field.text() == "first"
    assert asked.isVisible()
    press(asked, "Esc")
    assert not asked.isVisible()


@pytest.fixture(scope="module")
def filled_window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    path = tmp_path_factory.mktemp("lab") / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=2, segments=40)
    opened = open_shared_window(path, "Annotator 1")
    opened.studio.show_recording(all_recordings(opened.studio.session.study)[0].id)
    return opened


@pytest.fixture
def window(qtbot: QtBot, filled_window: MainWindow) -> MainWindow:
    filled_window.activateWindow()
    filled_window.timeline.setFocus()
    qtbot.waitUntil(filled_window.timeline.hasFocus)
    return filled_window


def _own(window: MainWindow) -> list[str]:
    """Return the annotator's segments of the recording that is shown."""
    session = window.studio.session
    here, who = window.studio.recording.id, session.annotator().id
    segments = all_segments(session.study)
    return [segment.id for segment in segments if (segment.recording_id, segment.annotator_id) == (here, who)]


def test_the_rationale_is_as_it_was_also_where_it_was_saved_meanwhile(qtbot: QtBot, window: MainWindow) -> None:
    first, second = _own(window)[:2]

    def saved(segment_id: str) -> str:
        return str(values_of(window.studio.session.study, segment_id).get("rationale", ""))

    window.studio.select([first])
    before = saved(first)
    press(window, "T")
    field = QApplication.focusWidget()
    assert isinstance(field, GrowingTextEdit)
    old = field.toPlainText()
    QTest.keyClicks(field, "Well, ")
    qtbot.waitUntil(lambda: "Well, " in saved(first))
    press(window, "Esc")
    assert field.toPlainText() == old
    assert field.hasFocus()
    qtbot.waitUntil(lambda: saved(first) == before)
    selected = window.studio.selected
    press(window, "Esc")
    qtbot.waitUntil(window.timeline.hasFocus)
    assert window.studio.selected == selected, "leaving a field does nothing else"
    window.studio.select([second])
    kept = saved(second)
    press(window, "T")
    type_text(window, "x")
    press(window, "Esc")
    assert saved(second) == kept, "not the words of the segment before"


def test_fields_of_the_main_window_are_left_for_the_timeline(qtbot: QtBot, window: MainWindow) -> None:
    chosen = _own(window)[:1]
    window.studio.select(chosen)
    search, field = window.recordings.search, window.transport.time_edit
    search.setFocus()
    QTest.keyClicks(search, "no such")
    press(window, "Esc")
    assert search.text() == ""
    assert search.hasFocus()
    press(window, "Esc")
    qtbot.waitUntil(window.timeline.hasFocus)
    assert window.studio.selected == tuple(chosen)
    press(window, "Esc")
    assert window.studio.selected == (), "outside of fields it clears the selection"
    field.setFocus()
    QTest.keyClicks(field, "9")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.hasFocus()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(window.timeline.hasFocus)


def test_the_search_of_a_window_is_emptied_before_the_window_closes(qtbot: QtBot, window: MainWindow) -> None:
    window.menus.actions["segments"].trigger()
    shown: SegmentsTab = window.windows.open_window("segments")
    search = shown.bar.search
    qtbot.waitUntil(search.hasFocus)
    QTest.keyClicks(search, "robot")
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert shown.isVisible()
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert not shown.isVisible()
