"""Runs in which judges are asked, as jobs that can be cut, and the judgments that they hand over."""

from benchmark.judging.ask_run import AskParameters, RunItem
from benchmark.judging.judgment_record import build_judgment
from benchmark.judging.run_budget import Limits
from models.judges.judge_interface import Reply
from project.entities.judgments import JudgeEntry, Judgment, JudgmentStatus
from project.session.jobs import JobSpec
from tests.builders.asked import plan_of

FREE = Limits()
SERVED = {"url": "http://localhost:1/v1"}
ENTRIES = (
    JudgeEntry("r", "random", "random"),
    JudgeEntry("c", "constant", "constant", "", {"says": "error"}),
    JudgeEntry("l", "local", "llama-cpp", "/models/m.gguf"),
    JudgeEntry("a", "api", "openai", "m", SERVED),
    JudgeEntry("b", "other api", "openai", "m", SERVED),
)


def work_of(asked: list[tuple[int, int]], limits: Limits = FREE, entries: tuple[JudgeEntry, ...] = ENTRIES) -> JobSpec:
    """Return a run in which judges are asked about things: pairs of positions."""
    plans = tuple(plan_of("", f"s{plan}") for plan in range(max((plan for _, plan in asked), default=0) + 1))
    items = tuple(RunItem(judge, plan, f"key {judge} {plan}", f"s{plan}") for judge, plan in asked)
    parameters = AskParameters(
        run="whole", task="verdict", variant="plain", seed=0, limits=limits, entries=entries, plans=plans, items=items
    )
    return JobSpec("ask", "Ask", "rec", parameters)


def asked_by(work: JobSpec) -> list[tuple[str, str]]:
    """Return who is asked about what."""
    payload = work.parameters
    return [(payload.entries[item.judge].id, payload.plans[item.plan].about) for item in payload.items]


def judged(work: JobSpec, at: int, status: JudgmentStatus = JudgmentStatus.OK, cost: float | None = None) -> Judgment:
    """Return the judgment of one of a run's requests."""
    payload = work.parameters
    run_item = payload.items[at]
    entry = payload.entries[run_item.judge]
    reply = Reply(status, tokens_in=3, tokens_out=2, cost=cost, ms=1, calls=1)
    return build_judgment(payload.plans[run_item.plan], entry, run_item.request_key, reply)
