"""Every place of the window that starts a fetch asks first where the policy allows none."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.study.dialogs import require_permission
from app.gui.study.study_controller import StudyController
from app.gui.window.main_window import MainWindow
from models.weights import installed_weights as weights
from models.weights.fetching import MIRROR_VARIABLE, OFFLINE_VARIABLES
from project.entities.egress_policy import Forbidden
from project.queries.policy_rows import read_policy
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.scripted_dialogs import Answers


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    monkeypatch.setenv(MIRROR_VARIABLE, "https://models.invalid")
    for variable in OFFLINE_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    clip = make_clip(tmp_path / "clip.mp4", size=(160, 120), frames=20, fps=10, sound=True)
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        add_recordings(session, [probe_file(clip)])
        return session.study.path


def allowed(window: MainWindow) -> bool:
    return read_policy(window.studio.session.study).downloads


def check_asking(
    qtbot: QtBot, window: MainWindow, said: list[str], fetch: Callable[[], object], names: list[str]
) -> None:
    """A fetch is refused unless somebody agrees; one answer counts for all."""
    fetch()
    assert "the policy of this study allows no downloads" in said[-1]
    assert not window.jobs.busy
    assert not allowed(window)
    answers: Answers = window.files.questions
    answers.give(agree=True)
    fetch()
    assert [work.title for work in window.jobs.jobs()] == [f"Get {name}" for name in names]
    assert allowed(window)
    assert len(answers.asked) == 2
    window.jobs.cancel_all()
    qtbot.waitUntil(lambda: not window.jobs.busy)


def test_the_dialog_of_transcribing_asks(qtbot: QtBot, window: MainWindow) -> None:
    window.listening.open_dialog()
    dialog, said = window.listening.dialog, list[str]()
    dialog.show_note = said.append
    check_asking(qtbot, window, said, lambda: dialog.fetch_requested.emit("whisper-tiny.en"), ["whisper-tiny.en"])
    dialog.reject()


def test_the_dialog_of_exports_asks_once_for_all(qtbot: QtBot, window: MainWindow) -> None:
    window.exports.ask(None)
    dialog, said, names = window.exports.dialog, list[str](), ["yunet", "rfb320"]
    dialog.methods.show_fetch_status = said.append
    check_asking(qtbot, window, said, lambda: dialog.fetch_requested.emit(names), names)
    dialog.reject()


def test_nobody_is_asked_to_allow_downloads_that_would_travel_unencrypted(
    qapp: QApplication, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, "http://models.invalid")
    studio, answers = StudyController(), Answers()
    studio.open(study, "Ada")
    with pytest.raises(Forbidden, match="would travel unencrypted") as refusal:
        require_permission(studio, answers, "yunet")
    assert refusal.value.rule == "unencrypted"
    assert answers.asked == []
    assert not read_policy(studio.session.study).downloads
    studio.close()
