"""Judges that answer as a test wants, and a holder of a study that keeps what it is handed."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from benchmark.judge_input.input_plan import InputPlan, ReplanQuestion
from benchmark.judging.ask_run import AskParameters, RunItem
from benchmark.judging.run_budget import Estimate, Limits
from benchmark.judging.run_execution import REPLAN, JudgeWorker, RunExecutor, make_rate_limiter
from benchmark.prompts.answer_form import FormSpec
from models.judges.judge_interface import JudgeRequest, Message, ModelOptions, Reply, Role
from project.codec import dump, load
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.study_records import Json
from project.errors import Cancelled

Answers = Callable[[JudgeRequest], Awaitable[Reply]]


class Keeper:
    """Stands for whoever holds the study."""

    def __init__(self, threadsafe: bool = False) -> None:
        self.threadsafe = threadsafe
        self.parts: list[dict[str, Json]] = []
        self.said: list[tuple[int, int, str]] = []
        self.withdrawn: list[list[str]] = []
        self.stopped = False
        self.broken: Exception | None = None
        self.shorten: Callable[[InputPlan], InputPlan] = lambda plan: plan

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
        if question["ask"] == REPLAN:
            return dump(self.shorten(load(ReplanQuestion, question, REPLAN).plan))
        heard, self.withdrawn = self.withdrawn, []
        return {"requests": [*heard]}

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
    left = [RunItem(number, at, f"{name}/{at}", f"s{at}") for at in range(items)]
    options = options or ModelOptions()
    limiter = make_rate_limiter(options)
    return JudgeWorker(entry, Scripted(answers), options, limiter, Estimate(options), "sk-secret", deque(left))


NO_LIMITS = Limits()


def show(plan: InputPlan) -> tuple[Message, ...]:
    """Return one message with the plan's text."""
    return (Message(Role.USER, plan.text),)


def plan_of(text: str, about: str = "s0") -> InputPlan:
    """Return a plan of a text."""
    return InputPlan(
        "recording",
        about,
        0,
        1_000_000,
        "verdict",
        "plain",
        "raw",
        "verdict@1",
        "",
        text,
        None,
        FormSpec("verdict", ()),
    )


def run(
    lanes: list[JudgeWorker],
    keeper: Keeper,
    limits: Limits = NO_LIMITS,
    build: Callable[[InputPlan], tuple[Message, ...]] = show,
    text: str = "What of {}?",
) -> RunExecutor:
    """Return a run over as many plans as the longest lane has."""
    plans = tuple(plan_of(text.format(at), f"s{at}") for at in range(max(len(lane.pending) for lane in lanes)))
    parameters = AskParameters(
        run="run", task="verdict", variant="plain", seed=7, limits=limits, entries=(), plans=plans, items=()
    )
    return RunExecutor(parameters, lanes, keeper, build)
