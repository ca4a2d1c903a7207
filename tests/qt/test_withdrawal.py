"""Withdrawing a participant and sharing annotations in the window."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotate.study.people import add_participant
from app.gui.files.withdrawal_dialog import WithdrawalDialog
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ParticipantRole
from project.integrity.integrity_check import check_study
from project.queries.recording_rows import all_participants
from project.session.settings import load_settings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained
from tests.unit.project.test_look_alikes import study_with

Open = Callable[..., MainWindow]


class Answers(Dialogs):
    """Agrees to everything, and saves where it was told."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.asked = ""

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        self.asked = question
        return True

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        return self.place


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, 2, 10, 2)
    return tmp_path / "lab.greenroom"


def dialog_of(window: MainWindow) -> WithdrawalDialog:
    window.menus.actions["withdraw"].trigger()
    (found,) = window.findChildren(WithdrawalDialog)
    return found


def test_esc_takes_back_what_was_typed_to_confirm_and_only_then_closes(
    qtbot: QtBot, lab: Path, open_window: Open
) -> None:
    window = open_window(lab)
    dialog = dialog_of(window)
    dialog.activateWindow()
    dialog.typed.setFocus()
    qtbot.waitUntil(dialog.typed.hasFocus)
    QTest.keyClicks(dialog.typed, "P0")
    QTest.keyClick(dialog.typed, Qt.Key.Key_Escape)
    assert dialog.typed.text() == ""
    assert dialog.isVisible()
    with qtbot.waitSignal(dialog.rejected):
        QTest.keyClick(dialog.typed, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_belongs_to_the_open_study_is_not_named_as_a_file_to_delete(
    qtbot: QtBot, lab: Path, open_window: Open
) -> None:
    window = open_window(lab, "Ada")
    window.studio.edit(lambda session: add_participant(session, "Zebediah", ParticipantRole.USER)[1])
    dialog = dialog_of(window)
    dialog.who.setCurrentIndex(dialog.who.findText("Zebediah"))
    qtbot.waitUntil(lambda: "participants: 1 removed" in dialog.lines.toPlainText())
    assert b"Zebediah" in lab.with_name(f"{lab.name}-wal").read_bytes()
    assert f"{lab.name}-wal" not in dialog.lines.toPlainText()


def test_a_participant_is_gone_once_the_pseudonym_was_typed(qtbot: QtBot, lab: Path, open_window: Open) -> None:
    window = open_window(lab)
    dialog = dialog_of(window)
    qtbot.waitUntil(lambda: "participants: 1 removed" in dialog.lines.toPlainText())
    assert not dialog.buttons.go_on.isEnabled()
    name = dialog.who.currentText()
    QTest.keyClicks(dialog.typed, name)
    assert dialog.buttons.go_on.isEnabled()
    opened = (str(lab), f"/old/{name}.greenroom", "/old/other.greenroom")
    window.studio.change_settings(lambda kept: replace(kept, recent=opened))
    told: list[str] = []
    window.studio.message.connect(told.append)
    QTest.mouseClick(dialog.buttons.go_on, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: any("certificate" in text for text in told))
    assert name not in [participant.pseudonym for participant in all_participants(window.studio.session.study)]
    assert [path.name for path in lab.parent.glob("*.md")] == [f"lab, withdrawal of {name}.md"]
    assert check_study(lab) == []
    assert window.studio.settings.recent == load_settings().recent == (opened[0], opened[2])


def test_what_the_certificate_only_counts_is_named_once(qtbot: QtBot, lab: Path, open_window: Open) -> None:
    copy = lab.with_name("copy.greenroom")
    copy.write_bytes(lab.read_bytes())
    answers = Answers(lab)
    dialog = dialog_of(open_window(lab, None, answers))
    qtbot.waitUntil(lambda: "copy.greenroom" in dialog.lines.toPlainText())
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    QTest.mouseClick(dialog.buttons.go_on, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(answers.asked))
    assert f"• {copy} is a copy of the study" in answers.asked
    assert QGuiApplication.clipboard().text().startswith(str(copy))
    (certificate,) = lab.parent.glob("*.md")
    assert copy.name not in certificate.read_text()


def test_a_dialog_may_be_closed_while_it_looks_for_everything(qtbot: QtBot, lab: Path, open_window: Open) -> None:
    window = open_window(lab)
    dialog = dialog_of(window)
    dialog.plan_requested.emit(dialog.request())
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(WithdrawalDialog))
    qtbot.waitUntil(lambda: not window.background._waiting)


def test_another_choice_has_to_be_looked_at_before_it_is_done(qtbot: QtBot, lab: Path, open_window: Open) -> None:
    dialog = dialog_of(open_window(lab))
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    dialog.drop.setChecked(True)
    assert not dialog.buttons.go_on.isEnabled()
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    dialog.reject()
    assert not [*lab.parent.glob("*withdrawal*")]


def test_what_looks_like_theirs_is_decided_first(qtbot: QtBot, tmp_path: Path, open_window: Open) -> None:
    path = study_with(tmp_path, ["hello"], ["Zebbie laughs", "Z. Q. laughs", "ask Zebediahlein"])
    dialog = dialog_of(open_window(path))
    qtbot.waitUntil(lambda: dialog.alike.undecided_count == 3)
    QTest.keyClicks(dialog.typed, "P01")
    assert not dialog.buttons.go_on.isEnabled()
    assert "3" in dialog.buttons.note.text()
    first = dialog.alike.rows.topLevelItem(0)
    first.setSelected(True)
    dialog.alike.remove.click()
    assert dialog.request().words == (first_text := dialog.alike.confirmed)
    assert len(first_text) == 1
    qtbot.waitUntil(lambda: not dialog.lines.toPlainText().startswith("Looking"))
    assert not dialog.buttons.go_on.isEnabled()
    dialog.alike.keep_rest.click()
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    assert len(dialog.request().keep) == 2
    assert nameless(dialog) == []
    dialog.reject()


def test_enter_removes_nothing(qtbot: QtBot, lab: Path, open_window: Open) -> None:
    dialog = dialog_of(open_window(lab))
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    assert dialog.buttons.away.isDefault()
    accepted: list[int] = []
    dialog.accepted.connect(lambda: accepted.append(1))
    QTest.keyClick(dialog.typed, Qt.Key.Key_Return)
    assert accepted == []
    assert not [*lab.parent.glob("*withdrawal*")]


def test_a_backup_that_cannot_be_read_has_to_be_given_up_first(qtbot: QtBot, lab: Path, open_window: Open) -> None:
    lab.with_name(f"{lab.name}.bak-2").write_bytes(lab.read_bytes()[:5000])
    dialog = dialog_of(open_window(lab))
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(lambda: "Backups that cannot be read" in dialog.lines.toPlainText())
    assert "Backups that cannot be read" in dialog.buttons.note.text()
    assert not dialog.buttons.go_on.isEnabled()
    dialog.unread.setChecked(True)
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    dialog.reject()


def test_everything_in_the_dialog_has_a_name_and_a_tip(lab: Path, open_window: Open) -> None:
    dialog = dialog_of(open_window(lab))
    assert nameless(dialog) == []
    assert unexplained(dialog) == []
    dialog.reject()


def test_annotations_are_shared_from_the_menu(qtbot: QtBot, lab: Path, tmp_path: Path, open_window: Open) -> None:
    answers = Answers(tmp_path / "shared.greenroom")
    window = open_window(lab, None, answers)
    told: list[str] = []
    window.studio.message.connect(told.append)
    window.menus.actions["share_annotations"].trigger()
    qtbot.waitUntil(lambda: any(text.startswith("Made") for text in told))
    assert "It does not hold" in answers.asked
    assert check_study(answers.place) == []
    with Study.open(answers.place, read_only=True) as made:
        assert made.row("SELECT count(*) FROM segment") != (0,)
