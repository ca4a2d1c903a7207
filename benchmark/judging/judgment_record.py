"""What a study has answers to already: equal requests are not asked twice.

Hands answers over to whoever holds the study, as they arrive. What is kept of an answer. Judgments as JSON, on their
way from where judges are asked to where the study is. Which judgments are the answers of runs of the benchmark, noted
in the moment in which they are stored.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from benchmark.judging.judge_keys import redact_key
from benchmark.judging.judge_worker import JudgeWorker, RunItem
from benchmark.judging.run_config import JudgeInput, RunConfig
from models.judges.judge_interface import Reply
from project.entities.frozen_items import RunAnswer
from project.entities.judgments import (
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTargetKind,
    Modality,
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

_FIELDS = [field.name for field in fields(Judgment)]


def judge_json(judge_entry: JudgeEntry) -> dict[str, Json]:
    """Return a judge as its judgments keep it."""
    return {
        "name": judge_entry.name,
        "backend": judge_entry.backend,
        "model": judge_entry.model,
        "settings": dict(judge_entry.settings),
    }


def judgment_json(judgment: Judgment) -> dict[str, Json]:
    """Return a judgment as a JSON object."""
    found: dict[str, Any] = {name: getattr(judgment, name) for name in _FIELDS}
    return found | {
        "judge": dict(judgment.judge),
        "sight": dict(judgment.sight),
        "answer": dict(judgment.answer),
        "status": judgment.status.value,
        "modality": judgment.modality.value,
    }


def read_judgment(found: Mapping[str, Json]) -> Judgment:
    """Read what `judgment_json` made."""
    values: dict[str, Any] = {name: found[name] for name in _FIELDS}
    return Judgment(**{**values, "status": JudgmentStatus(values["status"]), "modality": Modality(values["modality"])})


def subject_fields(key: str, state: str, modality: Modality) -> dict[str, Any]:
    """Return the fields of a judgment that say what it is about, and what was shown of it.

    Args:
        key: `About.key`.
        state: of a question or a chain; "" for anything else.
        modality: what was shown.
    """
    about = parse_target(key)
    ids = {subject: about.id if about.kind is subject else "" for subject in JudgmentTargetKind}
    return {
        "segment_id": ids[JudgmentTargetKind.SEGMENT],
        "question_id": ids[JudgmentTargetKind.QUESTION],
        "chain_id": ids[JudgmentTargetKind.CHAIN],
        "item_id": ids[JudgmentTargetKind.ITEM],
        "part": about.part,
        "state": state,
        "modality": modality,
    }


FINAL_STATUSES = (JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED)
"""What came back without an answer and would again; an error is worth another try."""


@dataclass(frozen=True, slots=True)
class CacheLookup:
    """What a study says about requests.

    Attributes:
        judgments: that are there already, in the order of the requests.
        missing: requests that have to be made.
        changes: judgments that were added, because another segment had the same answer.
    """

    judgments: tuple[Judgment, ...]
    missing: tuple[RunItem, ...]
    changes: Changes


def look_up_cache(
    session: Session,
    items: Sequence[RunItem],
    judges: Sequence[JudgeEntry],
    *,
    again: bool = False,
    fresh: bool = False,
) -> CacheLookup:
    """Return what is there of requests, and which have to be made.

    An answer to the same request about another segment, such as somebody else's of the same moment, becomes a judgment
    of this segment too, which names the one it is from.

    Args:
        session: that knows the study.
        items: the requests.
        judges: of the run, by the position that items give.
        again: ask again what was refused or could not be read.
        fresh: ask again whatever is there.
    """
    if fresh:
        return CacheLookup((), tuple(items), Changes())
    own: dict[tuple[str, str, str], Judgment] = {}
    answers: dict[str, Judgment] = {}
    for judgment in judgments_by_request(session.study, [item.request_key for item in items]):
        if judgment.status is JudgmentStatus.OK:
            own[judgment.request_key, judgment.judge_id, judgment.target.key] = judgment
            answers[judgment.request_key] = judgment
        elif judgment.status in FINAL_STATUSES and not again:
            own.setdefault((judgment.request_key, judgment.judge_id, judgment.target.key), judgment)
    found: list[Judgment] = []
    added: list[Judgment] = []
    still_open: list[RunItem] = []
    for item in items:
        judge = judges[item.judge]
        here = own.get((item.request_key, judge.id, item.about))
        if here is not None:
            found.append(here)
        elif (there := answers.get(item.request_key)) is not None:
            added.append(_copy_judgment(there, item, judge))
            found.append(added[-1])
        else:
            still_open.append(item)
    if added:
        with session.study.run_transaction():
            insert_judgments(session.study, added)
    return CacheLookup(
        tuple(found), tuple(still_open), Changes.from_pairs(("judgment", judgment.id) for judgment in added)
    )


def _copy_judgment(there: Judgment, item: RunItem, judge: JudgeEntry) -> Judgment:
    """Return an answer as one of another judge of the same kind, or about another segment of the same stretch."""
    return replace(
        there,
        id=new_id(),
        judge_id=judge.id,
        judge=judge_json(judge),
        recording_id=item.recording_id,
        **subject_fields(item.about, item.state, item.modality),
        start_us=item.start_us,
        end_us=item.end_us,
        condition=item.condition,
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


class Delivery:
    """The way of the answers of one run into the study. Belongs to one event loop."""

    def __init__(self, holder: JobHost) -> None:
        self._holder = holder
        self._waiting: list[Judgment] = []
        self._kept = asyncio.Event()
        self._news = asyncio.Event()
        self._under_way: asyncio.Task[None] | None = None

    async def store(self, judgment: Judgment) -> None:
        """Return when an answer is in the study."""
        self._waiting.append(judgment)
        self._news.set()
        await self._kept.wait()

    def wake(self) -> None:
        """Have `deliver` look whether it is over."""
        self._news.set()

    async def deliver(self, over: Callable[[], bool], say: Callable[[], None]) -> None:
        """Hand over answers as they arrive; ends when all are handed over and no more come.

        Those that arrive while others are written are handed over together; where this process writes them itself, it
        waits for more as long as writing took: a disk that is slow is asked less often.

        Args:
            over: whether no more answers come.
            say: called whenever some were handed over.

        Raises:
            UserError: an answer could not be stored.
        """
        while True:
            began = time.monotonic()
            if self._waiting and self._holder.threadsafe:
                new, kept = self._take_waiting()
                self._under_way = asyncio.create_task(asyncio.to_thread(self._holder.part, _part_json(new)))
                await asyncio.shield(self._under_way)
                kept.set()
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
        """Hand over what waits, at once.

        Raises:
            UserError: an answer could not be stored.
        """
        new, kept = self._take_waiting()
        if new:
            self._holder.part(_part_json(new))
        kept.set()

    async def finish(self) -> None:
        """Let end what is being handed over; nothing is raised, since `deliver` does that."""
        if self._under_way is not None:
            await asyncio.gather(self._under_way, return_exceptions=True)

    def _take_waiting(self) -> tuple[list[Judgment], asyncio.Event]:
        """Take the answers that are to be handed over, and what those who wait for that are told by."""
        new, kept = self._waiting, self._kept
        self._waiting, self._kept = [], asyncio.Event()
        return new, kept


def _part_json(new: Sequence[Judgment]) -> dict[str, Json]:
    return {"judgments": [judgment_json(judgment) for judgment in new]}


def build_judgment(setting: RunConfig, lane: JudgeWorker, item: RunItem, sight: JudgeInput, reply: Reply) -> Judgment:
    """Return the judgment that an answer is; the key of the judge's server is in none of its texts."""
    entry = lane.entry
    return Judgment(
        id=new_id(),
        judge_id=entry.id,
        judge=judge_json(entry),
        annotator_id=None,
        recording_id=item.recording_id,
        **subject_fields(item.about, item.state, item.modality),
        start_us=item.start_us,
        end_us=item.end_us,
        task=setting.task,
        variant=setting.variant,
        condition=item.condition,
        seed=setting.seed,
        prompt=sight.prompt,
        prompt_sha256=sight.prompt_sha256,
        request_key=item.request_key,
        sight=sight.record,
        status=reply.status,
        answer=cast(dict[str, Json], _clean_json(dict(reply.answer), lane.key)),
        raw=_clean_text(reply.raw, lane.key),
        thinking=_clean_text(reply.thinking, lane.key),
        mended=str(reply.mended),
        model_id=_clean_text(reply.model_id, lane.key),
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost=reply.cost,
        ms=reply.ms,
        calls=reply.calls,
        error=" ".join(_clean_text(reply.error, lane.key).split()),
        cached_from=None,
        at=utc_now(),
        program_version=__version__,
    )


def _clean_json(found: Json, key: str) -> Json:
    """Return an answer without the key of its server, and without halves of characters, which no file takes."""
    if isinstance(found, str):
        return _clean_text(found, key)
    if isinstance(found, list):
        return [_clean_json(one, key) for one in found]
    if isinstance(found, dict):
        return {_clean_text(name, key): _clean_json(one, key) for name, one in found.items()}
    return found


def _clean_text(text: str, key: str) -> str:
    return redact_key(text, key).encode("utf-8", "replace").decode()


RUNS_KEY = "runs"
"""Parameter of a work: judge id -> run id."""


def answer_key(task: str, part: str) -> str:
    """Return what an answer of a run goes by, `TASK` or `TASK/PART`, as truths of items do.

    Args:
        task: key of `benchmark/prompts/judge_prompt.py`.
        part: of the item, as it was asked about, with the judgment that it names or without.
    """
    return f"{task}/{base_part(part)}" if part else task


def run_answers(parameters: Mapping[str, Json], judgments: Iterable[Judgment]) -> list[RunAnswer]:
    """Return the answers that judgments are in the runs of a work; what failed is asked again, and is none."""
    runs = cast(Mapping[str, str], parameters.get(RUNS_KEY, {}))
    return [
        RunAnswer(runs[judgment.judge_id], judgment.item_id, answer_key(judgment.task, judgment.part), judgment.id)
        for judgment in judgments
        if judgment.item_id and judgment.judge_id in runs and judgment.status is not JudgmentStatus.ERROR
    ]
