"""Somebody without a mouse opens a study, marks, edits, reviews and exports."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_in
from project.session.session import Session
from tests.builders.filmed_study import make_filmed_study
from tests.builders.mouse_and_keys import press, type_text
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenWindow


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    """What somebody types in the desktop's own dialogs."""
    path = make_filmed_study(tmp_path)
    with Session.open(path, "Bo") as session:
        (recording,) = all_recordings(session.study)
        add_segment(session, recording.id, 2_000_000, 4_000_000, "error")
    return Answers(study=path, save=path.with_name("out.eaf"))


def walk_to(window: QWidget, kind: type[QWidget], name: str) -> QWidget:
    """Press Tab until a widget of a kind has the focus."""
    for _ in range(80):
        focused = QApplication.focusWidget()
        if isinstance(focused, kind) and name in (focused.accessibleName() + getattr(focused, "text", str)()):
            return focused
        press(window, "Tab")
    raise AssertionError(f"Tab never comes to {kind.__name__} {name}")


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_study_is_opened_marked_edited_reviewed_and_exported(
    open_window: OpenWindow, answers: Answers, qtbot: QtBot
) -> None:
    window = open_window(questions=answers)
    window.studio.change_settings(lambda kept: replace(kept, annotator="Ada"))
    press(window, "Ctrl+Shift+O")
    study = window.studio.session.study
    press(window, "Ctrl+PgDown")
    qtbot.waitUntil(lambda: window.player.times is not None)

    press(window, "Home", "I", "Shift+Right", "O", "A")
    assert not window.studio.selected, "it waits for the label"
    press(window, "E")
    (own,) = [segment for segment in all_segments(study) if segment.id in window.studio.selected]
    assert (own.start_us, own.end_us) == (0, pytest.approx(1_000_000, abs=50_000))

    press(window, ".")
    moved = next(segment for segment in all_segments(study) if segment.id == own.id)
    assert moved.start_us > own.start_us
    press(window, "T")
    assert isinstance(QApplication.focusWidget(), QPlainTextEdit)
    type_text(window, "It waits.")
    press(window, "Ctrl+Return")
    assert QApplication.focusWidget() is window.timeline
    assert values_in(study, own.recording_id)[own.id]["rationale"] == "It waits."

    press(window, "Ctrl+K")
    type_text(window, "review")
    press(window, "Return")
    assert window.mode() == "review"
    press(window, "N", "N")
    qtbot.waitUntil(lambda: window.studio.selected not in ((), (own.id,)))
    press(window, "Y")
    assert study.rows("SELECT decision FROM review") == [("agree",)]

    press(window, "Ctrl+Shift+E")
    qtbot.waitUntil(lambda: QApplication.activeWindow().windowTitle() == "Export annotations")
    walk_to(window, QPushButton, "Export")
    press(window, "Space")
    out: Path = answers.answers["save"]
    qtbot.waitUntil(out.exists)
    assert "It waits." in out.read_text("utf-8")
