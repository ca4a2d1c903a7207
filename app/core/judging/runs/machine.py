"""Makes the judges of a run where they are asked, with a guard that asks whoever holds the study, and lets them run."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from app.core.jobs import Holder
from app.core.judging.judges.keys import key_of
from app.core.judging.runs.lane import Lane, pace_of
from app.core.judging.runs.outcome import Outcome
from app.core.judging.runs.pace import Pace
from app.core.judging.runs.payload import Payload
from app.core.judging.runs.running import Run
from app.core.judging.runs.second import Second
from app.core.judging.runs.setting import Plan, Setting, Sight
from app.core.judging.seeing.fitting import plan_question, settings_of, smaller
from app.core.judging.seeing.sight import build, plan_from, prompt_sha256
from app.core.leaving.together import TogetherAuthority
from models.connection.guard import Guard
from models.judges.base import TooLong
from models.judges.means import Means
from models.judges.registry import judge_of, options_of
from project.errors import UserError
from project.judging import JudgeEntry


def run(payload: Payload, holder: Holder) -> Outcome:
    """Ask everything that a run consists of.

    Raises:
        Cancelled: the user stopped it.
        UserError: what was answered could not be stored.
    """
    with asyncio.Runner() as runner:
        return runner.run(_run(payload, holder))


async def _run(payload: Payload, holder: Holder) -> Outcome:
    guard = Guard(TogetherAuthority(holder, threadsafe=holder.threadsafe))
    unable = Outcome()
    lanes: list[Lane] = []
    paces: dict[str, Pace] = {}
    async with AsyncExitStack() as stack:
        for number in sorted({one.judge for one in payload.items}):
            entry = payload.entries[number]
            asked = [one for one in payload.items if one.judge == number]
            try:
                lanes.append(_lane(payload, entry, guard, stack, asked, paces))
            except UserError as error:
                for one in asked:
                    unable.note(entry, one.about, error)
        asking = Run(_setting(payload, guard, holder), payload.plans, lanes, holder)
        outcome = await asking.go()
    outcome.notes[:0] = unable.notes
    return outcome


def _lane(
    payload: Payload,
    entry: JudgeEntry,
    guard: Guard,
    stack: AsyncExitStack,
    asked: list[Any],
    paces: dict[str, Pace],
) -> Lane:
    def paced(one: JudgeEntry) -> Pace:
        # The same judge is asked at one pace, whether it judges or brings answers of others into form.
        return paces.setdefault(one.id, pace_of(options_of(one.backend, one.settings)))

    options = options_of(entry.backend, entry.settings)
    key = key_of(entry)
    second = payload.named(getattr(options, "coerce", ""))
    coerce = None
    if second is not None:
        coerce = Second(judge_of(second, Means(guard, key_of(second), turns=paced(second))), second.id)
        stack.push_async_callback(coerce.close)
    judge = judge_of(entry, Means(guard, key, coerce, paced(entry)))
    stack.push_async_callback(judge.close)
    of_second = second and options_of(second.backend, second.settings)
    return Lane.of(entry, judge, options, of_second, key, asked, paced(entry))


def _setting(payload: Payload, guard: Guard, holder: Holder) -> Setting:
    def made(plan: Plan) -> Sight:
        planned = plan_from(plan)
        messages = build(planned, guard.cleared)
        return Sight(
            messages,
            planned.answer_form,
            planned.sight(messages),
            planned.prompt,
            prompt_sha256(planned),
            planned.item,
            planned.truth,
            planned.others,
        )

    async def shorter(plan: Plan, told: TooLong) -> Plan | None:
        before = plan_from(plan)
        less = smaller(settings_of(plan), before, told)
        if less is None:
            return None
        question = plan_question(before, less)
        return await asyncio.to_thread(holder.ask, question) if holder.threadsafe else holder.ask(question)

    return Setting(
        payload.task,
        payload.variant,
        payload.seed,
        payload.limits,
        made,
        lambda plan: plan["media"] is not None,
        shorter,
    )
