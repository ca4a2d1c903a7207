"""Importing and exporting annotations in the window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.gui.files.annotation_export import ExportWindow
from app.gui.files.annotation_import import ImportWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.queries.segment_rows import all_segments
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained

TABLE = "annotator,start_s,end_s,label,why\nBo,1,2,Error,It is late.\nBo,3,3,stroke,\nBo,4,5,competence,\n"


class Answers(Dialogs):
    """Dialogs that answer at once."""

    def __init__(self) -> None:
        self.file: Path | None = None
        self.target: Path | None = None

    def annotations(self, window: QWidget | None = None) -> Path | None:
        return self.file

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        return self.target

    def folder(self, title: str) -> Path | None:
        return self.target


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, answers: Answers) -> Iterator[MainWindow]:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, 2, 10, 2)
    opened = MainWindow(answers)
    qtbot.addWidget(opened)
    opened.show()
    qtbot.waitExposed(opened)
    assert opened.open_study(tmp_path / "lab.greenroom")
    yield opened
    opened.close()


def opened(window: MainWindow, key: str) -> QWidget:
    window.menus.actions[key].trigger()
    return window.windows.open_window(key)


@pytest.fixture
def importing(window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot) -> ImportWindow:
    answers.file = tmp_path / "coded.csv"
    answers.file.write_text(TABLE, "utf-8")
    found = opened(window, "import_annotations")
    assert isinstance(found, ImportWindow)
    qtbot.waitUntil(found.apply.isEnabled)
    return found


def segments(window: MainWindow) -> int:
    return len(all_segments(window.studio.session.study))


def test_a_preview_writes_nothing(window: MainWindow, importing: ImportWindow) -> None:
    assert segments(window) == 10
    assert importing.total.text() == "2 new, 1 left out"
    assert "“stroke” is no label" in importing.notes.toPlainText()
    importing.close()
    assert segments(window) == 10


def test_what_a_text_becomes_can_be_chosen_and_the_import_is_one_step(
    window: MainWindow, importing: ImportWindow, qtbot: QtBot
) -> None:
    texts = [importing.details.item(row, 0).text() for row in range(importing.details.rowCount())]
    assert "Value why" in texts
    importing.details.choice_made.emit(texts.index("“stroke”"), 2, "none")
    importing.details.choice_made.emit(texts.index("Value why"), 2, "rationale")
    assert importing.total.text() == "3 new, 0 left out"
    with qtbot.waitSignal(window.studio.message) as told:
        importing.apply.click()
    assert told.args == ["Imported 3 annotations from coded.csv."]
    assert not importing.isVisible()
    assert segments(window) == 13
    window.commands.undo()
    assert segments(window) == 10


def test_a_lane_can_become_nothing(importing: ImportWindow) -> None:
    importing.lanes.choice_made.emit(0, 1, "nothing")
    assert importing.total.text() == "0 new, 3 left out"
    assert not importing.apply.isEnabled()


def test_a_file_that_cannot_be_read_is_one_line(
    window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    answers.file = tmp_path / "bad.eaf"
    answers.file.write_bytes(b"<ANNOTATION_DOCUMENT><x")
    found = opened(window, "import_annotations")
    assert isinstance(found, ImportWindow)
    qtbot.waitUntil(found.problem.isVisible)
    assert "bad.eaf cannot be read" in found.problem.text()
    assert not found.apply.isEnabled()


def test_an_export_writes_what_is_ticked(window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot) -> None:
    found = opened(window, "export_annotations")
    assert isinstance(found, ExportWindow)
    found.recordings.item(1).setCheckState(Qt.CheckState.Unchecked)
    found.annotators.item(0).setCheckState(Qt.CheckState.Unchecked)
    answers.target = tmp_path / "out.eaf"
    found.apply.click()
    assert found.line.isVisible()
    assert not found.apply.isEnabled()
    qtbot.waitUntil(lambda: not found.isVisible())
    text = answers.target.read_text("utf-8")
    assert "Annotator 2 shrec.segments" in text
    assert "Annotator 1 shrec.segments" not in text


@pytest.mark.parametrize("key", ["import_annotations", "export_annotations"])
def test_every_part_has_a_name_and_an_explanation(key: str, window: MainWindow) -> None:
    found = opened(window, key)
    check: Callable[[QWidget], list[str]]
    for check in (nameless, unexplained):
        assert check(found) == []
