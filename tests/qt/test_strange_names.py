"""Names that a stranger's scheme gives to its fields, shown as they are: as HTML they would have files read."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.gui.team.work_plan import AssignmentState, PlanCell, PlanColumn, PlanModel, PlanRow
from project.schemes.scheme_file import parse_scheme
from widgets.dialogs.shortcut_dialogs import Shortcut, ShortcutSheet
from widgets.form.checklists import ChoiceButton
from widgets.inspector.segment_form import SegmentForm
from widgets.table.record_table import ChoiceCell, ChoiceTable

PICTURE = "<img src='/etc/hostname'>"
SCHEME = parse_scheme(
    f"""
    key = "strange"
    name = "{PICTURE}"
    version = 1
    tracks = [{{key = "t", name = "{PICTURE}", labels = [{{key = "a", name = "{PICTURE}"}}]}}]
    fields = [
      {{key = "words", kind = "text", name = "{PICTURE}", definition = "{PICTURE}"}},
      {{key = "much", kind = "scale", name = "{PICTURE}", minimum = 0, maximum = 4, ends = ["{PICTURE}", "{PICTURE}"]}},
      {{key = "kinds", kind = "choice", name = "{PICTURE}", choices = [
        {{key = "one", name = "{PICTURE}"}}, {{key = "two", name = "{PICTURE} {"long " * 40}"}}]}},
    ]
    """,
    "strange",
)


def _labels(widget: QWidget) -> list[QLabel]:
    return [
        child
        for child in (widget, *widget.findChildren(QLabel))
        if isinstance(child, QLabel) and "<img" in child.text()
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: SegmentForm(SCHEME, "t"),
        lambda: ShortcutSheet([Shortcut(PICTURE, PICTURE, "A")]),
    ],
)
def test_labels_show_names_as_they_are(qtbot: QtBot, make: object) -> None:
    widget = make()
    qtbot.addWidget(widget)
    found = _labels(widget)
    assert found
    assert {label.textFormat() for label in found} == {Qt.TextFormat.PlainText}


def test_tool_tips_of_cells_show_texts_as_they_are(qtbot: QtBot) -> None:
    table = ChoiceTable(["One"], "Table")
    qtbot.addWidget(table)
    table.setRowCount(1)
    table.show_cell(0, 0, ChoiceCell(PICTURE))
    item = table.item(0, 0)
    assert "<img" not in item.toolTip()


def test_tool_tips_of_lists_show_names_as_they_are(qtbot: QtBot) -> None:
    choice = ChoiceButton("Annotator")
    qtbot.addWidget(choice)
    choice.set_choices({"a": PICTURE})
    choice.set_ticked({"a"})
    cell = PlanCell(AssignmentState.GIVEN, 0)
    plan = PlanModel()
    plan.show_plan([PlanColumn(PICTURE, PICTURE)], [PlanRow("r", 1, PICTURE, False, (cell,))])
    tips = [plan.index(0, column).data(Qt.ItemDataRole.ToolTipRole) for column in (0, 1)]
    assert [tip for tip in (*tips, choice.toolTip()) if "<img" in tip] == []
