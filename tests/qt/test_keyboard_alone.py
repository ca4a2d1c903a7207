"""Somebody without a mouse opens a study, marks, edits, reviews and exports."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from app.gui.files.annotation_export import ExportWindow
from app.gui.files.study_files import make_sample_study
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_in
from project.session.session import Session

Key = Qt.Key
NONE = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Answers(Dialogs):
    """Says what somebody types in the desktop's own dialogs."""

    def __init__(self, study: Path) -> None:
        self.path = study
        self.out = study.with_name("out.eaf")

    def study(self) -> Path | None:
        return self.path

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        return self.out


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    path = make_sample_study(tmp_path)
    with Session.open(path, "Bo") as session:
        (recording,) = all_recordings(session.study)
        add_segment(session, recording.id, 2_000_000, 4_000_000, "error")
    return Answers(path)


@pytest.fixture
def window(qtbot: QtBot, answers: Answers) -> Iterator[MainWindow]:
    made = MainWindow(answers)
    qtbot.addWidget(made)
    made.resize(1360, 860)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()


def press(*keys: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    for key in keys:
        focused = QApplication.focusWidget() or QApplication.activeWindow()
        assert focused is not None
        QTest.keyClick(focused, key, modifier)


def walk_to(kind: type[QWidget], name: str = "") -> QWidget:
    """Press Tab until a widget of a kind has the focus."""
    for _ in range(80):
        focused = QApplication.focusWidget()
        if isinstance(focused, kind) and name in (focused.accessibleName() + getattr(focused, "text", str)()):
            return focused
        press(Key.Key_Tab)
    raise AssertionError(f"Tab never comes to {kind.__name__} {name}")


def do(text: str) -> None:
    """Find a command by letters and do it."""
    press(Key.Key_K, modifier=CTRL)
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClicks(focused, text)
    press(Key.Key_Return)


def test_a_study_is_opened_marked_edited_reviewed_and_exported(
    window: MainWindow, answers: Answers, qtbot: QtBot
) -> None:
    window.studio.change_settings(lambda kept: replace(kept, annotator="Ada"))
    press(Key.Key_O, modifier=CTRL | SHIFT)
    session = window.studio.session
    press(Key.Key_PageDown, modifier=CTRL)
    qtbot.waitUntil(lambda: window.player.times is not None)

    press(Key.Key_Home)
    press(Key.Key_I)
    press(Key.Key_Right, modifier=SHIFT)
    press(Key.Key_O)
    press(Key.Key_A)
    (own,) = [segment for segment in all_segments(session.study) if segment.id in window.studio.selected]
    assert (own.start_us, own.end_us) == (0, pytest.approx(1_000_000, abs=50_000))

    press(Key.Key_Period)
    moved = next(segment for segment in all_segments(session.study) if segment.id == own.id)
    assert moved.start_us > own.start_us
    press(Key.Key_T)
    field = QApplication.focusWidget()
    assert isinstance(field, QPlainTextEdit)
    QTest.keyClicks(field, "It waits.")
    press(Key.Key_Return, modifier=CTRL)
    assert QApplication.focusWidget() is window.timeline
    assert values_in(session.study, own.recording_id)[own.id]["rationale"].value == "It waits."

    do("review")
    assert window.mode() == "review"
    press(Key.Key_N, Key.Key_N)
    qtbot.waitUntil(lambda: window.studio.selected not in ((), (own.id,)))
    press(Key.Key_Y)
    assert session.study.rows("SELECT decision FROM review") == [("agree",)]

    press(Key.Key_E, modifier=CTRL | SHIFT)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeWindow(), ExportWindow))
    walk_to(QPushButton, "Export")
    press(Key.Key_Space)
    qtbot.waitUntil(answers.out.exists)
    assert "It waits." in answers.out.read_text("utf-8")
