"""What others wrote is plain text wherever the pages of chains, questions and meta information show it."""

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.gui.annotate.meta_tables import PeopleTable, PersonRow
from app.gui.chains.chains_page import NodePicker
from app.gui.chains.node_form import NodeList
from project.entities.questions import LookKind
from tests.builders.graphs import node
from widgets.text_labels import ElidedLabel

HOSTILE = 'P1 <img src="file:///secret.png"><b>bold</b>'


def tips(*parts: str) -> None:
    for part in parts:
        assert "bold" in part
        assert "<img" not in part
        assert "<b>" not in part


def test_the_title_of_the_picker_is_plain(qtbot: QtBot) -> None:
    under = QWidget()
    qtbot.addWidget(under)
    picker = NodePicker(under)
    picker.open_at(f"A reason for “{HOSTILE}”", [], QPoint())
    (title,) = [child for child in picker.findChildren(QLabel) if HOSTILE in child.text()]
    assert title.textFormat() is Qt.TextFormat.PlainText


def test_tooltips_are_plain(qtbot: QtBot) -> None:
    nodes, people, line = NodeList("Reasons"), PeopleTable(), ElidedLabel()
    for one in (nodes, people, line):
        qtbot.addWidget(one)
    nodes.show_nodes([replace(node("a", 0), text=HOSTILE)])
    people.show_people([PersonRow("p", HOSTILE, {LookKind.HAIR: "short"}, "0:01", -1)], writable=True)
    line.resize(20, 20)
    line.set_text(HOSTILE)
    found = [people.item(0, column) for column in range(people.columnCount())]
    tips(nodes.item(0).toolTip(), *(item.toolTip() for item in found if item is not None), line.toolTip())
