"""What a file or a model wrote is never shown as HTML in a tool tip or a heading."""

from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.gui.benchmark.report_tab import FigureCell, FigureLine, FiguresTable
from app.gui.episodes.episode_form import SeatLine, SeatsForm
from app.gui.episodes.episode_player import PlayView
from widgets.table.record_table import RowsTable, TableRow
from widgets.text_labels import plain_tip

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


def test_tables_and_forms_show_them(qtbot: QtBot) -> None:
    rows, seats, play = RowsTable("Rows", ("What",)), SeatsForm(), PlayView()
    figures = FiguresTable("Figures")
    for one in (rows, seats, play, figures):
        qtbot.addWidget(one)
    rows.show_rows([TableRow("a", (EVIL,))])
    assert rows.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == SHOWN
    seats.show_lines([SeatLine({"a": "Mia"}, "a", EVIL)], {})
    assert [child.toolTip() for child in seats.findChildren(QLineEdit)] == [SHOWN]
    figures.show_lines("Judge", ["r"], [FigureLine(EVIL, (FigureCell(EVIL),))])
    cells = [figures.item(0, column) for column in (0, 1)]
    assert [cell.toolTip() for cell in cells if cell is not None] == [SHOWN, SHOWN]
    assert play.known_title.textFormat() is Qt.TextFormat.PlainText
