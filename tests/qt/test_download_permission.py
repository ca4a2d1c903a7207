"""Every place of the window that starts a fetch asks first where the policy allows none."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import add_recordings, probe_file
from app.gui.study.dialogs import Dialogs, require_permission
from app.gui.window.main_window import MainWindow
from models.weights import installed_weights as weights
from models.weights.download_sources import MIRROR_VARIABLE
from models.weights.fetching import OFFLINE_VARIABLES
from project.entities.egress_policy import Forbidden
from project.queries.policy_rows import read_policy
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip

DECLINED = "the policy of this study allows no downloads"


class Answers(Dialogs):
    """Says no at first, and then yes."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        self.asked.append(question)
        return len(self.asked) > 1


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_window: Callable[..., MainWindow], answers: Answers
) -> MainWindow:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    monkeypatch.setenv(MIRROR_VARIABLE, "https://models.invalid")
    for variable in OFFLINE_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    clip = make_clip(tmp_path / "clip.mp4", size=(160, 120), frames=20, fps=10, sound=True)
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        add_recordings(session, [probe_file(clip)])
    return open_window(tmp_path / "lab.greenroom", "Ada", answers)


def allowed(window: MainWindow) -> bool:
    session = window.studio.session
    return read_policy(session.study).downloads


def test_the_dialog_of_transcribing_asks(qtbot: QtBot, window: MainWindow, answers: Answers) -> None:
    window.listening.open_dialog()
    dialog = window.listening.dialog
    said: list[str] = []
    dialog.show_note = said.append
    dialog.fetch_requested.emit("whisper-tiny.en")
    assert DECLINED in said[-1]
    assert not window.jobs.busy
    assert not allowed(window)
    dialog.fetch_requested.emit("whisper-tiny.en")
    assert [work.title for work in window.jobs.jobs()] == ["Get whisper-tiny.en"]
    assert allowed(window)
    assert len(answers.asked) == 2
    window.jobs.cancel_all()
    qtbot.waitUntil(lambda: not window.jobs.busy)
    dialog.reject()


def test_the_dialog_of_exports_asks_once_for_all(qtbot: QtBot, window: MainWindow, answers: Answers) -> None:
    window.exports.ask(None)
    dialog = window.exports.dialog
    said: list[str] = []
    dialog.methods.show_fetch_status = said.append
    dialog.fetch_requested.emit(["yunet", "rfb320"])
    assert DECLINED in said[-1]
    assert not window.jobs.busy
    dialog.fetch_requested.emit(["yunet", "rfb320"])
    assert [work.title for work in window.jobs.jobs()] == ["Get yunet", "Get rfb320"]
    assert allowed(window)
    assert len(answers.asked) == 2
    window.jobs.cancel_all()
    qtbot.waitUntil(lambda: not window.jobs.busy)
    dialog.reject()


def test_nobody_is_asked_to_allow_downloads_that_would_travel_unencrypted(
    window: MainWindow, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MIRROR_VARIABLE, "http://models.invalid")
    with pytest.raises(Forbidden, match="would travel unencrypted") as refusal:
        require_permission(window.studio, answers, "yunet")
    assert refusal.value.rule == "unencrypted"
    assert answers.asked == []
    assert not allowed(window)
