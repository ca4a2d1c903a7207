"""Edits the rules of the question filter, and builds the requests that a step or a setting needs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten

from benchmark.judge_input.input_plan import InputPlan, InputSettings
from benchmark.judging.ask_job import KIND
from benchmark.judging.ask_run import AskParameters, AskRequest, RunItem
from benchmark.judging.judge_registry import get_judge
from benchmark.judging.judgment_record import judge_json
from benchmark.judging.run_budget import Limits
from benchmark.prompts.question_prompts import ANSWER_TASK
from benchmark.questions.filter_funnel import build_funnel
from benchmark.questions.filter_outcomes import (
    FunnelInput,
    has_temperature,
    read_judge_snapshot,
    run_statuses,
)
from benchmark.questions.filter_rules import (
    REVIEW,
    RULE_PARTS,
    STEPS,
    FilterRule,
    FilterStep,
    LimitSide,
    ScoreCombination,
    get_step,
    read_rules,
    rule_property,
    validate_rule,
)
from project.codec import dump
from project.entities.judgments import RAW_CONDITION, JudgeEntry, JudgmentStatus, JudgmentTarget, JudgmentTargetKind
from project.entities.study_records import Changes
from project.errors import UserError, unknown_choice
from project.ids import new_id
from project.progress import Silent
from project.queries.judgment_rows import all_judges
from project.session.jobs import JobSpec
from project.session.session import Session
from project.store.column_values import to_json

LIMIT_PART = RULE_PARTS[0]
_MAX_DIGITS = 6
"""Digits of the largest number that can be typed."""


def set_rules(session: Session, rules: Mapping[str, FilterRule]) -> Changes:
    """Set the rules of some filter steps, as one step of the history."""
    changed = _changed_rules(session, rules)
    about = STEPS[next(iter(changed))].name.lower() if len(changed) == 1 else "questions"
    now = read_rules(session.study)
    typed = all(rule.decides == now[key].decides for key, rule in changed.items())
    return _write_rules(session, changed, f"Change limits of {about}", f"limits {sorted(changed)}" if typed else None)


def set_deciding_steps(session: Session, steps: Collection[str]) -> Changes:
    """Let these steps, and no others, decide which questions go on to verification and export."""
    chosen = {get_step(step).key for step in steps}
    rules = {key: replace(rule, decides=key in chosen) for key, rule in read_rules(session.study).items()}
    return _write_rules(session, _changed_rules(session, rules), "Choose which steps decide", None)


def _changed_rules(session: Session, rules: Mapping[str, FilterRule]) -> dict[str, FilterRule]:
    now = read_rules(session.study)
    known = {judge.id for judge in all_judges(session.study)}
    changed = {}
    for key, rule in rules.items():
        step = get_step(key)
        validated = validate_rule(step, rule)
        if validated.decides and step.needs is LimitSide.NO_LIMIT:
            raise UserError(f"{step.name} drops no question, so it cannot decide.", "Choose another step.")
        if any(judge not in known and judge not in now[key].judges for judge in validated.judges):
            raise UserError("One of the chosen judges is no longer in the study.", "Choose other judges.")
        if validated != now[key]:
            changed[key] = validated
    return changed


def _write_rules(session: Session, wanted: Mapping[str, FilterRule], name: str, merge_key: str | None) -> Changes:
    if not wanted:
        return Changes()
    with session.step(name, merge_key) as step:
        for key, rule in wanted.items():
            session.study.set_property(rule_property(key), dump(rule))
    return step.changes


def parse_rule(session: Session, said: str, rules: Mapping[str, FilterRule]) -> tuple[str, FilterRule]:
    """Read `STEP=LIMIT` or `STEP.PART=VALUE`, such as `difficulty=2`, `options-only.runs=3`, `truth.judges=a+b`.

    Returns:
        The step and its new rule.
    """
    name, equals, value = (text.strip() for text in said.partition("="))
    if not equals or not name or not value:
        raise UserError(f"“{said}” is not a setting.", "Write STEP=LIMIT, such as difficulty=2.")
    key, _, part = name.partition(".")
    step, rule = get_step(key), rules[get_step(key).key]
    part = part or LIMIT_PART
    match part:
        case "limit" | "runs":
            if not value.lstrip("-").isdecimal() or len(value) > _MAX_DIGITS:
                raise UserError(f"“{shorten(value, 40)}” is not a whole number.", f"Write {name}=NUMBER.")
            rule = replace(rule, **{part: int(value)})  # type: ignore[arg-type]
        case "several":
            if value not in {several.value for several in ScoreCombination}:
                raise UserError(f"“{value}” is not allowed for {name}.", "Choose one of strictest, mean.")
            rule = replace(rule, several=ScoreCombination(value))
        case "judges":
            judge_names = [] if value == "all" else [part.strip() for part in value.split("+")]
            rule = replace(rule, judges=tuple(get_judge(session, judge_name).id for judge_name in judge_names))
        case _:
            raise unknown_choice("setting of a step", part, ("limit", "runs", "several", "judges"))
    return step.key, validate_rule(step, rule)


_SILENT = Silent()
_NO_LIMITS = Limits()


@dataclass(frozen=True)
class FilterRequests:
    """The requests that a step still needs.

    Attributes:
        requests: one for each judge and seed that has something to answer.
        answered_count: answers that exist and are not asked for again.
        left_out: why a judge is not asked about some questions -> those questions.
    """

    requests: tuple[AskRequest, ...]
    answered_count: int = 0
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def plan_step_requests(
    reading: FunnelInput,
    step_key: str,
    judges: Sequence[JudgeEntry],
    question_ids: Collection[str],
    *,
    condition: str = RAW_CONDITION,
    budget: Limits = _NO_LIMITS,
    again: bool = False,
) -> FilterRequests:
    """Return the requests after which all judges have answered at a step."""
    step = get_step(step_key)
    if not step.task:
        raise UserError(f"{step.name} needs no judge: it is computed.", "See its result in the funnel.")
    requests: list[AskRequest] = []
    left_out: dict[str, list[str]] = {}
    answered_count = 0
    for judge in judges:
        entry = _with_temperature(step, judge)
        keys_by_seed: dict[int, list[str]] = {seed: [] for seed in range(_run_count(reading, step))}
        for key in (question for question in reading.questions if question in question_ids):
            if why := _exclusion_reason(reading, step, judge, key):
                left_out.setdefault(why, []).append(key)
                continue
            answered = run_statuses(reading, step, reading.questions[key], judge.id)
            for seed, keys in keys_by_seed.items():
                if _is_settled(answered.get(seed), again=again):
                    answered_count += 1
                else:
                    keys.append(JudgmentTarget(JudgmentTargetKind.QUESTION, key).key)
        requests += [
            AskRequest([entry], keys, step.task, condition=condition, seed=seed, budget=budget, again=again)
            for seed, keys in keys_by_seed.items()
            if keys
        ]
    return FilterRequests(tuple(requests), answered_count, {why: tuple(keys) for why, keys in left_out.items()})


def split_request(request: AskRequest, size: int) -> list[AskRequest]:
    """Split a request into smaller ones, so that the window stays responsive between them."""
    return [replace(request, about=request.about[at : at + size]) for at in range(0, len(request.about), size)]


def merge_jobs(works: Sequence[JobSpec[AskParameters]], title: str) -> JobSpec[AskParameters]:
    """Return the jobs of the pieces of one request as one job."""
    payloads = [work.parameters for work in works]
    plans: list[InputPlan] = []
    items: list[RunItem] = []
    for payload in payloads:
        items += [replace(item, plan=item.plan + len(plans)) for item in payload.items]
        plans += payload.plans
    whole = replace(payloads[0], run=new_id(), plans=tuple(plans), items=tuple(items))
    return JobSpec(KIND, title, whole.only_recording, whole)


def questions_reaching(reading: FunnelInput, step_key: str, steps: Collection[str] = ()) -> tuple[str, ...]:
    """Return the questions that reach a step in a funnel of these steps, or of all."""
    chosen = {*steps} | {get_step(step_key).key} if steps else ()
    return build_funnel(reading, (), [*chosen]).stage(step_key).entered


def _exclusion_reason(reading: FunnelInput, step: FilterStep, judge: JudgeEntry, question_id: str) -> str:
    if step.key != REVIEW:
        return ""
    return reading.review_exclusion(
        reading.questions[question_id], read_judge_snapshot(judge.id, to_json(judge_json(judge)))
    )


def _run_count(reading: FunnelInput, step: FilterStep) -> int:
    return reading.rules[step.key].runs


def _is_settled(status: JudgmentStatus | None, *, again: bool) -> bool:
    return status is JudgmentStatus.OK or (status is not None and not again)


def _with_temperature(step: FilterStep, judge: JudgeEntry) -> JudgeEntry:
    """Return a judge with the temperature of the step; its id stays, and each judgment stores its settings."""
    if step.temperature is None or not has_temperature(judge.backend):
        return judge
    return replace(judge, settings={**judge.settings, "temperature": step.temperature})


@dataclass(frozen=True, slots=True)
class QuestionSetting:
    """How much of a question a judge sees, and with which variant of the prompt.

    Attributes:
        words: whether the transcript is part of the prompt.
        pictures: whether frames are shown.
    """

    name: str
    variant: str = "plain"
    words: bool = True
    pictures: bool = True


QUESTION_SETTINGS: Mapping[str, QuestionSetting] = {
    "base": QuestionSetting("Frames only (base)", words=False),
    "sub": QuestionSetting("Frames and words (+sub)"),
    "sub-tom": QuestionSetting("Frames and words, minds first (+sub+tom)", "tom"),
    "text": QuestionSetting("Words only", pictures=False),
}
"""The settings of R3-VQA (section 4.1), and words alone (section 4.3)."""
DEFAULT_SETTING = "sub"


def answer_request(
    judges: Sequence[JudgeEntry], question_ids: Sequence[str], setting: str = DEFAULT_SETTING, *, fresh: bool = False
) -> AskRequest:
    """Return a request to answer questions in a setting."""
    if setting not in QUESTION_SETTINGS:
        raise unknown_choice("setting", setting, QUESTION_SETTINGS)
    question_setting = QUESTION_SETTINGS[setting]
    return AskRequest(
        judges,
        [JudgmentTarget(JudgmentTargetKind.QUESTION, question_id).key for question_id in question_ids],
        ANSWER_TASK,
        question_setting.variant,
        sight=InputSettings(words=question_setting.words),
        frames=None if question_setting.pictures else 0,
        again=True,
        fresh=fresh,
    )
