"""The job that asks judges: prepares, splits, resumes and stores it, and answers what it asks while it runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from anonymize.egress.egress_authority import PERMIT, answer_permits
from benchmark.disclosure.cast_names import text_review_checksum
from benchmark.judge_input.input_plan import ReplanQuestion
from benchmark.judge_input.input_planning import replan
from benchmark.judging.ask_run import (
    AskParameters,
    AskRequest,
    RunItem,
    RunMonitor,
    RunNote,
    RunOutcome,
    subject_noun,
)
from benchmark.judging.judgment_record import JudgmentBatch, look_up_cache, run_answers
from benchmark.judging.request_planning import plan_requests
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_execution import PROGRESS, REPLAN, run
from models.judges.judge_backends import build_options, load_backend
from models.judges.judge_interface import ModelOptions
from project.codec import dump, load
from project.entities.egress_policy import EgressRequest
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.item_set_rows import insert_answers
from project.queries.judgment_rows import insert_judgments, judgments_by_request
from project.session.jobs import JobKind, JobOutcome, JobSpec
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import utc_now

_FINE_CUT_FACTOR = 3
"""How much finer jobs are split that load no model; small ones balance machines of different speed."""


def split_job(work: JobSpec[AskParameters], count: int) -> list[JobSpec[AskParameters]]:
    """Split a run of judges into about `count` jobs. Requests that load no model are split finer."""
    payload = work.parameters
    groups: dict[str, list[RunItem]] = {}
    for item in payload.items:
        groups.setdefault(_grouping_key(payload, payload.entries[item.judge]), []).append(item)
    cut: list[Sequence[RunItem]] = []
    for place, items in groups.items():
        cut += [items] if place else _split_items(items, payload, count)
    return [_sub_job(work, items) for items in cut]


def served_judge_ids(work: JobSpec[AskParameters]) -> frozenset[str]:
    """Return the ids of the judges at servers that a job asks; jobs with a common one do not run at once."""
    payload = work.parameters
    asked = [payload.entries[index] for index in {item.judge for item in payload.items}]
    seconds = [payload.find_judge(str(judge_entry.settings.get("coerce", ""))) for judge_entry in asked]
    return frozenset(
        second.id for second in (*asked, *seconds) if second is not None and load_backend(second.backend).leaves
    )


def remaining_job(work: JobSpec[AskParameters], stored: Iterable[Judgment]) -> JobSpec[AskParameters] | None:
    """Return what is left of a job that was interrupted after some answers were stored; None if nothing is."""
    payload = work.parameters
    if payload.limits != Limits() and any(_is_model(payload.entries[item.judge]) for item in payload.items):
        raise UserError(
            "The run was interrupted, so its last costs are not known.", "Ask again with the rest of the budget."
        )
    answered = {_judgment_key(judgment) for judgment in stored}
    left = [item for item in payload.items if payload.key_of(item) not in answered]
    return _sub_job(work, left) if left else None


def merge_results(results: Iterable[RunOutcome]) -> RunOutcome:
    """Merge the results of several jobs of one run."""
    found = RunOutcome()
    for run_outcome in results:
        found.add(run_outcome)
        found.seconds = max(found.seconds, run_outcome.seconds)
    return found


def partial_result(entries: Iterable[JudgeEntry], stored: Iterable[Judgment]) -> RunOutcome:
    """Return the result of an interrupted job, counted from the answers that were stored."""
    found = RunOutcome()
    currencies = {entry.id: _currency(entry) for entry in entries}
    for judgment in stored:
        found.count_reply(judgment, currencies[judgment.judge_id])
    return found


def _split_items(items: Sequence[RunItem], payload: AskParameters, count: int) -> list[Sequence[RunItem]]:
    """Split requests into about equal parts; those with the same plan stay together, so it is decoded once."""
    groups: dict[int | None, list[RunItem]] = {}
    for item in sorted(items, key=lambda item: item.plan):
        loads_model = _loads_model(payload.entries[item.judge])
        groups.setdefault(item.judge if loads_model else None, []).append(item)
    found: list[Sequence[RunItem]] = []
    for judge, group_items in groups.items():
        part_count = max(1, count) * (_FINE_CUT_FACTOR if judge is None else 1)
        step = -(-len(group_items) // part_count)
        found += [group_items[start : start + step] for start in range(0, len(group_items), step)]
    return found


def _grouping_key(payload: AskParameters, entry: JudgeEntry) -> str:
    """Return the group that requests of a judge have to stay in; "" if they may be split."""
    if payload.limits != Limits() and _is_model(entry):
        return "budget"
    second = payload.find_judge(str(entry.settings.get("coerce", "")))
    asked = [
        judge_entry.id
        for judge_entry in (entry, second)
        if judge_entry is not None and load_backend(judge_entry.backend).leaves
    ]
    if not asked:
        return ""
    return "served" if any(judge_entry.settings.get("coerce") for judge_entry in payload.entries) else asked[0]


def _is_model(entry: JudgeEntry) -> bool:
    return isinstance(build_options(entry.backend, entry.settings), ModelOptions)


def _loads_model(entry: JudgeEntry) -> bool:
    """Tell whether asking a judge loads a model in the worker."""
    return _is_model(entry) and not load_backend(entry.backend).leaves


def _currency(entry: JudgeEntry) -> str:
    options = build_options(entry.backend, entry.settings)
    return options.currency if isinstance(options, ModelOptions) else ""


def _sub_job(work: JobSpec[AskParameters], items: Sequence[RunItem]) -> JobSpec[AskParameters]:
    return replace(work, parameters=replace(work.parameters.with_items(items), run=new_id()))


def _judgment_key(judgment: Judgment) -> tuple[str, str, str]:
    return judgment.request_key, judgment.judge_id, judgment.target.key


_STALE_TEXT = "Other words were reviewed, or named as private, after this question was made."


def bar_stale_text(session: Session, work: JobSpec[AskParameters], request: EgressRequest) -> EgressRequest:
    """Return an egress request of a run, barred if its words were scrubbed before the latest text review."""
    if request.local or request.condition in ("", RAW_CONDITION) or not request.texts:
        return request
    made = {
        plan.words_state
        for plan in work.parameters.plans
        if (plan.about, plan.condition) == (request.segment_id, request.condition)
    }
    if made == {text_review_checksum(session, request.recording_id)}:
        return request
    return replace(request, barred_by="reviewed", barred=_STALE_TEXT)


KIND = "ask"
_SILENT = Silent()


@dataclass(frozen=True, slots=True)
class AskPlan:
    """The job that answers a request, with what is known already.

    Attributes:
        job: the job; None where nothing has to be asked.
        cached: judgments that exist already, or were just copied from an equal request.
        notes: what cannot be asked, and why.
    """

    job: JobSpec[AskParameters] | None
    cached: tuple[Judgment, ...]
    notes: tuple[RunNote, ...]
    changes: Changes


def prepare(session: Session, request: AskRequest, progress: Progress = _SILENT) -> AskPlan:
    """Plan the requests, look up which are answered already, and make the job for the rest.

    Requests that cannot be made become notes and do not stop the others.
    """
    session.study.require_writable()
    if not request.judges or not request.about:
        raise UserError("There is nothing to ask.", "Name a judge and what to ask about.")
    outcome = RunOutcome()
    payload = plan_requests(session, request, outcome, progress)
    known = look_up_cache(session, payload)
    payload = payload.with_items(known.missing)
    work = JobSpec(KIND, _job_title(payload), payload.only_recording, payload) if known.missing else None
    return AskPlan(work, known.judgments, tuple(outcome.notes), known.changes)


def renew(session: Session, work: JobSpec[AskParameters]) -> JobSpec[AskParameters]:
    """Return the job without requests that were answered while it waited."""
    payload = work.parameters
    known = look_up_cache(session, payload)
    if len(known.missing) == len(payload.items):
        return work
    return replace(work, parameters=payload.with_items(known.missing))


def resume(session: Session, recording_id: str, **parameters: Any) -> JobSpec[AskParameters] | None:
    """Return the rest of an interrupted run, with the rest of its budget; None if nothing is left."""
    payload = AskParameters(**parameters)
    asked = {payload.key_of(item) for item in payload.items}
    came = [
        judgment
        for judgment in judgments_by_request(session.study, [item.request_key for item in payload.items])
        if judgment.at >= payload.since and _judgment_key(judgment) in asked
    ]
    settled = {_judgment_key(judgment) for judgment in came if judgment.status is not JudgmentStatus.ERROR}
    items = tuple(item for item in payload.items if payload.key_of(item) not in settled)
    known = look_up_cache(session, replace(payload, items=items))
    if not known.missing:
        return None
    money = sum(judgment.cost or 0.0 for judgment in came)
    tokens = sum((judgment.tokens_in or 0) + (judgment.tokens_out or 0) for judgment in came)
    limits = payload.limits.remaining(money, tokens)
    left = replace(payload.with_items(known.missing), limits=limits, run=new_id(), since=utc_now())
    return JobSpec(KIND, _job_title(left), recording_id, left)


def store_part(session: Session, work: JobSpec[AskParameters], part: Mapping[str, Json]) -> Changes:
    """Store judgments, and link them to their run of the benchmark."""
    new = load(JudgmentBatch, part, KIND).judgments
    with session.study.run_transaction():
        insert_judgments(session.study, new)
        insert_answers(session.study, run_answers(work.parameters.benchmark_runs, new))
    return Changes.from_pairs(("judgment", judgment.id) for judgment in new)


def store(_session: Session, work: JobSpec[AskParameters], _result: RunOutcome) -> Changes:
    """Drop the monitor; `store_part` has stored everything."""
    _MONITORS.pop(work.parameters.run, None)
    return Changes()


def answer(session: Session, work: JobSpec[AskParameters], question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer a worker: whether a request may leave, what is cancelled, or a smaller plan for a segment."""
    asked = question.get("ask")
    if asked == PROGRESS:
        return monitor_of(work).exchange(question)
    if asked == REPLAN:
        return dump(replan(session, load(ReplanQuestion, question, KIND)))
    if asked == PERMIT:
        return answer_permits(session, question, lambda request: bar_stale_text(session, work, request))
    raise UserError("A job sent an unknown request.", "Start the job again.")


def monitor_of(work: JobSpec[AskParameters]) -> RunMonitor:
    """Return the monitor of a run; it shows the progress and can cancel parts."""
    return _MONITORS.setdefault(work.parameters.run, RunMonitor())


_MONITORS: dict[str, RunMonitor] = {}


def _job_title(payload: AskParameters) -> str:
    names = [payload.entries[index].name for index in sorted({item.judge for item in payload.items})]
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) > 3:
        who = f"{len(names)} judges"
    about = {item.about for item in payload.items}
    return f"Ask {who} about {pluralize(len(about), subject_noun(about))}"


JOB = JobKind(
    key=KIND,
    parameters=AskParameters,
    result=RunOutcome,
    compute=run,
    store=store,
    summarize=lambda _work, outcome: outcome.as_text(),
    outcome=lambda found: (
        JobOutcome.INCOMPLETE if found.failed or found.over_budget or found.notes else JobOutcome.DONE
    ),
    renew=renew,
    resume=resume,
    # The whole run is noted: it names no secret.
    resume_fields=tuple(field.name for field in fields(AskParameters)),
    store_part=store_part,
    answer=answer,
    network=True,
    parallel=True,
)
