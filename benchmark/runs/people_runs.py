"""People as judges: they answer the items of a set one by one, with the conversation, frames and form that models get.

Each person has a shuffled order of their own. An answer is in the study before the next item is shown, and people can
interrupt and resume.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from benchmark.disclosure.conditions import resolve_condition
from benchmark.judge_input.input_plan import ITEM_SETTINGS, InputSettings
from benchmark.judge_input.judged_subjects import locate_target
from benchmark.judging.judgment_record import answer_key
from benchmark.judging.person_judge import (
    PersonTask,
    ensure_annotator,
    person_entry,
    person_request_key,
    plan_person_task,
)
from benchmark.sets.frozen_sets import find_own_items
from benchmark.tasks.benchmark_task import SUITE, BenchmarkTask, Round
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
"""Setting of a run in which the person also answers items made from their own annotations."""
DONT_KNOW = "Said that they do not know."


@dataclass(frozen=True, slots=True)
class HumanRunOptions:
    """How a person answers a set.

    Attributes:
        shown: modality of the items.
        condition: `RAW_CONDITION`, a method, or the id of a rendering run.
        seed: of the order; another seed is another run, in which everything is asked again.
        include_own: ask items that were made from the person's own annotations too.
    """

    shown: ItemModality = ItemModality.TEXT_AND_VIDEO
    variant: str = "plain"
    condition: str = RAW_CONDITION
    seed: int = 0
    include_own: bool = False


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """One question about an item."""

    item_id: str
    task: str
    part: str = ""

    @property
    def about(self) -> str:
        return JudgmentTarget(JudgmentTargetKind.ITEM, self.item_id, self.part).key


@dataclass(frozen=True, slots=True)
class HumanItemQueue:
    """The progress of a person in a set.

    Attributes:
        is_started: the run is in the study.
        questions: all questions in their order.
        statuses: of the answers so far.
        own_count: items that are left out because they were made from their own annotations.
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
        return tuple(question for question in self.questions if question not in self.statuses)

    @property
    def refused_count(self) -> int:
        """How often the person did not know the answer."""
        return sum(status is JudgmentStatus.REFUSED for status in self.statuses.values())


def human_rounds(task: BenchmarkTask) -> tuple[Round, ...]:
    """Return the rounds that people are asked: those of models without follow-ups on their own answers."""
    return task.people or tuple(round_ for round_ in task.rounds if not round_.is_followup)


def input_settings(way: HumanRunOptions) -> InputSettings:
    """Return how much of an item is shown."""
    if way.shown is ItemModality.TEXT:
        return replace(ITEM_SETTINGS, frames=0)
    return replace(ITEM_SETTINGS, words=way.shown is ItemModality.TEXT_AND_VIDEO)


def read_queue(session: Session, item_set: ItemSet, way: HumanRunOptions = HumanRunOptions()) -> HumanItemQueue:
    """Return the progress of the session's annotator in a set; at most the annotator is added to the study."""
    who = ensure_annotator(session)
    entry, study = person_entry(session, who), session.study
    settings = {**entry.settings, OWN_SETTING: way.include_own}
    judge: dict[str, Json] = {"name": who.name, "backend": PERSON_BACKEND, "model": "", "settings": settings}
    run = BenchmarkRun(
        *(new_id(), item_set.id, entry.id, judge, who.id, way.variant, way.shown, way.condition, way.seed),
        *(utc_now(), __version__),
    )
    before = _find_same_run(session, run)
    items = items_of(study, item_set.id)
    own = find_own_items(session, items, who.id) if not way.include_own else frozenset()
    order = [item.id for item in items if item.id not in own]
    random.Random(f"{item_set.sha256} {who.id} {way.seed}").shuffle(order)
    hidden = _training_items(session, items)
    order = [item_id for item_id in order if item_id not in hidden]
    rounds = human_rounds(SUITE.make(item_set.task))
    asked = tuple(
        ItemQuestion(item_id, round_.task, part) for item_id in order for round_ in rounds for part in round_.parts
    )
    done = _read_statuses(session, before.id) if before is not None else {}
    return HumanItemQueue(item_set, before or run, way, before is not None, asked, done, len(own))


def start_run(session: Session, found: HumanItemQueue) -> tuple[HumanItemQueue, Changes]:
    """Store a run before its first question; answers from the same run without own items are copied to it."""
    if found.is_started:
        return found, Changes()
    study = session.study
    narrow = replace(found.run, judge=_judge_settings(found.run, own=False))
    before = _find_same_run(session, narrow)
    with study.run_transaction():
        insert_benchmark_run(study, found.run)
        if before is not None:
            insert_answers(study, [replace(answer, run_id=found.run.id) for answer in answers_of(study, before.id)])
    made = replace(found, is_started=True, statuses=_read_statuses(session, found.run.id))
    return made, Changes.from_pairs([("benchmark_run", found.run.id)])


def plan_question_task(session: Session, found: HumanItemQueue, asked: ItemQuestion) -> PersonTask:
    """Plan a question in the form that models get."""
    way, place = found.options, locate_target(session, parse_target(asked.about), told_chain=False)
    condition = resolve_condition(session, place.recording_id, way.condition)
    return plan_person_task(session, asked.about, asked.task, way.variant, condition, input_settings(way))


def find_equal_answer(session: Session, found: HumanItemQueue, planned: PersonTask) -> Judgment | None:
    """Return the answer of this run to an equal request; an item can be in several draws."""
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
    """Store an answer for another item with an equal request."""
    again = replace(
        there,
        id=new_id(),
        item_id=asked.item_id,
        part=asked.part,
        ms=0,
        cached_from=there.cached_from or there.id,
        at=utc_now(),
    )
    return save_judgment(session, found, asked, again)


def save_judgment(
    session: Session, found: HumanItemQueue, asked: ItemQuestion, made: Judgment
) -> tuple[HumanItemQueue, Changes]:
    """Store what a person answered, or that they do not know, which counts as refused and is not asked again."""
    kept = RunAnswer(found.run.id, asked.item_id, answer_key(asked.task, asked.part), made.id)
    with session.study.run_transaction():
        insert_judgments(session.study, [made])
        insert_answers(session.study, [kept])
    changes = Changes.from_pairs([("judgment", made.id), ("benchmark_answer", found.run.id)])
    return replace(found, statuses={**found.statuses, asked: made.status}), changes


def unanswered_item_ids(session: Session, item_set: ItemSet, *, answering: bool | None = None) -> frozenset[str]:
    """Return the items that the session's annotator still has to answer in runs that were started.

    Right answers of these must not be shown to them, nor those of recordings in a training round.

    Args:
        session: of the annotator.
        item_set: the set.
        answering: whether they can answer; None for whether the study is writable. Pass True for the read-only session
            of somebody who can answer.
    """
    found = {*_training_items(session, items_of(session.study, item_set.id))}
    who = session.annotator()
    if who is None or not (not session.study.read_only if answering is None else answering):
        return frozenset(found)
    for run in benchmark_runs(session.study, item_set.id):
        if run.annotator_id == who.id and run.judge.get("backend") == PERSON_BACKEND:
            found |= {question.item_id for question in read_queue(session, item_set, run_options(run)).remaining}
    return frozenset(found)


def _training_items(session: Session, items: Iterable[FrozenItem]) -> frozenset[str]:
    """Return ids of the items of recordings in which a training round hides segments.

    The existence of an item alone reveals that somebody marked its span, or that nobody did.
    """
    places = recordings_with_hidden(session.study)
    return frozenset(item.id for item in items if item.recording_id in places) if places else frozenset()


def run_options(run: BenchmarkRun) -> HumanRunOptions:
    """Return the options of the run of a person."""
    settings = run.judge.get("settings")
    own = isinstance(settings, dict) and settings.get(OWN_SETTING) is True
    return HumanRunOptions(run.shown, run.variant, run.condition, run.seed, own)


def _read_statuses(session: Session, run_id: str) -> dict[ItemQuestion, JudgmentStatus]:
    ids = [answer.judgment_id for answer in answers_of(session.study, run_id)]
    return {
        ItemQuestion(judgment.item_id, judgment.task, judgment.part): judgment.status
        for judgment in find_judgments(session.study, ids)
    }


def _judge_settings(run: BenchmarkRun, *, own: bool) -> dict[str, Json]:
    settings = run.judge.get("settings")
    return {**run.judge, "settings": {**(settings if isinstance(settings, dict) else {}), OWN_SETTING: own}}


def _find_same_run(session: Session, run: BenchmarkRun) -> BenchmarkRun | None:
    """Return the run of the same person with the same options over the same set, whatever their name is."""
    return next(
        (
            other
            for other in benchmark_runs(session.study, run.set_id)
            if other.annotator_id == run.annotator_id and run_options(other) == run_options(run)
        ),
        None,
    )
