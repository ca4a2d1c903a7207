"""Plans the requests of an `AskRequest`.

Each has the input of one judge about one subject, and a key that equal requests share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from anonymize.egress.egress_authority import judge_refusal
from benchmark.disclosure.conditions import resolve_condition
from benchmark.judge_input.input_plan import InputPlan, InputSettings, request_key
from benchmark.judge_input.input_planning import locate_subject, plan_input, settings_for
from benchmark.judge_input.judged_subjects import SubjectLocation, answer_counts, most_common_truth
from benchmark.judging.ask_run import AskParameters, AskRequest, RunItem, RunOutcome, subject_noun
from benchmark.judging.judge_registry import require_trusted_files, server_address
from benchmark.judging.run_execution import sampling_of
from benchmark.prompts.judge_prompt import TASKS
from models.connection.addresses import is_local_host, server_of_url
from models.judges.judge_backends import build_options, create_judge
from models.judges.judge_interface import JudgeResources, ModelOptions, SamplingParameters
from project.entities.egress_policy import Forbidden
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.entities.study_records import Json
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress
from project.queries.judgment_rows import judge_by_name
from project.session.session import Session
from project.timebase import utc_now

_NEUTRAL_OPTIONS = frozenset(
    {
        *("sees", "frames", "temperature", "max_tokens", "url", "coerce"),
        *("timeout_s", "concurrency", "per_minute", "price_in", "price_out", "currency", "tries", "patience_s"),
        *("projector", "threads"),
    }
)
"""Options that do not change an answer, or are part of the request key by themselves."""
_MAJORITY_BACKEND = "majority"
"""Backend of the judge that gives the most frequent answer of people."""
_TRUTH_BACKENDS = frozenset({_MAJORITY_BACKEND, "oracle", "reliable"})
"""Backends of judges that answer from the answers of people."""


@dataclass
class _JudgePlan:
    """How one judge is asked.

    Attributes:
        number: position of the judge in the run.
        fingerprint: of the model and its settings.
        settings: how much of a segment it is shown.
        forbidden: recording id and condition -> why the policy forbids to ask about it.
    """

    number: int
    entry: JudgeEntry
    options: Any
    fingerprint: str
    settings: InputSettings
    sampling: SamplingParameters
    forbidden: dict[tuple[str, str], Forbidden | None] = field(default_factory=dict)


def plan_requests(session: Session, request: AskRequest, outcome: RunOutcome, progress: Progress) -> AskParameters:
    """Return all requests that can be made; the others become notes of the outcome."""
    TASKS.make(request.task)
    entries = _with_seconds(session, request.judges)
    judge_plans = [
        judge_plan
        for judge_plan in (
            _plan_judge(session, number, entries, request, outcome) for number in range(len(request.judges))
        )
        if judge_plan
    ]
    _require_one_currency(request, judge_plans)
    plans: list[InputPlan] = []
    items: list[RunItem] = []
    for done, key in enumerate(dict.fromkeys(request.about)):
        progress.check_cancelled()
        progress.progress(done, len(request.about), subject_noun(request.about[:1]) + "s")
        if judge_plans:
            _plan_subject(session, request, key, judge_plans, plans, items, outcome)
    return AskParameters(
        run=new_id(),
        task=request.task,
        variant=request.variant,
        seed=request.seed,
        limits=request.budget,
        entries=tuple(entries),
        plans=tuple(plans),
        items=tuple(items),
        again=request.again,
        fresh=request.fresh,
        since=utc_now(),
    )


def _plan_subject(
    session: Session,
    request: AskRequest,
    key: str,
    judge_plans: Sequence[_JudgePlan],
    plans: list[InputPlan],
    items: list[RunItem],
    outcome: RunOutcome,
) -> None:
    plans_by_settings: dict[InputSettings, tuple[int, InputPlan]] = {}
    try:
        location = locate_subject(session, key, TASKS.make(request.task))
        condition = resolve_condition(session, location.recording_id, request.condition)
    except UserError as error:
        outcome.add_note(None, key, error)
        return
    for judge_plan in judge_plans:
        forbidden = _find_refusal(session, judge_plan, location, condition)
        if forbidden is not None:
            outcome.add_note(judge_plan.entry, key, forbidden)
            continue
        if judge_plan.settings not in plans_by_settings:
            try:
                plan = plan_input(session, location, request.task, request.variant, condition, judge_plan.settings)
            except UserError as error:
                outcome.add_note(None, key, error)
                return
            plans_by_settings[judge_plan.settings] = (len(plans), plan)
            plans.append(plan)
        plan_index, plan = plans_by_settings[judge_plan.settings]
        try:
            _require_truth(judge_plan, location, plan)
        except UserError as error:
            outcome.add_note(judge_plan.entry, key, error)
            continue
        items.append(_run_item(session, judge_plan, location, plan_index, plan, request.task))


def _run_item(
    session: Session, judge_plan: _JudgePlan, about: SubjectLocation, plan_index: int, plan: InputPlan, task: str
) -> RunItem:
    shares: Any = ()
    known: Json = None
    if not isinstance(judge_plan.options, ModelOptions):
        shares = _answer_counts(session, about, task) if judge_plan.entry.backend == _MAJORITY_BACKEND else ()
        known = [plan.item, dict(plan.truth), [[dict(said), count] for said, count in shares]]
    key = request_key(plan, judge_plan.fingerprint, judge_plan.sampling, known)
    return RunItem(judge_plan.number, plan_index, key, plan.about, shares)


def _answer_counts(session: Session, about: SubjectLocation, task: str) -> Sequence[tuple[Mapping[str, Json], int]]:
    """Return the answers of people about items of the same set, or about segments of the study."""
    if about.frozen is not None:
        return most_common_truth(session, about.frozen.set_id, task, about.about.part)
    return tuple(answer_counts(session, about.scheme, about.track, task)) if about.scheme else ()


def _require_truth(judge_plan: _JudgePlan, about: SubjectLocation, plan: InputPlan) -> None:
    """Raise if a judge that answers from the truth is asked about an item without one."""
    if about.frozen is not None and not plan.truth and judge_plan.entry.backend in _TRUTH_BACKENDS:
        raise UserError(
            f"This baseline does not apply to “{TASKS.make(plan.task).name}”, which has no correct answers.",
            "Ask another judge.",
        )


def _with_seconds(session: Session, judges: Sequence[JudgeEntry]) -> list[JudgeEntry]:
    """Return the judges, followed by those that coerce their answers and are not among them."""
    entries = [*judges]
    for judge in judges:
        name = str(judge.settings.get("coerce", ""))
        second = judge_by_name(session.study, name) if name else None
        if second is not None and all(second.id != entry.id for entry in entries):
            entries.append(second)
    return entries


def _plan_judge(
    session: Session, number: int, entries: list[JudgeEntry], request: AskRequest, outcome: RunOutcome
) -> _JudgePlan | None:
    """Return how a judge is asked; None, with a note, if it cannot be asked.

    A judge that is shown no pictures is asked as a text-only judge, which needs no vision and no consent for footage.
    """
    entry = entries[number]
    try:
        if entry.backend == PERSON_BACKEND:
            raise UserError("People answer in the window.", "Open the study: Judges > Answer yourself.")
        options = build_options(entry.backend, entry.settings)
        if request.frames == 0 and isinstance(options, ModelOptions):
            entry = entries[number] = replace(entry, settings={**entry.settings, "sees": "text"})
            options = replace(options, sees="text")
        if request.budget.money is not None and isinstance(options, ModelOptions) and not options.has_prices:
            _require_free(entry)
        second = _find_second(entries, options)
        for judge_entry in (entry, second):
            if judge_entry is not None:
                require_trusted_files(session, judge_entry)
        model = create_judge(entry, JudgeResources()).fingerprint
        sampling = sampling_of(options, request.seed)
        set_to = {name: value for name, value in asdict(options).items() if name not in _NEUTRAL_OPTIONS}
        coercing = create_judge(second, JudgeResources()).fingerprint if second else ""
        fingerprint = f"{entry.backend} {model} {sorted(set_to.items())} {coercing}"
        return _JudgePlan(number, entry, options, fingerprint, _input_settings(request, entry, options), sampling)
    except (UserError, OSError) as found:
        error = (
            found
            if isinstance(found, UserError)
            else UserError(f"The model of the judge cannot be read: {found.strerror}.", "Choose its file again.")
        )
        for key in dict.fromkeys(request.about):
            outcome.add_note(entry, key, error)
        return None


def _input_settings(request: AskRequest, entry: JudgeEntry, options: Any) -> InputSettings:
    """Return how much of a segment a judge is shown: as requested, within what it can see."""
    found = settings_for(entry, request.sight)
    if request.frames == 0:
        return replace(found, frames=0, clip=False)
    if not found.frames:
        return found
    if request.sight.clip:
        replace(options, sees="clip")
        return replace(found, frames=0, clip=True)
    return found if request.frames is None else replace(found, frames=request.frames)


def _find_second(entries: Sequence[JudgeEntry], options: Any) -> JudgeEntry | None:
    name = getattr(options, "coerce", "")
    found = next((entry for entry in entries if entry.name == name), None) if name else None
    if name and found is None:
        raise UserError(
            f"The judge “{name}” that repairs answers is not in this study.",
            "Add it, or choose another judge for this.",
        )
    return found


def _require_free(entry: JudgeEntry) -> None:
    """Raise if the cost of a judge is unknown under a budget in money; judges on this machine cost nothing."""
    _, host, port = server_of_url(server_address(entry))
    if host and not is_local_host(host, port):
        raise UserError(
            "The judge has no prices, so a budget in money cannot limit it.",
            "Set --price-in and --price-out, or give a budget in tokens.",
        )


def _require_one_currency(request: AskRequest, judge_plans: Sequence[_JudgePlan]) -> None:
    priced = {
        judge_plan.options.currency
        for judge_plan in judge_plans
        if isinstance(judge_plan.options, ModelOptions) and judge_plan.options.has_prices
    }
    if request.budget.money is not None and len(priced) > 1:
        raise UserError(
            f"The judges have prices in {' and '.join(sorted(priced))}, so one budget cannot limit them.",
            "Ask them in separate runs.",
        )


def _find_refusal(session: Session, judge_plan: _JudgePlan, about: SubjectLocation, condition: str) -> Forbidden | None:
    key = (about.recording_id, condition)
    if key not in judge_plan.forbidden:
        judge_plan.forbidden[key] = judge_refusal(session, judge_plan.entry, about.recording_id, condition)
    return judge_plan.forbidden[key]
