"""Asking judges for what a step still needs: the job is that of any other question to judges (kind `ask`)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.core.jobs import Work
from app.core.judging.judges.entries import judge_called
from app.core.judging.runs.asking import KIND, Asking, prepare
from app.core.judging.runs.budget import Limits
from app.core.judging.runs.lane import RunItem
from app.core.judging.runs.parts import judge_json
from app.core.judging.runs.payload import payload_from
from app.core.judging.runs.wanted import AskRequest
from app.core.questions.hardening.funnel import funnel_of
from app.core.questions.hardening.reading import Reading, asked, read
from app.core.questions.hardening.scores import has_temperature, runs_answered
from app.core.questions.hardening.steps import REVIEW, Step, step_called
from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.json_text import to_json
from project.judging import RAW, About, JudgeEntry, JudgmentStatus, Subject
from project.progress import Progress, Silent
from project.types import Json

_SILENT = Silent()
_NONE = Limits()


@dataclass(frozen=True)
class Wanted:
    """What a step still needs.

    Attributes:
        requests: one for each judge and seed that has something to answer.
        there: answers that are there already, and are not asked for again.
        left_out: why a judge is not asked about some questions -> those questions.
    """

    requests: tuple[AskRequest, ...]
    there: int = 0
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def wanted(
    reading: Reading,
    step_key: str,
    judges: Sequence[JudgeEntry],
    question_ids: Collection[str],
    *,
    condition: str = RAW,
    budget: Limits = _NONE,
    again: bool = False,
) -> Wanted:
    """Return what has to be asked so that judges have answered at a step.

    Args:
        reading: of the study.
        step_key: of the step.
        judges: entries of the study.
        question_ids: that the step looks at.
        condition: in which the footage is shown.
        budget: that each request may not pass.
        again: ask again what was refused or could not be read.

    Raises:
        UserError: there is no such step, or it asks no judge.
    """
    step = step_called(step_key)
    if not step.task:
        raise UserError(f"{step.name} asks no judge: it is computed.", "Look at the funnel.")
    requests: list[AskRequest] = []
    left_out: dict[str, list[str]] = {}
    there = 0
    for judge in judges:
        entry = _at_temperature(step, judge)
        about: dict[int, list[str]] = {seed: [] for seed in range(_runs(reading, step))}
        for key in (one for one in reading.questions if one in question_ids):
            if why := _barred(reading, step, judge, key):
                left_out.setdefault(why, []).append(key)
                continue
            answered = runs_answered(reading, step, reading.questions[key], judge.id)
            for seed, keys in about.items():
                if _settled(answered.get(seed), again=again):
                    there += 1
                else:
                    keys.append(About(Subject.QUESTION, key).key)
        requests += [
            AskRequest([entry], keys, step.task, condition=condition, seed=seed, budget=budget, again=again)
            for seed, keys in about.items()
            if keys
        ]
    return Wanted(tuple(requests), there, {why: tuple(keys) for why, keys in left_out.items()})


def run_step(
    session: Session,
    step_key: str,
    judges: Sequence[JudgeEntry | str],
    question_ids: Collection[str] = (),
    *,
    condition: str = RAW,
    budget: Limits = _NONE,
    again: bool = False,
    progress: Progress = _SILENT,
) -> tuple[list[Asking], Wanted]:
    """Make the jobs that run one step by itself; each has a `work` where something has to be asked.

    Args:
        session: of the study.
        step_key: of the step.
        judges: entries of the study, or their names.
        question_ids: that are asked about; all of the study where empty.
        condition: in which the footage is shown.
        budget: that each job may not pass.
        again: ask again what was refused or could not be read.
        progress: told while requests are looked up.

    Raises:
        UserError: there is no such step or judge, the step asks no judge, or the study is read-only.
    """
    session.study.require_writable()
    reading = read(session)
    entries = [judge_called(session, one) if isinstance(one, str) else one for one in judges]
    asked_about = {*question_ids} or {*reading.questions}
    found = wanted(reading, step_key, entries, asked_about, condition=condition, budget=budget, again=again)
    return [prepare(session, one, progress) for one in found.requests], found


def pieces_of(request: AskRequest, size: int) -> list[AskRequest]:
    """Cut a request into some that ask about fewer things, for a window that must not stand still meanwhile."""
    return [replace(request, about=request.about[at : at + size]) for at in range(0, len(request.about), size)]


def together(works: Sequence[Work], title: str) -> Work:
    """Return the jobs of the pieces of one request as one job."""
    payloads = [payload_from(one.parameters) for one in works]
    plans: list[Mapping[str, Json]] = []
    items: list[RunItem] = []
    for one in payloads:
        items += [replace(item, plan=item.plan + len(plans)) for item in one.items]
        plans += one.plans
    recordings = {one.recording_id for one in items}
    whole = replace(payloads[0], plans=tuple(plans), items=tuple(items))
    about = recordings.pop() if len(recordings) == 1 else ""
    return Work(KIND, title, about, {"run": new_id(), **whole.as_json()})


def reaching(reading: Reading, step_key: str, steps: Collection[str] = ()) -> tuple[str, ...]:
    """Return the questions that reach a step, where these steps are gone through, or all.

    Raises:
        UserError: there is no such step.
    """
    chosen = {*steps} | {step_called(step_key).key} if steps else ()
    return funnel_of(reading, (), [*chosen]).at(step_key).entered


def _barred(reading: Reading, step: Step, judge: JudgeEntry, question_id: str) -> str:
    if step.key != REVIEW:
        return ""
    return reading.why_not_by(reading.questions[question_id], asked(judge.id, to_json(judge_json(judge))))


def _runs(reading: Reading, step: Step) -> int:
    return reading.rules[step.key].runs


def _settled(status: JudgmentStatus | None, *, again: bool) -> bool:
    return status is JudgmentStatus.OK or (status is not None and not again)


def _at_temperature(step: Step, judge: JudgeEntry) -> JudgeEntry:
    """Return a judge set as the step asks; it stays the same entry, and each judgment keeps what it was set to."""
    if step.temperature is None or not has_temperature(judge.backend):
        return judge
    return replace(judge, settings={**judge.settings, "temperature": step.temperature})
