"""Tables of rows: numbers stand one under another, and long names leave the figures in sight."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from widgets.table.record_table import RecordColumn, RecordTable, TableRow, text_columns

_RIGHT = Qt.AlignmentFlag.AlignRight


def _table(qtbot: QtBot, rows: list[TableRow], shrinks: int | None = None) -> RecordTable[TableRow]:
    table = RecordTable("Results", text_columns(("Judge", "Mean", "When", "n", "Last"), shrinks))
    qtbot.addWidget(table)
    table.show_records(rows)
    return table


def test_columns_of_numbers_stand_right_and_others_left(qtbot: QtBot) -> None:
    rows = [
        TableRow("a", ("7B", "22.0 % ± 2.0", "0:00:01.000", "1,204", "3")),
        TableRow("b", ("Chance", "\N{EN DASH}", "", "not measured", "4")),
        TableRow("c", ("Me", "\N{MINUS SIGN}0.3 s", "0:00:02.000", "36", "1.20 times")),
    ]
    model = _table(qtbot, rows).model()
    right = [
        bool(model.data(model.index(0, at), Qt.ItemDataRole.TextAlignmentRole) & _RIGHT)
        for at in range(model.columnCount())
    ]
    assert right == [False, True, False, True, True]
    heads = [model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole) for at in range(5)]
    assert [bool(head & _RIGHT) for head in heads] == right


def test_rows_that_share_a_key_come_and_go_and_those_that_are_added_keep_the_selection(
    qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    first, second, third = (TableRow("a", (text,)) for text in ("one", "two", "three"))
    table = _table(qtbot, [first, second])
    qtmodeltester.check(table.records_model)
    table.show_records([first, second])
    assert table.records_model.rowCount() == 2
    table.selectRow(1)
    table.show_records([first, second, third, TableRow("b", ("four",))])
    assert [cells[0] for cells in table.texts()] == ["one", "two", "three", "four"]
    assert table.records_model.rowCount() == 4
    assert table.selected_keys() == ["a"]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_click_opens_the_choices_of_a_cell_and_hands_over_the_key(qtbot: QtBot) -> None:
    chosen: list[str] = []
    column = RecordColumn[str](
        "Becomes",
        lambda _lane: "Speech",
        choices=lambda _lane: (("speech", "Speech"), ("nothing", "Nothing")),
        choice=lambda _lane: "speech",
        write=lambda _lane, key: chosen.append(key),
    )
    table = RecordTable("Lanes", [column], key=str)
    qtbot.addWidget(table)
    table.show_records(["one", "two"])
    table.show()
    where = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    (box,) = table.viewport().findChildren(QComboBox)
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert chosen == ["nothing"]
