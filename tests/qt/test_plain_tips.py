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
from app.gui.team.work_plan import AssignmentState, PlanCell, PlanColumn, PlanModel, PlanRow
from project.entities.questions import LookKind
from project.schemes.scheme_file import parse_scheme
from tests.builders.graphs import node
from widgets.dialogs.shortcut_dialogs import Shortcut, ShortcutSheet
from widgets.form.checklists import ChoiceButton
from widgets.inspector.segment_form import SegmentForm
from widgets.table.record_table import ChoiceCell, ChoiceTable, RowsTable, TableRow
from widgets.text_labels import ElidedLabel, plain_tip

EVIL = '<img src="file:///etc/hostname"> a & b'
SHOWN = "<qt>&lt;img src=&quot;file:///etc/hostname&quot;&gt; a &amp; b</qt>"


EVIL_NAME = "<img src='/etc/hostname'>"
SCHEME = parse_scheme(
    f"""
    key = "strange"
    name = "{EVIL_NAME}"
    version = 1
    tracks = [{{key = "t", name = "{EVIL_NAME}", labels = [{{key = "a", name = "{EVIL_NAME}"}}]}}]
    fields = [
      {{key = "words", kind = "text", name = "{EVIL_NAME}", definition = "{EVIL_NAME}"}},
      {{key = "kinds", kind = "choice", name = "{EVIL_NAME}", choices = [
        {{key = "one", name = "{EVIL_NAME}"}}, {{key = "two", name = "{EVIL_NAME} {"long " * 40}"}}]}},
    ]
    """,
    "strange",
)


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


def test_names_of_a_stranger_s_scheme_are_shown_as_they_are(qtbot: QtBot) -> None:
    form, sheet = SegmentForm(SCHEME, "t"), ShortcutSheet([Shortcut(EVIL_NAME, EVIL_NAME, "A")])
    table, choice, plan = ChoiceTable(["One"], "Table"), ChoiceButton("Annotator"), PlanModel()
    for widget in (form, sheet, table, choice):
        qtbot.addWidget(widget)
    for widget in (form, sheet):
        labels = [label for label in widget.findChildren(QLabel) if "<img" in label.text()]
        assert labels
        assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    table.setRowCount(1)
    table.show_cell(0, 0, ChoiceCell(EVIL_NAME))
    choice.set_choices({"a": EVIL_NAME})
    choice.set_ticked({"a"})
    cell = PlanCell(AssignmentState.GIVEN, 0)
    plan.show_plan([PlanColumn(EVIL_NAME, EVIL_NAME)], [PlanRow("r", 1, EVIL_NAME, False, (cell,))])
    tips = [plan.index(0, column).data(Qt.ItemDataRole.ToolTipRole) for column in (0, 1)]
    tips += [table.item(0, 0).toolTip(), choice.toolTip()]
    assert any("hostname" in tip for tip in tips)
    assert all("<img" not in tip for tip in tips)
