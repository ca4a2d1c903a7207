"""Coding mode: label keys start and end segments while the recording stands or plays."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.gui.window.main_window import MainWindow
from project.queries.segment_rows import all_segments
from tests.builders.filmed_study import make_filmed_study
from tests.builders.mouse_and_keys import press
from tests.builders.slow_clock import play_by_looks
from tests.qt.conftest import OpenWindow

SECOND = 1_000_000
Made = list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def sample_window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    return open_shared_window(make_filmed_study(tmp_path_factory.mktemp("sample")))


@pytest.fixture
def window(sample_window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window in coding mode."""
    qtbot.waitUntil(lambda: sample_window.player.times is not None and sample_window.view.picture() is not None)
    sample_window.timeline.setFocus()
    press(sample_window, "Shift+C")
    assert sample_window.coding.is_enabled
    yield sample_window
    if sample_window.coding.is_enabled:
        press(sample_window, "Shift+C")


@pytest.fixture
def before(window: MainWindow) -> set[str]:
    """The segments that are there before the test."""
    return {segment.id for segment in all_segments(window.studio.session.study)}


def made(window: MainWindow, before: set[str]) -> Made:
    segments = all_segments(window.studio.session.study)
    return [(segment.label, segment.start_us, segment.end_us) for segment in segments if segment.id not in before]


def press_at(window: MainWindow, second: int, key: str) -> None:
    window.playback.jump(second * SECOND)
    press(window, key)


def test_the_same_key_starts_and_ends_on_exact_frames_and_one_undo_takes_it_back(
    window: MainWindow, before: set[str]
) -> None:
    assert "press a label's key at the start" in window.workspace.coding_line.text()
    press_at(window, 2, "E")
    assert [*window.coding.open_segments] == ["error"]
    window.playback.jump(4 * SECOND)
    assert window.timeline.marks == (2 * SECOND, window.player.position_us), "it grows with the playhead"
    assert "since 2.0 s" in window.workspace.coding_line.text()
    press(window, "E")
    found = made(window, before)
    assert found == [("error", 2 * SECOND, window.player.position_us)]
    assert {found[0][1], found[0][2]} <= set(window.player.times.times_us.tolist())
    assert window.coding.open_segments == {}
    assert window.studio.selected == ()
    window.studio.undo()
    assert made(window, before) == []


def test_several_labels_are_open_side_by_side_unless_the_track_has_one(window: MainWindow, before: set[str]) -> None:
    press_at(window, 1, "E")
    press_at(window, 2, "C")
    assert sorted(window.coding.open_segments) == ["competence", "error"]
    press(window, "Esc")
    assert window.coding.open_segments == {}
    assert made(window, before) == []

    track, several = window.active.track, window.active.track.coding
    object.__setattr__(track, "coding", "one")
    try:
        press_at(window, 1, "E")
        press_at(window, 2, "C")
        assert [*window.coding.open_segments] == ["competence"]
        assert made(window, before) == [("error", 1 * SECOND, 2 * SECOND)]
    finally:
        object.__setattr__(track, "coding", several)


def test_going_elsewhere_keeps_nothing_half_made(window: MainWindow, before: set[str]) -> None:
    press_at(window, 3, "E")
    press_at(window, 1, "E")
    assert [*window.coding.open_segments] == ["error"], "an end before the start is refused"
    window.workspace.coding_line.button.click()
    assert not window.coding.is_enabled
    assert not window.menus.actions["coding"].isChecked()
    assert made(window, before) == []
    assert window.workspace.coding_line.text() == ""


def test_playing_it_works_alike(qtbot: QtBot, window: MainWindow, before: set[str]) -> None:
    play_by_looks(window.player)
    window.playback.jump(0)
    press(window, "Space")
    qtbot.waitUntil(lambda: window.player.position_us > 300_000)
    press(window, "C")
    started = window.player.position_us
    qtbot.waitUntil(lambda: window.player.position_us > started + 500_000)
    press(window, "C")
    assert window.player.playing, "nothing stops"
    press(window, "Space")
    ((label, start, end),) = made(window, before)
    assert label == "competence"
    assert {start, end} <= set(window.player.times.times_us.tolist())
    assert abs(start - started) < 200_000
