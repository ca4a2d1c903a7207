"""Studies and recordings that are named, opened, dropped or missing; the window comes back as it was left."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.gui.annotate.segments_tab import SegmentsTab
from app.gui.files.annotation_import import ImportWindow
from app.gui.files.start_dialog import StartDialog, StudyPlan
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Verdict
from project.queries.recording_rows import all_media, all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.session.settings import load_settings, load_view
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.timebase import SECOND_US
from tests.builders.clips import make_clip
from tests.builders.filmed_study import make_filmed_study
from tests.builders.main_windows import wait_for_turns
from tests.builders.mouse_and_keys import drop
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenWindow


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return make_filmed_study(tmp_path / "study")


@pytest.fixture
def empty_study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "new.greenroom", "New").close()
    return tmp_path / "new.greenroom"


def ready(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)


def test_what_is_dropped_is_added(
    qtbot: QtBot, open_window: OpenWindow, sample: Path, empty_study: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "videos" / "deeper"
    folder.mkdir(parents=True)
    shutil.copyfile(sample.parent / "sample.mp4", folder / "it's a 🎥.mp4")
    shutil.copyfile(sample.parent / "sample.mp4", folder / "same.mp4")
    (folder / "notes.txt").write_text("not a video")
    (folder.parent / "empty").mkdir()
    window = open_window(empty_study)
    assert window.studio.recording is None
    assert not drop(window, words="words")
    assert drop(window, tmp_path / "videos")
    ready(qtbot, window)
    assert [row.name for row in window.recordings.model.rows()] == ["it's a 🎥"]
    assert window.messages.message() == (
        "Added it's a 🎥.mp4. 1 file was left out: its content is in this study already."
    )
    drop(window, folder / "notes.txt")
    qtbot.waitUntil(lambda: "notes.txt" in window.messages.message())
    drop(window, folder / "same.mp4", folder / "same.mp4")
    qtbot.waitUntil(lambda: window.messages.message() == "Already in this study.")
    drop(window, folder.parent / "empty")
    assert window.messages.message() == "There is no video or sound in empty."
    assert len(window.recordings.model.rows()) == 1


def test_first_start_offers_the_sample_and_what_cannot_be_opened_leaves_the_study_before(
    qtbot: QtBot, open_window: OpenWindow, answers: Answers, tmp_path: Path
) -> None:
    window = open_window(questions=answers)
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
    answers.give(new_study=tmp_path / "mine")
    window.menus.actions["new"].trigger()
    assert (tmp_path / "mine.greenroom").exists()
    (tmp_path / "broken.greenroom").write_text("not a study")
    assert not window.open_study(tmp_path / "broken.greenroom")
    assert window.messages.message()
    assert window.studio.session.study.path.name == "mine.greenroom"


def test_media_that_are_missing_stay_usable_and_are_found_beside_the_study_or_where_somebody_says(
    qtbot: QtBot, open_window: OpenWindow, sample: Path, answers: Answers, tmp_path: Path
) -> None:
    home = sample.parent.rename(tmp_path / "moved")
    with Session.open(home / "sample.greenroom") as session:
        assert not Path(all_media(session.study)[0].path).is_absolute()
    window = open_window(home / "sample.greenroom", questions=answers)
    ready(qtbot, window)
    window.close_study()
    (home / "elsewhere").mkdir()
    (home / "sample.mp4").rename(home / "elsewhere" / "renamed.mp4")
    assert window.open_study(home / "sample.greenroom")
    wait_for_turns()
    assert "missing" in window.messages.message()
    assert window.recordings.model.rows()[0].missing
    window.player.seek(2 * SECOND_US)
    assert window.editing.create(SECOND_US, 2 * SECOND_US, Verdict.COMPETENCE)
    answers.give(folder=home / "elsewhere")
    window.messages.action_chosen.emit("locate")
    qtbot.waitUntil(lambda: not window.recordings.model.rows()[0].missing)
    ready(qtbot, window)
    assert len(all_segments(window.studio.session.study)) == 1


def test_a_second_window_is_read_only(open_window: OpenWindow, sample: Path) -> None:
    first = open_window(sample)
    first.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)
    second = open_window(sample)
    assert "read-only" in second.windowTitle()
    assert "another window" in second.messages.hint()
    assert not second.menus.actions["mark_in"].isEnabled()
    assert "another window" in second.menus.actions["mark_in"].toolTip()
    second.studio.select([segment.id for segment in all_segments(second.studio.session.study)])
    assert second.studio.selected
    assert not second.menus.actions["delete"].isEnabled()
    assert not second.editing.create(SECOND_US, 2 * SECOND_US, Verdict.ERROR)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=3, segments=9, annotators=1)
    return tmp_path / "lab.greenroom"


def test_windows_and_columns_come_back_where_they_were(qtbot: QtBot, open_window: OpenWindow, study: Path) -> None:
    window = open_window(study)
    key = window.studio.session.study.id
    first, second, _ = (recording.id for recording in all_recordings(window.studio.session.study))
    window.choose_recording(first)
    window.timeline.show_span(2 * SECOND_US, 9 * SECOND_US)
    before = window.timeline.visible_range()
    window.choose_recording(second)
    window.timeline.show_span(20 * SECOND_US, 30 * SECOND_US)
    window.choose_recording(first)
    assert window.timeline.visible_range() == pytest.approx(before, abs=SECOND_US / 10)
    segments: SegmentsTab = window.windows.open_window("segments")
    segments.window().resize(780, 555)
    next(iter(segments.view.columns_menu().actions())).trigger()
    size, hidden = segments.window().size(), segments.view.hidden_columns()
    assert hidden
    window.windows.open_window("team").window().close()
    window.windows.open_window("export_annotations")
    window.choose_recording(second)
    window.set_mode("faces")
    window.workspace.columns.setSizes([300, 700, 360])
    window.workspace.columns.splitterMoved.emit(300, 1)
    # A second later all is in the files, as if the program were killed now.
    qtbot.waitUntil(lambda: (load_view(key).get("recording"), load_view(key).get("mode")) == (second, "faces"))
    qtbot.waitUntil(lambda: bool(load_view(key).get("windows", {}).get("segments")))
    assert load_settings().window["columns"]
    window.close()

    again = open_window(study)
    qtbot.waitUntil(lambda: "segments" in again.windows._open)
    found: SegmentsTab = again.windows._open["segments"].show_view()
    assert found.isVisible()
    assert found.window().size() == size
    assert found.view.hidden_columns() == hidden
    assert set(again.windows._open) == {"segments"}, "neither what was closed nor what was for one errand"


def test_a_file_that_is_saved_under_a_name_without_an_ending_gets_its_own(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, tmp_path: Path
) -> None:
    def ask(_questions: Dialogs, make: Callable[[], QFileDialog]) -> QFileDialog:
        dialog = make()
        dialog.findChild(QLineEdit).setText("budget")
        dialog.accept()
        return dialog

    monkeypatch.setattr(Dialogs, "ask", ask)
    parent = QWidget()
    qtbot.addWidget(parent)
    assert Dialogs(parent).save("Save", tmp_path / "table.csv", "Tables") == tmp_path / "budget.csv"


class Beginning(Answers):
    """Begins the study that the dialog proposes, but at the place of the answer `new_study`, or none at all."""

    proposed: StudyPlan

    @property
    def window(self) -> QWidget:
        return QApplication.activeWindow()

    def ask(self, make: Callable[[], StartDialog]) -> StartDialog | None:
        dialog = make()
        self.proposed, place = dialog.plan(), self.new_study()
        dialog.deleteLater()
        dialog.plan = lambda: replace(self.proposed, path=place)
        return dialog if place is not None else None


def test_of_recordings_a_study_is_made_when_somebody_agrees(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    beginning = Beginning()
    window = open_window(questions=beginning)
    clip = make_clip(tmp_path / "clip.mp4", frames=10)
    window.files.new_study_with([clip])
    assert window.welcome.isVisible()
    assert [path.name for path in tmp_path.iterdir()] == ["clip.mp4"]

    (tmp_path / "coded.eaf").write_text("x")
    drop(window, tmp_path / "coded.eaf")
    assert window.messages.message() == "“coded.eaf” contains annotations and is not a recording."
    assert "Import annotations" in window.messages.hint()
    (tmp_path / "empty").mkdir()
    drop(window, tmp_path / "empty")
    assert window.messages.message() == "There is no study and no recording in empty."

    beginning.give(new_study=tmp_path / "mine")
    drop(window, clip)
    qtbot.waitUntil(lambda: not window.welcome.isVisible())
    assert (beginning.proposed.path, beginning.proposed.recordings) == (tmp_path / "clip.greenroom", (clip,))
    study = window.studio.session.study
    assert study.path.name == "mine.greenroom"
    qtbot.waitUntil(lambda: len(all_recordings(study)) == 1)


def test_a_file_dropped_on_the_import_is_read_and_a_folder_is_refused(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    importing: ImportWindow = window.windows.open_window("import_annotations")
    drop(importing, tmp_path)
    qtbot.waitUntil(lambda: "is a folder. Choose a file in it." in importing.status.text())
    (tmp_path / "said.vtt").write_text("WEBVTT\n\n00:00.100 --> 00:00.300\nHello\n")
    drop(importing, tmp_path / "said.vtt")
    qtbot.waitUntil(lambda: importing.format.text().startswith("WebVTT"))
    (tmp_path / "two.vtt").write_text("WEBVTT\n\n00:00.400 --> 00:00.500\nYes\n")
    drop(importing, tmp_path / "said.vtt", tmp_path / "two.vtt")
    qtbot.waitUntil(lambda: len(importing.parts.texts()) == 2)
