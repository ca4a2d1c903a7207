"""The dialog that begins a study: at the first start with the annotator's name, later without."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.gui.files.start_dialog import StartDialog, StudyPlan, proposed_name, proposed_path
from app.gui.window.application import FirstStart
from app.gui.window.main_window import MainWindow
from project.queries.study_schemes import schemes_in_use
from project.schemes.scheme_file import shipped_names
from project.session.settings import load_settings
from tests.builders.clips import make_clip
from tests.builders.main_windows import show_window
from tests.builders.mouse_and_keys import drop
from tests.builders.scripted_dialogs import Answers


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    return Answers(new_study=tmp_path / "chosen", videos=[tmp_path / "talk.mp4"], folder=tmp_path)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    window = show_window()
    qtbot.addWidget(window)
    window.files.questions.start = tmp_path
    return window


@pytest.fixture
def dialog(qtbot: QtBot, answers: Answers, tmp_path: Path) -> StartDialog:
    dialog = StartDialog(answers, tmp_path, "Ada", first=True, parent=None)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def click_button(dialog: StartDialog, text: str) -> None:
    (button,) = [button for button in dialog.findChildren(QPushButton) if button.text().replace("&", "") == text]
    button.click()


def test_it_proposes_everything_so_that_enter_is_enough(dialog: StartDialog, tmp_path: Path, qtbot: QtBot) -> None:
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    assert dialog.result() == StartDialog.DialogCode.Accepted
    assert dialog.plan() == StudyPlan("Ada", tmp_path / "study.greenroom", "shrec", ())
    (tmp_path / "study.greenroom").write_text("")
    assert proposed_path(tmp_path) == tmp_path / "study-2.greenroom"


def test_a_scheme_is_chosen_or_only_a_name_given(dialog: StartDialog) -> None:
    lines = [dialog.scheme.item(row).text() for row in range(dialog.scheme.count())]
    assert len(lines) == len(shipped_names())
    dialog.scheme.setCurrentRow(lines.index("Marks and notes: Two neutral labels and a note."))
    assert dialog.plan().scheme == "plain"
    dialog.name.setText("  Ada   L. ")
    dialog.begin.click()
    assert not dialog.place.isEnabled()
    assert dialog.plan() == StudyPlan("Ada L.")


def test_a_study_begins_with_the_scheme_of_a_file(
    window: MainWindow, answers: Answers, dialog: StartDialog, tmp_path: Path
) -> None:
    table = tmp_path / "codes.csv"
    answers.give(file=table)
    table.write_text("who\nAda\n")
    dialog.from_file.click()
    assert "no column is called “label”" in dialog.buttons.note.text()
    table.write_text("label,key,track\nNod,n,Head\nShake,,Head\n")
    dialog.from_file.click()
    assert dialog.scheme.currentItem().text() == "codes, from codes.csv: Head"
    window.files.create_study(dialog.plan())
    session = window.studio.session
    assert schemes_in_use(session.study) == ["codes"]
    assert [label.shortcut for label in session.scheme.tracks[0].labels] == ["N", "1"]
    window.close()


def test_recordings_are_added_by_files_a_folder_and_dropping_once(dialog: StartDialog, tmp_path: Path) -> None:
    talk = make_clip(tmp_path / "talk.mp4")
    click_button(dialog, "Add files…")
    click_button(dialog, "Add folder…")
    drop(dialog, talk, tmp_path / "other.wav")
    assert dialog.recordings() == [talk, tmp_path, tmp_path / "other.wav"]
    dialog.files.item(1).setSelected(True)
    click_button(dialog, "Remove")
    assert dialog.plan().recordings == (talk, tmp_path / "other.wav")


def test_what_cannot_be_a_study_is_said_before(dialog: StartDialog, tmp_path: Path) -> None:
    (tmp_path / "there.greenroom").write_text("")
    for typed, said in (
        (str(tmp_path / "there"), "already"),
        (str(tmp_path / "no" / "such"), "no such folder"),
        ("", "Name the file"),
        (str(tmp_path / ("x" * 300)), "is too long. Choose a name of at most"),
        ("/", "no name"),
    ):
        dialog.place.setText(typed)
        assert said in dialog.buttons.note.text(), typed
        assert not dialog.buttons.go_on.isEnabled()
    dialog.choose.click()
    assert dialog.plan().path == tmp_path / "chosen.greenroom"
    assert dialog.buttons.go_on.isEnabled()
    dialog.name.clear()
    assert not dialog.buttons.go_on.isEnabled()


def test_what_was_asked_for_is_there_afterwards_and_what_cannot_be_made_keeps_the_dialog(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    first = FirstStart(window)
    first.show_dialog()
    shown = first.dialog
    shown.name.setText("Grace")
    shown.place.setText(str(tmp_path / "talks"))
    shown.scheme.setCurrentRow(2)
    shown.add_recordings([make_clip(tmp_path / "talk.mp4")])
    (tmp_path / "talks.greenroom").mkdir()
    shown.buttons.go_on.click()
    assert "already exists" in shown.buttons.note.text()
    assert (shown.name.text(), shown.recordings()) == ("Grace", [tmp_path / "talk.mp4"])
    assert window.welcome.isVisible()
    shown.place.setText(str(tmp_path / "other"))
    scheme = shown.plan().scheme
    with qtbot.waitSignal(window.files.recordings_added):
        shown.buttons.go_on.click()
    session = window.studio.session
    assert session.annotator_name == load_settings().annotator == "Grace"
    assert schemes_in_use(session.study) == [session.scheme.key] == [scheme]
    assert session.study.path == tmp_path / "other.greenroom"
    assert window.files.make_start_dialog()._asks_name is False, "a name is asked once"
    window.close()


def test_only_who_never_used_the_program_is_asked_and_once(window: MainWindow) -> None:
    first = FirstStart(window)
    first.show_dialog()
    assert first.dialog.name.text() == proposed_name()
    first.dialog.buttons.away.click()
    assert load_settings().welcomed
    window.studio.change_settings(lambda kept: replace(kept, welcomed=True, recent=()))
    again = FirstStart(window)
    again.show_dialog()
    assert again.dialog is None
    window.studio.change_settings(lambda kept: replace(kept, welcomed=False, recent=("/tmp/lab.greenroom",)))
    used = FirstStart(window)
    used.show_dialog()
    assert used.dialog is None
    assert window.studio.session is None
