"""The window of what leaves this machine, and the foot of the main window, which is true at every moment."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from anonymize.egress.egress_authority import policy_in_force, study_authority
from anonymize.egress.egress_log import TABLE_HEAD
from anonymize.egress.policy_edits import set_policy
from app.gui.settings.policy_window import PolicyForm, PolicyWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy
from project.entities.judgments import RAW_CONDITION
from project.queries.policy_rows import read_policy
from project.session.session import Session
from project.store.study import Study
from tests.builders.egress_requests import abroad, at_home
from tests.builders.keyboard_walk import nameless, unexplained

EVERYTHING = Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")
Opener = Callable[..., MainWindow]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    Study.create(tmp_path / "lab.greenroom").close()
    return tmp_path / "lab.greenroom"


def window_of(main: MainWindow) -> PolicyWindow:
    found = main.windows.open_window("policy")
    assert isinstance(found, PolicyWindow)
    return found


def permit(session: Session, departure: EgressRequest) -> None:
    try:
        study_authority(session).permit(departure, 0)
    except Forbidden:
        return


def session_of(main: MainWindow) -> Session:
    assert main.studio.session is not None
    return main.studio.session


def test_the_foot_of_the_window_follows_the_policy_and_closing(open_window: Opener, study: Path) -> None:
    main = open_window(study)
    foot = main.messages
    assert foot.policy() == "Nothing leaves this machine"
    main.studio.edit(lambda session: set_policy(session, EVERYTHING))
    assert foot.policy() == "Raw footage may leave"
    assert "Allowed by: Board 7" in foot._policy.toolTip()
    main.studio.edit(lambda session: set_policy(session, Policy()))
    assert foot.policy() == "Nothing leaves this machine"
    main.studio.edit(lambda session: set_policy(session, EVERYTHING))
    assert foot.policy() == "Raw footage may leave"
    main.close_study()
    assert foot.policy() == "Nothing leaves this machine"


def test_a_study_that_lets_things_leave_says_so_when_it_is_opened(open_window: Opener, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        set_policy(session, EVERYTHING)
    main = open_window(study)
    assert main.messages.message() == "This study lets raw footage leave this machine, allowed by Board 7."
    assert main.messages.policy() == "Raw footage may leave"
    main.studio.edit(lambda session: set_policy(session, Policy()))
    assert main.messages.message() == "", "it is not true any more"


def test_a_click_at_the_foot_opens_the_window(open_window: Opener, study: Path) -> None:
    main = open_window(study)
    main.messages._policy.click()
    assert any(isinstance(child, PolicyWindow) and child.isVisible() for child in main.findChildren(PolicyWindow))


def test_raw_footage_is_let_out_only_with_reason_and_name(open_window: Opener, study: Path) -> None:
    main = open_window(study)
    form = window_of(main).form
    assert not form.put.isEnabled()
    form.levels[EgressLevel.RAW].setChecked(True)
    assert not form.put.isEnabled()
    assert "reason" in form.note.text()
    form.reason.setText("pilot with actors only")
    form.reason.returnPressed.emit()
    assert read_policy(session_of(main).study) == Policy()
    form.allowed_by.setText("Board 7")
    assert form.put.text() == "Let raw footage leave"
    form.put.click()
    assert read_policy(session_of(main).study) == EVERYTHING
    assert not form.put.isEnabled()
    assert main.studio.session.study.undo_name is None, "undo does not reach it"


def test_what_was_said_for_one_level_is_asked_anew_for_another(open_window: Opener, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        set_policy(session, Policy(EgressLevel.ANONYMIZED, "comparison of three models", "Board 6"))
    form = window_of(open_window(study)).form
    form.levels[EgressLevel.RAW].setChecked(True)
    assert (form.reason.text(), form.allowed_by.text()) == ("", "")
    form.levels[EgressLevel.ANONYMIZED].setChecked(True)
    assert (form.reason.text(), form.allowed_by.text()) == ("comparison of three models", "Board 6")


def test_hosts_and_ways(open_window: Opener, study: Path) -> None:
    main = open_window(study)
    form = window_of(main).form
    form.hosts.setText("https://api.example.org/v1, other.example.org")
    form.ways["downloads"].setChecked(True)
    form.put.click()
    assert read_policy(session_of(main).study) == Policy(hosts=("api.example.org", "other.example.org"), downloads=True)
    form.hosts.setText("no host")
    form.put.click()
    assert "no name of a machine" in form.note.text()
    assert form.hosts.text() == "no host", "what was typed stays, to be mended"


def test_the_form_follows_the_policy_and_a_study_that_cannot_be_written_to(open_window: Opener, study: Path) -> None:
    main = open_window(study)
    form = window_of(main).form
    main.studio.edit(lambda session: set_policy(session, EVERYTHING))
    assert form.levels[EgressLevel.RAW].isChecked()
    main.studio.edit(lambda session: set_policy(session, Policy()))
    assert form.levels[EgressLevel.NOTHING].isChecked()
    form.show_policy(EVERYTHING, writable=False)
    form.levels[EgressLevel.NOTHING].setChecked(True)
    assert not form.put.isEnabled()
    assert "read-only" in form.note.text()


def test_the_journal_is_filtered_and_grows_while_it_is_open(qtbot: QtBot, open_window: Opener, study: Path) -> None:
    main = open_window(study)
    session = session_of(main)
    permit(session, at_home("r1", RAW_CONDITION))
    permit(session, abroad("r1", RAW_CONDITION))
    window = window_of(main)
    results = [row[1] for row in window.table.texts()]
    assert results == ["stayed here", "refused"]
    assert "1 request refused" in window.total.text()
    window.words.setText("nothing-leaves API.example")
    assert [row[1] for row in window.table.texts()] == ["refused"]
    window.words.setText("no such word")
    assert window.table.texts() == []
    window.words.clear()
    window.fate.setCurrentIndex(window.fate.findText("Refused requests"))
    assert [row[1] for row in window.table.texts()] == ["refused"]
    permit(session, replace(abroad("r1", RAW_CONDITION), host="late.example.org"))
    qtbot.waitUntil(lambda: len(window.table.texts()) == 2)
    assert window.table.texts()[-1][2].startswith("late.example.org")


def test_columns_of_the_journal_are_as_wide_as_their_texts_until_somebody_drags_one(
    open_window: Opener, study: Path
) -> None:
    main = open_window(study)
    permit(session_of(main), abroad("r1", RAW_CONDITION))
    window = window_of(main)
    table, why = window.table, TABLE_HEAD.index("Why")
    window.resize(900, 600)
    narrow = table.columnWidth(why)
    assert narrow < table.sizeHintForColumn(why)
    window.resize(2200, 600)
    assert table.columnWidth(why) == table.sizeHintForColumn(why)
    table.setColumnWidth(why, 90)
    window.resize(1400, 600)
    assert table.columnWidth(why) == 90


class Place(Dialogs):
    def __init__(self, place: Path) -> None:
        self.place = place

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        return self.place


def test_what_is_shown_is_saved_as_a_table(open_window: Opener, study: Path, tmp_path: Path) -> None:
    main = open_window(study, None, Place(tmp_path / "requests.csv"))
    permit(session_of(main), at_home("r1", RAW_CONDITION))
    permit(session_of(main), abroad("r1", RAW_CONDITION))
    window = window_of(main)
    window.words.setText("localhost")
    window.save.click()
    lines = (tmp_path / "requests.csv").read_text("utf-8").splitlines()
    assert len(lines) == 2
    assert "localhost" in lines[1]
    assert "Saved" in window.status.text()


def test_everything_has_a_name_and_is_explained(open_window: Opener, study: Path) -> None:
    window = window_of(open_window(study))
    assert nameless(window) == []
    assert unexplained(window) == []
    assert isinstance(window.form, PolicyForm)
    assert any("written down" in label.text() for label in window.findChildren(QLabel))


def test_it_says_what_unencrypted_connections_mean_and_stresses_it_where_they_are_allowed(
    open_window: Opener, study: Path
) -> None:
    main = open_window(study)
    form = window_of(main).form
    assert "words and keys travel unencrypted" in form.unencrypted.text()
    assert form.unencrypted.isVisible()
    assert form.unencrypted.property("quiet") == "true"
    form.ways["unencrypted"].setChecked(True)
    assert form.unencrypted.property("quiet") == "false"
    form.put.click()
    assert read_policy(session_of(main).study) == Policy(unencrypted=True)
    assert "Unencrypted connections: allowed" in main.messages._policy.toolTip()


def test_a_policy_that_was_revoked_is_asked_about_when_its_file_comes_back(open_window: Opener, study: Path) -> None:
    with Session.open(study, "Ada") as session:
        set_policy(session, EVERYTHING)
    older = study.read_bytes()
    with Session.open(study, "Ada") as session:
        set_policy(session, Policy())
    study.write_bytes(older)
    main = open_window(study)
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
    assert policy_in_force(session_of(main)) == EVERYTHING


def test_what_is_closed_is_shown_as_closed_where_this_machine_cannot_note_it(
    open_window: Opener, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise OSError(30, "Read-only file system")

    with Session.open(study, "Ada") as session:
        set_policy(session, EVERYTHING)
    main = open_window(study)
    form = window_of(main).form
    assert main.messages.policy() == "Raw footage may leave"
    monkeypatch.setattr("project.session.trust_store.store_object", refuse)
    form.levels[EgressLevel.NOTHING].setChecked(True)
    form.put.click()
    assert main.messages.policy() == "Nothing leaves this machine"
    assert "this machine cannot note it (Read-only file system)" in form.note.text()
    assert read_policy(session_of(main).study).is_closed
