"""Coding mode: label keys start and end segments while the recording stands or plays."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.files.study_files import make_sample_study
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Segment
from project.queries.segment_rows import all_segments
from tests.builders.slow_clock import play_by_looks

Key = Qt.Key
SECOND = 1_000_000


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    made = MainWindow()
    qtbot.addWidget(made)
    made.resize(1360, 860)
    made.show()
    qtbot.waitExposed(made)
    assert made.open_study(make_sample_study(tmp_path))
    qtbot.waitUntil(lambda: made.player.times is not None and made.view.picture() is not None)
    yield made
    made.close()


def press(window: MainWindow, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key)


def segments(window: MainWindow) -> list[Segment]:
    return all_segments(window.studio.session.study)


def start_coding(window: MainWindow) -> set[str]:
    window.timeline.setFocus()
    QTest.keyClick(window, Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
    assert window.coding.is_enabled
    return {segment.id for segment in segments(window)}


def made(window: MainWindow, before: set[str]) -> list[tuple[str, int, int]]:
    return [
        (segment.label, segment.start_us, segment.end_us) for segment in segments(window) if segment.id not in before
    ]


def test_the_same_key_starts_and_ends_on_exact_frames_and_one_undo_takes_it_back(window: MainWindow) -> None:
    before = start_coding(window)
    assert "press a label's key at the start" in window.workspace.coding_line.text()
    window.playback.jump(2 * SECOND)
    press(window, Key.Key_E)
    assert [*window.coding.open_segments] == ["error"]
    window.playback.jump(4 * SECOND)
    assert window.timeline.marks == (2 * SECOND, window.player.position_us), "it grows with the playhead"
    assert "since 2.0 s" in window.workspace.coding_line.text()
    press(window, Key.Key_E)
    found = made(window, before)
    assert found == [("error", 2 * SECOND, window.player.position_us)]
    assert {found[0][1], found[0][2]} <= set(window.player.times.times_us.tolist())
    assert window.coding.open_segments == {}
    assert window.studio.selected == ()
    window.studio.undo()
    assert made(window, before) == []


def test_playing_it_works_alike(qtbot: QtBot, window: MainWindow) -> None:
    play_by_looks(window.player)
    before = start_coding(window)
    press(window, Key.Key_Space)
    qtbot.waitUntil(lambda: window.player.position_us > 300_000)
    press(window, Key.Key_C)
    started = window.player.position_us
    qtbot.waitUntil(lambda: window.player.position_us > started + 500_000)
    press(window, Key.Key_C)
    assert window.player.playing, "nothing stops"
    press(window, Key.Key_Space)
    ((label, start, end),) = made(window, before)
    assert label == "competence"
    assert {start, end} <= set(window.player.times.times_us.tolist())
    assert abs(start - started) < 200_000


def test_several_labels_are_open_side_by_side_unless_the_track_has_one(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = start_coding(window)
    window.playback.jump(1 * SECOND)
    press(window, Key.Key_E)
    window.playback.jump(2 * SECOND)
    press(window, Key.Key_C)
    assert sorted(window.coding.open_segments) == ["competence", "error"]
    press(window, Key.Key_Escape)
    assert window.coding.open_segments == {}
    assert made(window, before) == []

    track = window.active.track
    assert track is not None
    object.__setattr__(track, "coding", "one")
    window.playback.jump(1 * SECOND)
    press(window, Key.Key_E)
    window.playback.jump(2 * SECOND)
    press(window, Key.Key_C)
    assert [*window.coding.open_segments] == ["competence"]
    assert made(window, before) == [("error", 1 * SECOND, 2 * SECOND)]


def test_going_elsewhere_keeps_nothing_half_made(window: MainWindow) -> None:
    before = start_coding(window)
    window.playback.jump(3 * SECOND)
    press(window, Key.Key_E)
    window.playback.jump(1 * SECOND)
    press(window, Key.Key_E)
    assert [*window.coding.open_segments] == ["error"], "an end before the start is refused"
    window.workspace.coding_line.button.click()
    assert not window.coding.is_enabled
    assert not window.menus.actions["coding"].isChecked()
    assert made(window, before) == []
    assert window.workspace.coding_line.text() == ""
