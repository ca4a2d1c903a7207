"""Tables of rows: numbers stand one under another, and long names leave the figures in sight."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from widgets.table.record_table import RecordTable, TableRow, text_columns

_RIGHT = Qt.AlignmentFlag.AlignRight
_NAME = "A judge whose name is as long as somebody who set up a server in a hurry could make it, 72B"


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


def test_a_long_name_leaves_the_other_columns_in_sight_where_they_fit(qtbot: QtBot) -> None:
    table = _table(qtbot, [TableRow("a", (_NAME, "22.0%", "now", "36", "0"))], shrinks=0)
    table.resize(640, 200)
    table.show()
    qtbot.waitExposed(table)
    ends = table.columnViewportPosition(4) + table.columnWidth(4)
    assert table.columnWidth(0) > 200, "it takes what the others leave"
    assert ends <= table.viewport().width() + 1
    table.resize(320, 200)
    assert table.columnWidth(0) == 200, "and no less than this"
    table.resize(1200, 200)
    assert table.columnWidth(0) > 500, "it is read in full where there is room"
