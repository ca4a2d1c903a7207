"""A table without rows says why, and says it no more once there is one."""

from PySide6.QtWidgets import QTableWidget
from pytestqt.qtbot import QtBot

from widgets.empty_state import EmptyHint


def test_the_hint_is_there_while_there_are_no_rows(qtbot: QtBot) -> None:
    table = QTableWidget(0, 2)
    qtbot.addWidget(table)
    hint = EmptyHint(table, "No clip was exported yet. Export one: Ctrl+E.")
    table.resize(400, 300)
    table.show()
    assert hint.isVisible()
    assert table.viewport().rect().contains(hint.geometry())
    assert table.accessibleDescription() == hint.text()
    table.insertRow(0)
    assert not hint.isVisible()
    table.setRowCount(0)
    assert hint.isVisible()


def test_it_stays_in_the_middle_and_says_something_else(qtbot: QtBot) -> None:
    table = QTableWidget(0, 1)
    qtbot.addWidget(table)
    hint = EmptyHint(table, "Nothing")
    table.show()
    table.resize(900, 500)
    middle = table.viewport().rect().center()
    assert abs(hint.geometry().center().x() - middle.x()) <= 1
    hint.setText("")
    assert not hint.isVisible()
