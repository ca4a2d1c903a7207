"""Files that are named to the window, dropped on it, or chosen in its dialogs."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from annotate.interchange.annotation_files import FORMATS, get_format
from app.gui.files.annotation_import import ImportWindow
from app.gui.files.start_dialog import StartDialog, StudyPlan
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from tests.builders.clips import make_clip


class Answers(Dialogs):
    """Begins the study that the dialog proposes, but at a place that it is told, or none at all."""

    def __init__(self, place: Path | None) -> None:
        self.place = place
        self.proposed: list[StudyPlan] = []

    @property
    def window(self) -> QWidget:
        return QApplication.activeWindow()

    def ask(self, make: Callable[[], StartDialog]) -> StartDialog | None:
        dialog = make()
        plan = dialog.plan()
        dialog.deleteLater()
        self.proposed.append(plan)
        if self.place is None:
            return None
        dialog.plan = lambda: replace(plan, path=self.place)
        return dialog

    def annotations(self, window: QWidget | None = None) -> Path | None:
        return None


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    opened = MainWindow(Answers(tmp_path / "mine"))
    qtbot.addWidget(opened)
    opened.show()
    qtbot.waitExposed(opened)
    yield opened
    opened.close()


def answers(window: MainWindow) -> Answers:
    assert isinstance(window.files.questions, Answers)
    return window.files.questions


def drop(on: QWidget, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    # Qt hands a drop to the widget that the drag entered.
    QApplication.sendEvent(on, QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))
    QApplication.sendEvent(on, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))


@pytest.mark.parametrize("how", ["named", "dropped"])
def test_of_recordings_a_study_is_made_when_somebody_agrees(
    how: str, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", frames=10)
    if how == "named":
        window.files.new_study_with([clip])
    else:
        drop(window, clip)
    qtbot.waitUntil(lambda: bool(answers(window).proposed))
    (plan,) = answers(window).proposed
    assert (plan.path, plan.recordings) == (tmp_path / "clip.greenroom", (clip,))
    session = window.studio.session
    assert session.study.path.name == "mine.greenroom"
    qtbot.waitUntil(lambda: len(all_recordings(session.study)) == 1)


def test_nothing_is_made_when_somebody_does_not(window: MainWindow, tmp_path: Path) -> None:
    answers(window).place = None
    window.files.new_study_with([make_clip(tmp_path / "clip.mp4", frames=10)])
    assert window.studio.session is None
    assert [path.name for path in tmp_path.iterdir()] == ["clip.mp4"]


def test_a_drop_of_something_else_gets_one_clear_line(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "coded.eaf").write_text("x")
    drop(window, tmp_path / "coded.eaf")
    assert window.messages.message() == "“coded.eaf” holds annotations; it is no recording."
    assert "Import annotations" in window.messages.hint()
    (tmp_path / "empty").mkdir()
    drop(window, tmp_path / "empty")
    assert window.messages.message() == "There is no study and no recording in empty."


def test_the_dialog_of_an_import_offers_what_some_importer_reads_and_nothing_else(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def chosen(_parent: QWidget, _title: str, _folder: str, kinds: str = "") -> tuple[str, str]:
        given.append(kinds)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", chosen)
    Dialogs(window).annotations()
    first, *each = given[0].split(";;")
    assert first.startswith("All supported files (")
    endings = [set(re.findall(r"\*(\.[\w.]+)", kinds)) for kinds in (first, " ".join(each))]
    assert endings == [{suffix for key in FORMATS for suffix in get_format(key).suffixes}] * 2
    assert "(*)" not in given[0]
    assert "*.*" not in given[0]


def test_a_file_dropped_on_the_import_is_read_and_a_folder_is_refused(
    open_study: Callable[[], MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    importing = open_study().windows.open_window("import_annotations")
    assert isinstance(importing, ImportWindow)
    drop(importing, tmp_path)
    qtbot.waitUntil(lambda: "is a folder. Choose a file in it." in importing.problem.text())
    (tmp_path / "said.vtt").write_text("WEBVTT\n\n00:00.100 --> 00:00.300\nHello\n")
    drop(importing, tmp_path / "said.vtt")
    qtbot.waitUntil(lambda: importing.format.text().startswith("WebVTT"))
    drop(importing, tmp_path / "said.vtt", tmp_path / "two.vtt")
    assert "One file is imported at a time." in importing.problem.text()


@pytest.fixture
def open_study(window: MainWindow, tmp_path: Path) -> Callable[[], MainWindow]:
    def opened() -> MainWindow:
        Study.create(tmp_path / "lab.greenroom").close()
        assert window.open_study(tmp_path / "lab.greenroom")
        return window

    return opened
