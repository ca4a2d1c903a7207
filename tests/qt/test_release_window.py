"""A release in the window: what stands in the way, the way to the frame, texts, and the folder at the end."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.team.assignments import hold_out
from anonymize.release.release_edits import store_plan, withdraw_waiver
from anonymize.release.release_plan import SCRUB, read_plan
from app.gui.release.release_window import ReleaseWindow
from app.gui.window.main_window import MainWindow
from project.queries.face_rows import face_reviews, mask_state, set_dismissed, tracks_of
from project.queries.pii_rows import replacements
from project.queries.policy_rows import waivers
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.release_study import lab, review

Open = Callable[[Path], MainWindow]
pytestmark = pytest.mark.usefixtures("english_names")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("lab"))


@pytest.fixture
def window(made: Path, tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    shutil.copytree(made.parent, tmp_path / "lab")
    opened = MainWindow()
    qtbot.addWidget(opened)
    opened.resize(1360, 860)
    opened.show()
    qtbot.waitExposed(opened)
    assert opened.open_study(tmp_path / "lab" / made.name)
    yield opened
    opened.close()


@pytest.fixture
def release(window: MainWindow) -> ReleaseWindow:
    found = window.windows.open_window("release")
    assert isinstance(found, ReleaseWindow)
    found.only.setChecked(True)
    found.judge_all()
    return found


def session_of(window: MainWindow) -> Session:
    assert window.studio.session is not None
    return window.studio.session


def test_everything_on_it_has_a_name_and_a_tip(release: ReleaseWindow) -> None:
    assert nameless(release) == []
    assert unexplained(release) == []


def test_a_lab_that_did_everything_is_ready_and_gets_its_folder(
    window: MainWindow, release: ReleaseWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "ready" in release.heading.text()
    assert release.table.texts() == []
    release.only.setChecked(False)
    assert {row[3] for row in release.table.texts()} == {"Kept", "Judged when it is rendered"}
    monkeypatch.setattr(window.files.questions, "release_place", lambda: tmp_path / "corpus")
    with qtbot.waitSignal(window.jobs.done):
        release.release.click()
    assert "Released" in release.report.text()
    assert (tmp_path / "corpus" / "DATACARD.md").is_file()
    release.judge_all()
    assert any(row[3].startswith("Waived: ") for row in release.table.texts())


def test_what_stands_in_the_way_closes_the_button_until_it_is_mended(
    window: MainWindow, release: ReleaseWindow
) -> None:
    session = session_of(window)
    (recording,) = all_recordings(session.study)
    (face,) = tracks_of(session.study, recording.id)

    def dismiss(each_session: Session):
        with each_session.step("Dismiss") as step:
            set_dismissed(each_session.study, face.id, True)
        return step.changes

    assert window.studio.edit(dismiss)
    release.judge_all()
    assert not release.release.isEnabled()
    (row,) = release.table.texts()
    assert (row[1], "changed after" in row[3]) == ("1", True)
    release.table.selectRow(0)
    assert not release.bar.jump.isHidden()
    assert release.bar.waive.isHidden()
    release.bar.jump.click()
    assert window.studio.recording is not None
    window.studio.undo()
    release.judge_all()
    assert release.release.isEnabled()


def test_a_rule_is_waived_and_counts_again(window: MainWindow, release: ReleaseWindow) -> None:
    session = session_of(window)
    (recording,) = all_recordings(session.study)

    def nobody(each_session: Session):
        with each_session.step("Nobody") as step:
            for table in ("track_correction", "appearance"):
                each_session.study.write(f"DELETE FROM {table}", ())
        return step.changes

    assert window.studio.edit(nobody)
    review(session, recording)
    state = mask_state(session.study, recording.id)
    assert state in [face_review.state for face_review in face_reviews(session.study, recording.id)]
    release.reload()
    release.judge_all()
    assert [row[0] for row in release.table.texts()] == ["It is known who appears, so that everybody was asked."]
    release.table.selectRow(0)
    release.bar.reason.setText("no")
    release.bar.waive.click()
    assert "reason" in release.report.text()
    release.bar.reason.setText("A public square at noon")
    release.bar.waive.click()
    assert release.report.text() == ""
    release.judge_all()
    assert release.release.isEnabled()
    assert "consent-known" in {waiver.rule for waiver in waivers(session.study)}
    release.only.setChecked(False)
    place = next(n for n, row in enumerate(release.table.texts()) if row[3] == "Waived: A public square at noon")
    release.table.selectRow(place)
    release.bar.withdraw.click()
    release.judge_all()
    assert not release.release.isEnabled()


def test_what_a_rendering_showed_is_shown_and_can_be_tried_again(
    window: MainWindow, release: ReleaseWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert window.studio.edit(lambda session: withdraw_waiver(session, "privacy-measured", None))
    release.judge_all()
    monkeypatch.setattr(window.files.questions, "release_place", lambda: tmp_path / "corpus")
    with qtbot.waitSignal(window.jobs.done):
        release.release.click()
    assert "Refused" in release.report.text()
    assert not (tmp_path / "corpus").exists()
    release.judge_all()
    assert [row[0] for row in release.table.texts()] == ["It was measured how private the rendering is."]
    assert release.release.isEnabled()


def test_texts_are_scrubbed_read_and_confirmed(window: MainWindow, release: ReleaseWindow) -> None:
    session = session_of(window)
    release.tabs.setCurrentIndex(1)
    box = release.form.texts
    box.setCurrentIndex(box.findData(SCRUB))
    box.activated.emit(box.currentIndex())
    assert read_plan(session).texts == SCRUB
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


def test_what_changed_while_it_was_closed_is_judged_when_it_comes_back(
    window: MainWindow, release: ReleaseWindow
) -> None:
    assert "ready" in release.heading.text()
    release.close()
    (recording,) = all_recordings(session_of(window).study)
    assert window.studio.edit(lambda session: hold_out(session, recording.id))
    assert window.windows.open_window("release") is release
    release.judge_all()
    assert "held out" in release.left_out.text()
    assert not release.release.isEnabled()


def test_without_the_part_that_searches_the_list_says_so_and_has_the_button(
    window: MainWindow, release: ReleaseWindow, without_names: None
) -> None:
    session = session_of(window)
    store_plan(session, replace(read_plan(session), texts=SCRUB))
    release.reload()
    release.judge_all()
    (line,) = [line for line in release._judged.lines if line.is_broken]
    assert line.reason is not None
    assert "“names”, which is not installed" in line.reason.sentence
    assert [*release.models.buttons] == ["names"]
    assert not release.release.isEnabled()
    release.tabs.setCurrentIndex(2)
    assert "“names”, which is not installed" in release.texts.state.text()
