"""The job that asks judges about segments: what is asked, what comes of it, and what is kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from anonymize.egress.permit_protocol import (
    answer_permit,
    answer_permit_batch,
    is_batch_question,
    is_permit_question,
    transform_request,
)
from benchmark.disclosure.cast_names import text_review_checksum
from benchmark.judge_input.input_planning import answer_replan_question, is_replan_question
from benchmark.judging.judge_worker import RunItem
from benchmark.judging.judgment_record import look_up_cache, read_judgment, run_answers
from benchmark.judging.request_planning import plan_requests
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_config import AskRequest, Payload, RunMonitor, is_progress_question, read_payload
from benchmark.judging.run_outcome import RunNote, RunOutcome, read_outcome, subject_noun
from models.judges.judge_backends import build_options, load_backend
from models.judges.judge_interface import ModelOptions
from project.entities.judgments import RAW_CONDITION, JudgeEntry, Judgment, JudgmentStatus
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.item_set_rows import insert_answers
from project.queries.judgment_rows import insert_judgments, judgments_by_request
from project.session.jobs import JobHost, JobSpec
from project.session.session import Session
from project.text_format import pluralize

_FINE_CUT_FACTOR = 3
"""How much finer jobs are split that load no model; small ones balance machines of different speed."""


def split_job(work: JobSpec, count: int) -> list[JobSpec]:
    """Split a run of judges into about `count` jobs.

    Args:
        work: of the kind `ask`.
        count: of jobs that load a model; requests that load none are split finer.
    """
    payload = read_payload(work.parameters)
    groups: dict[str, list[RunItem]] = {}
    for item in payload.items:
        groups.setdefault(_grouping_key(payload, payload.entries[item.judge]), []).append(item)
    cut: list[Sequence[RunItem]] = []
    for place, items in groups.items():
        cut += [items] if place else _split_items(items, payload, count)
    return [_sub_job(work, payload, items) for items in cut]


def served_judge_ids(work: JobSpec) -> frozenset[str]:
    """Return the ids of the judges at servers that a job asks; jobs with a common one do not run at once."""
    payload = read_payload(work.parameters)
    asked = [payload.entries[index] for index in {item.judge for item in payload.items}]
    seconds = [payload.find_judge(str(judge_entry.settings.get("coerce", ""))) for judge_entry in asked]
    return frozenset(
        second.id for second in (*asked, *seconds) if second is not None and load_backend(second.backend).leaves
    )


def remaining_job(work: JobSpec, parts: Iterable[Mapping[str, Json]]) -> JobSpec | None:
    """Return what is left of a job that was interrupted after some answers were stored; None if nothing is."""
    payload = read_payload(work.parameters)
    if payload.limits != Limits() and any(_is_model(payload.entries[item.judge]) for item in payload.items):
        raise UserError(
            "It stopped, and what it spent last is not known.", "Ask again with what is left of the budget."
        )
    answered = {_judgment_key(entry) for part in parts for entry in cast(list[dict[str, Json]], part["judgments"])}
    left = [item for item in payload.items if _item_key(payload, item) not in answered]
    return _sub_job(work, payload, left) if left else None


def merge_results(results: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Merge the results of several jobs of one run."""
    found = RunOutcome()
    for run_outcome in map(read_outcome, results):
        found.add(run_outcome)
        found.seconds = max(found.seconds, run_outcome.seconds)
    return found.as_json()


def partial_result(parts: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the result of an interrupted job, counted from the answers that were stored."""
    found = RunOutcome()
    for part in parts:
        for entry in cast(list[dict[str, Any]], part["judgments"]):
            name = {"ok": "answered", "error": "failed"}.get(entry["status"], entry["status"])
            setattr(found, name, getattr(found, name) + 1)
            found.tokens_in += entry["tokens_in"] or 0
            found.tokens_out += entry["tokens_out"] or 0
            if entry["cost"] is not None:
                currency = _currency(entry["judge"])
                found.money[currency] = found.money.get(currency, 0.0) + entry["cost"]
    return found.as_json()


def _split_items(items: Sequence[RunItem], payload: Payload, count: int) -> list[Sequence[RunItem]]:
    """Split requests into about equal parts; those with the same plan stay together, so it is decoded once."""
    ordered = sorted(
        range(len(items)),
        key=lambda index: (_loads_model(payload.entries[items[index].judge]), items[index].plan, index),
    )
    groups: dict[int, list[RunItem]] = {}
    for index in ordered:
        judge = items[index].judge
        groups.setdefault(judge if _loads_model(payload.entries[judge]) else -1, []).append(items[index])
    found: list[Sequence[RunItem]] = []
    for group_items in groups.values():
        part_count = (
            max(1, count) if _loads_model(payload.entries[group_items[0].judge]) else max(1, count) * _FINE_CUT_FACTOR
        )
        step = -(-len(group_items) // part_count)
        found += [group_items[start : start + step] for start in range(0, len(group_items), step)]
    return found


def _grouping_key(payload: Payload, entry: JudgeEntry) -> str:
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


def _currency(judge: Mapping[str, Any]) -> str:
    options = build_options(judge["backend"], judge["settings"])
    return options.currency if isinstance(options, ModelOptions) else ""


def _sub_job(work: JobSpec, payload: Payload, items: Sequence[RunItem]) -> JobSpec:
    return replace(work, parameters={**work.parameters, "run": new_id(), **payload.with_items(items).as_json()})


def _item_key(payload: Payload, run_item: RunItem) -> tuple[str, str, str]:
    return payload.entries[run_item.judge].id, run_item.about, run_item.request_key


def _judgment_key(judgment: Mapping[str, Any]) -> tuple[str, str, str]:
    from benchmark.judging.judgment_record import read_judgment

    found = read_judgment(judgment)
    return found.judge_id, found.target.key, found.request_key


_STALE_TEXT_REFUSAL: dict[str, Json] = {
    "barred_by": "reviewed",
    "barred": "Other words were reviewed, or named as private, after this question was made.",
}


def bar_stale_text(session: Session, work: JobSpec, departure: Mapping[str, Json]) -> dict[str, Json]:
    """Return an egress request, barred if its words were scrubbed before the latest text review.

    Args:
        session: of the study.
        work: the run that it is part of.
        departure: the `EgressRequest` as JSON.
    """
    condition, about = departure.get("condition"), departure.get("segment_id")
    if departure.get("local") is True or condition in ("", RAW_CONDITION) or not departure.get("texts"):
        return dict(departure)
    plans = cast(list[Mapping[str, Json]], work.parameters["plans"])
    made = {plan["words_state"] for plan in plans if (plan["about"], plan["condition"]) == (about, condition)}
    now = text_review_checksum(session, str(departure.get("recording_id")))
    return dict(departure) if made == {now} else {**departure, **_STALE_TEXT_REFUSAL}


KIND = "ask"
_SILENT = Silent()


@dataclass(frozen=True, slots=True)
class AskPlan:
    """The job that answers a request, with what is known already.

    Attributes:
        job: the job; None where nothing has to be asked.
        cached: judgments that exist already, or were just copied from an equal request.
        notes: what cannot be asked, and why.
        changes: judgments that were added.
    """

    job: JobSpec | None
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
    known = look_up_cache(session, payload.items, payload.entries, again=request.again, fresh=request.fresh)
    payload = payload.with_items(known.missing)
    work = None
    if known.missing:
        recordings = {run_item.recording_id for run_item in known.missing}
        only = recordings.pop() if len(recordings) == 1 else ""
        work = JobSpec(KIND, _job_title(payload), only, {"run": new_id(), **payload.as_json()})
    return AskPlan(work, known.judgments, tuple(outcome.notes), known.changes)


def renew(session: Session, work: JobSpec) -> JobSpec:
    """Return the job without requests that were answered while it waited."""
    payload = read_payload(work.parameters)
    if payload.fresh:
        return work
    known = look_up_cache(session, payload.items, payload.entries, again=payload.again)
    if len(known.missing) == len(payload.items):
        return work
    return JobSpec(
        KIND, work.title, work.recording_id, {**work.parameters, **payload.with_items(known.missing).as_json()}
    )


def unanswered(session: Session, work: JobSpec, since: str) -> JobSpec | None:
    """Return the rest of an interrupted run, with the rest of its budget; None if nothing is left.

    Args:
        session: holds the study.
        work: the run as it was started.
        since: when it was started, as from `utc_now`; requests answered later are not asked again.
    """
    payload = read_payload(work.parameters)
    names = [entry.id for entry in payload.entries]
    asked = {(item.request_key, names[item.judge], item.about) for item in payload.items}
    came = [
        judgment
        for judgment in judgments_by_request(session.study, [item.request_key for item in payload.items])
        if judgment.at >= since and (judgment.request_key, judgment.judge_id, judgment.target.key) in asked
    ]
    settled = {
        (judgment.request_key, judgment.judge_id, judgment.target.key)
        for judgment in came
        if judgment.status is not JudgmentStatus.ERROR
    }
    items = [
        run_item
        for run_item in payload.items
        if (run_item.request_key, names[run_item.judge], run_item.about) not in settled
    ]
    known = look_up_cache(session, items, payload.entries, again=payload.again, fresh=payload.fresh)
    if not known.missing:
        return None
    money = sum(judgment.cost or 0.0 for judgment in came)
    tokens = sum((judgment.tokens_in or 0) + (judgment.tokens_out or 0) for judgment in came)
    left = replace(payload.with_items(known.missing), limits=payload.limits.remaining(money, tokens))
    return JobSpec(KIND, work.title, work.recording_id, {**work.parameters, **left.as_json(), "run": new_id()})


def compute(parameters: Mapping[str, Json], holder: JobHost) -> dict[str, Json]:
    """Ask all judges; returns the result of `RunOutcome.as_json`."""
    from benchmark.judging.run_execution import run

    return run(read_payload(parameters), holder).as_json()


def store_part(session: Session, work: JobSpec, part: Mapping[str, Json]) -> Changes:
    """Store judgments, and link them to their run of the benchmark."""
    new = [read_judgment(entry) for entry in cast(list[dict[str, Json]], part["judgments"])]
    with session.study.run_transaction():
        insert_judgments(session.study, new)
        insert_answers(session.study, run_answers(work.parameters, new))
    return Changes.from_pairs(("judgment", judgment.id) for judgment in new)


def store(_session: Session, work: JobSpec, _result: Mapping[str, Json]) -> Changes:
    """Drop the monitor; `store_part` has stored everything."""
    _MONITORS.pop(_run_id(work), None)
    return Changes()


def answer(session: Session, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
    """Answer a worker: whether a request may leave, what is cancelled, or a smaller plan for a segment.

    Raises:
        project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
    """
    if is_progress_question(question):
        return queue_of(work).answer(question)
    if is_replan_question(question):
        return answer_replan_question(session, question)
    if is_batch_question(question):
        return answer_permit_batch(session, question, lambda entry: bar_stale_text(session, work, entry))
    if is_permit_question(question):
        return answer_permit(session, transform_request(question, lambda entry: bar_stale_text(session, work, entry)))
    raise UserError("A job asked something that nobody answers.", "Ask again.")


def queue_of(work: JobSpec) -> RunMonitor:
    """Return the monitor of a run; it shows the progress and can cancel parts."""
    return _MONITORS.setdefault(_run_id(work), RunMonitor())


def summary(result: Mapping[str, Json]) -> str:
    """Return the outcome of a run in one line."""
    return read_outcome(result).as_text()


_MONITORS: dict[str, RunMonitor] = {}


def _run_id(work: JobSpec) -> str:
    return str(work.parameters["run"])


def _job_title(payload: Payload) -> str:
    names = [payload.entries[index].name for index in sorted({item.judge for item in payload.items})]
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) > 3:
        who = f"{len(names)} judges"
    about = {item.about for item in payload.items}
    return f"Ask {who} about {pluralize(len(about), subject_noun(about))}"
