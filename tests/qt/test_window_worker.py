"""Jobs in a process of their own: with a stand-in for the worker, and with a real one that asks and stays."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from app.gui.jobs import job_center
from app.gui.jobs.jobs_panel import JobsPanel
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes
from project.errors import UserError
from project.session import jobs
from project.session.jobs import JobSpec
from project.session.session import Session
from tests.builders.talking_job import STARTING

WORKER = """
import json, os, sys, time
request = json.loads(sys.stdin.readline())
todo = request["parameters"]["do"]
def say(**message): print(json.dumps(message), flush=True)
say(progress=[1, 2, "half"])
if todo == "result": say(result={"frames": 7})
elif todo == "error": say(error={"message": "No.", "hint": "Do that."})
elif todo == "crash": os.abort()
elif todo == "no memory": os.kill(os.getpid(), 9)
elif todo == "noise":
    print("a library says hello", flush=True)
    say(result={"frames": 1})
elif todo == "wait":
    sys.stdin.readline()
    say(cancelled=True)
while todo == "deaf": time.sleep(60)
"""


@pytest.fixture(autouse=True)
def talk_is_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(jobs.JOB_MODULES, "talk", "tests.builders.talking_job")


@pytest.fixture
def runner(qtbot: QtBot, tmp_path: Path) -> Iterator[WorkerRunner]:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    runner = WorkerRunner(command=(sys.executable, str(script)), grace_ms=200)
    yield runner
    runner.close()


def job(do: str) -> JobSpec:
    return JobSpec("talk", f"Do {do}", "recording", {"do": do})


def test_progress_then_result(qtbot: QtBot, runner: WorkerRunner) -> None:
    work = job("result")
    told: list[tuple[object, ...]] = []
    runner.progressed.connect(lambda *what: told.append(what))
    with qtbot.waitSignal(runner.finished) as seen:
        runner.submit(work)
    assert told == [(work, 1, 2, "half")]
    assert seen.args == [work, {"frames": 7}]
    assert runner.running_job is None


@pytest.mark.parametrize(
    ("do", "message", "hint"),
    [
        ("error", "No.", "Do that."),
        ("crash", "stopped unexpectedly", ""),
        ("no memory", "stopped unexpectedly", "lack of memory. Close other programs"),
    ],
)
def test_what_went_wrong_is_told_and_the_next_job_runs(
    qtbot: QtBot, runner: WorkerRunner, do: str, message: str, hint: str
) -> None:
    errors: list[UserError] = []
    runner.failed.connect(lambda _work, error: errors.append(error))
    first, second = job(do), job("noise")
    with qtbot.waitSignal(runner.finished):
        runner.submit(first)
        runner.submit(second)
        qtbot.waitUntil(lambda: runner.running_job is first)
        assert runner.waiting_jobs == (second,), "one job at a time"
    assert message in errors[0].message
    assert hint in errors[0].hint


@pytest.mark.parametrize("do", ["wait", "deaf"])
def test_cancel_asks_the_worker_and_kills_one_that_does_not_listen(qtbot: QtBot, runner: WorkerRunner, do: str) -> None:
    work = job(do)
    with qtbot.waitSignal(runner.progressed):
        runner.submit(work)
    with qtbot.waitSignal(runner.cancelled):
        runner.cancel(work)


@pytest.mark.parametrize("do", ["result", "crash"])
def test_while_it_is_held_nothing_is_taken_in(qtbot: QtBot, runner: WorkerRunner, do: str) -> None:
    ended: list[str] = []
    runner.finished.connect(lambda *_: ended.append("result"))
    runner.failed.connect(lambda *_: ended.append("failed"))
    runner.progressed.connect(lambda *_: ended.append("progress"))
    runner.submit(job(do))
    qtbot.waitUntil(lambda: runner.running_job is not None)
    runner.set_output_paused(True)
    process = runner._process
    with qtbot.waitSignal(process.finished):
        pass
    assert ended == []
    runner.set_output_paused(False)
    assert ended == ["progress", "result" if do == "result" else "failed"]
    assert runner.running_job is None


def test_a_waiting_job_is_taken_out_of_the_queue(qtbot: QtBot, runner: WorkerRunner) -> None:
    first, second = job("wait"), job("result")
    runner.submit(first)
    runner.submit(second)
    with qtbot.waitSignal(runner.cancelled) as seen:
        runner.cancel(second)
    assert seen.args[0] is second
    qtbot.waitUntil(lambda: runner.running_job is first)


def test_a_program_that_is_not_there_is_a_message(qtbot: QtBot, tmp_path: Path) -> None:
    runner = WorkerRunner(command=(str(tmp_path / "missing"),))
    with qtbot.waitSignal(runner.failed) as seen:
        runner.submit(job("result"))
    assert "could not be started" in seen.args[1].message
    runner.close()


def test_what_waits_for_a_job_is_done_when_its_result_is_there(
    qtbot: QtBot, runner: WorkerRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio = StudyController()
    studio.session = cast(Session, object())
    monkeypatch.setattr(studio, "publish", lambda _changes: None)
    panel = JobsPanel()
    qtbot.addWidget(panel)
    jobs = job_center.JobCenter(studio, panel, runner)
    work = job("result")
    heard: list[str] = []
    with qtbot.waitSignal(jobs.done):
        jobs.start(work, lambda _result: heard.append("first"))
        jobs.when_done(work, lambda _result: heard.append("second"))
    qtbot.waitUntil(lambda: heard == ["first", "second"])


def test_the_result_of_a_job_is_stored_in_no_other_study(
    qtbot: QtBot, runner: WorkerRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio = StudyController()
    studio.session = cast(Session, object())
    published: list[Changes] = []
    monkeypatch.setattr(studio, "publish", published.append)
    panel = JobsPanel()
    qtbot.addWidget(panel)
    jobs = job_center.JobCenter(studio, panel, runner)
    with qtbot.assertNotEmitted(jobs.done):
        jobs.start(job("result"))
        studio.session = cast(Session, object())
        qtbot.waitUntil(lambda: not jobs.busy)
    assert published == []


def test_a_job_whose_pieces_cannot_be_kept_is_stopped(
    qtbot: QtBot, runner: WorkerRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Changes:
        raise UserError("The disk is full.")

    monkeypatch.setattr(job_center, "store_part", full)
    studio = StudyController()
    studio.session = cast(Session, object())
    panel = JobsPanel()
    qtbot.addWidget(panel)
    jobs = job_center.JobCenter(studio, panel, runner)
    work = job("wait")
    jobs.start(work)
    told: list[UserError] = []
    jobs.failed.connect(told.append)
    with qtbot.waitSignal(jobs.stopped):
        runner.partial_result.emit(work, {"judgments": []})
    assert [user_error.message for user_error in told] == ["The disk is full."]
    assert not jobs.busy


ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def talking(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerRunner]:
    monkeypatch.chdir(ROOT)
    talking = WorkerRunner(command=(sys.executable, "-c", STARTING), stay=True)
    talking.answer = lambda work, question: jobs.answer(None, work, question)
    yield talking
    talking.close()


def talk(**parameters: Any) -> JobSpec:
    return JobSpec("talk", "Talk", "", parameters)


def test_what_it_asks_is_answered_and_its_pieces_come_as_they_are_made(qtbot: QtBot, talking: WorkerRunner) -> None:
    pieces: list[object] = []
    talking.partial_result.connect(lambda work, part: pieces.append(part["said"]))
    with qtbot.waitSignal(talking.finished) as seen:
        talking.submit(talk(questions=["a", "b"]))
    assert pieces == ["a!", "b!"]
    assert seen.args[1]["answers"] == ["a!", "b!"]
    process = seen.args[1]["process"]
    with qtbot.waitSignal(talking.finished) as seen:
        talking.submit(talk(threads=12))
    assert seen.args[1]["answers"] == [f"{n}!" for n in range(12)], "threads get the answers to their own questions"
    assert seen.args[1]["process"] == process, "one process does one job after the other"
    with qtbot.waitSignal(talking.failed) as refused:
        talking.submit(talk(questions=["secret"]))
    assert (refused.args[1].message, refused.args[1].hint) == ("Not that.", "Ask for less.")


def test_a_crash_between_jobs_is_followed_by_a_fresh_process(qtbot: QtBot, talking: WorkerRunner) -> None:
    with qtbot.waitSignal(talking.finished) as first:
        talking.submit(talk())
    process = talking._process
    with qtbot.waitSignal(process.finished):
        process.kill()
    with qtbot.waitSignal(talking.finished) as second:
        talking.submit(talk())
    assert first.args[1]["process"] != second.args[1]["process"]


def test_a_job_that_waits_for_an_answer_can_be_cancelled(qtbot: QtBot, talking: WorkerRunner) -> None:
    work = talk(questions=["x"])

    def cancel(*_: object) -> dict[str, Any]:
        talking.cancel(work)
        raise UserError("too late")

    talking.answer = cancel
    with qtbot.waitSignals([talking.cancelled]):
        talking.submit(work)
    assert talking.running_job is None
