"""The questions of several runs, as works that one may do here, in the window's queue or on a cluster.

Runs a benchmark from its first question to its last, here or on a cluster.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from benchmark.cluster.coordinator import JobResult, run_jobs
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.ask_job import merge_results, prepare
from benchmark.judging.judge_worker import RunItem
from benchmark.judging.judgment_record import RUNS_KEY, answer_key, look_up_cache, run_answers
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_config import AskRequest, Payload, read_payload
from benchmark.judging.run_outcome import Note, RunOutcome, read_outcome
from benchmark.runs.run_plan import BenchmarkRequest, RunGroup, StartedRuns, start_runs
from benchmark.tasks.benchmark_task import Round, get_benchmark_task
from project.entities.frozen_items import BenchmarkRun, ItemModality
from project.entities.judgments import (
    JudgeEntry,
    Judgment,
    JudgmentTarget,
    JudgmentTargetKind,
    followup_part,
    parse_target,
)
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.progress import Progress
from project.queries.item_set_rows import answers_of, insert_answers, usable_answers
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import pluralize


@dataclass(frozen=True, slots=True)
class _Step:
    """One request to some judges of a leg."""

    group: RunGroup
    round: Round
    judges: Sequence[JudgeEntry]
    about: Sequence[str]


@dataclass(slots=True)
class _UnderWay:
    """A work that was given out.

    Attributes:
        duplicates: requests that are equal to one of the work, and take its answer.
    """

    step: _Step
    payload: Payload
    duplicates: Sequence[RunItem] = field(default_factory=tuple)


class BenchmarkScheduler:
    """Everything that several runs have to ask, one round after the other. It is used by the thread of its session.

    Attributes:
        outcome: of all that was asked so far; its notes say what was not, and why.
        cached: answers that were there already.
        total: questions, about: how many a later round has shows when the one before is over.
        settled: questions that need no more asking in this course.
    """

    def __init__(
        self, session: Session, wanted: BenchmarkRequest, begun: StartedRuns, *, at_once: bool = False
    ) -> None:
        """Make it; nothing is asked yet.

        Args:
            session: of the study.
            wanted: what the runs were begun for.
            begun: the runs.
            at_once: whether `next` returns a round of every leg together, to be done at the same time; else one work
                after the other. Under a budget always the latter.
        """
        self.outcome = RunOutcome()
        self.outcome.notes += begun.refusals.notes
        self.cached = 0
        self.settled = 0
        self.changes = begun.changes
        self._session, self._wanted = session, wanted
        self._left = wanted.budget
        self._at_once = at_once and wanted.budget == Limits()
        self._legs = [_iter_rounds(session, run_group) for run_group in begun.groups]
        self._flat = (step for steps in self._legs for group in steps for step in group)
        self._given: dict[str, _UnderWay] = {}
        self.total = sum(
            len(leg.items)
            * len(leg.judges)
            * sum(len(each_round.parts) for each_round in get_benchmark_task(leg.item_set.task).rounds)
            for leg in begun.groups
        )

    def next_jobs(self, progress: Progress) -> list[JobSpec]:
        """Return what is to be asked next; [] when everything was.

        Raises:
            UserError: the judges' prices are in several currencies, and one budget is to hold them.
            RuntimeError: a work that was given out has not ended.
        """
        if self._given:
            raise RuntimeError("a round begins when the one before is over")
        if not self._at_once:
            for step in self._flat:
                if (work := self._make_job(step, progress)) is not None:
                    return [work]
            return []
        while self._legs:
            groups = [(steps, next(steps, None)) for steps in self._legs]
            self._legs = [steps for steps, group in groups if group is not None]
            asked = [self._make_job(step, progress) for _, group in groups for step in group or ()]
            if works := [job_spec for job_spec in asked if job_spec is not None]:
                return works
        return []

    def finish_job(self, work: JobSpec, result: Mapping[str, Json] | None, error: UserError | None = None) -> None:
        """Take note of what came of a work that `next` gave out.

        Args:
            work: as it was given out.
            result: of the job; None where it failed.
            error: why it failed, or a part of it.

        Raises:
            UserError: it failed under a budget, and nobody knows what it spent.
        """
        under_way = self._given.pop(str(work.parameters["run"]))
        items = [*under_way.payload.items, *under_way.duplicates]
        self._store_late_answers(under_way.step.group, replace(under_way.payload, items=tuple(items)))
        self.settled += len(items)
        if result is not None:
            self._add_outcome(read_outcome(result))
        if error is not None:
            if self._wanted.budget != Limits():
                raise error
            self.outcome.add_note(None, "", error)
            self.outcome.notes[-1].about.clear()

    def _make_job(self, step: _Step, progress: Progress) -> JobSpec | None:
        """Return what of a step has to be asked, after noting what is answered already."""
        leg, request = step.group, self._ask_request(step)
        answered = _answered_keys(self._session, leg)
        if not request.about:
            return None
        asking = prepare(self._session, request, progress)
        self.changes |= asking.changes
        self._store_answers(leg, asking.cached)
        self._merge_notes(asking.notes)
        self.cached += len(asking.cached)
        self.settled += len(asking.cached) + sum(len(note.about) for note in asking.notes)
        if asking.job is None:
            return None
        payload = read_payload(asking.job.parameters)
        first, later = self._split_duplicates(
            [
                item
                for item in payload.items
                if (leg.runs[payload.entries[item.judge].id].id, *_item_key(item.about, step.round.task))
                not in answered
            ]
        )
        self.settled += len(payload.items) - len(first) - len(later)
        if not first:
            return None
        runs: dict[str, Json] = {judge.id: leg.runs[judge.id].id for judge in leg.judges}
        asked = payload.with_items(first)
        parameters = {**asking.job.parameters, **asked.as_json(), RUNS_KEY: runs}
        work = replace(asking.job, title=_job_title(step, asked), parameters=parameters)
        self._given[str(parameters["run"])] = _UnderWay(step, asked, later)
        return work

    def _ask_request(self, step: _Step) -> AskRequest:
        wanted, leg = self._wanted, step.group
        return AskRequest(
            step.judges,
            step.about,
            step.round.task,
            wanted.variant,
            leg.condition,
            wanted.seed,
            InputSettings(words=leg.shown is not ItemModality.VIDEO),
            0 if leg.shown is ItemModality.TEXT else None,
            self._left,
            wanted.again,
            wanted.fresh,
        )

    def _split_duplicates(self, items: Sequence[RunItem]) -> tuple[list[RunItem], list[RunItem]]:
        """Return requests that no other equals, and those that take the answer of one of them.

        An item that stands in several draws is asked once, unless everything is to be asked anew.
        """
        if self._wanted.fresh:
            return [*items], []
        seen: set[tuple[int, str]] = set()
        first: list[RunItem] = []
        later: list[RunItem] = []
        for item in items:
            key = (item.judge, item.request_key)
            (later if key in seen else first).append(item)
            seen.add(key)
        return first, later

    def _store_late_answers(self, leg: RunGroup, payload: Payload) -> None:
        """Note what has an answer by now and is not noted yet: what equals another, or was answered meanwhile."""
        if self._wanted.fresh:
            return
        answered = _answered_keys(self._session, leg)
        left = [
            item
            for item in payload.items
            if (leg.runs[payload.entries[item.judge].id].id, *_item_key(item.about, payload.task)) not in answered
        ]
        known = look_up_cache(self._session, left, payload.entries)
        self.changes |= known.changes
        self._store_answers(leg, known.judgments)

    def _store_answers(self, leg: RunGroup, judgments: Sequence[Judgment]) -> None:
        runs: dict[str, Json] = {judge: run.id for judge, run in leg.runs.items()}
        if answers := run_answers({RUNS_KEY: runs}, judgments):
            with self._session.study.run_transaction():
                insert_answers(self._session.study, answers)

    def _merge_notes(self, notes: Sequence[Note]) -> None:
        for note in notes:
            same = [
                each_note
                for each_note in self.outcome.notes
                if (each_note.judge_id, each_note.message) == (note.judge_id, note.message)
            ]
            if same:
                same[0].about += note.about
            else:
                self.outcome.notes.append(note)

    def _add_outcome(self, found: RunOutcome) -> None:
        money, tokens = self._left.money, self._left.tokens
        if money is not None:
            money = max(0.0, money - sum(found.money.values()))
        if tokens is not None:
            tokens = max(0, tokens - found.tokens_in - found.tokens_out)
        self._left = Limits(money, tokens)
        seconds = self.outcome.seconds + found.seconds
        self.outcome = read_outcome(merge_results([self.outcome.as_json(), found.as_json()]))
        self.outcome.seconds = round(seconds, 3)


def _iter_rounds(session: Session, leg: RunGroup) -> Iterator[list[_Step]]:
    """Yield the requests of one round after the other; what a round asks about is read when its turn comes."""
    for each_round in get_benchmark_task(leg.item_set.task).rounds:
        answered = _answered_keys(session, leg)
        if not each_round.is_followup:
            about = [
                JudgmentTarget(JudgmentTargetKind.ITEM, item.id, part).key
                for item in leg.items
                for part in each_round.parts
                if any(
                    (run.id, item.id, answer_key(each_round.task, part)) not in answered for run in leg.runs.values()
                )
            ]
            yield [_Step(leg, each_round, leg.judges, about)] if about else []
            continue
        steps = []
        for judge in leg.judges:
            run = leg.runs[judge.id]
            before = usable_answers(session.study, run.id)
            about = [
                JudgmentTarget(JudgmentTargetKind.ITEM, item.id, followup_part(part, said)).key
                for item in leg.items
                for part in each_round.parts
                if (said := before.get((item.id, part))) is not None
                and (run.id, item.id, answer_key(each_round.task, part)) not in answered
            ]
            if about:
                steps.append(_Step(leg, each_round, (judge,), about))
        yield steps


def _answered_keys(session: Session, leg: RunGroup) -> set[tuple[str, str, str]]:
    """Return run, item and key of all answers of a leg's runs."""
    return {
        (answer.run_id, answer.item_id, answer.part)
        for run in leg.runs.values()
        for answer in answers_of(session.study, run.id)
    }


def _item_key(key: str, task: str) -> tuple[str, str]:
    """Return the item of a request, and what its answer goes by."""
    about = parse_target(key)
    return about.id, answer_key(task, about.part)


def _job_title(step: _Step, payload: Payload) -> str:
    names = [payload.entries[at].name for at in sorted({item.judge for item in payload.items})]
    who = ", ".join(names) if len(names) <= 3 else f"{len(names)} judges"
    items = pluralize(len({parse_target(item.about).id for item in payload.items}), "item")
    return f"{step.group.item_set.name}: ask {who} about {items}"


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """What came of it.

    Attributes:
        runs: by set and condition.
        resumed_ids: ids of runs that were there already, and went on.
        notes: what was not asked, and why.
        outcome: of all that was asked now.
        cached: answers that were there already.
    """

    runs: tuple[BenchmarkRun, ...]
    resumed_ids: frozenset[str]
    notes: tuple[Note, ...]
    outcome: RunOutcome
    cached: int
    changes: Changes


def run_benchmark(
    session: Session, wanted: BenchmarkRequest, progress: Progress, scheduler: str = ""
) -> BenchmarkResult:
    """Ask the judges that are wanted about the sets that are wanted, and note each answer as it comes.

    It may be stopped at any moment, also by `kill -9`: run again, it asks what has no answer yet.

    Args:
        session: of the study, which it alone writes to.
        wanted: what is asked of whom.
        progress: told about all of it.
        scheduler: address of a Dask cluster that does it; "" for this machine.

    Raises:
        Cancelled: the user stopped it.
        UserError: nothing is wanted, the cluster went away, or a work failed under a budget; what was answered until
            then is in the study.
    """
    begun = start_runs(session, wanted)
    course = BenchmarkScheduler(session, wanted, begun, at_once=bool(scheduler))
    whole = _RunProgress(progress, course)
    changes = begun.changes

    def ended(done: JobResult) -> None:
        nonlocal changes
        changes |= done.changes
        course.finish_job(done.job, done.result, done.error)

    while works := course.next_jobs(whole.looking_up):
        whole.start_jobs(sum(len(cast(list[Json], work.parameters["requests"])) for work in works))
        run_jobs(session, works, whole, scheduler, ended=ended)
    outcome = course.outcome
    return BenchmarkResult(
        begun.runs, begun.resumed_ids, tuple(outcome.notes), outcome, course.cached, changes | course.changes
    )


class _RunProgress:
    """Tells how far all of it is, from how far the works under way are."""

    def __init__(self, progress: Progress, course: BenchmarkScheduler) -> None:
        self._progress, self._course = progress, course
        self._before, self._requests = 0, 0
        self.check_cancelled = progress.check_cancelled
        self.looking_up = _LookingUp(progress, course)

    def start_jobs(self, requests: int) -> None:
        """Begin with some works of so many requests."""
        self._before, self._requests = self._course.settled, requests

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Report how far these works are."""
        share = done / total if total else 0.0
        now = self._before + round(share * self._requests)
        self._progress.progress(min(now, self._course.total), max(self._course.total, 1), text)


class _LookingUp:
    """Tells that questions are put together; how many are over does not change by that."""

    def __init__(self, progress: Progress, course: BenchmarkScheduler) -> None:
        self._progress, self._course = progress, course
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, text: str = "") -> None:  # noqa: ARG002
        """Report it."""
        self._progress.progress(self._course.settled, max(self._course.total, 1), "looking up")
