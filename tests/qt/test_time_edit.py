"""A field for a time."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from widgets.form.input_fields import TimeEdit


@pytest.fixture
def edit(qtbot):
    edit = TimeEdit("Start")
    qtbot.addWidget(edit)
    edit.show()
    edit.set_time(83_456_000)
    return edit


def type_over(qtbot, edit, text):
    edit.selectAll()
    qtbot.keyClicks(edit, text)


@pytest.mark.parametrize(
    ("text", "time_us"), [("7.5", 7_500_000), ("1:02", 62_000_000), ("2:00:00.001", 7_200_001_000)]
)
def test_a_typed_time_is_entered_with_return(qtbot, edit, text, time_us):
    type_over(qtbot, edit, text)
    with qtbot.waitSignal(edit.time_entered) as entered:
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert entered.args == [time_us]
    assert edit.time_us() == time_us


def test_bad_text_says_what_is_wrong_and_enters_nothing(qtbot, edit):
    type_over(qtbot, edit, "1:99")
    with qtbot.assertNotEmitted(edit.time_entered), qtbot.waitSignal(edit.rejected) as rejected:
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert "minutes and seconds" in rejected.args[0]
    assert "\n" not in rejected.args[0]
    assert edit.property("bad")
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert not edit.property("bad")
    assert edit.text() == "0:01:23.456"
    type_over(qtbot, edit, "5")
    edit.set_time(90_000_000)
    assert edit.text() == "5", "the running time does not overwrite what is typed"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.text() == "0:01:30.000"


def test_leaving_the_field_enters_the_time(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    edit, other = TimeEdit("Start"), QLineEdit()
    column.addWidget(edit)
    column.addWidget(other)
    with qtbot.waitExposed(window):
        window.show()
    edit.setFocus()
    type_over(qtbot, edit, "5")
    with qtbot.waitSignal(edit.time_entered) as entered:
        other.setFocus()
    assert entered.args == [5_000_000]
    edit.setFocus()
    type_over(qtbot, edit, "nonsense")
    other.setFocus()
    assert edit.text() == "0:00:05.000"
    type_over(qtbot, edit, "6")
    with qtbot.waitSignal(edit.time_entered):
        edit.flush()
    with qtbot.assertNotEmitted(edit.time_entered):
        edit.flush()
