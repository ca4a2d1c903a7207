"""What a file, a model or a person wrote is never shown as HTML in a tool tip or a heading."""

from dataclasses import replace
from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPixmap, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.gui.annotate.meta_tables import PersonRow, people_columns
from app.gui.benchmark.report_tab import FigureCell, FigureLine, figure_columns
from app.gui.chains.chains_page import NodePicker
from app.gui.chains.node_form import NodeList
from app.gui.episodes.episode_form import SeatLine, SeatsForm
from app.gui.episodes.episode_player import PlayView
from app.gui.team.work_plan import AssignmentState, PlanCell, PlanColumn, PlanRow, plan_columns
from project.entities.questions import LookKind
from project.schemes.scheme_file import parse_scheme
from tests.builders.graphs import node
from widgets.dialogs.shortcut_dialogs import Shortcut, ShortcutSheet
from widgets.form.checklists import ChoiceButton
from widgets.inspector.segment_form import SegmentForm
from widgets.table.record_table import RecordTable, TableRow, text_columns
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


def _tips(table: QTableView) -> list[str]:
    model = table.model()
    return [model.index(0, column).data(Qt.ItemDataRole.ToolTipRole) for column in range(model.columnCount())]


def test_tables_forms_and_headings_show_them(qtbot: QtBot) -> None:
    rows, seats, play = RecordTable("Rows", text_columns(("What",))), SeatsForm(), PlayView()
    figures = RecordTable("Figures", figure_columns("Judge", ["r"]), key=lambda line: line.name)
    people = RecordTable("People", people_columns(lambda *_: QPixmap(), lambda *_: None))
    nodes, line, under = NodeList("Reasons"), ElidedLabel(), QWidget()
    for widget in (rows, seats, play, figures, nodes, people, line, under):
        qtbot.addWidget(widget)
    rows.show_records([TableRow("a", (EVIL,))])
    assert rows.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == SHOWN
    seats.show_lines([SeatLine({"a": "Mia"}, "a", EVIL)], {})
    assert [child.toolTip() for child in seats.findChildren(QLineEdit)] == [SHOWN]
    figures.show_records([FigureLine(EVIL, (FigureCell(EVIL),))])
    assert _tips(figures)[:2] == [SHOWN, SHOWN]
    nodes.show_nodes([replace(node("a", 0), text=EVIL)])
    people.show_records([PersonRow("p", EVIL, {LookKind.HAIR: "short"}, "0:01", -1)])
    line.resize(20, 20)
    line.set_text(EVIL)
    tips = [nodes.item(0).toolTip(), line.toolTip()]
    tips += [tip for column, tip in enumerate(_tips(people)) if column != 3]
    assert len(tips) > 3
    assert all("hostname" in tip and "<img" not in tip for tip in tips)
    assert play.known_title.textFormat() is Qt.TextFormat.PlainText
    picker = NodePicker(under)
    picker.open_at(f"A reason for “{EVIL}”", [], QPoint())
    (title,) = [child for child in picker.findChildren(QLabel) if EVIL in child.text()]
    assert title.textFormat() is Qt.TextFormat.PlainText


def test_names_of_a_stranger_s_scheme_are_shown_as_they_are(qtbot: QtBot) -> None:
    form, sheet = SegmentForm(SCHEME, "t"), ShortcutSheet([Shortcut(EVIL_NAME, EVIL_NAME, "A")])
    choice = ChoiceButton("Annotator")
    plan = RecordTable("Plan", plan_columns([PlanColumn(EVIL_NAME, EVIL_NAME)]), key=lambda row: row.id)
    for widget in (form, sheet, plan, choice):
        qtbot.addWidget(widget)
    for widget in (form, sheet):
        labels = [label for label in widget.findChildren(QLabel) if "<img" in label.text()]
        assert labels
        assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    choice.set_choices({"a": EVIL_NAME})
    choice.set_ticked({"a"})
    cell = PlanCell(AssignmentState.GIVEN, 0)
    plan.show_records([PlanRow("r", 1, EVIL_NAME, False, (cell,))])
    tips = [*_tips(plan), choice.toolTip()]
    assert any("hostname" in tip for tip in tips)
    assert all("<img" not in tip for tip in tips)
