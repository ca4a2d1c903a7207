"""A release in the window: what stands in the way, the way to the frame, texts, and the folder at the end."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.team.assignments import hold_out
from anonymize.release import release_job
from anonymize.release.release_plan import SCRUB, ReleasePlan, read_plan, store_plan
from anonymize.release.release_rules import ReleaseBlocker, waive_rule, withdraw_waiver
from app.gui.jobs.jobs_panel import JobState
from app.gui.release.release_form import build_checklist
from app.gui.release.release_tab import ReleaseTab
from app.gui.window.main_window import MainWindow
from app.gui.window.message_bar import MessageLevel
from project.entities.study_records import Changes
from project.queries.face_rows import set_dismissed, tracks_of
from project.queries.pii_rows import replacements
from project.queries.policy_rows import waivers
from project.queries.recording_rows import all_recordings
from project.session.jobs import JobSpec
from project.session.session import Session
from tests.builders.release_study import lab, review
from tests.builders.scripted_dialogs import Answers

pytestmark = pytest.mark.usefixtures("english_names")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("lab"))


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made.parent, tmp_path / "lab")
    return tmp_path / "lab" / made.name


@pytest.fixture
def release(window: MainWindow) -> ReleaseTab:
    found: ReleaseTab = window.windows.open_window("release")
    found.only.setChecked(True)
    found.judge_all()
    return found


def test_a_release_that_was_refused_is_tried_again_and_gets_its_folder(
    window: MainWindow, release: ReleaseTab, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    assert "ready" in release.heading.text()
    assert release.table.texts() == []
    release.only.setChecked(False)
    states = {row[3] for row in release.table.texts()}
    assert {state for state in states if "Waived" not in state} == {"Kept", "Judged when it is rendered"}
    release.only.setChecked(True)
    answers.give(release_place=tmp_path / "corpus")
    prepare = release_job.prepare

    def prepare_refused(session: Session, folder: Path, plan: ReleasePlan) -> JobSpec:
        work, left = (
            prepare(session, folder, plan),
            ReleaseBlocker("face-left", "A face is left.", "Cover it.", 1),
        )
        return replace(work, parameters=replace(work.parameters, reasons=(left,)))

    with pytest.MonkeyPatch.context() as patch, qtbot.waitSignal(window.jobs.done):
        patch.setattr(release_job, "prepare", prepare_refused)
        release.release.click()
    assert "Refused" in release.status.text()
    assert not (tmp_path / "corpus").exists()
    assert window.workspace.jobs_panel.state("job-1") is JobState.REFUSED
    assert window.messages.level is MessageLevel.WARNING
    release.judge_all()
    with qtbot.waitSignal(window.jobs.done):
        release.release.click()
    assert "Released" in release.status.text()
    assert window.workspace.jobs_panel.state("job-2") is JobState.DONE
    assert (tmp_path / "corpus" / "DATACARD.md").is_file()
    release.only.setChecked(False)
    release.judge_all()
    assert any(row[3].startswith("Waived: ") for row in release.table.texts())
    release.window().close()
    (recording,) = all_recordings(window.studio.session.study)
    assert window.studio.edit(lambda session: hold_out(session, recording.id))
    assert window.windows.open_window("release") is release
    release.judge_all()
    assert "held out" in release.left_out.text(), "what changed while it was closed is judged when it comes back"
    assert not release.release.isEnabled()


def test_models_that_are_missing_are_named_and_offered_before_anything_is_rendered(
    window: MainWindow, release: ReleaseTab
) -> None:
    for rule in ("independent-check", "privacy-measured"):
        assert window.studio.edit(partial(withdraw_waiver, rule=rule, recording_id=None))
    release.judge_all()
    assert {*release.models.buttons} == {"rfb320", "sface", "face-landmarks"}
    assert len(release.table.texts()) == 3
    assert not release.release.isEnabled()
    for rule in ("independent-check", "privacy-measured"):
        assert window.studio.edit(partial(waive_rule, rule=rule, recording_id=None, reason="No model may be fetched"))
    release.judge_all()
    assert release.release.isEnabled()


def test_what_stands_in_the_way_closes_the_button_until_it_is_mended(window: MainWindow, release: ReleaseTab) -> None:
    session = window.studio.session
    (recording,) = all_recordings(session.study)
    (face,) = tracks_of(session.study, recording.id)

    def dismiss(opened: Session) -> Changes:
        with opened.step("Dismiss") as step:
            set_dismissed(opened.study, face.id, True)
        return step.changes

    def forget_people(opened: Session) -> Changes:
        with opened.step("Nobody") as step:
            for table in ("track_correction", "appearance"):
                opened.study.write(f"DELETE FROM {table}", ())
        return step.changes

    assert window.studio.edit(dismiss)
    release.judge_all()
    assert not release.release.isEnabled()
    (row,) = release.table.texts()
    assert row[1] == "1"
    assert "changed after" in row[3]
    release.table.selectRow(0)
    assert not release.bar.jump.isHidden()
    assert release.bar.waive.isHidden()
    release.bar.jump.click()
    assert window.studio.recording is not None
    window.studio.undo()
    release.judge_all()
    assert release.release.isEnabled()
    assert window.studio.edit(forget_people)
    review(session, recording)
    release.refresh()
    release.judge_all()
    assert [row[0] for row in release.table.texts()] == ["It is known who appears, so that everybody was asked."]
    release.table.selectRow(0)
    release.bar.reason.setText("no")
    release.bar.waive.click()
    assert "reason" in release.status.text()
    release.bar.reason.setText("A public square at noon")
    release.bar.waive.click()
    assert release.status.text() == ""
    release.judge_all()
    assert release.release.isEnabled()
    assert "consent-known" in {waiver.rule for waiver in waivers(session.study)}
    release.only.setChecked(False)
    place = next(n for n, row in enumerate(release.table.texts()) if row[3] == "Waived: A public square at noon")
    release.table.selectRow(place)
    release.bar.withdraw.click()
    release.judge_all()
    assert not release.release.isEnabled(), "a rule that is waived no more counts again"


def test_texts_are_scrubbed_read_and_confirmed(window: MainWindow, release: ReleaseTab) -> None:
    session = window.studio.session
    release.tabs.setCurrentIndex(1)
    box = release.form.boxes["texts"]
    box.setCurrentIndex(box.findData(SCRUB))
    box.activated.emit(box.currentIndex())
    release.form.recordings.set_ticked(["1"])
    assert (read_plan(session).texts, read_plan(session).recordings) == (SCRUB, (1,))
    release.judge_all()
    assert not release.release.isEnabled()
    release.tabs.setCurrentIndex(2)
    release.texts.words.setPlainText("Anna\n")
    release.texts.keep.click()
    assert "does not say" in release.texts.problem.text()
    release.texts.words.setPlainText("Anna = P01\n")
    release.texts.keep.click()
    assert replacements(session.study) == {"Anna": "P01"}
    release.judge_all()
    after = [row[4] for row in release.texts.table.texts()]
    assert "P01 robot looked away; see [LINK_1]" in after
    release.texts.confirm.click()
    release.judge_all()
    assert release.release.isEnabled()
    assert "Read by" in release.texts.state.text()


def test_without_the_part_that_searches_the_list_says_so_and_has_the_button(
    window: MainWindow, release: ReleaseTab, without_names: None
) -> None:
    session = window.studio.session
    store_plan(session, replace(read_plan(session), texts=SCRUB))
    release.refresh()
    release.judge_all()
    (line,) = [line for line in release._judged.lines if line.is_broken]
    assert line.reason is not None
    assert "“names”, which is not installed" in line.reason.sentence
    assert [*release.models.buttons] == ["names"]
    assert not release.release.isEnabled()
    release.tabs.setCurrentIndex(2)
    assert "“names”, which is not installed" in release.texts.state.text()


def test_a_rule_about_tracks_is_not_called_kept_where_no_faces_were_looked_for() -> None:
    missing = ReleaseBlocker("faces-tracked", "No faces were looked for in recording 2.", "Find them.", 2)
    lines = {
        (row.rule, row.recording): row.table_row("k").cells[-1] for row in build_checklist([1, 2], [missing], [], {})
    }
    assert lines["faces-reviewed", 1] == lines["uncovered", 1] == "Kept"
    assert lines["faces-reviewed", 2] == lines["uncovered", 2] == "Judged when faces were looked for"
    assert lines["face-left", 2] == "Judged when it is rendered"
