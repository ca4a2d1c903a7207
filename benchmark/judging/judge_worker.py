"""One judge in a run: what is left to ask it, how fast it may be asked, and when it is given up.

The judge that brings another one's answers into form: what it is sent stands in the journal under its own name.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from benchmark.judging.run_budget import Estimate, RateLimiter
from models.connection.guard import current_purpose, for_purpose
from models.judges.judge_interface import Judge, JudgeRequest, ModelOptions, Reply
from project.entities.egress_policy import Forbidden
from project.entities.judgments import JudgeEntry, JudgmentStatus, Modality
from project.entities.study_records import Json
from project.errors import UserError

MAX_CONSECUTIVE_ERRORS = 5
"""Errors in a row after which a judge is not asked any more in this run."""
_BASELINE_CONCURRENCY = 16
"""It answers at once; what takes its time is each transaction of the study."""
_BLANKET_RULES = frozenset({"nothing-leaves", "raw", "hosts", "proxies", "redirects", "unencrypted", "recorded"})
"""Rules that forbid every request of a run to a judge, whatever segment it is about."""


@dataclass(frozen=True, slots=True)
class RunItem:
    """One request of a run.

    Attributes:
        judge: position of the judge in the run.
        plan: position of what it sees in the run.
        request_key: of the request as it was planned; what had to be shortened does not change it.
        condition: `RAW`, or the id of the run that made the rendering.
        about: what is asked about, `project.entities.judgments.JudgmentTarget.key`.
        shares: how often each answer was given by people, for `majority`.
        state: of a question or a chain when it was planned; "" for anything else.
        modality: what is shown.
    """

    judge: int
    plan: int
    request_key: str
    condition: str
    recording_id: str
    about: str
    start_us: int
    end_us: int
    shares: Sequence[tuple[Mapping[str, Json], int]] = ()
    state: str = ""
    modality: Modality = Modality.BOTH


@dataclass
class JudgeWorker:
    """One judge in a run.

    Attributes:
        options: of its backend.
        key: of its server, to be kept out of what is stored.
        pending: what nobody has begun to ask yet.
        in_flight: what it is being asked about.
        done: requests that came back.
        failed: of these, with an error.
        stop_reason: why it is not asked any more; None while it is.
    """

    entry: JudgeEntry
    judge: Judge
    options: Any
    rate_limiter: RateLimiter
    estimate: Estimate
    key: str = field(default="", repr=False)
    pending: deque[RunItem] = field(default_factory=deque)
    in_flight: set[str] = field(default_factory=set)
    done: int = 0
    failed: int = 0
    stop_reason: UserError | None = None
    _consecutive_errors: int = 0
    _first_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def create(
        cls,
        entry: JudgeEntry,
        judge: Judge,
        options: Any,
        second: Any,
        key: str,
        left: Iterable[RunItem],
        pace: RateLimiter | None = None,
    ) -> "JudgeWorker":
        """Make a lane.

        Args:
            entry: the judge.
            judge: what is asked.
            options: of its backend.
            second: those of the model that coerces its answers, or None.
            key: of its server.
            left: what is to be asked.
            pace: where others ask the same judge too; its own where None.
        """
        return cls(
            entry, judge, options, pace or make_rate_limiter(options), Estimate(options, second), key, deque(left)
        )

    def count_reply(self, reply: Reply) -> None:
        """Count an answer; a judge that only fails is given up, so that no run waits for it for hours."""
        self.done += 1
        if reply.status is not JudgmentStatus.ERROR:
            self._consecutive_errors = 0
            return
        self.failed += 1
        self._consecutive_errors += 1
        if self._consecutive_errors >= MAX_CONSECUTIVE_ERRORS and self.stop_reason is None:
            self.stop_reason = UserError(
                f"It failed {self._consecutive_errors} times in a row, and is not asked any more in this run: {reply.error}",
                f"Try it: greenroom judge test STUDY {self.entry.name}",
            )

    def handle_forbidden(self, error: Forbidden) -> None:
        """Take in that a request was forbidden; some rules forbid all the others too."""
        if error.rule in _BLANKET_RULES and self.stop_reason is None:
            self.stop_reason = error

    @property
    def currency(self) -> str:
        """Of its prices."""
        return self.options.currency if isinstance(self.options, ModelOptions) else ""

    @asynccontextmanager
    async def serialize_first(self, wanted: bool) -> AsyncIterator[None]:
        """Let the first request come back before others are sent, where `wanted`: it shows what the judge counts."""
        if not wanted or self.estimate.measured:
            yield
            return
        async with self._first_lock:
            yield


def make_rate_limiter(options: Any) -> RateLimiter:
    """Return how fast a judge with these options may be asked; answers of a baseline are kept several at once."""
    return (
        RateLimiter(options.concurrency, options.per_minute)
        if isinstance(options, ModelOptions)
        else RateLimiter(_BASELINE_CONCURRENCY)
    )


class Second:
    """A judge that is asked in the course of another one's question.

    Args:
        judge: what is asked.
        judge_id: of its entry.
    """

    def __init__(self, judge: Judge, judge_id: str) -> None:
        self._judge, self._id = judge, judge_id

    @property
    def fingerprint(self) -> str:
        """That of the judge."""
        return self._judge.fingerprint

    async def ask(self, question: JudgeRequest) -> Reply:
        """Ask the judge, about what the first one is asked.

        Raises:
            project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
        """
        parcel = current_purpose()
        if parcel is None:
            return await self._judge.ask(question)
        with for_purpose(replace(parcel, judge_id=self._id)):
            return await self._judge.ask(question)

    async def close(self) -> None:
        """Close the judge."""
        await self._judge.close()
