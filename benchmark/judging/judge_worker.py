"""The state of one judge in a run: its pending requests, its rate limiter, and whether it is given up.

Also wraps the coercion judge, so that its requests are logged under its own name.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from benchmark.judging.run_budget import Estimate, RateLimiter
from benchmark.judging.run_config import JudgeProgress, RunItem
from models.connection.guard import current_purpose, for_purpose
from models.judges.judge_interface import Judge, JudgeRequest, ModelOptions, Reply, SamplingParameters
from project.entities.egress_policy import Forbidden
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.errors import UserError

MAX_CONSECUTIVE_ERRORS = 5
"""Errors in a row after which a judge is not asked any more in a run."""
_BASELINE_CONCURRENCY = 16
"""A baseline answers at once; the transactions of the study are what takes time."""
_BLANKET_RULES = frozenset({"nothing-leaves", "raw", "hosts", "proxies", "redirects", "unencrypted", "recorded"})
"""Rules that forbid every request of a run to a judge, whatever segment it is about."""


@dataclass
class JudgeWorker:
    """One judge in a run.

    Attributes:
        options: of its backend.
        key: of its server, to be kept out of what is stored.
        pending: requests that were not started yet.
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

    def count_reply(self, reply: Reply) -> None:
        """Count an answer; after too many errors in a row, the judge is given up."""
        self.done += 1
        if reply.status is not JudgmentStatus.ERROR:
            self._consecutive_errors = 0
            return
        self.failed += 1
        self._consecutive_errors += 1
        if self._consecutive_errors >= MAX_CONSECUTIVE_ERRORS and self.stop_reason is None:
            self.stop_reason = UserError(
                f"It failed {self._consecutive_errors} times in a row, and is not asked any more in this run: "
                f"{reply.error}",
                f"Try it: greenroom judge test STUDY {self.entry.name}",
            )

    def handle_forbidden(self, error: Forbidden) -> None:
        """Note that a request was forbidden; some rules forbid all others too."""
        if error.rule in _BLANKET_RULES and self.stop_reason is None:
            self.stop_reason = error

    @property
    def progress(self) -> JudgeProgress:
        """How far it is."""
        return JudgeProgress(
            self.entry.id,
            self.entry.name,
            tuple(sorted(self.in_flight)),
            len(self.pending),
            self.done,
            self.failed,
            str(self.stop_reason or ""),
        )

    @property
    def currency(self) -> str:
        """The currency of its prices."""
        return self.options.currency if isinstance(self.options, ModelOptions) else ""

    @asynccontextmanager
    async def serialize_first(self, wanted: bool) -> AsyncIterator[None]:
        """If `wanted`, send the first request alone, because its reply shows how the judge counts tokens."""
        if not wanted or self.estimate.measured:
            yield
            return
        async with self._first_lock:
            yield


def sampling_of(options: Any, seed: int) -> SamplingParameters:
    """Return how a judge with these options samples; as usual where it has no such options."""
    usual = SamplingParameters()
    return SamplingParameters(
        getattr(options, "temperature", usual.temperature), seed, getattr(options, "max_tokens", usual.max_tokens)
    )


def make_rate_limiter(options: Any) -> RateLimiter:
    """Return the rate limiter of a judge with these options; a baseline has a fixed concurrency."""
    return (
        RateLimiter(options.concurrency, options.per_minute)
        if isinstance(options, ModelOptions)
        else RateLimiter(_BASELINE_CONCURRENCY)
    )


class CoercionJudge:
    """A judge that is asked within the request of another one, such as to coerce its answer.

    Args:
        judge: the judge.
        judge_id: of its entry.
    """

    def __init__(self, judge: Judge, judge_id: str) -> None:
        self._judge, self._id = judge, judge_id

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the judge."""
        return self._judge.fingerprint

    async def ask(self, question: JudgeRequest) -> Reply:
        """Ask the judge, with the purpose of the outer request under its own id.

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
