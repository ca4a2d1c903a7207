"""Withdrawing a participant and sharing annotations in the window."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotate.study.people import add_participant
from app.gui.files.withdrawal_dialog import WithdrawalDialog
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ParticipantRole
from project.integrity.integrity_check import check_study
from project.queries.recording_rows import all_participants
from project.session.settings import load_settings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.mouse_and_keys import click, press
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, 2, 10, 2)
    return tmp_path / "lab.greenroom"


def dialog_of(window: MainWindow) -> WithdrawalDialog:
    window.menus.actions["withdraw"].trigger()
    (found,) = window.findChildren(WithdrawalDialog)
    return found


def test_nothing_is_removed_by_enter_or_unseen(qtbot: QtBot, window: MainWindow, study: Path) -> None:
    dialog = dialog_of(window)
    dialog.plan_requested.emit(dialog.request())
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(WithdrawalDialog))
    dialog = dialog_of(window)
    dialog.activateWindow()
    dialog.typed.setFocus()
    qtbot.waitUntil(dialog.typed.hasFocus)
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    dialog.drop.setChecked(True)
    assert not dialog.buttons.go_on.isEnabled(), "another choice has to be looked at before it is done"
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    press(dialog, "Esc")
    assert dialog.typed.text() == "", "Esc takes back what was typed to confirm"
    assert dialog.isVisible()
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    assert dialog.buttons.away.isDefault()
    accepted: list[int] = []
    dialog.accepted.connect(lambda: accepted.append(1))
    with qtbot.waitSignal(dialog.rejected):
        press(dialog, "Return")
    assert accepted == []
    assert not [*study.parent.glob("*withdrawal*")]


def test_the_log_of_the_open_study_is_not_named_as_a_file_to_delete(
    qtbot: QtBot, window: MainWindow, study: Path
) -> None:
    window.studio.edit(lambda session: add_participant(session, "Zebediah", ParticipantRole.USER)[1])
    dialog = dialog_of(window)
    dialog.who.setCurrentIndex(dialog.who.findText("Zebediah"))
    qtbot.waitUntil(lambda: "participants: 1 removed" in dialog.lines.toPlainText())
    assert b"Zebediah" in study.with_name(f"{study.name}-wal").read_bytes()
    assert f"{study.name}-wal" not in dialog.lines.toPlainText()
    dialog.reject()


def test_a_participant_is_gone_once_the_pseudonym_was_typed(
    qtbot: QtBot, window: MainWindow, answers: Answers, study: Path
) -> None:
    copy = study.with_name("copy.greenroom")
    copy.write_bytes(study.read_bytes())
    answers.give(agree=True)
    dialog = dialog_of(window)
    qtbot.waitUntil(lambda: "participants: 1 removed" in dialog.lines.toPlainText())
    qtbot.waitUntil(lambda: "copy.greenroom" in dialog.lines.toPlainText())
    assert not dialog.buttons.go_on.isEnabled()
    name = dialog.who.currentText()
    QTest.keyClicks(dialog.typed, name)
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    opened = (str(study), f"/old/{name}.greenroom", "/old/other.greenroom")
    window.studio.change_settings(lambda kept: replace(kept, recent=opened))
    told: list[str] = []
    window.studio.message.connect(told.append)
    click(dialog.buttons.go_on)
    qtbot.waitUntil(lambda: any("certificate" in text for text in told))
    assert name not in [participant.pseudonym for participant in all_participants(window.studio.session.study)]
    (certificate,) = study.parent.glob("*.md")
    assert certificate.name == f"lab, withdrawal of {name}.md"
    assert check_study(study) == []
    assert window.studio.settings.recent == load_settings().recent == (opened[0], opened[2])
    qtbot.waitUntil(lambda: bool(answers.asked))
    assert f"• {copy} is a copy of the study" in answers.asked[-1].question
    assert QGuiApplication.clipboard().text().startswith(str(copy))
    assert copy.name not in certificate.read_text(), "what the certificate only counts is named once"
    dialog = dialog_of(window)
    click(dialog.certificates)
    qtbot.waitUntil(lambda: f"Wrote {certificate.name}." in told)
    dialog.reject()


def test_certificates_are_written_also_where_no_participant_is_left(
    qtbot: QtBot, tmp_path: Path, open_reused: OpenReused
) -> None:
    path = tmp_path / "empty.greenroom"
    Study.create(path).close()
    window = open_reused(path)
    told: list[str] = []
    window.studio.message.connect(told.append)
    dialog = dialog_of(window)
    assert "no participants" in dialog.lines.toPlainText()
    assert not dialog.buttons.go_on.isEnabled()
    click(dialog.certificates)
    qtbot.waitUntil(lambda: "Nobody has withdrawn from this study." in told)
    dialog.reject()


def test_what_looks_like_theirs_is_decided_first(qtbot: QtBot, tmp_path: Path, open_reused: OpenReused) -> None:
    path = tmp_path / "study.greenroom"
    with Study.create(path) as study, study.step("Add"):
        study.write("INSERT INTO collection VALUES ('c', 'c', '')", ())
        for number, who in ((1, "P01"), (2, "P02")):
            study.write("INSERT INTO recording VALUES (?, 'c', ?, ?, 60000000)", (f"r{number}", number, who))
            study.write("INSERT INTO participant VALUES (?, ?, 'user', '')", (who, who))
            study.write("INSERT INTO appearance VALUES (?, ?)", (f"r{number}", who))
        study.write("INSERT INTO private_word VALUES ('Zebediah Quux', 'P01', 'person', 'P01')", ())
        for at, text in enumerate(("Zebbie laughs", "Z. Q. laughs", "ask Zebediahlein")):
            row = (f"u{at}", at * 10, at * 10 + 9, text)
            study.write("INSERT INTO utterance VALUES (?, 'r2', 'P02', ?, ?, ?, '[]', 1, 0)", row)
    dialog = dialog_of(open_reused(path))
    qtbot.waitUntil(lambda: dialog.alike.undecided_count == 3)
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    assert not dialog.buttons.go_on.isEnabled()
    assert "3" in dialog.buttons.note.text()
    dialog.alike.rows.topLevelItem(0).setSelected(True)
    dialog.alike.remove.click()
    assert dialog.request().words == dialog.alike.confirmed
    assert len(dialog.alike.confirmed) == 1
    qtbot.waitUntil(lambda: not dialog.lines.toPlainText().startswith("Looking"))
    assert not dialog.buttons.go_on.isEnabled()
    dialog.alike.keep_rest.click()
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    assert len(dialog.request().keep) == 2
    dialog.reject()


def test_a_backup_that_cannot_be_read_is_given_up_first(qtbot: QtBot, study: Path, open_reused: OpenReused) -> None:
    study.with_name(f"{study.name}.bak-2").write_bytes(study.read_bytes()[:5000])
    dialog = dialog_of(open_reused(study))
    QTest.keyClicks(dialog.typed, dialog.who.currentText())
    qtbot.waitUntil(lambda: "Backups that cannot be read" in dialog.lines.toPlainText())
    assert "Backups that cannot be read" in dialog.buttons.note.text()
    assert not dialog.buttons.go_on.isEnabled()
    dialog.unread.setChecked(True)
    qtbot.waitUntil(dialog.buttons.go_on.isEnabled)
    dialog.reject()


def test_annotations_are_shared(qtbot: QtBot, window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    shared = tmp_path / "shared.greenroom"
    answers.give(agree=True, save=shared)
    told: list[str] = []
    window.studio.message.connect(told.append)
    window.menus.actions["share_annotations"].trigger()
    qtbot.waitUntil(lambda: any(text.startswith("Made") for text in told))
    assert any("It does not hold" in asked.question for asked in answers.asked)
    assert check_study(shared) == []
    with Study.open(shared, read_only=True) as made:
        assert made.row("SELECT count(*) FROM segment") != (0,)
