"""Executes a run: asks all judges in parallel, each at its own rate, and hands over each answer as it arrives.

An answer is stored before the next question takes its place, so a killed run loses only what was under way.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from anonymize.egress.egress_authority import RemoteAuthority
from benchmark.judge_input.input_plan import InputPlan, ReplanQuestion, build_messages, shrink_settings
from benchmark.judging.ask_run import (
    AskParameters,
    CancelledRequests,
    JudgeProgress,
    ProgressReport,
    RunItem,
    RunOutcome,
    format_progress,
)
from benchmark.judging.judge_registry import find_key
from benchmark.judging.judgment_record import Delivery, build_judgment
from benchmark.judging.run_budget import BudgetTracker, Cost, Estimate, Limits, RateLimiter
from models.connection.guard import Guard, RequestPurpose, current_purpose, for_purpose
from models.judges.judge_backends import build_options, create_judge
from models.judges.judge_interface import (
    Judge,
    JudgeRequest,
    JudgeResources,
    Message,
    ModelOptions,
    Reply,
    SamplingParameters,
    TooLong,
)
from project.codec import dump, load
from project.entities.egress_policy import Forbidden, Purpose
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import JobHost

MAX_SHORTENINGS = 2
_CANCEL_POLL_S = 0.1
_REPORT_INTERVAL_S = 0.25
_MAX_PREPARED = 24
"""Built inputs that are cached for slower judges; with 15 frames, about a megabyte each."""
_MAX_DECODING = 2
PROGRESS, REPLAN = "progress", "replan"
"""What a run asks the holder of the study."""
_Messages = tuple[Message, ...]
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
        key: of its server, to be kept out of what is stored.
        pending: requests that were not started yet.
        in_flight: what it is being asked about.
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
                f"The judge failed {self._consecutive_errors} times in a row and is not asked again in this run: "
                f"{reply.error}",
                f"Test it: greenroom judge test STUDY {self.entry.name}",
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
    """A judge that is asked within the request of another one, such as to coerce its answer."""

    def __init__(self, judge: Judge, judge_id: str) -> None:
        self._judge, self._id = judge, judge_id

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the judge."""
        return self._judge.fingerprint

    async def ask(self, question: JudgeRequest) -> Reply:
        """Ask the judge, with the purpose of the outer request under its own id."""
        parcel = current_purpose()
        if parcel is None:
            return await self._judge.ask(question)
        with for_purpose(replace(parcel, judge_id=self._id)):
            return await self._judge.ask(question)

    async def close(self) -> None:
        """Close the judge."""
        await self._judge.close()


class RunExecutor:
    """Executes one run."""

    def __init__(
        self,
        parameters: AskParameters,
        workers: Sequence[JudgeWorker],
        holder: JobHost,
        build: Callable[[InputPlan], _Messages] = build_messages,
    ) -> None:
        self.outcome = RunOutcome()
        self._parameters = parameters
        self._workers = workers
        self._holder = holder
        self._build = build
        self._budget = BudgetTracker(parameters.limits)
        self._total = sum(len(worker.pending) for worker in workers)
        self._settled = 0
        self._began = time.monotonic()
        self._ready: OrderedDict[int, asyncio.Task[_Messages]] = OrderedDict()
        self._decoding = asyncio.Semaphore(_MAX_DECODING)
        self._under_way: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._withdrawn: set[tuple[str, str]] = set()
        self._delivery = Delivery(holder)

    async def run(self) -> RunOutcome:
        """Ask everything; returns when nothing is left to ask or allowed.

        Raises:
            Cancelled: the user stopped it; answers until then are stored.
        """
        asking = [
            asyncio.create_task(self._run_worker(worker))
            for worker in self._workers
            for _ in range(worker.rate_limiter.at_once + 1)
        ]
        beside = [asyncio.create_task(self._poll_cancel()), asyncio.create_task(self._report_state())]
        delivering = asyncio.create_task(self._delivery.deliver(self._is_done, self._report_progress))
        tasks = {*asking, *beside, delivering}
        try:
            while delivering in tasks:
                ended, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            for made in self._ready.values():
                made.cancel()
            await asyncio.gather(*tasks, *self._ready.values(), return_exceptions=True)
            await self._delivery.finish()
            self._delivery.flush()
            self.outcome.seconds = round(time.monotonic() - self._began, 3)
        return self.outcome

    async def _run_worker(self, worker: JudgeWorker) -> None:
        """Process one item after the other; there is one task more than slots, which prepares the next item."""
        while worker.pending:
            item = worker.pending.popleft()
            at = (worker.entry.id, item.about)
            if worker.stop_reason is not None:
                self.outcome.add_note(worker.entry, item.about, worker.stop_reason)
            elif at in self._withdrawn:
                self.outcome.withdrawn += 1
            else:
                await self._run_cancellable(worker, item, at)
            self._settled += 1
            self._delivery.wake()

    async def _run_cancellable(self, worker: JudgeWorker, item: RunItem, at: tuple[str, str]) -> None:
        """Run an item in its own task, so that it can be cancelled alone."""
        task = self._under_way[at] = asyncio.create_task(self._run_item(worker, item))
        try:
            await task
        except asyncio.CancelledError:
            if at not in self._withdrawn:
                raise
            self.outcome.withdrawn += 1
        except UserError as error:
            self.outcome.add_note(worker.entry, item.about, error)
        finally:
            del self._under_way[at]
            worker.in_flight.discard(item.about)

    async def _run_item(self, worker: JudgeWorker, item: RunItem) -> None:
        plan = self._parameters.plans[item.plan]
        messages = await self._prepared_messages(item.plan)
        async with worker.rate_limiter.slot():
            if worker.stop_reason is not None:
                self.outcome.add_note(worker.entry, item.about, worker.stop_reason)
                return
            worker.in_flight.add(item.about)
            reply = await self._ask(worker, item, plan, messages)
            for _ in range(MAX_SHORTENINGS):
                if reply is None or reply.too_long is None:
                    break
                shorter = await self._shorten(plan, reply.too_long)
                if shorter is None:
                    break
                plan, messages = shorter, await self._build_messages(shorter)
                again = await self._ask(worker, item, plan, messages)
                reply = again and _merge_replies(reply, again)
            if reply is None:
                self.outcome.over_budget += 1
                return
            worker.count_reply(reply)
            self.outcome.count_reply(reply, worker.currency)
            # Stored before the next request, so that after a crash only running requests are asked again.
            seed, key = self._parameters.seed, worker.key
            judgment = build_judgment(plan, worker.entry, item.request_key, reply, messages, seed=seed, key=key)
            await self._delivery.store(judgment)

    async def _ask(self, worker: JudgeWorker, item: RunItem, plan: InputPlan, messages: _Messages) -> Reply | None:
        """Ask once; None if the budget has no room for it."""
        form = plan.answer_form
        question = plan.judge_request(messages, sampling_of(worker.options, self._parameters.seed), item.shares)
        alone = bool(plan.all_media) and self._parameters.limits != Limits()
        async with (
            worker.serialize_first(alone),
            self._budget.reserve(lambda: worker.estimate.max_cost(messages, form)) as reservation,
        ):
            if reservation is None:
                return None
            lost = worker.estimate.lost_request_cost(messages, form)
            shown = (plan.recording_id, plan.about, plan.condition, plan.other_recordings, plan.pictured)
            purpose = RequestPurpose(Purpose.JUDGE, worker.entry.id, *shown)
            try:
                with for_purpose(purpose):
                    reply = await worker.judge.ask(replace(question, on_lost=lambda: reservation.lose(lost)))
            except UserError as error:
                reservation.took = Cost()
                if isinstance(error, Forbidden):
                    worker.handle_forbidden(error)
                raise
            worker.estimate.learn(messages, form, reply)
            reservation.took = worker.estimate.actual_cost(reply, reservation.max_cost)
            return reply

    async def _shorten(self, plan: InputPlan, told: TooLong) -> InputPlan | None:
        """Return a shorter plan; None if nothing can be left out."""
        less = shrink_settings(plan, told)
        if less is None:
            return None
        return load(InputPlan, await self._ask_holder(dump(ReplanQuestion(plan, less)), REPLAN), "plan")

    async def _prepared_messages(self, plan: int) -> _Messages:
        """Return the messages of a plan, built once for all judges unless one of them is far behind."""
        task = self._ready.get(plan)
        if task is None:
            task = self._ready[plan] = asyncio.create_task(self._build_messages(self._parameters.plans[plan]))
            if len(self._ready) > _MAX_PREPARED and next(iter(self._ready.values())).done():
                self._ready.popitem(last=False)
        return await asyncio.shield(task)

    async def _build_messages(self, plan: InputPlan) -> _Messages:
        if not plan.all_media:
            return self._build(plan)
        async with self._decoding:
            return await asyncio.to_thread(self._build, plan)

    def _is_done(self) -> bool:
        return self._settled == self._total

    def _report_progress(self) -> None:
        self._holder.progress(self._settled, self._total, self._progress_text())

    def _progress_text(self) -> str:
        """Return the time left and what was spent; judges run in parallel, so the slowest one counts."""
        passed = time.monotonic() - self._began
        left = [
            passed / worker.done * (len(worker.pending) + len(worker.in_flight))
            for worker in self._workers
            if worker.done and worker.stop_reason is None
        ]
        return format_progress(max(left, default=0.0), self.outcome.spending_text())

    async def _poll_cancel(self) -> None:
        """Poll for cancellation by the user; raises then, and never returns."""
        while True:
            self._holder.check_cancelled()
            await asyncio.sleep(_CANCEL_POLL_S)

    async def _report_state(self) -> None:
        """Report the progress of all judges, and cancel what is no longer wanted."""
        while True:
            report = ProgressReport(tuple(worker.progress for worker in self._workers))
            answer = await self._ask_holder(dump(report), PROGRESS)
            for judge_id, about in load(CancelledRequests, answer, PROGRESS).requests:
                self._withdraw(judge_id, about)
            await asyncio.sleep(_REPORT_INTERVAL_S)

    async def _ask_holder(self, question: dict[str, Json], kind: str) -> dict[str, Json]:
        asked = {"ask": kind, **question}
        return await asyncio.to_thread(self._holder.ask, asked) if self._holder.threadsafe else self._holder.ask(asked)

    def _withdraw(self, judge_id: str, about: str) -> None:
        """Cancel the request about something, or all requests of a judge if `about` is ""."""
        for worker in self._workers:
            if worker.entry.id == judge_id:
                begun = {key for who, key in self._under_way if who == judge_id}
                named = {about} if about else {*begun, *(item.about for item in worker.pending)}
                self._withdrawn |= {(judge_id, key) for key in named}
        for at, task in self._under_way.items():
            if at in self._withdrawn:
                task.cancel()


def _merge_replies(first: Reply, second: Reply) -> Reply:
    """Return the second reply plus time and calls of the first, which was rejected as too long and cost nothing."""
    return replace(second, ms=first.ms + second.ms, calls=first.calls + second.calls)


def run(parameters: AskParameters, holder: JobHost) -> RunOutcome:
    """Execute a run.

    Raises:
        Cancelled: the user stopped it.
    """
    with asyncio.Runner() as runner:
        return runner.run(_run(parameters, holder))


async def _run(parameters: AskParameters, holder: JobHost) -> RunOutcome:
    guard = Guard(RemoteAuthority(holder, threadsafe=holder.threadsafe))
    failed_setup = RunOutcome()
    workers: list[JudgeWorker] = []
    paces: dict[str, RateLimiter] = {}
    async with AsyncExitStack() as stack:
        for number in sorted({item.judge for item in parameters.items}):
            entry = parameters.entries[number]
            asked = [item for item in parameters.items if item.judge == number]
            try:
                workers.append(_make_worker(parameters, entry, guard, stack, asked, paces))
            except UserError as error:
                for run_item in asked:
                    failed_setup.add_note(entry, run_item.about, error)
        build = partial(build_messages, approved=guard.approved)
        outcome = await RunExecutor(parameters, workers, holder, build).run()
    outcome.notes[:0] = failed_setup.notes
    return outcome


def _make_worker(
    parameters: AskParameters,
    entry: JudgeEntry,
    guard: Guard,
    stack: AsyncExitStack,
    asked: list[RunItem],
    paces: dict[str, RateLimiter],
) -> JudgeWorker:
    def paced(judge_entry: JudgeEntry) -> RateLimiter:
        # A judge has one rate limiter, whether it judges or coerces answers of others.
        return paces.setdefault(
            judge_entry.id, make_rate_limiter(build_options(judge_entry.backend, judge_entry.settings))
        )

    options = build_options(entry.backend, entry.settings)
    key = find_key(entry)
    second = parameters.find_judge(getattr(options, "coerce", ""))
    coerce = None
    if second is not None:
        coerce = CoercionJudge(
            create_judge(second, JudgeResources(guard, find_key(second), limiter=paced(second))), second.id
        )
        stack.push_async_callback(coerce.close)
    judge = create_judge(entry, JudgeResources(guard, key, coerce, paced(entry)))
    stack.push_async_callback(judge.close)
    second_options = None if second is None else build_options(second.backend, second.settings)
    return JudgeWorker(entry, judge, options, paced(entry), Estimate(options, second_options), key, deque(asked))
