"""A real worker that asks, hands over pieces, and stays for the next job."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.gui.jobs.worker_runner import WorkerRunner
from project.entities.egress_policy import Forbidden
from project.errors import UserError
from project.session import jobs
from project.session.jobs import JobSpec
from tests.builders.talking_job import STARTING

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def runner(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerRunner]:
    monkeypatch.chdir(ROOT)
    monkeypatch.setitem(jobs.JOB_MODULES, "talk", "tests.builders.talking_job")
    runner = WorkerRunner(command=(sys.executable, "-c", STARTING), stay=True)
    runner.answer = lambda work, question: jobs.answer(None, work, question)
    yield runner
    runner.close()


def talk(**parameters: Any) -> JobSpec:
    return JobSpec("talk", "Talk", "", parameters)


def test_what_it_asks_is_answered_and_its_pieces_come_as_they_are_made(qtbot: QtBot, runner: WorkerRunner) -> None:
    pieces: list[object] = []
    runner.partial_result.connect(lambda work, part: pieces.append(part["said"]))
    with qtbot.waitSignal(runner.finished) as seen:
        runner.submit(talk(questions=["a", "b"]))
    assert pieces == ["a!", "b!"]
    assert seen.args[1]["answers"] == ["a!", "b!"]
    process = seen.args[1]["process"]
    with qtbot.waitSignal(runner.finished) as seen:
        runner.submit(talk(threads=12))
    assert seen.args[1]["answers"] == [f"{n}!" for n in range(12)], "threads get the answers to their own questions"
    assert seen.args[1]["process"] == process, "one process does one job after the other"
    with qtbot.waitSignal(runner.failed) as refused:
        runner.submit(talk(questions=["secret"]))
    assert (refused.args[1].message, refused.args[1].hint) == ("Not that.", "Ask for less.")


def test_a_crash_between_jobs_is_followed_by_a_fresh_process(qtbot: QtBot, runner: WorkerRunner) -> None:
    with qtbot.waitSignal(runner.finished) as first:
        runner.submit(talk())
    process = runner._process
    with qtbot.waitSignal(process.finished):
        process.kill()
    with qtbot.waitSignal(runner.finished) as second:
        runner.submit(talk())
    assert first.args[1]["process"] != second.args[1]["process"]


def test_a_job_that_waits_for_an_answer_can_be_cancelled(qtbot: QtBot, runner: WorkerRunner) -> None:
    work = talk(questions=["x"])

    def cancel(*_: object) -> dict[str, Any]:
        runner.cancel(work)
        raise UserError("too late")

    runner.answer = cancel
    with qtbot.waitSignals([runner.cancelled]):
        runner.submit(work)
    assert runner.running_job is None


def test_here_and_in_the_worker_a_refusal_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(jobs.JOB_MODULES, "talk", "tests.builders.talking_job")
    with pytest.raises(Forbidden) as refused:
        jobs.answer(None, talk(), {"question": "secret"})
    assert refused.value.rule == "nothing-leaves"
