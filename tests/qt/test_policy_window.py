"""The window of what leaves this machine, and the foot of the main window, which is true at every moment."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from anonymize.egress.egress_authority import StudyAuthority, policy_in_force
from anonymize.egress.policy_edits import set_policy
from app.gui.settings.policy_window import PolicyWindow
from app.gui.window.main_window import MainWindow
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy
from project.entities.judgments import RAW_CONDITION
from project.queries.policy_rows import read_policy
from project.session.session import Session
from project.store.study import Study
from tests.builders.egress_requests import abroad, at_home
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused

EVERYTHING = Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "lab.greenroom").close()
    return tmp_path / "lab.greenroom"


def window_of(main: MainWindow) -> PolicyWindow:
    return main.windows.open_window("policy")


def permit(session: Session, departure: EgressRequest) -> None:
    try:
        StudyAuthority(session).permit(departure)
    except Forbidden:
        return


def test_the_foot_of_the_window_follows_the_policy_and_closing(open_reused: OpenReused, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        set_policy(session, EVERYTHING)
    main = open_reused(study)
    foot = main.messages
    assert foot.message() == "This study lets raw footage leave this machine, allowed by Board 7."
    assert foot.policy() == "Raw footage may leave"
    assert "Allowed by: Board 7" in foot._policy.toolTip()
    foot._policy.click()
    assert main.windows.open_window("policy").isVisible()
    assert len(main.findChildren(PolicyWindow)) == 1
    main.studio.edit(lambda session: set_policy(session, Policy()))
    assert foot.policy() == "Nothing leaves this machine"
    assert foot.message() == "", "it is not true any more"
    main.studio.edit(lambda session: set_policy(session, EVERYTHING))
    assert foot.policy() == "Raw footage may leave"
    main.close_study()
    assert foot.policy() == "Nothing leaves this machine"


def test_raw_footage_is_let_out_only_with_a_reason_and_a_name_of_its_own(open_reused: OpenReused, study: Path) -> None:
    anonymized = Policy(EgressLevel.ANONYMIZED, "comparison of three models", "Board 6")
    with Session.open(study, "Ada") as session:
        set_policy(session, anonymized)
    main = open_reused(study)
    form = window_of(main).form
    assert not form.put.isEnabled()
    form.levels[EgressLevel.RAW].setChecked(True)
    assert (form.reason.text(), form.allowed_by.text()) == ("", ""), "what was said for one level is asked anew"
    assert not form.put.isEnabled()
    assert "reason" in form.note.text()
    form.levels[EgressLevel.ANONYMIZED].setChecked(True)
    assert (form.reason.text(), form.allowed_by.text()) == ("comparison of three models", "Board 6")
    form.levels[EgressLevel.RAW].setChecked(True)
    form.reason.setText("pilot with actors only")
    form.reason.returnPressed.emit()
    assert read_policy(main.studio.session.study) == anonymized
    form.allowed_by.setText("Board 7")
    assert form.put.text() == "Let raw footage leave"
    form.put.click()
    assert read_policy(main.studio.session.study) == EVERYTHING
    assert not form.put.isEnabled()
    assert main.studio.session.study.undo_name is None, "undo does not reach it"


def test_the_form_sets_hosts_and_ways_and_follows_the_policy(open_reused: OpenReused, study: Path) -> None:
    main = open_reused(study)
    form = window_of(main).form
    form.hosts.setText("https://api.example.org/v1, other.example.org")
    form.ways["downloads"].setChecked(True)
    form.put.click()
    hosts = ("api.example.org", "other.example.org")
    assert read_policy(main.studio.session.study) == Policy(hosts=hosts, downloads=True)
    form.hosts.setText("no host")
    form.put.click()
    assert "not the name of a host" in form.note.text()
    assert form.hosts.text() == "no host", "what was typed stays, to be mended"
    main.studio.edit(lambda session: set_policy(session, EVERYTHING))
    assert form.levels[EgressLevel.RAW].isChecked()
    main.studio.edit(lambda session: set_policy(session, Policy()))
    assert form.levels[EgressLevel.NOTHING].isChecked()
    assert "words and keys travel unencrypted" in form.unencrypted.text()
    assert form.unencrypted.property("quiet") == "true"
    form.ways["unencrypted"].setChecked(True)
    assert form.unencrypted.property("quiet") == "false", "what it means is stressed where it is allowed"
    form.put.click()
    assert read_policy(main.studio.session.study) == Policy(unencrypted=True)
    assert "Unencrypted connections: allowed" in main.messages._policy.toolTip()
    form.show_policy(EVERYTHING, writable=False)
    form.levels[EgressLevel.NOTHING].setChecked(True)
    assert not form.put.isEnabled()
    assert "read-only" in form.note.text()


def test_the_journal_is_filtered_grows_and_is_saved(
    qtbot: QtBot, open_reused: OpenReused, study: Path, answers: Answers, tmp_path: Path
) -> None:
    answers.give(save=tmp_path / "requests.csv")
    main = open_reused(study)
    permit(main.studio.session, at_home("r1", RAW_CONDITION))
    permit(main.studio.session, abroad("r1", RAW_CONDITION))
    window = window_of(main)
    assert [row[1] for row in window.table.texts()] == ["stayed here", "refused"]
    assert "1 request refused" in window.total.text()
    window.words.setText("localhost")
    window.save.click()
    lines = (tmp_path / "requests.csv").read_text("utf-8").splitlines()
    assert len(lines) == 2
    assert "localhost" in lines[1]
    assert "Saved" in window.status.text()
    window.words.setText("nothing-leaves API.example")
    assert [row[1] for row in window.table.texts()] == ["refused"]
    window.words.setText("no such word")
    assert window.table.texts() == []
    window.words.clear()
    window.fate.setCurrentIndex(window.fate.findText("Refused requests"))
    assert [row[1] for row in window.table.texts()] == ["refused"]
    permit(main.studio.session, replace(abroad("r1", RAW_CONDITION), host="late.example.org"))
    qtbot.waitUntil(lambda: len(window.table.texts()) == 2)
    assert window.table.texts()[-1][2].startswith("late.example.org")


def test_a_revoked_policy_is_asked_about_when_its_file_comes_back(open_reused: OpenReused, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        set_policy(session, EVERYTHING)
    older = study.read_bytes()
    with Session.open(study, "Ada") as session:
        set_policy(session, Policy())
    study.write_bytes(older)
    main = open_reused(study)
    assert "not the one that was set last on this machine" in main.messages.message()
    assert main.messages.policy() == "Nothing leaves this machine"
    window = window_of(main)
    form = window.form
    assert form.question.isVisible()
    assert window.focusWidget() is form.levels[EgressLevel.NOTHING], (
        "a key that was pressed too often puts nothing in force"
    )
    assert "Allowed by: Board 7" in form.asked.text()
    assert form.levels[EgressLevel.NOTHING].isChecked()
    form.levels[EgressLevel.ANONYMIZED].setChecked(True)
    assert form.question.isVisible(), "what is typed below it does not answer it"
    form.confirm.click()
    assert not form.question.isVisible()
    assert main.messages.policy() == "Raw footage may leave"
    assert policy_in_force(main.studio.session) == EVERYTHING


def test_what_is_closed_is_shown_as_closed_where_this_machine_cannot_note_it(
    open_reused: OpenReused, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise OSError(30, "Read-only file system")

    with Session.open(study, "Ada") as session:
        set_policy(session, EVERYTHING)
    main = open_reused(study)
    form = window_of(main).form
    assert main.messages.policy() == "Raw footage may leave"
    monkeypatch.setattr("project.session.trust_store.store_object", refuse)
    form.levels[EgressLevel.NOTHING].setChecked(True)
    form.put.click()
    assert main.messages.policy() == "Nothing leaves this machine"
    assert "this machine cannot note it (Read-only file system)" in form.note.text()
    assert read_policy(main.studio.session.study).is_closed
