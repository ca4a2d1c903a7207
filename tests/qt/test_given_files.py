"""Files that are named to the window, dropped on it, or chosen in its dialogs."""

import re
from collections.abc import Callable
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
from tests.builders.clips import make_clip
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenWindow


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


def drop(on: QWidget, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    # Qt hands a drop to the widget that the drag entered.
    QApplication.sendEvent(on, QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))
    QApplication.sendEvent(on, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))


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
    assert window.messages.message() == "“coded.eaf” holds annotations; it is no recording."
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


def test_the_dialog_of_an_import_offers_what_some_importer_reads_and_nothing_else(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def chosen(_parent: QWidget, _title: str, _folder: str, kinds: str = "") -> tuple[str, str]:
        given.append(kinds)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", chosen)
    parent = QWidget()
    qtbot.addWidget(parent)
    Dialogs(parent).annotations()
    first, *each = given[0].split(";;")
    assert first.startswith("All supported files (")
    endings = [set(re.findall(r"\*(\.[\w.]+)", kinds)) for kinds in (first, " ".join(each))]
    assert endings == [{suffix for key in FORMATS for suffix in get_format(key).suffixes}] * 2
    assert "(*)" not in given[0]
    assert "*.*" not in given[0]


def test_a_file_dropped_on_the_import_is_read_and_a_folder_is_refused(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    importing: ImportWindow = window.windows.open_window("import_annotations")
    drop(importing, tmp_path)
    qtbot.waitUntil(lambda: "is a folder. Choose a file in it." in importing.status.text())
    (tmp_path / "said.vtt").write_text("WEBVTT\n\n00:00.100 --> 00:00.300\nHello\n")
    drop(importing, tmp_path / "said.vtt")
    qtbot.waitUntil(lambda: importing.format.text().startswith("WebVTT"))
    drop(importing, tmp_path / "said.vtt", tmp_path / "two.vtt")
    assert "One file is imported at a time." in importing.status.text()
