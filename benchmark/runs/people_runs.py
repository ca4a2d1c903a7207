"""People as judges: the items of a set, one after the other, in the words and the form in which models get them.

The order is shuffled anew for each person, so that nobody answers in the order of another. An answer is in the study
before the next item is shown, and who comes back later goes on where they left off.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from benchmark.disclosure.conditions import resolve_condition
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judge_input.judged_subjects import locate_target
from benchmark.judging.judgment_record import answer_key
from benchmark.judging.person_judge import (
    PersonTask,
    ensure_annotator,
    person_entry,
    person_judgment,
    person_request_key,
    plan_person_task,
    refusal_judgment,
)
from benchmark.sets.frozen_sets import find_own_items
from benchmark.tasks.benchmark_task import BenchmarkTask, Round
from benchmark.tasks.benchmark_task import get_benchmark_task as task_called
from models.judges.judge_interface import Message
from project.entities.frozen_items import BenchmarkRun, FrozenItem, ItemModality, ItemSet, RunAnswer
from project.entities.judgments import (
    PERSON_BACKEND,
    RAW_CONDITION,
    Judgment,
    JudgmentStatus,
    JudgmentTarget,
    JudgmentTargetKind,
    parse_target,
)
from project.entities.study_records import Changes, Json
from project.ids import new_id
from project.queries.annotator_rows import recordings_with_hidden
from project.queries.item_set_rows import answers_of, benchmark_runs, insert_answers, insert_benchmark_run, items_of
from project.queries.judgment_rows import find_judgments, insert_judgments, judgments_by_request
from project.session.session import Session
from project.timebase import utc_now
from project.version import __version__

OWN_SETTING = "own"
"""Setting of a run whose person also answered items that were made from their own annotations."""
DONT_KNOW = "Said that they do not know."
_USUAL = InputSettings()


@dataclass(frozen=True, slots=True)
class HumanRunOptions:
    """How a set is answered.

    Attributes:
        shown: what of the items.
        variant: of the prompt.
        condition: `RAW`, a method, or the id of a rendering run.
        seed: of the order; another one is another run, in which everything is asked again.
        include_own: whether items are asked that were made from the person's own annotations.
    """

    shown: ItemModality = ItemModality.TEXT_AND_VIDEO
    variant: str = "plain"
    condition: str = RAW_CONDITION
    seed: int = 0
    include_own: bool = False


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """One thing that is asked about an item."""

    item_id: str
    task: str
    part: str = ""

    @property
    def about(self) -> str:
        """The key by which it is asked about."""
        return JudgmentTarget(JudgmentTargetKind.ITEM, self.item_id, self.part).key


@dataclass(frozen=True, slots=True)
class HumanItemQueue:
    """How far somebody is with a set.

    Attributes:
        run: that their answers belong to.
        is_started: whether the study knows of it.
        questions: everything, in the order in which it is asked.
        statuses: what came of it so far.
        own_count: items that are left out because they were made from their own annotations.
        alone: what is asked of models only, such as what they are asked about their own answers.
    """

    item_set: ItemSet
    run: BenchmarkRun
    options: HumanRunOptions
    is_started: bool
    questions: tuple[ItemQuestion, ...]
    statuses: Mapping[ItemQuestion, JudgmentStatus]
    own_count: int

    @property
    def remaining(self) -> tuple[ItemQuestion, ...]:
        """What is still to be answered, in order."""
        return tuple(item_question for item_question in self.questions if item_question not in self.statuses)

    @property
    def refused_count(self) -> int:
        """How often they said that they do not know."""
        return sum(judgment_status is JudgmentStatus.REFUSED for judgment_status in self.statuses.values())

    @property
    def is_open(self) -> bool:
        """Whether it was begun and is not finished: what is right must not be shown to them yet."""
        return self.is_started and bool(self.remaining)


def human_rounds(task: BenchmarkTask) -> tuple[Round, ...]:
    """Return what people are asked about each item: what models are, but for what builds on a model's own answers."""
    return getattr(task, "people", None) or tuple(
        each_round for each_round in task.rounds if not each_round.is_followup
    )


def input_settings(way: HumanRunOptions) -> InputSettings:
    """Return how much of an item is seen."""
    if way.shown is ItemModality.TEXT:
        return replace(_USUAL, frames=0)
    return replace(_USUAL, words=way.shown is ItemModality.TEXT_AND_VIDEO)


def read_queue(session: Session, item_set: ItemSet, way: HumanRunOptions = HumanRunOptions()) -> HumanItemQueue:
    """Return how far who works here is with a set; writes nothing but who they are.

    Raises:
        UserError: nobody said who works here, nothing can be written, or the benchmark has no such task.
    """
    who = ensure_annotator(session)
    entry, study = person_entry(session, who), session.study
    settings = {**entry.settings, OWN_SETTING: way.include_own}
    judge: dict[str, Json] = {"name": who.name, "backend": PERSON_BACKEND, "model": "", "settings": settings}
    run = BenchmarkRun(
        *(new_id(), item_set.id, entry.id, judge, who.id, way.variant, way.shown, way.condition, way.seed),
        *(utc_now(), __version__),
    )
    before = next(
        (benchmark_run for benchmark_run in benchmark_runs(study, item_set.id) if _is_same_run(benchmark_run, run)),
        None,
    )
    items = items_of(study, item_set.id)
    own = find_own_items(session, items, who.id) if not way.include_own else frozenset()
    order = [item.id for item in items if item.id not in own]
    random.Random(f"{item_set.sha256} {who.id} {way.seed}").shuffle(order)
    hidden = _training_items(session, items)
    order = [text for text in order if text not in hidden]
    rounds = human_rounds(task_called(item_set.task))
    asked = tuple(ItemQuestion(text, each.task, part) for text in order for each in rounds for part in each.parts)
    done = _read_statuses(session, before.id) if before is not None else {}
    return HumanItemQueue(item_set, before or run, way, before is not None, asked, done, len(own))


def start_run(session: Session, found: HumanItemQueue) -> tuple[HumanItemQueue, Changes]:
    """Let the study know of a run before its first question; what of it was answered without own items counts in it."""
    if found.is_started:
        return found, Changes()
    study = session.study
    narrow = replace(found.run, judge=_judge_settings(found.run, own=False))
    before = next(
        (
            benchmark_run
            for benchmark_run in benchmark_runs(study, found.item_set.id)
            if _is_same_run(benchmark_run, narrow)
        ),
        None,
    )
    with study.run_transaction():
        insert_benchmark_run(study, found.run)
        if before is not None:
            insert_answers(study, [replace(answer, run_id=found.run.id) for answer in answers_of(study, before.id)])
    made = replace(found, is_started=True, statuses=_read_statuses(session, found.run.id))
    return made, Changes.from_pairs([("benchmark_run", found.run.id)])


def plan_question_task(session: Session, found: HumanItemQueue, asked: ItemQuestion) -> PersonTask:
    """Plan what a person is asked, as models are.

    Raises:
        UserError: it cannot be asked; see `plan_sight`.
    """
    way, place = found.options, locate_target(session, parse_target(asked.about), told_chain=False)
    condition = resolve_condition(session, place.recording_id, way.condition)
    return plan_person_task(session, asked.about, asked.task, way.variant, condition, input_settings(way))


def find_equal_answer(session: Session, found: HumanItemQueue, planned: PersonTask) -> Judgment | None:
    """Return what was answered in this run to an equal request: an item may be in several draws of a set."""
    key = person_request_key(planned.plan, found.run.annotator_id or "")
    there = [
        judgment
        for judgment in judgments_by_request(session.study, [key])
        if judgment.annotator_id == found.run.annotator_id
    ]
    ids = {answer.judgment_id for answer in answers_of(session.study, found.run.id)} if there else set()
    return next((judgment for judgment in there if judgment.id in ids), None)


def repeat_answer(
    session: Session, found: HumanItemQueue, asked: ItemQuestion, there: Judgment
) -> tuple[HumanItemQueue, Changes]:
    """Let an answer count for another item that asks the same."""
    again = replace(
        there,
        id=new_id(),
        item_id=asked.item_id,
        part=asked.part,
        ms=0,
        cached_from=there.cached_from or there.id,
        at=utc_now(),
    )
    return _store_judgment(session, found, asked, again)


def save_item_answer(
    session: Session,
    found: HumanItemQueue,
    asked: ItemQuestion,
    planned: PersonTask,
    values: Mapping[str, Json],
    ms: int,
    messages: tuple[Message, ...] = (),
) -> tuple[HumanItemQueue, Changes]:
    """Store what a person answered.

    Args:
        session: whose annotator answers.
        found: their queue, which has begun.
        asked: what of it.
        planned: what they were shown.
        values: by the keys of the form's fields.
        ms: from when everything was shown until they saved.
        messages: what they were shown, as it was built.

    Raises:
        UserError: something in it is missing or does not fit; nothing is stored.
    """
    return _store_judgment(session, found, asked, person_judgment(session, planned, values, ms, messages))


def save_refusal(
    session: Session,
    found: HumanItemQueue,
    asked: ItemQuestion,
    planned: PersonTask,
    ms: int,
    messages: tuple[Message, ...] = (),
) -> tuple[HumanItemQueue, Changes]:
    """Store that a person does not know; it is counted apart, and not asked again."""
    return _store_judgment(session, found, asked, refusal_judgment(session, planned, ms, messages, DONT_KNOW))


def unanswered_item_ids(session: Session, item_set: ItemSet, *, answering: bool | None = None) -> frozenset[str]:
    """Return the items of a set that who works here has begun to answer and not answered yet.

    What is right about these must not be shown to them, nor about those of recordings on which they train.

    Args:
        session: of who works here.
        item_set: that is looked at.
        answering: whether they can answer; where the study can be written to by default. A second look into the study
            of somebody who can answer is told so.
    """
    found = {*_training_items(session, items_of(session.study, item_set.id))}
    who = session.annotator()
    if who is None or not (not session.study.read_only if answering is None else answering):
        return frozenset(found)
    for run in benchmark_runs(session.study, item_set.id):
        if run.annotator_id == who.id and run.judge.get("backend") == PERSON_BACKEND:
            found |= {
                item_question.item_id for item_question in read_queue(session, item_set, run_options(run)).remaining
            }
    return frozenset(found)


def _training_items(session: Session, items: Iterable[FrozenItem]) -> frozenset[str]:
    """Return ids of the items of recordings of which something is hidden while somebody trains.

    A stretch that is an item at all tells that somebody marked something there, or that nobody did.
    """
    places = recordings_with_hidden(session.study)
    return frozenset(item.id for item in items if item.recording_id in places) if places else frozenset()


def run_options(run: BenchmarkRun) -> HumanRunOptions:
    """Return how a person answered in a run."""
    settings = run.judge.get("settings")
    own = isinstance(settings, dict) and settings.get(OWN_SETTING) is True
    return HumanRunOptions(run.shown, run.variant, run.condition, run.seed, own)


def _store_judgment(
    session: Session, found: HumanItemQueue, asked: ItemQuestion, made: Judgment
) -> tuple[HumanItemQueue, Changes]:
    kept = RunAnswer(found.run.id, asked.item_id, answer_key(asked.task, asked.part), made.id)
    with session.study.run_transaction():
        insert_judgments(session.study, [made])
        insert_answers(session.study, [kept])
    changes = Changes.from_pairs([("judgment", made.id), ("benchmark_answer", found.run.id)])
    return replace(found, statuses={**found.statuses, asked: made.status}), changes


def _read_statuses(session: Session, run_id: str) -> dict[ItemQuestion, JudgmentStatus]:
    ids = [answer.judgment_id for answer in answers_of(session.study, run_id)]
    return {
        ItemQuestion(judgment.item_id, judgment.task, judgment.part): judgment.status
        for judgment in find_judgments(session.study, ids)
    }


def _judge_settings(run: BenchmarkRun, *, own: bool) -> dict[str, Json]:
    settings = run.judge.get("settings")
    return {**run.judge, "settings": {**(settings if isinstance(settings, dict) else {}), OWN_SETTING: own}}


def _is_same_run(benchmark_run: BenchmarkRun, other: BenchmarkRun) -> bool:
    """Tell whether two runs are of one person who is asked in one way; they may be called otherwise by now."""
    return benchmark_run.annotator_id == other.annotator_id and run_options(benchmark_run) == run_options(other)
