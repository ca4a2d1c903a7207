"""Schedules the requests of several runs as jobs, round by round, and runs a whole benchmark, here or on a cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmark.cluster.coordinator import JobResult, run_jobs
from benchmark.judge_input.input_plan import ITEM_SETTINGS
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskParameters, AskRequest, RunItem, RunNote, RunOutcome
from benchmark.judging.judgment_record import answer_key, look_up_cache, run_answers
from benchmark.judging.run_budget import Limits
from benchmark.runs.run_plan import BenchmarkRequest, RunGroup, StartedRuns, start_runs
from benchmark.runs.run_settings import with_paper_defaults
from benchmark.tasks.benchmark_task import SUITE, Round
from project.entities.frozen_items import BenchmarkRun, ItemModality
from project.entities.judgments import (
    JudgeEntry,
    Judgment,
    JudgmentTarget,
    JudgmentTargetKind,
    followup_part,
    parse_target,
)
from project.entities.study_records import Changes
from project.errors import UserError
from project.progress import Progress
from project.queries.item_set_rows import answers_of, insert_answers, usable_answers
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import pluralize


@dataclass(frozen=True, slots=True)
class _Step:
    """One request to some judges of a group of runs."""

    group: RunGroup
    round: Round
    judges: Sequence[JudgeEntry]
    about: Sequence[str]


@dataclass(slots=True)
class _SubmittedJob:
    """A job that was returned by `next_jobs` and has not ended.

    Attributes:
        payload: its requests, and those that are equal to one of them and get its answer.
    """

    step: _Step
    payload: AskParameters


class BenchmarkScheduler:
    """Yields the jobs of several runs, one round after the other. It is used in the thread of its session.

    Attributes:
        outcome: of all requests so far; its notes say what was not asked, and why.
        cached: number of answers that existed already.
        total: estimated number of questions; the size of a follow-up round is only known after the round before.
        settled: number of questions that need no more asking.
    """

    def __init__(
        self, session: Session, wanted: BenchmarkRequest, begun: StartedRuns, *, at_once: bool = False
    ) -> None:
        """Create the scheduler; nothing is asked yet.

        Args:
            session: of the study.
            wanted: the request of the runs.
            begun: the runs.
            at_once: whether `next_jobs` returns a round of every group together, for parallel execution; otherwise, and
                always under a budget, one job after the other.
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
        self._given: dict[str, _SubmittedJob] = {}
        self.total = sum(
            len(leg.items)
            * len(leg.judges)
            * sum(len(task_round.parts) for task_round in SUITE.make(leg.item_set.task).rounds)
            for leg in begun.groups
        )

    def next_jobs(self, progress: Progress) -> list[JobSpec[AskParameters]]:
        """Return the next jobs; [] when everything was asked.

        Raises:
            RuntimeError: an earlier job has not ended.
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

    def finish_job(
        self, work: JobSpec[AskParameters], result: RunOutcome | None, error: UserError | None = None
    ) -> None:
        """Note the end of a job of `next_jobs`."""
        under_way = self._given.pop(work.parameters.run)
        self._store_late_answers(under_way.step.group, under_way.payload)
        self.settled += len(under_way.payload.items)
        if result is not None:
            self._add_outcome(result)
        if error is not None:
            if self._wanted.budget != Limits():
                raise error
            self.outcome.add_note(None, "", error)

    def _make_job(self, step: _Step, progress: Progress) -> JobSpec[AskParameters] | None:
        """Return the job for the unanswered requests of a step, after storing the known answers."""
        group, request = step.group, self._ask_request(step)
        answered = _answered_keys(self._session, group)
        if not request.about:
            return None
        asking = prepare(self._session, request, progress)
        self.changes |= asking.changes
        self._store_answers(group, asking.cached)
        self.outcome.add_notes(asking.notes)
        self.cached += len(asking.cached)
        self.settled += len(asking.cached) + sum(len(note.about) for note in asking.notes)
        if asking.job is None:
            return None
        payload = asking.job.parameters
        first, later = self._split_duplicates(
            [
                item
                for item in payload.items
                if (group.runs[payload.entries[item.judge].id].id, *_item_key(item.about, step.round.task))
                not in answered
            ]
        )
        self.settled += len(payload.items) - len(first) - len(later)
        if not first:
            return None
        runs = {judge.id: group.runs[judge.id].id for judge in group.judges}
        asked = replace(payload.with_items(first), benchmark_runs=runs)
        self._given[asked.run] = _SubmittedJob(step, payload.with_items([*first, *later]))
        return replace(asking.job, title=_job_title(step, asked), parameters=asked)

    def _ask_request(self, step: _Step) -> AskRequest:
        wanted, group = self._wanted, step.group
        return AskRequest(
            [with_paper_defaults(judge, group.item_set.task) for judge in step.judges],
            step.about,
            step.round.task,
            group.variant,
            group.condition,
            wanted.seed,
            replace(ITEM_SETTINGS, words=group.shown is not ItemModality.VIDEO),
            0 if group.shown is ItemModality.TEXT else None,
            self._left,
            wanted.again,
            wanted.fresh,
        )

    def _split_duplicates(self, items: Sequence[RunItem]) -> tuple[list[RunItem], list[RunItem]]:
        """Return unique requests, and duplicates that get the answer of one of them.

        An item in several draws is asked once, unless everything is asked again.
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

    def _store_late_answers(self, group: RunGroup, payload: AskParameters) -> None:
        """Store answers of requests that were answered meanwhile, such as duplicates."""
        if self._wanted.fresh:
            return
        answered = _answered_keys(self._session, group)
        left = tuple(
            item
            for item in payload.items
            if (group.runs[payload.entries[item.judge].id].id, *_item_key(item.about, payload.task)) not in answered
        )
        known = look_up_cache(self._session, replace(payload, items=left, again=False))
        self.changes |= known.changes
        self._store_answers(group, known.judgments)

    def _store_answers(self, group: RunGroup, judgments: Sequence[Judgment]) -> None:
        runs = {judge: run.id for judge, run in group.runs.items()}
        if answers := run_answers(runs, judgments):
            with self._session.study.run_transaction():
                insert_answers(self._session.study, answers)

    def _add_outcome(self, found: RunOutcome) -> None:
        money, tokens = self._left.money, self._left.tokens
        if money is not None:
            money = max(0.0, money - sum(found.money.values()))
        if tokens is not None:
            tokens = max(0, tokens - found.tokens_in - found.tokens_out)
        self._left = Limits(money, tokens)
        self.outcome.add(found)
        self.outcome.seconds = round(self.outcome.seconds + found.seconds, 3)


def _iter_rounds(session: Session, group: RunGroup) -> Iterator[list[_Step]]:
    """Yield the requests of one round after the other; a round is built when its turn comes."""
    for round_ in SUITE.make(group.item_set.task).rounds:
        answered = _answered_keys(session, group)
        if not round_.is_followup:
            about = [
                JudgmentTarget(JudgmentTargetKind.ITEM, item.id, part).key
                for item in group.items
                for part in round_.parts
                if any((run.id, item.id, answer_key(round_.task, part)) not in answered for run in group.runs.values())
            ]
            yield [_Step(group, round_, group.judges, about)] if about else []
            continue
        steps = []
        for judge in group.judges:
            run = group.runs[judge.id]
            before = usable_answers(session.study, run.id)
            about = [
                JudgmentTarget(JudgmentTargetKind.ITEM, item.id, followup_part(part, said)).key
                for item in group.items
                for part in round_.parts
                if (said := before.get((item.id, part))) is not None
                and (run.id, item.id, answer_key(round_.task, part)) not in answered
            ]
            if about:
                steps.append(_Step(group, round_, (judge,), about))
        yield steps


def _answered_keys(session: Session, group: RunGroup) -> set[tuple[str, str, str]]:
    """Return run, item and key of all answers of a group's runs."""
    return {
        (answer.run_id, answer.item_id, answer.part)
        for run in group.runs.values()
        for answer in answers_of(session.study, run.id)
    }


def _item_key(key: str, task: str) -> tuple[str, str]:
    """Return the item of a request and the key of its answer."""
    about = parse_target(key)
    return about.id, answer_key(task, about.part)


def _job_title(step: _Step, payload: AskParameters) -> str:
    names = [payload.entries[index].name for index in sorted({item.judge for item in payload.items})]
    who = ", ".join(names) if len(names) <= 3 else f"{len(names)} judges"
    items = pluralize(len({parse_target(item.about).id for item in payload.items}), "item")
    return f"{step.group.item_set.name}: ask {who} about {items}"


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """The result of a benchmark.

    Attributes:
        runs: by set and condition.
        resumed_ids: ids of runs that existed already.
        notes: what was not asked, and why.
        outcome: of the requests of this call.
        cached: number of answers that existed already.
    """

    runs: tuple[BenchmarkRun, ...]
    resumed_ids: frozenset[str]
    notes: tuple[RunNote, ...]
    outcome: RunOutcome
    cached: int
    changes: Changes


def run_benchmark(
    session: Session, wanted: BenchmarkRequest, progress: Progress, scheduler: str = ""
) -> BenchmarkResult:
    """Run a benchmark, and store each answer as it comes.

    It can be stopped at any moment, even by `kill -9`; called again, it asks what has no answer yet.
    """
    begun = start_runs(session, wanted)
    course = BenchmarkScheduler(session, wanted, begun, at_once=bool(scheduler))
    run_progress = _RunProgress(progress, course)
    changes = begun.changes

    def ended(done: JobResult) -> None:
        nonlocal changes
        changes |= done.changes
        course.finish_job(done.job, done.result, done.error)

    while works := course.next_jobs(run_progress.looking_up):
        run_progress.start_jobs(sum(len(work.parameters.items) for work in works))
        run_jobs(session, works, run_progress, scheduler, ended=ended)
    outcome = course.outcome
    return BenchmarkResult(
        begun.runs, begun.resumed_ids, tuple(outcome.notes), outcome, course.cached, changes | course.changes
    )


class _RunProgress:
    """Reports the progress of the whole benchmark from that of the running jobs."""

    def __init__(self, progress: Progress, course: BenchmarkScheduler) -> None:
        self._progress, self._course = progress, course
        self._before, self._requests = 0, 0
        self.check_cancelled = progress.check_cancelled
        self.looking_up = _LookupProgress(progress, course)

    def start_jobs(self, requests: int) -> None:
        self._before, self._requests = self._course.settled, requests

    def progress(self, done: int, total: int, text: str = "") -> None:
        share = done / total if total else 0.0
        now = self._before + round(share * self._requests)
        self._progress.progress(min(now, self._course.total), max(self._course.total, 1), text)


class _LookupProgress:
    """Reports that requests are being looked up, without a change of the progress."""

    def __init__(self, progress: Progress, course: BenchmarkScheduler) -> None:
        self._progress, self._course = progress, course
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, text: str = "") -> None:  # noqa: ARG002
        self._progress.progress(self._course.settled, max(self._course.total, 1), "looking up")
