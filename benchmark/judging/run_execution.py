"""Executes a run: asks all judges concurrently, each within its rate limits, and stores each answer as it arrives."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, cast

from anonymize.egress.permit_protocol import BatchingAuthority
from benchmark.judge_input.input_messages import build_messages
from benchmark.judge_input.input_plan import prompt_sha256, read_plan
from benchmark.judge_input.input_planning import read_settings, replan_question, shrink_settings
from benchmark.judging.judge_keys import find_key
from benchmark.judging.judge_worker import CoercionJudge, JudgeWorker, RunItem, make_rate_limiter
from benchmark.judging.judgment_record import Delivery, build_judgment
from benchmark.judging.run_budget import BudgetTracker, Cost, Limits, RateLimiter
from benchmark.judging.run_config import JudgeInput, Payload, Plan, RunConfig, progress_question
from benchmark.judging.run_outcome import RunOutcome, format_progress
from models.connection.guard import Guard, RequestPurpose, for_purpose
from models.judges.judge_backends import build_options, create_judge
from models.judges.judge_interface import (
    JudgeRequest,
    JudgeResources,
    Reply,
    SamplingParameters,
    TooLong,
    count_lost_requests,
)
from project.entities.egress_policy import Forbidden, Purpose
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import JobHost

MAX_SHORTENINGS = 2
_CANCEL_POLL_S = 0.1
_REPORT_INTERVAL_S = 0.25
_MAX_PREPARED = 24
"""Built inputs that are cached for slower judges; with 15 frames, about a megabyte each."""
_MAX_DECODING = 2


class RunExecutor:
    """Executes one run; `outcome` has its results so far."""

    def __init__(
        self, setting: RunConfig, plans: Sequence[Plan], lanes: Sequence[JudgeWorker], holder: JobHost
    ) -> None:
        self.outcome = RunOutcome()
        self._setting = setting
        self._plans = plans
        self._lanes = lanes
        self._holder = holder
        self._purse = BudgetTracker(setting.limits)
        self._total = sum(len(lane.pending) for lane in lanes)
        self._settled = 0
        self._began = time.monotonic()
        self._ready: OrderedDict[int, asyncio.Task[JudgeInput]] = OrderedDict()
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
            asyncio.create_task(self._run_worker(lane))
            for lane in self._lanes
            for _ in range(lane.rate_limiter.at_once + 1)
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

    async def _run_worker(self, lane: JudgeWorker) -> None:
        """Process one item after the other; there is one worker more than slots, which prepares the next item."""
        while lane.pending:
            item = lane.pending.popleft()
            at = (lane.entry.id, item.about)
            if lane.stop_reason is not None:
                self.outcome.add_note(lane.entry, item.about, lane.stop_reason)
            elif at in self._withdrawn:
                self.outcome.withdrawn += 1
            else:
                await self._run_cancellable(lane, item, at)
            self._settled += 1
            self._delivery.wake()

    async def _run_cancellable(self, lane: JudgeWorker, item: RunItem, at: tuple[str, str]) -> None:
        """Run an item in its own task, so that it can be cancelled alone."""
        task = self._under_way[at] = asyncio.create_task(self._run_item(lane, item))
        try:
            await task
        except asyncio.CancelledError:
            if at not in self._withdrawn:
                raise
            self.outcome.withdrawn += 1
        except UserError as error:
            self.outcome.add_note(lane.entry, item.about, error)
        finally:
            del self._under_way[at]
            lane.in_flight.discard(item.about)

    async def _run_item(self, lane: JudgeWorker, item: RunItem) -> None:
        plan = self._plans[item.plan]
        sight = await self._prepared_input(item.plan)
        async with lane.rate_limiter.slot():
            if lane.stop_reason is not None:
                self.outcome.add_note(lane.entry, item.about, lane.stop_reason)
                return
            lane.in_flight.add(item.about)
            reply = await self._ask(lane, item, sight)
            for _ in range(MAX_SHORTENINGS):
                if reply is None or reply.too_long is None:
                    break
                shorter = await self._setting.shorten(plan, reply.too_long)
                if shorter is None:
                    break
                plan, sight = shorter, await self._build_input(shorter)
                again = await self._ask(lane, item, sight)
                reply = again and _merge_replies(reply, again)
            if reply is None:
                self.outcome.over_budget += 1
                return
            lane.count_reply(reply)
            self.outcome.count_reply(reply, lane.currency)
            # Stored before the next request, so that after a crash only running requests are asked again.
            await self._delivery.store(build_judgment(self._setting, lane, item, sight, reply))

    async def _ask(self, lane: JudgeWorker, item: RunItem, sight: JudgeInput) -> Reply | None:
        """Ask once; None if the budget has no room for it."""
        question = self._judge_request(lane, item, sight)
        async with lane.serialize_first(sight.has_media and self._setting.limits != Limits()):
            reservation = await self._purse.reserve(lambda: lane.estimate.max_cost(sight.messages, sight.form))
            if reservation is None:
                return None
            lost, kept = Cost(), reservation.max_cost
            request_worst_case = lane.estimate.lost_request_cost(sight.messages, sight.form)

            def after_loss() -> bool:
                nonlocal lost, kept
                lost += request_worst_case
                more = self._purse.extend(reservation, request_worst_case)
                kept += request_worst_case if more else Cost()
                return more

            # A request that is cancelled while it runs may still be charged by its server.
            took = reservation.max_cost
            try:
                place = (item.recording_id, item.about, item.condition, sight.other_recordings, sight.pictured)
                parcel = RequestPurpose(Purpose.JUDGE, lane.entry.id, *place)
                with for_purpose(parcel), count_lost_requests(after_loss):
                    reply = await lane.judge.ask(question)
                lane.estimate.learn(sight.messages, sight.form, reply)
                took = lane.estimate.actual_cost(reply, reservation.max_cost)
                return reply
            except UserError as error:
                took = Cost()
                if isinstance(error, Forbidden):
                    lane.handle_forbidden(error)
                raise
            finally:
                self._purse.settle(reservation, kept if took == reservation.max_cost else took + lost)

    def _judge_request(self, lane: JudgeWorker, item: RunItem, sight: JudgeInput) -> JudgeRequest:
        usual = SamplingParameters()
        sampling = SamplingParameters(
            getattr(lane.options, "temperature", usual.temperature),
            self._setting.seed,
            getattr(lane.options, "max_tokens", usual.max_tokens),
        )
        return JudgeRequest(sight.messages, sight.form, sampling, sight.truth, item.shares, sight.item)

    async def _prepared_input(self, plan: int) -> JudgeInput:
        """Return the input of a plan, built once for all judges unless one of them is far behind."""
        task = self._ready.get(plan)
        if task is None:
            task = self._ready[plan] = asyncio.create_task(self._build_input(self._plans[plan]))
            if len(self._ready) > _MAX_PREPARED and next(iter(self._ready.values())).done():
                self._ready.popitem(last=False)
        return await asyncio.shield(task)

    async def _build_input(self, plan: Plan) -> JudgeInput:
        if not self._setting.decodes(plan):
            return self._setting.build(plan)
        async with self._decoding:
            return await asyncio.to_thread(self._setting.build, plan)

    def _is_done(self) -> bool:
        return self._settled == self._total

    def _report_progress(self) -> None:
        self._holder.progress(self._settled, self._total, self._progress_text())

    def _progress_text(self) -> str:
        """Return the time left and what was spent; judges run in parallel, so the slowest one counts."""
        passed = time.monotonic() - self._began
        left = [
            passed / lane.done * (len(lane.pending) + len(lane.in_flight))
            for lane in self._lanes
            if lane.done and lane.stop_reason is None
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
            for judge_id, about in await self._sync_state(progress_question(self._lanes)):
                self._withdraw(judge_id, about)
            await asyncio.sleep(_REPORT_INTERVAL_S)

    async def _sync_state(self, question: dict[str, Json]) -> list[list[str]]:
        if self._holder.threadsafe:
            answer = await asyncio.to_thread(self._holder.ask, question)
        else:
            answer = self._holder.ask(question)
        return cast(list[list[str]], answer.get("withdrawn", []))

    def _withdraw(self, judge_id: str, about: str) -> None:
        """Cancel the request about something, or all requests of a judge if `about` is ""."""
        for lane in self._lanes:
            if lane.entry.id == judge_id:
                begun = {key for who, key in self._under_way if who == judge_id}
                named = {about} if about else {*begun, *(item.about for item in lane.pending)}
                self._withdrawn |= {(judge_id, key) for key in named}
        for at, task in self._under_way.items():
            if at in self._withdrawn:
                task.cancel()


def _merge_replies(first: Reply, second: Reply) -> Reply:
    """Return the second reply plus time and calls of the first, which was rejected as too long and cost nothing."""
    return replace(second, ms=first.ms + second.ms, calls=first.calls + second.calls)


def run(payload: Payload, holder: JobHost) -> RunOutcome:
    """Execute a run.

    Raises:
        Cancelled: the user stopped it.
    """
    with asyncio.Runner() as runner:
        return runner.run(_run(payload, holder))


async def _run(payload: Payload, holder: JobHost) -> RunOutcome:
    guard = Guard(BatchingAuthority(holder, threadsafe=holder.threadsafe))
    failed_setup = RunOutcome()
    lanes: list[JudgeWorker] = []
    paces: dict[str, RateLimiter] = {}
    async with AsyncExitStack() as stack:
        for number in sorted({item.judge for item in payload.items}):
            entry = payload.entries[number]
            asked = [item for item in payload.items if item.judge == number]
            try:
                lanes.append(_make_worker(payload, entry, guard, stack, asked, paces))
            except UserError as error:
                for run_item in asked:
                    failed_setup.add_note(entry, run_item.about, error)
        asking = RunExecutor(_make_config(payload, guard, holder), payload.plans, lanes, holder)
        outcome = await asking.run()
    outcome.notes[:0] = failed_setup.notes
    return outcome


def _make_worker(
    payload: Payload,
    entry: JudgeEntry,
    guard: Guard,
    stack: AsyncExitStack,
    asked: list[Any],
    paces: dict[str, RateLimiter],
) -> JudgeWorker:
    def paced(judge_entry: JudgeEntry) -> RateLimiter:
        # A judge has one rate limiter, whether it judges or coerces answers of others.
        return paces.setdefault(
            judge_entry.id, make_rate_limiter(build_options(judge_entry.backend, judge_entry.settings))
        )

    options = build_options(entry.backend, entry.settings)
    key = find_key(entry)
    second = payload.find_judge(getattr(options, "coerce", ""))
    coerce = None
    if second is not None:
        coerce = CoercionJudge(
            create_judge(second, JudgeResources(guard, find_key(second), limiter=paced(second))), second.id
        )
        stack.push_async_callback(coerce.close)
    judge = create_judge(entry, JudgeResources(guard, key, coerce, paced(entry)))
    stack.push_async_callback(judge.close)
    of_second = second and build_options(second.backend, second.settings)
    return JudgeWorker.create(entry, judge, options, of_second, key, asked, paced(entry))


def _make_config(payload: Payload, guard: Guard, holder: JobHost) -> RunConfig:
    def made(plan: Plan) -> JudgeInput:
        planned = read_plan(plan)
        messages = build_messages(planned, guard.approved)
        return JudgeInput(
            messages,
            planned.answer_form,
            planned.as_record(messages),
            planned.prompt,
            prompt_sha256(planned),
            planned.item,
            planned.truth,
            planned.other_recordings,
            planned.pictured,
        )

    async def shorter(plan: Plan, told: TooLong) -> Plan | None:
        before = read_plan(plan)
        less = shrink_settings(read_settings(plan), before, told)
        if less is None:
            return None
        question = replan_question(before, less)
        return await asyncio.to_thread(holder.ask, question) if holder.threadsafe else holder.ask(question)

    return RunConfig(
        payload.task,
        payload.variant,
        payload.seed,
        payload.limits,
        made,
        lambda plan: plan["media"] is not None or bool(plan["option_media"]),
        shorter,
    )
