"""What a file, a model or a person wrote is never shown as HTML in a tool tip or a heading."""

from dataclasses import replace
from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.gui.annotate.meta_tables import PeopleTable, PersonRow
from app.gui.benchmark.report_tab import FigureCell, FigureLine, FiguresTable
from app.gui.chains.chains_page import NodePicker
from app.gui.chains.node_form import NodeList
from app.gui.episodes.episode_form import SeatLine, SeatsForm
from app.gui.episodes.episode_player import PlayView
from project.entities.questions import LookKind
from tests.builders.graphs import node
from widgets.table.record_table import RowsTable, TableRow
from widgets.text_labels import ElidedLabel, plain_tip

EVIL = '<img src="file:///etc/hostname"> a & b'
SHOWN = "<qt>&lt;img src=&quot;file:///etc/hostname&quot;&gt; a &amp; b</qt>"


def test_a_tip_shows_signs_as_they_are() -> None:
    assert plain_tip(EVIL) == SHOWN
    assert plain_tip("<b>\n>") == "<qt>&lt;b&gt;<br>&gt;</qt>"
    assert plain_tip("Speed (<, >) & more") == "Speed (<, >) & more"
    assert plain_tip("No sign\nof the sort") == "No sign\nof the sort"
    assert plain_tip("word " * 40) == f"<qt>{'word ' * 40}</qt>"


@given(st.text("<>&/ab=!?\n \"'x", max_size=30))
def test_no_text_is_html_to_qt_as_it_is(text: str) -> None:
    tip = plain_tip(text)
    assert tip == text or unescape(tip.removeprefix("<qt>").removesuffix("</qt>").replace("<br>", "\n")) == text
    assert tip != text or not Qt.mightBeRichText(tip)


def test_tables_forms_and_headings_show_them(qtbot: QtBot) -> None:
    rows, seats, play, figures = RowsTable("Rows", ("What",)), SeatsForm(), PlayView(), FiguresTable("Figures")
    nodes, people, line, under = NodeList("Reasons"), PeopleTable(), ElidedLabel(), QWidget()
    for widget in (rows, seats, play, figures, nodes, people, line, under):
        qtbot.addWidget(widget)
    rows.show_rows([TableRow("a", (EVIL,))])
    assert rows.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == SHOWN
    seats.show_lines([SeatLine({"a": "Mia"}, "a", EVIL)], {})
    assert [child.toolTip() for child in seats.findChildren(QLineEdit)] == [SHOWN]
    figures.show_lines("Judge", ["r"], [FigureLine(EVIL, (FigureCell(EVIL),))])
    assert [figures.item(0, column).toolTip() for column in (0, 1)] == [SHOWN, SHOWN]
    nodes.show_nodes([replace(node("a", 0), text=EVIL)])
    people.show_people([PersonRow("p", EVIL, {LookKind.HAIR: "short"}, "0:01", -1)], writable=True)
    line.resize(20, 20)
    line.set_text(EVIL)
    tips = [nodes.item(0).toolTip(), line.toolTip()]
    tips += [people.item(0, column).toolTip() for column in range(people.columnCount()) if people.item(0, column)]
    assert len(tips) > 3
    assert all("hostname" in tip and "<img" not in tip for tip in tips)
    assert play.known_title.textFormat() is Qt.TextFormat.PlainText
    picker = NodePicker(under)
    picker.open_at(f"A reason for “{EVIL}”", [], QPoint())
    (title,) = [child for child in picker.findChildren(QLabel) if EVIL in child.text()]
    assert title.textFormat() is Qt.TextFormat.PlainText
