"""The demo as jobs of the window, with a stand-in for the worker: each step, what fails, what is interrupted."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from anonymize.egress.policy_edits import set_policy
from app.gui.export.export_dialog import ExportRequest
from app.gui.jobs.jobs_panel import JobState
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.window.main_window import MainWindow
from app.gui.window.message_bar import MessageLevel
from models.faces.track_file import save_tracks
from project.codec import dump
from project.entities.egress_policy import Policy
from project.entities.study_records import FaceTrack
from project.ids import new_id
from tests.builders.clips import make_clip
from tests.builders.face_study import FRAMES, SIZE, open_lab
from tests.builders.job_results import exported, tracked
from tests.builders.main_windows import wait_for_turns

WORKER = """
import json, pathlib, shutil, sys
request = json.loads(sys.stdin.readline())
kind, folder = request["job"], pathlib.Path(sys.argv[1])
def say(**message): print(json.dumps(message), flush=True)
with open(folder / "log", "a") as log: log.write(kind + chr(10))
say(progress=[1, 2, "half"])
answer = json.loads((folder / f"{kind}.json").read_text())
if answer == "wait":
    sys.stdin.readline()
    say(cancelled=True)
elif "error" in answer: say(error=answer["error"])
else:
    if kind == "anonymize":
        shutil.copyfile(folder / "drawn.mp4", request["parameters"]["output"])
        answer["output"] = request["parameters"]["output"]
    say(result=answer)
"""


class DemoLab:
    """A study in a folder of its own, beside what the worker answers."""

    def __init__(self, folder: Path) -> None:
        self.answers = folder / "answers"
        self.answers.mkdir()
        self.study = folder / "lab.greenroom"
        (self.answers / "worker.py").write_text(WORKER)
        make_clip(self.answers / "drawn.mp4", size=SIZE, frames=FRAMES, fps=25)
        self.answer("fetch", {"error": {"message": "Nothing answers.", "hint": "Try later."}})
        self.answer("anonymize", dump(exported(folder, FRAMES)))
        self.find_face()
        with open_lab(folder) as session:
            set_policy(session, Policy(downloads=True))

    def answer(self, kind: str, answer: object) -> None:
        (self.answers / f"{kind}.json").write_text(json.dumps(answer))

    def find_face(self) -> None:
        boxes = np.array([(20, 50, 24, 24)] * FRAMES, np.float32)
        times = np.arange(FRAMES, dtype=np.int64) * 40_000
        frames, scores = np.arange(FRAMES, dtype=np.int32), np.full(FRAMES, 0.9, np.float32)
        track = FaceTrack(new_id(), frames, times, boxes, scores, np.zeros(FRAMES, np.uint8))
        self.answer("faces", dump(tracked(save_tracks([track], self.answers), FRAMES, 1)))

    def asked(self) -> list[str]:
        log = self.answers / "log"
        return log.read_text().split() if log.exists() else []


@pytest.fixture
def lab(tmp_path: Path) -> DemoLab:
    return DemoLab(tmp_path)


@pytest.fixture
def opened(qtbot: QtBot, lab: DemoLab) -> Iterator[Callable[[], MainWindow]]:
    windows: list[MainWindow] = []

    def make() -> MainWindow:
        command = (sys.executable, str(lab.answers / "worker.py"), str(lab.answers))
        window = MainWindow(runner=WorkerRunner(command=command, grace_ms=2_000))
        windows.append(window)
        qtbot.addWidget(window)
        window.show()
        window.studio.open(lab.study, "Ada")
        wait_for_turns()
        return window

    yield make
    for window in windows:
        window.quitting.close_immediately()


def test_the_steps_follow_one_another_the_clip_shows_up_and_a_second_start_runs_nothing(
    qtbot: QtBot, lab: DemoLab, opened: Callable[[], MainWindow]
) -> None:
    window = opened()
    window.demo.start()
    assert window.isVisible()
    assert lab.asked() == []
    assert window.messages.message().startswith("Step 1 of 3: Get face-landmarks")
    qtbot.waitUntil(lambda: window.messages.message().startswith("Step 2 of 3: Track"))
    assert window.messages.hint() == "There is no landmark model, so no other face is drawn."
    assert window.jobs.titles() == ["Demo: hide the face in a clip"]
    qtbot.waitUntil(lambda: window.views.has_several)
    assert lab.asked() == ["fetch", "faces", "anonymize"]
    panel = window.workspace.jobs_panel
    assert [panel.state(f"job-{n}") for n in (1, 2, 3)] == [JobState.FAILED, JobState.DONE, JobState.DONE]
    said = "Left is the recording, right its anonymized clip. The check found no face in it."
    assert window.messages.message() == said
    assert window.jobs.titles() == []
    window.close()
    window = opened()
    window.demo.start()
    qtbot.waitUntil(lambda: window.views.has_several)
    assert not window.jobs.busy
    assert window.messages.message().startswith("Left is the recording")
    assert lab.asked() == ["fetch", "faces", "anonymize"]


def test_a_step_that_fails_leaves_the_window_and_says_why(
    qtbot: QtBot, lab: DemoLab, opened: Callable[[], MainWindow]
) -> None:
    lab.answer("faces", {"error": {"message": "There is no room left.", "hint": "Make some."}})
    window = opened()
    window.demo.start()
    qtbot.waitUntil(lambda: window.messages.message() == "There is no room left.")
    assert window.isVisible()
    assert window.messages.level is MessageLevel.ERROR
    qtbot.waitUntil(lambda: window.jobs.titles() == [])
    lab.find_face()
    window.demo.start()
    qtbot.waitUntil(lambda: window.views.has_several)


def test_what_is_interrupted_is_offered_and_gone_on_with(
    qtbot: QtBot, lab: DemoLab, opened: Callable[[], MainWindow]
) -> None:
    lab.answer("faces", "wait")
    first = opened()
    first.demo.start()
    qtbot.waitUntil(lambda: first.messages.message().startswith("Step 2 of 3"))
    first.quitting.close_immediately()
    lab.find_face()
    window = opened()
    qtbot.waitUntil(lambda: window.messages.message() == "1 job was interrupted.")
    assert [job.title for job in window.interrupted.list_jobs()] == ["Demo: hide the face in a clip"]
    window.interrupted.resume(window.interrupted.list_jobs())
    qtbot.waitUntil(lambda: window.views.has_several)
    assert window.interrupted.list_jobs() == []


def test_a_clip_that_somebody_exports_is_shown_beside_the_recording_when_they_want_that(
    qtbot: QtBot, lab: DemoLab, opened: Callable[[], MainWindow], tmp_path: Path
) -> None:
    window = opened()
    assert window.studio.recording is not None
    recording_id = window.studio.recording.id
    window.exports.start(ExportRequest({"solid": {}}, (recording_id,), tmp_path / "clips", None, False, False))
    qtbot.waitUntil(lambda: window.exports.result is not None)
    result = window.exports.result
    assert result is not None
    assert not window.views.has_several
    buttons = {button.text(): button for button in result.findChildren(QPushButton)}
    view = buttons["Show beside the recording"]
    view.click()
    qtbot.waitUntil(lambda: window.views.has_several)
    assert view.isHidden()
    result.close()
