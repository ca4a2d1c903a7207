"""Whatever somebody presses in the transcript, each step can be taken back and done again."""

import random
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.transcript.utterance_list import WordsEditor
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Utterance
from project.entities.transcript import split_words
from tests.qt.test_transcript_editor import ALT, CTRL, SHIFT, page, press, said, start, window
from tests.qt.test_window import Answers, answers, open_window, sample, study

__all__ = ["Answers", "answers", "open_window", "sample", "study", "window"]

TYPED = ("seat", "naïve", "👋🏽", "שלום", "a" * 300, "  two  blanks ", "<b>x</b>", "[PERSON_1]", "\u200f", "1.")


def _type(window: MainWindow, rng: random.Random) -> None:
    press(window, Qt.Key.Key_Return)
    field = QApplication.focusWidget()
    if not isinstance(field, WordsEditor):
        return
    field.moveCursor(rng.choice((field.textCursor().MoveOperation.Start, field.textCursor().MoveOperation.End)))
    field.insertPlainText(rng.choice(TYPED) + " ")
    how = rng.choice((Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Tab))
    press(window, how)
    page(window).view.finish_editing()
    page(window).view.setFocus()


def _split(window: MainWindow, rng: random.Random) -> None:
    press(window, Qt.Key.Key_Return)
    for _ in range(rng.randint(1, 3)):
        press(window, Qt.Key.Key_Right, CTRL)
    press(window, Qt.Key.Key_Return, SHIFT)
    page(window).view.finish_editing()
    page(window).view.setFocus()


def _join(window: MainWindow, _rng: random.Random) -> None:
    press(window, Qt.Key.Key_Return)
    press(window, Qt.Key.Key_Home, CTRL)
    press(window, Qt.Key.Key_Backspace)
    page(window).view.finish_editing()
    page(window).view.setFocus()


def _delete(window: MainWindow, _rng: random.Random) -> None:
    if len(page(window).model.lines) > 2:
        press(window, Qt.Key.Key_Delete)


def _key(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Callable[..., None]:
    return lambda window, _rng: press(window, key, held)


EDITS: tuple[Callable[[MainWindow, random.Random], None], ...] = (
    _type,
    _type,
    _split,
    _join,
    *(_key(each_key) for each_key in (Qt.Key.Key_Y, Qt.Key.Key_C, Qt.Key.Key_A, Qt.Key.Key_S, Qt.Key.Key_M)),
    *(_key(each_key) for each_key in (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_0, Qt.Key.Key_Comma)),
    _delete,
    *(_key(each_key) for each_key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight, Qt.Key.Key_Period)),
    _key(Qt.Key.Key_Comma, ALT),
    _key(Qt.Key.Key_Period, CTRL),
)


def _sound(those: list[Utterance]) -> None:
    for utterance in those:
        assert utterance.start_us < utterance.end_us
        assert not utterance.words or [word.text for word in utterance.words] == split_words(utterance.text)
        at = utterance.start_us
        for word in utterance.words:
            assert at <= word.start_us <= word.end_us <= utterance.end_us
            at = word.end_us


@pytest.mark.parametrize("seed", [0, 2])
def test_thirty_edits_by_keys_go_back_and_forth(qtbot: QtBot, window: MainWindow, seed: int) -> None:
    page(window)._plays_on.setChecked(False)
    session = window.studio.session
    assert session is not None
    rng = random.Random(seed)
    states = [said(window)]
    for _ in range(300):
        if len(states) > 30:
            break
        start(window, rng.randrange(len(page(window).model.lines)))
        rng.choice(EDITS)(window, rng)
        now = said(window)
        _sound(now)
        assert [line.utterance for line in page(window).model.lines] == now, "the page shows what is in the study"
        if now != states[-1]:
            states.append(now)
    assert len(states) > 30
    back = _walk(window, Qt.Key.Key_Z, CTRL, states[0], len(states))
    assert _in_order(back, states[::-1]), "each undo leads to a state that was there"
    forth = _walk(window, Qt.Key.Key_Z, CTRL | SHIFT, states[-1], len(states))
    assert _in_order(forth, states)


def _walk(
    window: MainWindow, key: Qt.Key, held: Qt.KeyboardModifier, until: list[Utterance], most: int
) -> list[object]:
    seen: list[object] = []
    for _ in range(2 * most):
        if said(window) == until:
            break
        press(window, key, held)
        seen.append(said(window))
        assert [line.utterance for line in page(window).model.lines] == seen[-1]
    assert said(window) == until
    return seen


def _in_order(some: list[object], all_of_them: list[list[Utterance]]) -> bool:
    rest = iter(all_of_them)
    return all(any(one == other for other in rest) for one in some)
