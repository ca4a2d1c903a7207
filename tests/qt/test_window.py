"""The real window, with real libVLC, driven with keys and the mouse as a person would."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from app.gui.files.study_files import make_sample_study
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Segment, Verdict
from project.errors import UserError
from project.queries.recording_rows import all_media
from project.queries.segment_rows import all_segments, values_of
from project.session.session import Session
from project.session.settings import load_settings
from project.store.study import Study
from project.timebase import SECOND_US
from tests.builders.keyboard_walk import nameless, unexplained
from widgets.timeline.timeline_layout import HEADER, RULER


class Answers(Dialogs):
    """Dialogs that answer at once."""

    def __init__(self) -> None:
        self.answers: dict[str, object] = {}

    def new_study(self, proposed: Path | None = None) -> Path | None:
        return self.answers.get("new_study")

    def study(self) -> Path | None:
        return self.answers.get("study")

    def videos(self) -> list[Path]:
        return self.answers.get("videos", [])

    def folder(self, title: str) -> Path | None:
        return self.answers.get("folder")

    def text(self, title: str, question: str, before: str) -> str | None:
        return self.answers.get("text")


Open = Callable[..., MainWindow]


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def open_window(qtbot: QtBot, answers: Answers) -> Iterator[Open]:
    opened: list[MainWindow] = []

    def make(study: Path | None = None, **options: object) -> MainWindow:
        window = MainWindow(answers, **options)
        opened.append(window)
        qtbot.addWidget(window)
        window.resize(1360, 860)
        window.show()
        qtbot.waitExposed(window)
        if study is not None:
            assert window.open_study(study)
        return window

    yield make
    for window in opened:
        window.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, session_folders: None) -> Path:
    return make_sample_study(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def study(sample: Path, tmp_path: Path) -> Path:
    """A study of its own with the sample recording in it, beside its file."""
    for name in ("sample.greenroom", "sample.mp4"):
        shutil.copyfile(sample.parent / name, tmp_path / name)
    return tmp_path / "sample.greenroom"


def ready(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until the first exact frame is on screen."""
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)


def press(window: MainWindow, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    from PySide6.QtTest import QTest

    for key in keys:
        QTest.keyClick(window.focusWidget() or window, key, modifier)


def segments(window: MainWindow) -> list[Segment]:
    return all_segments(window.studio.session.study)


def test_open_play_mark_edit_undo_close_and_reopen(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    ready(qtbot, window)
    assert window.studio.recording is not None
    assert window.windowTitle().startswith("Sample")

    press(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.player.position_us > 1_200_000)
    press(window, Qt.Key.Key_Space)
    assert not window.player.playing
    at = window.player.position_us
    assert at in window.player.times.times_us, "a pause stands on a frame"
    press(window, Qt.Key.Key_I)
    press(window, Qt.Key.Key_Right, modifier=Qt.KeyboardModifier.ShiftModifier)
    press(window, Qt.Key.Key_Right, Qt.Key.Key_Right)
    press(window, Qt.Key.Key_O, Qt.Key.Key_E)
    (made,) = segments(window)
    assert (made.start_us, made.label) == (at, Verdict.ERROR)
    assert made.end_us == window.player.position_us
    assert window.studio.selected == (made.id,)

    press(window, Qt.Key.Key_1, Qt.Key.Key_3)
    session = window.studio.session
    assert values_of(session.study, made.id)["attributes"].value == ["emotions", "conversation"]
    press(window, Qt.Key.Key_C)
    assert segments(window)[0].label == Verdict.COMPETENCE
    assert "change to competence" in window.menus.actions["undo"].text().lower()
    press(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert segments(window)[0].label == Verdict.ERROR
    press(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert segments(window)[0].label == Verdict.COMPETENCE

    window.player.seek(made.start_us + 500_000)
    press(window, Qt.Key.Key_S)
    assert len(segments(window)) == 2
    press(window, Qt.Key.Key_Delete)
    assert len(segments(window)) == 1
    press(window, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert len(segments(window)) == 2
    before = segments(window)
    window.studio.select([before[1].id])
    press(window, Qt.Key.Key_Period)
    assert segments(window)[1].start_us > before[1].start_us

    window.timeline.show_span(1 * SECOND_US, 6 * SECOND_US)
    window.player.seek(3 * SECOND_US)
    left = segments(window)
    window.commands.set_theme("light")
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
    press(again, Qt.Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert segments(again)[1] == before[1], "undo goes on where it was, also after reopening"
    again.commands.set_theme("dark")


def test_typing_is_not_commands(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    ready(qtbot, window)
    assert window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    editor = window.inspector.form.editors["rationale"]
    editor.setFocus()
    qtbot.keyClicks(window.focusWidget(), "oil can e 12 s")
    window.inspecting.flush()
    session = window.studio.session
    (only,) = segments(window)
    assert values_of(session.study, only.id)["rationale"].value == "oil can e 12 s"
    assert only.label == Verdict.ERROR
    assert not window.player.playing
    assert window.studio.mark_in is None


def test_a_jump_is_typed_and_the_keys_go_back_to_the_timeline(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    ready(qtbot, window)
    press(window, Qt.Key.Key_L, modifier=Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is window.transport.time_edit
    qtbot.keyClicks(window.focusWidget(), "0:05.5")
    press(window, Qt.Key.Key_Return)
    assert window.player.position_us == pytest.approx(5_500_000, abs=45_000)
    assert window.focusWidget() is window.timeline


def test_space_is_the_players_unless_a_button_was_reached_with_tab(
    qtbot: QtBot, open_window: Open, study: Path
) -> None:
    window = open_window(study)
    ready(qtbot, window)
    window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    competence = window.inspector.labels.buttons[Verdict.COMPETENCE]
    competence.setFocus(Qt.FocusReason.TabFocusReason)
    press(window, Qt.Key.Key_Space)
    assert segments(window)[0].label == Verdict.COMPETENCE
    assert not window.player.playing
    error = window.inspector.labels.buttons[Verdict.ERROR]
    qtbot.mouseClick(error, Qt.MouseButton.LeftButton)
    assert segments(window)[0].label == Verdict.ERROR
    error.setFocus(Qt.FocusReason.MouseFocusReason)
    press(window, Qt.Key.Key_Space)
    assert window.player.playing
    window.player.pause()


def test_a_segment_is_drawn_moved_and_resized_with_the_mouse(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    ready(qtbot, window)
    area = window.timeline.viewport()
    lane = next(band for band in window.timeline.bands if band.lane.editable)
    y = RULER + lane.top + 12

    def at(time_us: int) -> QPoint:
        return QPoint(HEADER + round(window.timeline.view.time_to_x(time_us)), y)

    def drag(start_us: int, end_us: int) -> None:
        qtbot.mousePress(area, Qt.MouseButton.LeftButton, pos=at(start_us))
        qtbot.mouseMove(area, at((start_us + end_us) // 2))
        qtbot.mouseMove(area, at(end_us))
        qtbot.mouseRelease(area, Qt.MouseButton.LeftButton, pos=at(end_us))

    drag(5 * SECOND_US, 9 * SECOND_US)
    (made,) = segments(window)
    assert made.start_us == pytest.approx(5 * SECOND_US, abs=60_000)
    drag(7 * SECOND_US, 11 * SECOND_US)
    (moved,) = segments(window)
    assert moved.start_us == pytest.approx(9 * SECOND_US, abs=90_000)
    assert window.workspace.slider.range() == (moved.start_us, moved.end_us), "the slider follows the selection"


def test_read_only_in_a_second_window(qtbot: QtBot, open_window: Open, study: Path) -> None:
    first = open_window(study)
    ready(qtbot, first)
    first.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    second = open_window(study)
    ready(qtbot, second)
    assert "read-only" in second.windowTitle()
    assert "another window" in second.messages.hint()
    assert not second.menus.actions["mark_in"].isEnabled()
    assert "another window" in second.menus.actions["mark_in"].toolTip()
    second.studio.select([segments(second)[0].id])
    assert not second.menus.actions["delete"].isEnabled()
    assert not second.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)


def test_missing_media_stay_usable_and_are_found_again(
    qtbot: QtBot, open_window: Open, study: Path, answers: Answers
) -> None:
    moved = study.parent / "elsewhere" / "renamed.mp4"
    moved.parent.mkdir()
    (study.parent / "sample.mp4").rename(moved)
    window = open_window(study)
    assert "missing" in window.messages.message()
    assert window.recordings.model.rows()[0].missing
    window.player.seek(2 * SECOND_US)
    assert window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.COMPETENCE)
    answers.answers["folder"] = moved.parent
    window.messages.action_chosen.emit("locate")
    qtbot.waitUntil(lambda: not window.recordings.model.rows()[0].missing)
    ready(qtbot, window)
    assert len(segments(window)) == 1


def test_videos_are_dropped_on_the_list(qtbot: QtBot, open_window: Open, sample: Path, tmp_path: Path) -> None:
    Study.create(tmp_path / "new.greenroom", "New").close()
    shutil.copyfile(sample.parent / "sample.mp4", tmp_path / "it's a 🎥.mp4")
    (tmp_path / "notes.mp4").write_text("not a video")
    window = open_window(tmp_path / "new.greenroom")
    assert window.studio.recording is None
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("it's a 🎥.mp4", "notes.mp4")])
    drop = QDropEvent(
        QPointF(20, 20),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.recordings.dropEvent(drop)
    ready(qtbot, window)
    assert [row.name for row in window.recordings.model.rows()] == ["it's a 🎥"]
    qtbot.waitUntil(lambda: "notes.mp4" in window.messages.message())
    window.files.add_recordings([tmp_path / "it's a 🎥.mp4"])
    qtbot.waitUntil(lambda: "Already" in window.messages.message())
    assert len(window.recordings.model.rows()) == 1


def test_first_start_says_what_to_do_and_offers_the_sample(qtbot: QtBot, open_window: Open, tmp_path: Path) -> None:
    window = open_window()
    assert window.welcome.isVisible()
    assert not window.menus.actions["add"].isEnabled()
    window.welcome.button_clicked.emit("sample")
    ready(qtbot, window)
    assert not window.welcome.isVisible()
    window.close_study()
    assert window.welcome.isVisible()
    *studies, forget = window.menus.recent.actions()
    assert [action.text() for action in studies] == ["sample.greenroom", ""]
    forget.trigger()
    assert not window.menus.recent.isEnabled()
    assert load_settings().recent == ()


def test_a_new_study_and_one_that_cannot_be_opened(
    qtbot: QtBot, open_window: Open, tmp_path: Path, answers: Answers
) -> None:
    window = open_window()
    answers.answers["new_study"] = tmp_path / "mine"
    window.menus.actions["new"].trigger()
    assert (tmp_path / "mine.greenroom").exists()
    (tmp_path / "broken.greenroom").write_text("not a study")
    assert not window.open_study(tmp_path / "broken.greenroom")
    assert window.messages.message()
    assert window.studio.session.study.path.name == "mine.greenroom"


def test_without_libvlc_the_window_opens_and_steps(qtbot: QtBot, open_window: Open, study: Path) -> None:
    def missing(_parent: object) -> object:
        raise UserError("Playback with sound needs libVLC, which is missing.", "Install it with: sudo apt install …")

    window = open_window(study, engine=missing)
    ready(qtbot, window)
    qtbot.waitUntil(lambda: "libVLC" in window.messages.message())
    assert "apt install" in window.messages.hint()
    press(window, Qt.Key.Key_Right)
    assert window.player.position_us > 0


def test_only_what_an_edit_touched_is_read_again(
    qtbot: QtBot, open_window: Open, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(study)
    for start in range(5):
        window.editing.create(start * SECOND_US, (start + 1) * SECOND_US, Verdict.ERROR)
    read: list[str] = []
    from app.gui.timeline import timeline_presenter as feed
    from project.queries.segment_rows import table_segments

    listed = table_segments
    monkeypatch.setattr(feed, "table_segments", lambda study, ids: read.extend(ids) or listed(study, ids))
    monkeypatch.setattr(feed, "segments_of", lambda *_: pytest.fail("everything was read again"))
    chosen = segments(window)[2]
    window.editing.move([(chosen.id, chosen.start_us + 40_000, chosen.end_us)])
    assert read == [chosen.id]
    moved = window.timeline.model.segment(chosen.id)
    assert moved.start_us == chosen.start_us + 40_000


def test_others_segments_are_read_only(qtbot: QtBot, open_window: Open, study: Path, answers: Answers) -> None:
    window = open_window(study)
    window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    answers.answers["text"] = "Somebody else"
    window.menus.actions["annotator"].trigger()
    before = segments(window)
    window.editing.delete([before[0].id])
    assert segments(window) == before
    assert "somebody else" in window.messages.message()
    assert sum(lane.editable for lane in window.timeline.model.lanes) == 1


@pytest.mark.parametrize("mode", ["annotate", "faces"])
def test_every_control_has_a_name_and_an_icon_a_tooltip(
    qtbot: QtBot, open_window: Open, study: Path, mode: str
) -> None:
    window = open_window(study)
    ready(qtbot, window)
    window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    window.set_mode(mode)
    assert nameless(window) == []
    assert unexplained(window) == []


def test_the_picture_fills_the_screen_and_comes_back(qtbot: QtBot, open_window: Open, study: Path) -> None:
    window = open_window(study)
    ready(qtbot, window)
    before = window.view.height()
    press(window, Qt.Key.Key_F)
    assert window.isFullScreen()
    assert not window.timeline.isVisible()
    press(window, Qt.Key.Key_Space)
    assert window.player.playing, "keys work without the menu bar"
    window.player.pause()
    press(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    qtbot.waitUntil(lambda: window.timeline.isVisible() and abs(window.view.height() - before) < 40)


def test_every_key_is_bound_once(open_window: Open, study: Path) -> None:
    window = open_window(study)
    actions = [*window.menus.actions.values(), *window.menus.label_actions]
    bound = [key.toString() for action in actions for key in action.shortcuts()]
    assert sorted(bound) == sorted(set(bound))
    assert {"Space", "J", "K", "L", "I", "O", "E", "C", "N", "S", "Del", "F1", "Ctrl+Z", ",", "."} <= set(bound)


def test_the_file_is_found_beside_a_study_that_was_moved(
    qtbot: QtBot, open_window: Open, study: Path, tmp_path: Path
) -> None:
    home = tmp_path / "moved"
    home.mkdir()
    for name in ("sample.greenroom", "sample.mp4"):
        (study.parent / name).rename(home / name)
    with Session.open(home / "sample.greenroom") as session:
        assert not Path(all_media(session.study)[0].path).is_absolute()
    window = open_window(home / "sample.greenroom")
    ready(qtbot, window)
