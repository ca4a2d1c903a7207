"""The list of the transcript by itself: it keeps up with what is spoken, and wraps texts without losing a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from app.gui.transcript.utterance_delegate import TranscriptModel
from app.gui.transcript.utterance_layout import TranscriptLine, wrap
from app.gui.transcript.utterance_list import TranscriptView
from project.entities.study_records import Utterance
from project.entities.transcript import estimate_word_times
from tests.builders.mouse_and_keys import turn_wheel


def _line(number: int, text: str = "") -> TranscriptLine:
    said = text or f"this is what was said as number {number} of many"
    start = number * 1_000_000
    return TranscriptLine(
        Utterance(
            f"u{number:03}", "r", start, start + 900_000, said, None, estimate_word_times(said, start, start + 900)
        )
    )


@pytest.fixture
def view(qtbot: QtBot) -> TranscriptView:
    model = TranscriptModel()
    made = TranscriptView(model)
    model.setParent(made)
    qtbot.addWidget(made)
    made.resize(320, 400)
    model.set_lines([_line(number) for number in range(200)])
    made.show()
    qtbot.waitExposed(made)
    return made


def _model(view: TranscriptView) -> TranscriptModel:
    return view.model()


def _in_sight(view: TranscriptView, key: str) -> bool:
    row = _model(view).row(key)
    return bool(view.viewport().rect().contains(view.visualRect(_model(view).index(row, 0))))


def test_the_list_stays_where_somebody_scrolled_until_they_come_back(view: TranscriptView) -> None:
    centre = QPointF(view.viewport().rect().center())
    view.set_spoken("u100", 0)
    for _ in range(20):
        turn_wheel(view, centre, 10)
    here = view.verticalScrollBar().value()
    assert not _in_sight(view, "u100")
    view.set_spoken("u101", 0)
    assert view.verticalScrollBar().value() == here
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    view.set_spoken("u199", 0)
    view.set_spoken("u010", 0)
    assert _in_sight(view, "u010"), "what is spoken came into sight, so the list keeps up again"
    turn_wheel(view, centre, -10)
    view.resume_following()
    view.set_spoken("u150", 0)
    assert _in_sight(view, "u150"), "and when the player starts anew"


def test_what_is_selected_stays_so_when_lines_come_and_go(view: TranscriptView) -> None:
    view.select(["u050", "u051"])
    kept = [_line(number) for number in range(200) if number not in (10, 51, 120)]
    _model(view).set_lines([_line(500, "a new one"), *kept])
    assert view.selected() == ["u050"]
    assert _model(view).row("u050") == 50
    assert _model(view).line("u051") is None
    assert [line.utterance.id for line in _model(view).lines] == ["u500", *(line.utterance.id for line in kept)]


@given(st.permutations(range(8)), st.permutations(range(8)), st.integers(0, 8), st.integers(0, 8))
def test_any_order_of_lines_follows_any_other(first: list[int], second: list[int], shown: int, then: int) -> None:
    model = TranscriptModel()
    for numbers in (first[:shown], second[:then]):
        wanted = [_line(number) for number in numbers]
        model.set_lines(wanted)
        assert model.lines == wanted
        assert [model.row(line.utterance.id) for line in wanted] == [*range(len(wanted))]


def test_an_undo_elsewhere_shows_in_the_field(view: TranscriptView) -> None:
    view.edit_text("u003", 0)
    _model(view).set_lines([_line(number, "as it was" if number == 3 else "") for number in range(200)])
    with_text: list[tuple[str, str, bool]] = []
    view.saved.connect(lambda *found: with_text.append(found))
    view.finish_editing()
    assert with_text == [("u003", "as it was", False)]
    view.edit_text("u003", 0)
    assert view.editing_id == "u003"
    _model(view).set_lines([_line(number) for number in range(200) if number != 3])
    assert view.editing_id == "", "a line that goes takes the field along"


_ROOM = 60.0
_SIGNS = st.text("abÄß漢שלם,.? \t\n\u00a0\u3000", max_size=60)


def _width(text: str) -> float:
    return 6.0 * len(text)


@given(_SIGNS)
def test_every_word_stands_on_a_line_in_order(text: str) -> None:
    made = wrap(text, _width, 6.0, _ROOM)
    words = text.split()
    assert ["".join(piece.text for piece in made.pieces if piece.word == index) for index in range(len(words))] == words
    assert all(text[piece.start : piece.start + len(piece.text)] == piece.text for piece in made.pieces)
    assert [piece.line for piece in made.pieces] == sorted(piece.line for piece in made.pieces)
    assert all(0 <= piece.line < made.lines for piece in made.pieces)
    assert all(piece.left >= -0.01 and piece.left + piece.width <= _ROOM + 0.01 for piece in made.pieces)


@pytest.mark.parametrize(("x", "word"), [(0.0, 2), (33.0, 2), (58.0, 3), (500.0, 3)])
def test_the_nearest_word_of_a_line_is_found(x: float, word: int) -> None:
    found = wrap("one two three four", _width, 6.0, _ROOM).piece_at(1, x)
    assert found.word == word
    assert wrap("one", _width, 6.0, _ROOM).piece_at(1, x) is None
