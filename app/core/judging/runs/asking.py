"""The job that asks judges about segments: what is asked, what comes of it, and what is kept.

It may be stopped at any moment, also by `kill -9`: each answer is in the study as soon as it is there. Asking the same
again asks only what has no answer yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from app.core.jobs import Holder, Work
from app.core.judging.runs.cache import look_up
from app.core.judging.runs.outcome import Note, Outcome, outcome_from, thing
from app.core.judging.runs.parts import judgment_from
from app.core.judging.runs.payload import Payload, payload_from
from app.core.judging.runs.planned import planned
from app.core.judging.runs.queue import Queue, is_state_question
from app.core.judging.runs.run_answers import run_answers
from app.core.judging.runs.standing import standing
from app.core.judging.runs.wanted import AskRequest
from app.core.judging.seeing.fitting import answer_plan, is_plan_question
from app.core.leaving.asking import answer_permit, is_permit_question, with_departure
from app.core.leaving.together import answer_together, is_together_question
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.judging import Judgment, JudgmentStatus
from project.progress import Progress, Silent
from project.queries.item_sets import insert_answers
from project.queries.judgments import came_back, insert_judgments
from project.types import Changes, Json

KIND = "ask"
_SILENT = Silent()


@dataclass(frozen=True, slots=True)
class Asking:
    """What of it has to be done.

    Attributes:
        work: the job; None where nothing has to be asked.
        cached: judgments that are there already, or have just been taken from an equal request.
        notes: what cannot be asked, and why.
        changes: judgments that were added.
    """

    work: Work | None
    cached: tuple[Judgment, ...]
    notes: tuple[Note, ...]
    changes: Changes


def prepare(session: Session, request: AskRequest, progress: Progress = _SILENT) -> Asking:
    """Work out what has to be asked, look up what is answered already, and make the job for the rest.

    What cannot be asked of one judge, or about one thing, is a note and stops nothing else.

    Raises:
        UserError: there is nothing to ask, or no such task, variant or condition.
    """
    session.study.require_writable()
    if not request.judges or not request.about:
        raise UserError("There is nothing to ask.", "Name a judge and what to ask about.")
    outcome = Outcome()
    payload = planned(session, request, outcome, progress)
    known = look_up(session, payload.items, payload.entries, again=request.again, fresh=request.fresh)
    payload = payload.only(known.open)
    work = None
    if known.open:
        recordings = {one.recording_id for one in known.open}
        only = recordings.pop() if len(recordings) == 1 else ""
        work = Work(KIND, _title(payload), only, {"run": new_id(), **payload.as_json()})
    return Asking(work, known.judgments, tuple(outcome.notes), known.changes)


def renew(session: Session, work: Work) -> Work:
    """Leave out what was answered while the job waited."""
    payload = payload_from(work.parameters)
    if payload.fresh:
        return work
    known = look_up(session, payload.items, payload.entries, again=payload.again)
    if len(known.open) == len(payload.items):
        return work
    return Work(KIND, work.title, work.recording_id, {**work.parameters, **payload.only(known.open).as_json()})


def unanswered(session: Session, work: Work, since: str) -> Work | None:
    """Return what is left of a run that was interrupted, under what is left of its budget; None where nothing is.

    Args:
        session: holds the study.
        work: as it was asked for.
        since: when that was, as `utc_now` says it: what came back later is not asked again.

    Raises:
        UserError: the budget is spent.
    """
    payload = payload_from(work.parameters)
    names = [one.id for one in payload.entries]
    asked = {(item.request_key, names[item.judge], item.about) for item in payload.items}
    came = [
        one
        for one in came_back(session.study, [item.request_key for item in payload.items])
        if one.at >= since and (one.request_key, one.judge_id, one.about.key) in asked
    ]
    settled = {(one.request_key, one.judge_id, one.about.key) for one in came if one.status is not JudgmentStatus.ERROR}
    items = [one for one in payload.items if (one.request_key, names[one.judge], one.about) not in settled]
    known = look_up(session, items, payload.entries, again=payload.again, fresh=payload.fresh)
    if not known.open:
        return None
    money = sum(one.cost or 0.0 for one in came)
    tokens = sum((one.tokens_in or 0) + (one.tokens_out or 0) for one in came)
    left = replace(payload.only(known.open), limits=payload.limits.less(money, tokens))
    return Work(KIND, work.title, work.recording_id, {**work.parameters, **left.as_json(), "run": new_id()})


def compute(parameters: Mapping[str, Json], holder: Holder) -> dict[str, Json]:
    """Ask all judges at once; returns what came of it, as `Outcome.as_json`."""
    from app.core.judging.runs.machine import run

    return run(payload_from(parameters), holder).as_json()


def store_part(session: Session, work: Work, part: Mapping[str, Json]) -> Changes:
    """Put answers into the study, and whose they are in a run of the benchmark."""
    new = [judgment_from(one) for one in cast(list[dict[str, Json]], part["judgments"])]
    with session.study.recording_run():
        insert_judgments(session.study, new)
        insert_answers(session.study, run_answers(work.parameters, new))
    return Changes.of(("judgment", one.id) for one in new)


def store(_session: Session, work: Work, _result: Mapping[str, Json]) -> Changes:
    """Everything is in the study already."""
    _QUEUES.pop(_run(work), None)
    return Changes()


def answer(session: Session, work: Work, question: Mapping[str, Json]) -> dict[str, Json]:
    """Say whether a request may leave, what is no longer wanted of a run, or how less is seen of a segment.

    Raises:
        project.policy.Forbidden: the policy does not let the request leave this machine.
    """
    if is_state_question(question):
        return queue_of(work).answer(question)
    if is_plan_question(question):
        return answer_plan(session, question)
    if is_together_question(question):
        return answer_together(session, question, lambda one: standing(session, work, one))
    if is_permit_question(question):
        return answer_permit(session, with_departure(question, lambda one: standing(session, work, one)))
    raise UserError("A job asked something that nobody answers.", "Ask again.")


def queue_of(work: Work) -> Queue:
    """Return how far a run is; through it, parts of it can be cancelled."""
    return _QUEUES.setdefault(_run(work), Queue())


def summary(result: Mapping[str, Json]) -> str:
    """Say in a line what came of a run."""
    return outcome_from(result).as_text()


_QUEUES: dict[str, Queue] = {}


def _run(work: Work) -> str:
    return str(work.parameters["run"])


def _title(payload: Payload) -> str:
    names = [payload.entries[at].name for at in sorted({one.judge for one in payload.items})]
    who = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    if len(names) > 3:
        who = f"{len(names)} judges"
    about = {one.about for one in payload.items}
    return f"Ask {who} about {counted(len(about), thing(about))}"
