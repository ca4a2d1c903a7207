"""Builds judgments from replies, stores them as they arrive, and looks them up so that equal requests run once."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from benchmark.judge_input.input_plan import InputPlan, prompt_sha256
from benchmark.judging.ask_run import AskParameters, RunItem
from benchmark.judging.judge_registry import redact_key
from models.judges.judge_interface import Message, Reply
from project.codec import dump
from project.entities.frozen_items import RunAnswer
from project.entities.judgments import (
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTargetKind,
    base_part,
    parse_target,
)
from project.entities.study_records import Changes, Json
from project.ids import new_id
from project.queries.judgment_rows import insert_judgments, judgments_by_request
from project.session.jobs import JobHost
from project.session.session import Session
from project.timebase import utc_now
from project.version import __version__


def judge_json(judge_entry: JudgeEntry) -> dict[str, Json]:
    """Return a judge as its judgments store it."""
    return {
        "name": judge_entry.name,
        "backend": judge_entry.backend,
        "model": judge_entry.model,
        "settings": dict(judge_entry.settings),
    }


def subject_fields(plan: InputPlan) -> dict[str, Any]:
    """Return the fields of a judgment that say what was judged, and what was shown of it."""
    about = parse_target(plan.about)
    ids = {subject: about.id if about.kind is subject else "" for subject in JudgmentTargetKind}
    return {
        "recording_id": plan.recording_id,
        "segment_id": ids[JudgmentTargetKind.SEGMENT],
        "question_id": ids[JudgmentTargetKind.QUESTION],
        "chain_id": ids[JudgmentTargetKind.CHAIN],
        "item_id": ids[JudgmentTargetKind.ITEM],
        "part": about.part,
        "state": plan.state,
        "modality": plan.modality,
        "start_us": plan.start_us,
        "end_us": plan.end_us,
        "condition": plan.condition,
    }


FINAL_STATUSES = (JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED)
"""Failures that would repeat; errors are not among them and are tried again."""


@dataclass(frozen=True, slots=True)
class CacheLookup:
    """Known answers to requests.

    Attributes:
        judgments: known answers, in the order of the requests.
        missing: requests that have to be made.
        changes: judgments that were added, because another segment had the same answer.
    """

    judgments: tuple[Judgment, ...]
    missing: tuple[RunItem, ...]
    changes: Changes


def look_up_cache(session: Session, parameters: AskParameters) -> CacheLookup:
    """Look up answers to the requests of a run, which says what is asked again.

    An answer to an equal request about another segment, such as one of another annotator with the same span, is copied
    to a judgment of this segment, which names its source.
    """
    if parameters.fresh:
        return CacheLookup((), parameters.items, Changes())
    own: dict[tuple[str, str, str], Judgment] = {}
    answers: dict[str, Judgment] = {}
    for judgment in judgments_by_request(session.study, [item.request_key for item in parameters.items]):
        key = judgment.request_key, judgment.judge_id, judgment.target.key
        if judgment.status is JudgmentStatus.OK:
            own[key] = answers[judgment.request_key] = judgment
        elif judgment.status in FINAL_STATUSES and not parameters.again:
            own.setdefault(key, judgment)
    found: list[Judgment] = []
    added: list[Judgment] = []
    missing: list[RunItem] = []
    for item in parameters.items:
        known = own.get(parameters.key_of(item))
        if known is not None:
            found.append(known)
        elif (equal := answers.get(item.request_key)) is not None:
            added.append(_copy_judgment(equal, parameters.plans[item.plan], parameters.entries[item.judge]))
            found.append(added[-1])
        else:
            missing.append(item)
    if added:
        with session.study.run_transaction():
            insert_judgments(session.study, added)
    changes = Changes.from_pairs(("judgment", judgment.id) for judgment in added)
    return CacheLookup(tuple(found), tuple(missing), changes)


def _copy_judgment(there: Judgment, plan: InputPlan, judge: JudgeEntry) -> Judgment:
    """Return a copy of an answer for another judge of the same kind, or another segment with the same span."""
    return replace(
        there,
        id=new_id(),
        judge_id=judge.id,
        judge=judge_json(judge),
        **subject_fields(plan),
        cost=None if there.cost is None else 0.0,
        tokens_in=None if there.tokens_in is None else 0,
        tokens_out=None if there.tokens_out is None else 0,
        ms=0,
        calls=0,
        cached_from=there.cached_from or there.id,
        at=utc_now(),
        program_version=__version__,
    )


_MAX_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class JudgmentBatch:
    """Judgments that a run hands over at once."""

    judgments: tuple[Judgment, ...]


class Delivery:
    """Stores the answers of one run in batches. Belongs to one event loop."""

    def __init__(self, holder: JobHost) -> None:
        self._holder = holder
        self._waiting: list[Judgment] = []
        self._kept = asyncio.Event()
        self._news = asyncio.Event()
        self._under_way: asyncio.Task[None] | None = None

    async def store(self, judgment: Judgment) -> None:
        """Store an answer; returns when it is in the study."""
        self._waiting.append(judgment)
        self._news.set()
        await self._kept.wait()

    def wake(self) -> None:
        """Have `deliver` check whether the run is over."""
        self._news.set()

    async def deliver(self, over: Callable[[], bool], say: Callable[[], None]) -> None:
        """Store answers as they arrive, until the run is over and all are stored.

        Answers that arrive while others are written form the next batch. If this process writes them itself, it then
        waits as long as writing took, so that a slow disk gets larger batches.
        """
        while True:
            began = time.monotonic()
            if self._waiting and self._holder.threadsafe:
                batch, stored = self._take_waiting()
                self._under_way = asyncio.create_task(
                    asyncio.to_thread(self._holder.part, dump(JudgmentBatch(tuple(batch))))
                )
                await asyncio.shield(self._under_way)
                stored.set()
            else:
                self.flush()
            took = time.monotonic() - began
            say()
            if over() and not self._waiting:
                return
            await self._news.wait()
            self._news.clear()
            if not self._holder.threadsafe:
                await asyncio.sleep(min(took, _MAX_PAUSE_S))

    def flush(self) -> None:
        """Store the waiting answers at once."""
        batch, stored = self._take_waiting()
        if batch:
            self._holder.part(dump(JudgmentBatch(tuple(batch))))
        stored.set()

    async def finish(self) -> None:
        """Wait for the batch that is being written; errors are raised by `deliver`."""
        if self._under_way is not None:
            await asyncio.gather(self._under_way, return_exceptions=True)

    def _take_waiting(self) -> tuple[list[Judgment], asyncio.Event]:
        """Return the waiting answers and the event that is set once they are stored."""
        batch, stored = self._waiting, self._kept
        self._waiting, self._kept = [], asyncio.Event()
        return batch, stored


def build_judgment(
    plan: InputPlan,
    entry: JudgeEntry,
    request_key: str,
    reply: Reply,
    messages: Sequence[Message] = (),
    *,
    seed: int = 0,
    key: str = "",
    annotator_id: str | None = None,
) -> Judgment:
    """Return the judgment of a reply.

    The key of the judge's server is removed from all texts; `annotator_id` is that of a person who answered.
    """
    return Judgment(
        id=new_id(),
        judge_id=entry.id,
        judge=judge_json(entry),
        annotator_id=annotator_id,
        **subject_fields(plan),
        task=plan.task,
        variant=plan.variant,
        seed=seed,
        prompt=plan.prompt,
        prompt_sha256=prompt_sha256(plan),
        request_key=request_key,
        sight=plan.as_record(messages),
        status=reply.status,
        answer=cast(dict[str, Json], _clean_json(dict(reply.answer), key)),
        raw=_clean_text(reply.raw, key),
        thinking=_clean_text(reply.thinking, key),
        mended=str(reply.mended),
        model_id=_clean_text(reply.model_id, key),
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost=reply.cost,
        ms=reply.ms,
        calls=reply.calls,
        error=" ".join(_clean_text(reply.error, key).split()),
        cached_from=None,
        at=utc_now(),
        program_version=__version__,
    )


def _clean_json(found: Json, key: str) -> Json:
    """Return an answer without the key of its server, and without lone surrogates, which cannot be encoded."""
    if isinstance(found, str):
        return _clean_text(found, key)
    if isinstance(found, list):
        return [_clean_json(value, key) for value in found]
    if isinstance(found, dict):
        return {_clean_text(name, key): _clean_json(value, key) for name, value in found.items()}
    return found


def _clean_text(text: str, key: str) -> str:
    return redact_key(text, key).encode("utf-8", "replace").decode()


def answer_key(task: str, part: str) -> str:
    """Return the key of an answer in a run, `TASK` or `TASK/PART`, as for truths of items."""
    return f"{task}/{base_part(part)}" if part else task


def run_answers(runs: Mapping[str, str], judgments: Iterable[Judgment]) -> list[RunAnswer]:
    """Return the answers of judgments in runs, by the id of the judge; failed ones are left out and asked again."""
    return [
        RunAnswer(runs[judgment.judge_id], judgment.item_id, answer_key(judgment.task, judgment.part), judgment.id)
        for judgment in judgments
        if judgment.item_id and judgment.judge_id in runs and judgment.status is not JudgmentStatus.ERROR
    ]
