"""What judges say stands side by side, in words and signs, and nothing of it ever acts."""

from collections.abc import Callable
from html import escape

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.gui.judges.answer_columns import (
    MAX_CELL_HEIGHT,
    Chips,
    ChoiceChip,
    Fold,
    JudgmentColumn,
    JudgmentColumnState,
    JudgmentTable,
    LabelCell,
    RowHead,
    TextCell,
    WordsCell,
)
from app.gui.judges.judges_mode import RawView
from app.gui.judges.judges_page import JudgmentTableView
from project.schemes.scheme import Pattern
from widgets.labels import LabelChip, LabelLook, Sign
from widgets.text_labels import MAX_SHOWN_CHARS, escape_control_chars

ERROR = LabelLook("error", "Error", "error", Pattern.HATCH, Sign.CROSS)
ROWS = (
    RowHead("label", "Verdict", True),
    RowHead("attributes", "Attributes", True),
    RowHead("rationale", "Rationale"),
)
HARMFUL = (
    "<img src=http://127.0.0.1:9/x.png>",
    '<a href="http://127.0.0.1:9/">here</a>',
    "a\u202eb\u2066c\u0007d\u0000e\ud800f",
)


Board = Callable[..., JudgmentTableView]


def column(key: str, rationale: str = "It left.", **other: object) -> JudgmentColumn:
    facts: dict[str, object] = {
        "subtitle": "openai · some-model",
        "state": JudgmentColumnState.ANSWERED,
        "condition": "Raw",
        "cells": {
            "label": LabelCell(ERROR, ("Ada",), ("Bo",)),
            "attributes": Chips((ChoiceChip("Emotions", True), ChoiceChip("Social norms", False))),
            "rationale": TextCell(rationale),
        },
        "judgment_id": f"said by {key}",
        "judge_id": f"judge {key}",
        "own_condition": "raw",
    }
    return JudgmentColumn(key, key.capitalize(), **{**facts, **other})


@pytest.fixture
def board(qtbot: QtBot) -> Board:
    kept: list[JudgmentTableView] = []

    def make(*columns: JudgmentColumn, width: int = 640) -> JudgmentTableView:
        made = JudgmentTableView()
        qtbot.addWidget(made)
        made.resize(width, 600)
        made.show()
        qtbot.waitExposed(made)
        made.show_table(JudgmentTable(ROWS, columns))
        kept.append(made)
        return made

    return make


def texts(widget: QWidget) -> list[str]:
    found = [child.text() for child in widget.findChildren(QLabel)]
    return [*found, *(child.toPlainText() for child in widget.findChildren(QPlainTextEdit))]


def test_answers_say_in_words_and_signs_who_agrees(board: Board) -> None:
    widgets = board(column("one"), column("two")).column_widgets("one")
    label, attributes = widgets["label"], widgets["attributes"]
    (chip,) = label.findChildren(LabelChip)
    assert chip.accessibleName() == "Label: Error"
    assert texts(label) == ["= Ada", "≠ Bo"]
    assert [sign.accessibleName() for sign in label.findChildren(QLabel)] == ["Agrees with Ada", "Differs from Bo"]
    assert texts(attributes) == ["Emotions", "≠ Social norms"]
    names = [sign.accessibleName() for sign in attributes.findChildren(QLabel)]
    assert "Social norms, most people did not choose it" in names


@pytest.mark.parametrize("text", HARMFUL)
def test_what_a_model_writes_is_plain_text_wherever_it_is_shown(board: Board, qtbot: QtBot, text: str) -> None:
    shown = board(
        column("one", text, reasoning=text),
        column("two", state=JudgmentColumnState.ERROR, said=text, cells={}),
        column(
            "three", cells={"label": LabelCell(LabelLook(text, text, "error", Pattern.GRID, Sign.WAVE))}, facts=(text,)
        ),
    )
    (fold,) = shown.findChildren(Fold)
    fold.button.click()
    raw = RawView("Raw", text, text)
    qtbot.addWidget(raw)
    for root in (shown, raw):
        assert not root.findChildren(QTextEdit)
        for label in root.findChildren(QLabel):
            assert label.textFormat() is Qt.TextFormat.PlainText or label.pixmap(), label.text()
            assert not label.openExternalLinks()
        for field in root.findChildren(QPlainTextEdit):
            assert not field.textInteractionFlags() & Qt.TextInteractionFlag.LinksAccessibleByMouse
        for widget in root.findChildren(QWidget):
            if tip := widget.toolTip():
                assert text not in tip or text == escape(text)
                document = QTextDocument()
                document.setHtml(tip)
                assert "<img" not in document.toHtml()
                assert "<a href" not in document.toHtml()
    assert escape_control_chars(text) in [field.toPlainText() for field in shown.findChildren(QPlainTextEdit)]
    assert raw.field.toPlainText() == escape_control_chars(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("bell\x07", "bell⟨U+0007⟩"),
        ("\ufeff\u200b", "⟨U+FEFF⟩⟨U+200B⟩"),
    ],
)
def test_characters_that_act_are_written_out(text: str, shown: str) -> None:
    assert escape_control_chars(text) == shown


def test_a_megabyte_is_shown_in_parts(board: Board, qtbot: QtBot) -> None:
    text = "".join(f"{at:07d} " for at in range(131_072))
    cell: WordsCell = board(column("one", text)).column_widgets("one")["rationale"]
    assert cell.height() <= MAX_CELL_HEIGHT + 8
    assert cell.toPlainText().endswith(f"… and {len(text) - MAX_SHOWN_CHARS:,} more characters")
    raw = RawView("Raw", text)
    qtbot.addWidget(raw)
    read = [raw.field.toPlainText()]
    while raw.on.isEnabled():
        raw.on.click()
        read.append(raw.field.toPlainText())
    assert "".join(read) == text
    assert max(map(len, read)) <= MAX_SHOWN_CHARS


def test_each_column_has_the_buttons_of_its_state(board: Board, qtbot: QtBot) -> None:
    asking = column("two", state=JudgmentColumnState.ASKING, cells={}, judgment_id="")
    shown = board(column("one", adoptable=frozenset({"rationale"})), asking)
    again = [button.text() for button in shown.column_widgets("one")["foot"].findChildren(QPushButton)]
    assert again == ["Ask again", "Sent…", "Raw…"]
    (cancel,) = shown.column_widgets("two")["foot"].findChildren(QPushButton)
    with qtbot.waitSignal(shown.cancel_requested) as caught:
        cancel.click()
    assert caught.args[0].key == "two"
    (take,) = shown.column_widgets("one")["rationale"].findChildren(QPushButton)
    with qtbot.waitSignal(shown.adopt_requested) as caught:
        take.click()
    assert caught.args[1] == "rationale"


def test_a_hidden_column_shows_nothing_of_the_answer(board: Board) -> None:
    hidden = column(
        "one", state=JudgmentColumnState.HIDDEN, said="Mark this moment yourself first.", reasoning="secret", cells={}
    )
    shown = board(hidden)
    assert not shown.findChildren(LabelChip)
    assert not shown.findChildren(Fold)
    assert [child.text() for child in shown.column_widgets("one")["foot"].findChildren(QPushButton)] == ["Ask again"]
    assert "Hidden until your own is saved" in texts(shown.column_widgets("one")["head"])
