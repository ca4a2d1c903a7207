"""What a person does with the window that is more than one edit: drops, exports that are stopped, small screens."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.export.clip_export import ExportResult, Findings
from app.gui.export.export_dialog import ExportDialog, ExportRequest
from app.gui.files.start_dialog import StartDialog, StudyPlan
from app.gui.files.study_files import make_sample_study
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.timebase import SECOND_US

WORKER = """
import json, sys
request = json.loads(sys.stdin.readline())
print(json.dumps({"progress": [1, 4, "Frame 1 of 4"]}), flush=True)
if sys.argv[1] == "slow":
    sys.stdin.readline()
    print(json.dumps({"cancelled": True}), flush=True)
else:
    print(json.dumps({"error": {"message": "There is no room left.", "hint": "Make some."}}), flush=True)
"""


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    window = MainWindow(runner=WorkerRunner(command=(sys.executable, str(script), "slow")))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> MainWindow:
    assert window.open_study(make_sample_study(tmp_path / "study"))
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)
    return window


def drop(window: MainWindow, *paths: Path) -> bool:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, mime, button, keys)
    entering.ignore()
    QApplication.sendEvent(window, entering)
    if entering.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, button, keys))
    return entering.isAccepted()


def export(window: MainWindow, folder: Path, everything: bool = False) -> None:
    session, shown = window.studio.session, window.studio.recording
    chosen = tuple(recording.id for recording in all_recordings(session.study)) if everything else (shown.id,)
    window.exports.start(ExportRequest({"solid": {}}, chosen, folder, None, False, False))


def test_a_folder_dropped_anywhere_is_added(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    sample = make_sample_study(tmp_path / "study")
    Study.create(tmp_path / "new.greenroom", "New").close()
    folder = tmp_path / "videos" / "deeper"
    folder.mkdir(parents=True)
    shutil.copyfile(sample.parent / "sample.mp4", folder / "one.mp4")
    shutil.copyfile(sample.parent / "sample.mp4", folder / "same.mp4")
    (folder / "notes.txt").write_text("not a video")
    window.open_study(tmp_path / "new.greenroom")
    assert drop(window, tmp_path / "videos")
    qtbot.waitUntil(lambda: len(window.recordings.model.rows()) == 1)
    assert window.messages.message() == ("Added one.mp4. 1 file was left out: its content is in this study already.")
    drop(window, folder / "notes.txt")
    qtbot.waitUntil(lambda: "notes.txt" in window.messages.message())
    drop(window, folder / "one.mp4", folder / "one.mp4")
    qtbot.waitUntil(lambda: window.messages.message() == "Already in this study.")


def test_a_folder_without_videos_is_said_to_have_none(opened: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    drop(opened, tmp_path / "empty")
    assert opened.messages.message() == "There is no video or sound in empty."


def test_a_dropped_study_is_opened_and_a_video_without_one_is_not_lost_silently(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = make_sample_study(tmp_path / "study")
    proposed: list[StudyPlan] = []

    def say_no(dialog: Callable[[], StartDialog]) -> None:
        proposed.append(dialog().plan())

    monkeypatch.setattr(window.files.questions, "ask", say_no)
    drop(window, sample.parent / "sample.mp4")
    qtbot.waitUntil(lambda: bool(proposed))
    assert proposed[0].recordings == (sample.parent / "sample.mp4",)
    assert window.studio.session is None
    drop(window, sample)
    assert window.studio.session.study.path == sample


def test_what_is_no_file_is_not_taken(window: MainWindow) -> None:
    mime = QMimeData()
    mime.setText("words")
    event = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not event.isAccepted()


def test_stopping_the_search_for_faces_says_that_nothing_is_exported(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    export(opened, tmp_path / "clips")
    assert opened.messages.message() == "Looking for faces in recording 1 first; its export follows."
    qtbot.waitUntil(lambda: opened.jobs.runner.running_job is not None)
    with qtbot.waitSignal(opened.jobs.stopped):
        opened.jobs.cancel(opened.jobs.runner.running_job)
    assert opened.messages.message() == "Looking for faces was stopped, so recording 1 is not exported."
    assert not (tmp_path / "clips").exists()
    export(opened, tmp_path / "clips")
    assert opened.jobs.busy


def test_a_job_that_fails_says_why(qtbot: QtBot, opened: MainWindow, tmp_path: Path) -> None:
    opened.jobs.runner._command = (*opened.jobs.runner._command[:-1], "fails")
    export(opened, tmp_path / "clips")
    qtbot.waitUntil(lambda: opened.messages.message() == "There is no room left.")


def test_enter_closes_the_result_and_does_not_open_the_folder(qtbot: QtBot, tmp_path: Path) -> None:
    result = ExportResult(tmp_path / "clip.mp4", Findings())
    qtbot.addWidget(result)
    result.show()
    qtbot.waitExposed(result)
    focused = result.focusWidget()
    assert isinstance(focused, QPushButton)
    assert focused.text() == "Close"
    qtbot.keyClick(focused, Qt.Key.Key_Return)
    assert not result.isVisible()


@pytest.mark.parametrize("kept", [0, 1])
def test_faces_that_were_to_stay_are_not_denied(qtbot: QtBot, tmp_path: Path, kept: int) -> None:
    result = ExportResult(tmp_path / "clip.mp4", Findings(exempt_count=kept))
    qtbot.addWidget(result)
    assert ("robots" in " ".join(label.text() for label in result.findChildren(QLabel))) is bool(kept)


def test_a_long_name_does_not_widen_the_export_dialog(qtbot: QtBot, tmp_path: Path) -> None:
    short, long = (ExportDialog([("r", name)], "r", None, tmp_path) for name in ("1. a", "1. " + "a" * 200))
    for dialog in (short, long):
        qtbot.addWidget(dialog)
    assert long.sizeHint().width() == short.sizeHint().width()


def test_the_window_fits_a_small_screen(window: MainWindow, tmp_path: Path) -> None:
    """1600 x 1000 pixels at twice the size are 800 x 500; how deep a study lies makes no difference."""
    deep = tmp_path.joinpath(*["a folder with a long name"] * 5)
    deep.mkdir(parents=True)
    assert window.open_study(make_sample_study(deep / "study"))
    smallest = window.minimumSizeHint()
    assert smallest.width() <= 784
    assert smallest.height() <= 452
    screen = window.screen().availableSize()
    assert window.width() <= screen.width()
    assert window.height() <= screen.height()


def test_a_text_is_left_by_keys_for_the_timeline_so_that_the_next_segment_is_a_key_away(
    qtbot: QtBot, opened: MainWindow
) -> None:
    opened.activateWindow()
    qtbot.waitActive(opened)
    for start in (1, 4):
        opened.editing.create(start * SECOND_US, (start + 2) * SECOND_US)
    first = opened.timeline.model.neighbour(None, 1)
    opened.studio.select([first.id])
    opened.timeline.setFocus()
    qtbot.keyClick(opened.timeline, Qt.Key.Key_T)
    text = QApplication.focusWidget()
    assert text is not None
    assert text is not opened.timeline
    qtbot.keyClicks(text, "because")
    qtbot.keyClick(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert opened.timeline.hasFocus()
    qtbot.keyClick(opened.timeline, Qt.Key.Key_Down)
    assert opened.studio.selected != (first.id,)


def test_closing_a_study_leaves_full_screen(qtbot: QtBot, opened: MainWindow) -> None:
    opened.commands.toggle_full_screen()
    assert opened.isFullScreen()
    opened.close_study()
    assert not opened.isFullScreen()
    assert opened.menuBar().isVisible()
    assert opened.messages.isVisible()


def test_full_screen_gives_the_keys_back_to_the_timeline(opened: MainWindow) -> None:
    opened.timeline.setFocus()
    opened.commands.toggle_full_screen()
    opened.commands.toggle_full_screen()
    assert opened.focusWidget() is opened.timeline


def test_another_speed_does_not_play_past_the_segment(qtbot: QtBot, opened: MainWindow) -> None:
    opened.player.play_span(SECOND_US, 2 * SECOND_US)
    opened.player.set_rate(4.0)
    qtbot.waitUntil(lambda: not opened.player.playing)
    assert opened.player.position_us == opened.player.frame_time_us(2 * SECOND_US)


def test_no_press_of_a_key_stands_twice_for_an_action() -> None:
    """Shift and the comma is `<` where both are on one key: bound both ways, Qt calls the press ambiguous."""
    shifted = dict(zip("1234567890-=[];',./`", '!@#$%^&*()_+{}:"<>?~', strict=True))
    for spec in ACTIONS:
        for key in spec.keys:
            sign = shifted.get(key.removeprefix("Shift+")) if key.startswith("Shift+") else None
            assert sign not in {k for other in ACTIONS for k in other.keys}, spec.key
