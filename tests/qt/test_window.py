"""The real window, with real libVLC, driven with keys and the mouse as a person would."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import MODES
from project.entities.study_records import Segment, Verdict
from project.queries.segment_rows import all_segments, table_segments, values_of
from project.store.study import Study
from project.timebase import SECOND_US
from tests.builders.filmed_study import make_filmed_study
from tests.builders.main_windows import wait_for_turns
from tests.builders.mouse_and_keys import click, drag, press, type_text
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenWindow
from widgets import theme
from widgets.timeline.timeline_layout import HEADER, RULER


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return make_filmed_study(tmp_path)


def ready(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until the first exact frame is on screen."""
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)


def segments(window: MainWindow) -> list[Segment]:
    return all_segments(window.studio.session.study)


def test_open_play_mark_edit_undo_close_and_reopen(qtbot: QtBot, open_window: OpenWindow, study: Path) -> None:
    window = open_window(study)
    ready(qtbot, window)
    assert window.studio.recording is not None
    assert window.windowTitle().startswith("Sample")

    press(window, "Space")
    qtbot.waitUntil(lambda: window.player.position_us > 1_200_000)
    press(window, "Space")
    assert not window.player.playing
    at = window.player.position_us
    assert at in window.player.times.times_us, "a pause stands on a frame"
    press(window, "I", "Shift+Right", "Right", "Right", "O", "E")
    (made,) = segments(window)
    assert (made.start_us, made.label) == (at, Verdict.ERROR)
    assert made.end_us == window.player.position_us
    assert window.studio.selected == (made.id,)

    press(window, "1", "3")
    assert values_of(window.studio.session.study, made.id)["attributes"] == ["emotions", "conversation"]
    press(window, "C")
    assert segments(window)[0].label == Verdict.COMPETENCE
    assert "change to competence" in window.menus.actions["undo"].text().lower()
    press(window, "Ctrl+Z")
    assert segments(window)[0].label == Verdict.ERROR
    press(window, "Ctrl+Shift+Z")
    assert segments(window)[0].label == Verdict.COMPETENCE

    window.player.seek(made.start_us + 500_000)
    press(window, "S")
    assert len(segments(window)) == 2
    press(window, "Del")
    assert len(segments(window)) == 1
    press(window, "Ctrl+Z")
    before = segments(window)
    assert len(before) == 2
    window.studio.select([before[1].id])
    press(window, ".")
    nudged = segments(window)[1]
    assert nudged.start_us > before[1].start_us
    window.studio.select([before[0].id])
    press(window, ".", "Ctrl+Z")
    assert segments(window) == [before[0], nudged], "each nudged segment is a step of its own"
    window.studio.select([before[1].id])

    window.timeline.show_span(1 * SECOND_US, 6 * SECOND_US)
    window.player.seek(3 * SECOND_US)
    left = segments(window)
    window.commands.set_theme("light")
    window.commands.set_text_size(110)
    window.workspace.columns.setSizes([300, 700, 360])
    qtbot.waitUntil(lambda: window.workspace.pages.width() > 340)
    sizes, shown = window.workspace.columns.sizes(), window.timeline.visible_range()
    window.close()
    assert sorted(p.name for p in study.parent.iterdir()) == ["sample.greenroom", "sample.mp4"]

    again = open_window(study)
    ready(qtbot, again)
    assert segments(again) == left
    assert again.studio.selected == (left[1].id,)
    assert again.player.position_us == pytest.approx(3 * SECOND_US, abs=45_000)
    qtbot.waitUntil(lambda: again.timeline.visible_range() == pytest.approx(shown, abs=20_000))
    assert again.workspace.columns.sizes() == pytest.approx(sizes, abs=2)
    assert again.studio.settings.theme == "light"
    assert again.studio.settings.text_size == theme.text_size() == 110
    press(again, "Ctrl+Z")
    assert segments(again)[1] == before[1], "undo goes on where it was, also after reopening"
    again.commands.set_theme("dark")
    again.commands.set_text_size(100)


def test_a_mark_that_the_other_one_passes_is_taken_away(qtbot: QtBot, window: MainWindow) -> None:
    ready(qtbot, window)
    marks = []
    for second, key in ((2, "O"), (5, "I"), (3, "O")):
        window.player.seek(second * SECOND_US)
        press(window, key)
        marks.append((window.studio.mark_in is not None, window.studio.mark_out is not None))
    assert marks == [(False, True), (True, False), (False, True)]


def test_what_is_typed_is_no_command_and_the_keys_go_back_to_the_timeline(qtbot: QtBot, window: MainWindow) -> None:
    ready(qtbot, window)
    window.activateWindow()
    assert window.editing.create(4 * SECOND_US, 6 * SECOND_US, Verdict.ERROR)
    assert window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    (first,) = window.studio.selected
    window.timeline.setFocus()
    press(window, "T")
    type_text(window, "oil can e 12 s")
    window.inspecting.flush()
    assert values_of(window.studio.session.study, first)["rationale"] == "oil can e 12 s"
    assert [segment.label for segment in segments(window)] == [Verdict.ERROR, Verdict.ERROR]
    assert not window.player.playing
    assert window.studio.mark_in is None
    press(window, "Ctrl+Return")
    assert window.timeline.hasFocus()
    press(window, "Down")
    assert window.studio.selected != (first,), "the next segment is a key away"
    press(window, "Ctrl+L")
    assert window.focusWidget() is window.transport.time_edit
    type_text(window, "0:05.5")
    press(window, "Return")
    assert window.player.position_us == pytest.approx(5_500_000, abs=45_000)
    assert window.focusWidget() is window.timeline
    window.studio.select([first])
    press(window, "T")
    type_text(window, ", typed last")
    path = window.studio.session.study.path
    window.close_study()
    with Study.open(path) as kept:
        assert "typed last" in values_of(kept, first)["rationale"]


def test_space_is_the_players_unless_a_button_was_reached_with_tab(qtbot: QtBot, window: MainWindow) -> None:
    ready(qtbot, window)
    window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    error, competence = (window.inspector.labels.buttons[verdict] for verdict in (Verdict.ERROR, Verdict.COMPETENCE))
    competence.setFocus(Qt.FocusReason.TabFocusReason)
    press(window, "Space")
    assert segments(window)[0].label == Verdict.COMPETENCE
    assert not window.player.playing
    click(error)
    assert segments(window)[0].label == Verdict.ERROR
    error.setFocus(Qt.FocusReason.MouseFocusReason)
    press(window, "Space")
    assert window.player.playing
    window.player.pause()


def test_the_picture_fills_the_screen_and_comes_back(qtbot: QtBot, window: MainWindow) -> None:
    ready(qtbot, window)
    before = window.view.height()
    window.timeline.setFocus()
    press(window, "F")
    assert window.isFullScreen()
    assert not window.timeline.isVisible()
    press(window, "Space")
    assert window.player.playing, "keys work without the menu bar"
    window.player.pause()
    press(window, "Esc")
    assert not window.isFullScreen()
    qtbot.waitUntil(lambda: window.timeline.isVisible() and abs(window.view.height() - before) < 40)
    assert window.focusWidget() is window.timeline
    press(window, "F")
    window.close_study()
    assert not window.isFullScreen()
    assert window.menuBar().isVisible()
    assert window.messages.isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_segment_is_drawn_and_moved_with_the_mouse_and_alone_read_again(
    qtbot: QtBot, window: MainWindow, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(qtbot, window)
    lane = next(band for band in window.timeline.bands if band.lane.editable)

    def at(second: float) -> QPointF:
        return QPointF(HEADER + round(window.timeline.view.time_to_x(second * SECOND_US)), RULER + lane.top + 12)

    drag(window.timeline, at(5), at(9))
    assert segments(window) == [], "nobody said which label"
    press(window, "Esc")
    assert (window.studio.mark_in, window.studio.mark_out) != (None, None), "what was drawn stays marked"
    drag(window.timeline, at(5), at(9))
    press(window, "C")
    (made,) = segments(window)
    assert made.label == Verdict.COMPETENCE
    assert made.start_us == pytest.approx(5 * SECOND_US, abs=60_000)
    drag(window.timeline, at(7), at(11))
    (moved,) = segments(window)
    assert moved.start_us == pytest.approx(9 * SECOND_US, abs=90_000)
    assert window.workspace.slider.range() == (moved.start_us, moved.end_us), "the slider follows the selection"
    for start in range(4):
        window.editing.create(start * SECOND_US, (start + 1) * SECOND_US, Verdict.ERROR)
    read: list[str] = []
    presenter = "app.gui.timeline.timeline_presenter"
    with monkeypatch.context() as patch:
        patch.setattr(f"{presenter}.table_segments", lambda study, ids: read.extend(ids) or table_segments(study, ids))
        patch.setattr(f"{presenter}.segments_of", lambda *_: pytest.fail("everything was read again"))
        chosen = segments(window)[2]
        window.editing.move([(chosen.id, chosen.start_us + 40_000, chosen.end_us)])
    assert read == [chosen.id]
    assert window.timeline.model.segment(chosen.id).start_us == chosen.start_us + 40_000
    answers.give(text="Somebody else")
    window.menus.actions["annotator"].trigger()
    before = segments(window)
    window.editing.delete([before[0].id])
    assert segments(window) == before, "others' segments are read-only"
    assert "somebody else" in window.messages.message()
    assert sum(lane.editable for lane in window.timeline.model.lanes) == 1


def test_every_key_is_bound_once_and_the_window_fits_a_small_screen(open_window: OpenWindow, tmp_path: Path) -> None:
    """1600 x 1000 pixels at twice the size are 800 x 500; how deep a study lies makes no difference."""
    deep = tmp_path.joinpath(*["a folder with a long name"] * 5)
    deep.mkdir(parents=True)
    window = open_window(make_filmed_study(deep / "study"))
    actions = [*window.menus.actions.values(), *window.menus.label_actions]
    bound = [key.toString() for action in actions for key in action.shortcuts()]
    assert sorted(bound) == sorted(set(bound))
    assert {"Space", "J", "K", "L", "I", "O", "E", "C", "N", "S", "Del", "F1", "Ctrl+Z", ",", "."} <= set(bound)
    smallest = window.minimumSizeHint()
    assert smallest.width() <= 784
    assert smallest.height() <= 452


def test_no_mode_makes_a_small_window_grow(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    empty = tmp_path / "empty.greenroom"
    Study.create(empty).close()
    for study in (empty, make_filmed_study(tmp_path / "study")):
        window = open_window(study)
        window.resize(1024, 640)
        for mode in MODES:
            window.set_mode(mode.key)
            wait_for_turns()
            qtbot.wait(1)
            assert (window.width(), window.height()) == (1024, 640), mode.name


def test_no_press_of_a_key_stands_twice_for_an_action() -> None:
    """Shift and the comma is `<` where both are on one key: bound both ways, Qt calls the press ambiguous."""
    shifted = dict(zip("1234567890-=[];',./`", '!@#$%^&*()_+{}:"<>?~', strict=True))
    for spec in ACTIONS:
        for key in spec.keys:
            sign = shifted.get(key.removeprefix("Shift+")) if key.startswith("Shift+") else None
            assert sign not in {k for other in ACTIONS for k in other.keys}, spec.key
