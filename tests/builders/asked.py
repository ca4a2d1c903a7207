"""Judges that answer as a test wants, and a holder of a study that keeps what it is handed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from benchmark.judging.judge_worker import JudgeWorker, RunItem
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_config import JudgeInput, Plan, RunConfig
from benchmark.judging.run_execution import RunExecutor
from models.judges.judge_interface import AnswerForm, JudgeRequest, Message, ModelOptions, Reply, Role, TooLong
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.study_records import Json
from project.errors import Cancelled

Answers = Callable[[JudgeRequest], Awaitable[Reply]]
FORM = AnswerForm("verdict", {"type": "object"}, lambda found: dict(found) if isinstance(found, dict) else {})


class Keeper:
    """Stands for whoever holds the study."""

    def __init__(self, threadsafe: bool = False) -> None:
        self.threadsafe = threadsafe
        self.parts: list[dict[str, Json]] = []
        self.said: list[tuple[int, int, str]] = []
        self.withdrawn: list[list[str]] = []
        self.stopped = False
        self.broken: Exception | None = None

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.said.append((done, total, text))

    def check_cancelled(self) -> None:
        if self.stopped:
            raise Cancelled

    def part(self, part: dict[str, Json]) -> None:
        if self.broken is not None:
            raise self.broken
        self.parts.append(part)

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        heard, self.withdrawn = self.withdrawn, []
        return {"withdrawn": [*heard]}

    def judgments(self) -> list[dict[str, Any]]:
        return [one for part in self.parts for one in part["judgments"]]


class Scripted:
    """A judge whose answers a function gives."""

    fingerprint = "scripted"

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.asked: list[JudgeRequest] = []
        self.closed = False

    async def ask(self, question: JudgeRequest) -> Reply:
        self.asked.append(question)
        return await self._answers(question)

    async def close(self) -> None:
        self.closed = True


def reply(status: JudgmentStatus = JudgmentStatus.OK, **facts: Any) -> Reply:
    """Return an answer with usual figures."""
    usual = {"answer": {"label": "error"}, "raw": '{"label": "error"}', "tokens_in": 100, "tokens_out": 10}
    usual |= {"calls": 1, "ms": 5, "cost": 0.001, "model_id": "scripted-1"}
    if status is not JudgmentStatus.OK:
        usual |= {"answer": {}}
    return Reply(status, **{**usual, **facts})


async def at_once(question: JudgeRequest) -> Reply:
    """Answer after the loop went round."""
    await asyncio.sleep(0)
    return reply()


def lane(name: str, answers: Answers, items: int, options: ModelOptions | None = None, number: int = 0) -> JudgeWorker:
    """Return a judge with requests about the segments s0, s1, ..."""
    entry = JudgeEntry(f"judge {name}", name, "openai", "model", {})
    left = [RunItem(number, at, f"{name}/{at}", "raw", "recording", f"s{at}", 0, 1_000_000) for at in range(items)]
    return JudgeWorker.create(entry, Scripted(answers), options or ModelOptions(), None, "sk-secret", left)


def setting(
    limits: Limits | None = None,
    build: Callable[[Plan], JudgeInput] | None = None,
    shorten: Callable[[Plan, TooLong], Plan | None] = lambda plan, told: None,
) -> RunConfig:
    """Return what is usual."""

    async def shorter(plan: Plan, told: TooLong) -> Plan | None:
        return shorten(plan, told)

    return RunConfig("verdict", "plain", 7, limits or Limits(), build or sight, lambda plan: False, shorter)


def sight(plan: Plan) -> JudgeInput:
    """Return one message with the plan's text."""
    messages = (Message(Role.USER, str(plan["text"])),)
    return JudgeInput(messages, FORM, {"text": plan["text"]}, "verdict@1", "0" * 64)


def plans(number: int) -> list[Plan]:
    """Return plans of texts."""
    return [{"text": f"What of {at}?"} for at in range(number)]


def run(lanes: list[JudgeWorker], keeper: Keeper, **facts: Any) -> RunExecutor:
    """Return a run over as many plans as the longest lane has."""
    return RunExecutor(setting(**facts), plans(max(len(lane.pending) for lane in lanes)), lanes, keeper)
