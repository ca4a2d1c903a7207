"""Jobs that run while the window is closed: they stop, and can be resumed, or go on without a window."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.meta import scenes as scene_job
from annotate.meta.scenes import SceneChangeResult
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.faces import face_tracking_job as tracking
from anonymize.local_files.study_encryption import encrypt_study
from app.gui.files import study_files as held_study
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.study.background import ModalTask
from app.gui.study.dialogs import Dialogs
from app.gui.window import quitting
from app.gui.window.main_window import MainWindow
from project.encryption.encryption_key import is_encrypted
from project.encryption.passphrases import PASSPHRASE_FILE_VARIABLE
from project.session.job_notes import JobNotes, note_files
from project.session.jobs import JobSpec
from project.session.session import Session
from project.store import locking
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.clips import make_clip
from tests.builders.main_windows import wait_for_turns
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenWindow

JOB = "Find scene changes in recording 1"
Opener = Callable[[], MainWindow]
WORKER = """
import json, pathlib, sys
request = json.loads(sys.stdin.readline())
def say(**message): print(json.dumps(message), flush=True)
say(progress=[1, 2, "half"])
go = pathlib.Path(sys.argv[1])
line = ""
while not go.exists() and not line:
    import select
    if select.select([sys.stdin], [], [], 0.02)[0]:
        line = sys.stdin.readline() or "end"
if go.exists(): say(result={"changes": [3, 9], "times_us": [100000, 300000], "frames": 60, "seconds": 1})
elif line.strip() == "cancel": say(cancelled=True)
"""
"""Ends well once a file is there, and stops when it is told to."""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4"))])
    return tmp_path / "lab.greenroom"


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """Lets the worker end where it is written."""
    return tmp_path / "go"


@pytest.fixture
def opened(open_window: OpenWindow, study: Path, go: Path, tmp_path: Path) -> Iterator[Opener]:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    windows: list[MainWindow] = []

    def make() -> MainWindow:
        runner = WorkerRunner(command=(sys.executable, str(script), str(go)), grace_ms=2_000)
        windows.append(open_window(study, runner=runner))
        return windows[-1]

    yield make
    for window in windows:
        window.quitting.close_immediately()
    QApplication.setQuitOnLastWindowClosed(True)


@pytest.fixture
def busy(opened: Opener, qtbot: QtBot) -> MainWindow:
    """A window whose job has begun."""
    window = opened()
    start(window, qtbot)
    return window


@pytest.fixture
def other(study: Path) -> Path:
    Study.create(study.with_name("other.greenroom")).close()
    return study.with_name("other.greenroom")


def answer(monkeypatch: pytest.MonkeyPatch, key: str) -> list[tuple[str, str]]:
    """Answer the question about jobs in this way; returns what was asked."""
    asked: list[tuple[str, str]] = []

    def leave_jobs(_self: Dialogs, head: str, more: str, *, quits: bool) -> str:
        asked.append((head, f"{more} {quits}"))
        return key

    monkeypatch.setattr(Dialogs, "leave_jobs", leave_jobs)
    return asked


def start(window: MainWindow, qtbot: QtBot) -> JobSpec:
    work = scene_job.prepare(window.studio.session, window.studio.recording.id)
    with qtbot.waitSignal(window.jobs.progressed):
        window.jobs.start(work)
    return work


def noted(study: Path) -> list[str]:
    with Session.open(study, "Ada") as session:
        return [interrupted_job.title for interrupted_job in JobNotes(session.study).interrupted()]


def runs(study: Path) -> int:
    with Session.open(study, "Ada", read_only=True) as session:
        return len(session.study.rows("SELECT id FROM run"))


def test_only_a_window_with_jobs_asks_before_it_closes(
    qtbot: QtBot, opened: Opener, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened()
    work = start(window, qtbot)
    asked = answer(monkeypatch, "cancel")
    assert not window.close()
    assert window.isVisible()
    assert window.jobs.busy
    assert asked[0][0] == "1 job has not ended."
    assert JOB in asked[0][1]
    with qtbot.waitSignal(window.jobs.stopped):
        window.jobs.cancel(work)
    assert note_files(study) == [], "what somebody cancels is not interrupted"
    assert window.close()
    assert len(asked) == 1


def test_what_is_stopped_is_offered_at_the_next_opening_and_resumed(
    qtbot: QtBot, busy: MainWindow, opened: Opener, study: Path, go: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, "stop")
    assert busy.close()
    assert noted(study) == [JOB]
    again = opened()
    qtbot.waitUntil(lambda: again.messages.message() == "1 job was interrupted.")
    go.write_text("")
    with qtbot.waitSignal(again.jobs.done):
        again.interrupted.acts["resume_interrupted"]()
    assert again.interrupted.list_jobs() == []
    assert again.close()
    assert (noted(study), runs(study)) == ([], 1)


def test_the_end_of_the_session_asks_nothing_and_what_nobody_wants_is_not_offered_again(
    qtbot: QtBot, busy: MainWindow, opened: Opener, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answer(monkeypatch, "cancel")
    busy.jobs.start(tracking.prepare(busy.studio.session, busy.studio.recording.id, processor="cpu"))
    busy.quitting._end_session()
    assert busy.close()
    assert asked == []
    again = opened()
    qtbot.waitUntil(lambda: again.messages.message() == "2 jobs were interrupted.")
    assert sorted(job.title for job in again.interrupted.list_jobs()) == [JOB, "Track faces in recording 1"]
    again.messages.action_chosen.emit("dismiss_interrupted")
    assert again.close()
    assert noted(study) == []


def test_jobs_go_on_without_a_window_that_can_come_back(
    qtbot: QtBot, busy: MainWindow, opened: Opener, study: Path, go: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segments = busy.windows.open_window("segments")
    answer(monkeypatch, "keep")
    assert not busy.close()
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    assert locking.read_holder(study).background
    with Session.open(study, "Ada") as second:
        assert "run in the background" in second.study.read_only_reason
    busy.quitting.return_to_front()
    wait_for_turns()
    assert busy.isVisible()
    assert segments.isVisible(), "the same one, which hears how its jobs end"
    assert busy.jobs.busy
    assert not locking.read_holder(study).background
    assert QApplication.quitOnLastWindowClosed()
    assert not busy.close()
    go.write_text("")
    qtbot.waitUntil(lambda: busy.studio.session is None)
    assert not locking.is_held(study)
    assert (noted(study), runs(study)) == ([], 1)
    again = opened()
    qtbot.waitUntil(lambda: again.messages.message().startswith("1 job ended in the background."))
    assert "2 changes of scene" in again.messages.message()


def test_another_study_is_opened_in_a_window_of_its_own_while_jobs_go_on(
    busy: MainWindow, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere: list[Path | None] = []
    monkeypatch.setattr(quitting, "open_elsewhere", lambda path: elsewhere.append(path) or True)
    asked = answer(monkeypatch, "cancel")
    assert not busy.open_study(other)
    assert (elsewhere, busy.isVisible()) == ([], True)
    answer(monkeypatch, "keep")
    assert not busy.open_study(other)
    assert (elsewhere, busy.isVisible()) == ([other], False)
    assert busy.jobs.busy
    assert asked[0][1].endswith("False")


def test_a_result_that_comes_late_is_not_stored_in_another_study(busy: MainWindow, study: Path, other: Path) -> None:
    work = busy.jobs.runner.running_job
    assert busy.open_study(other)
    busy.jobs.runner.finished.emit(work, SceneChangeResult(60, (3,), (100_000,), 1.0))
    assert busy.close()
    assert (runs(other), runs(study), noted(study)) == (0, 0, [JOB])


@pytest.fixture
def held(study: Path, monkeypatch: pytest.MonkeyPatch) -> list[signal.Signals]:
    """The study is held by a process with its window closed; returns which signals it gets."""
    holder = locking.LockHolder("ada", "here", os.getppid(), "2026-11-23T06:00:00+00:00", background=True)
    sent: list[signal.Signals] = []
    monkeypatch.setattr(held_study, "background_holder", lambda _path: holder)
    monkeypatch.setattr("os.kill", lambda _pid, number: sent.append(number))
    monkeypatch.setattr(held_study, "is_held", lambda _path: len(sent) == 0)
    return sent


@pytest.mark.parametrize(
    ("way", "opens", "signals"),
    [("show", False, [signal.SIGUSR1]), ("stop", True, [signal.SIGTERM]), ("read", True, []), ("cancel", False, [])],
)
def test_a_study_whose_jobs_run_elsewhere_can_be_got_at(
    qapp: QApplication, study: Path, held: list[signal.Signals], way: str, opens: bool, signals: list[signal.Signals]
) -> None:
    answers = Answers(held_study=way)
    assert held_study.confirm_not_busy(study, answers, ModalTask(qapp)) is opens
    ((_, _, question, more),) = answers.asked
    assert "lab.greenroom" in question
    assert str(os.getppid()) in more
    assert held == signals


def test_a_study_that_nobody_holds_is_opened_without_a_question(qapp: QApplication, study: Path) -> None:
    assert held_study.confirm_not_busy(study, Answers(held_study="cancel"), ModalTask(qapp))


def test_an_encrypted_study_is_encrypted_once_its_jobs_ended_in_the_background(
    qtbot: QtBot, opened: Opener, study: Path, go: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_keys_cheap(monkeypatch)
    (tmp_path / "memory").mkdir()
    (tmp_path / "passphrase").write_text("correct horse\n")
    monkeypatch.setenv("GREENROOM_PRIVATE_FOLDER", str(tmp_path / "memory"))
    monkeypatch.setenv(PASSPHRASE_FILE_VARIABLE, str(tmp_path / "passphrase"))
    encrypt_study(study, lambda: "correct horse")
    window = opened()
    start(window, qtbot)
    (note,) = note_files(study)
    assert is_encrypted(note)
    asked = answer(monkeypatch, "keep")
    assert not window.close()
    assert "stays in memory" in asked[0][1]
    go.write_text("")
    qtbot.waitUntil(lambda: window.studio.session is None and not window.studio.apart.busy)
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    left = [path for path in (tmp_path / "memory").rglob("*") if path.is_file()]
    assert left == [], "the key of the study was left"
    assert is_encrypted(study)
    assert runs(study) == 1
