"""A person as a judge.

The person gets the same conversation, frames and form as a model, and the answer is stored as a judgment with the time
it took.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotate.study.people import ensure_annotators
from benchmark.judge_input.input_plan import InputPlan, InputSettings, request_key
from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.judgment_record import build_judgment
from benchmark.prompts.answer_form import answer_form
from models.judges.judge_interface import Message, Reply, SamplingParameters
from project.entities.judgments import (
    PERSON_BACKEND,
    RAW_CONDITION,
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTargetKind,
    parse_target,
)
from project.entities.study_records import Annotator, Changes, Json, Participant, ParticipantRole
from project.errors import UserError
from project.queries.item_set_rows import find_item
from project.queries.judgment_rows import all_judges, insert_judgments, reveals_to
from project.schemes.scheme import Scheme, Track
from project.session.session import Session

FORM_TRACK = "form"
"""Key of the only track of the scheme that shows a form."""
_USUAL = InputSettings()


@dataclass(frozen=True, slots=True)
class PersonTask:
    """What a person is asked.

    Attributes:
        plan: the same that a judge gets.
        scheme: the form, with one track `FORM_TRACK`.
        people: who can be named in it, by name.
    """

    plan: InputPlan
    scheme: Scheme
    people: tuple[Participant, ...]


def plan_person_task(
    session: Session,
    about: str,
    task: str = "assess",
    variant: str = "plain",
    condition: str = RAW_CONDITION,
    settings: InputSettings = _USUAL,
) -> PersonTask:
    """Plan what a person is asked; answers of judges are not shown."""
    session.study.require_writable()
    plan = plan_input(session, about, task, variant, condition, settings)
    fields = tuple(answer_field.field for answer_field in plan.form.fields)
    scheme = Scheme(plan.form.name, plan.form.name, 1, (Track(FORM_TRACK, FORM_TRACK, ()),), fields)
    people = tuple(Participant(label, label, ParticipantRole.BYSTANDER) for label, _ in plan.form.people)
    return PersonTask(plan, scheme, people)


def save_answer(
    session: Session, asked: PersonTask, answer: Mapping[str, Json], ms: int, messages: tuple[Message, ...] = ()
) -> tuple[Judgment, Changes]:
    """Store the answer of a person as a judgment."""
    made = person_judgment(session, asked, answer, ms, messages)
    with session.study.run_transaction():
        insert_judgments(session.study, [made])
    return made, Changes.from_pairs([("judgment", made.id)])


def person_judgment(
    session: Session, asked: PersonTask, answer: Mapping[str, Json], ms: int, messages: tuple[Message, ...] = ()
) -> Judgment:
    """Return the judgment of an answer, without storing it; the arguments are those of `save_answer`."""
    try:
        read = answer_form(asked.plan.form).parse(dict(answer))
    except ValueError as error:
        raise UserError(_with_field_name(asked, str(error)), "Fill it in, then save again.") from None
    return _judgment(session, asked, Reply(JudgmentStatus.OK, read, ms=max(0, ms)), messages)


def refusal_judgment(
    session: Session, asked: PersonTask, ms: int, messages: tuple[Message, ...] = (), why: str = ""
) -> Judgment:
    """Return the judgment of a person who did not want to answer, or could not; it counts as refused."""
    return _judgment(session, asked, Reply(JudgmentStatus.REFUSED, ms=max(0, ms), error=why), messages)


def ensure_annotator(session: Session) -> Annotator:
    """Return the annotator of the session, who is added if new."""
    if not session.annotator_name.strip():
        raise UserError("An answer needs an annotator's name.", "Set your name as annotator first.")
    return ensure_annotators(session, [session.annotator_name])[0]


def person_entry(session: Session, who: Annotator) -> JudgeEntry:
    """Return the entry for people in the study, or a new one with the name of the person."""
    people = [judge for judge in all_judges(session.study) if judge.backend == PERSON_BACKEND]
    own = next((person for person in people if person.name == who.name), None)
    return own or next(iter(people), None) or JudgeEntry(f"{PERSON_BACKEND} {who.id}", who.name, PERSON_BACKEND)


def person_request_key(plan: InputPlan, annotator_id: str) -> str:
    """Return the key of a request to a person; equal requests have equal keys."""
    return request_key(plan, f"{PERSON_BACKEND} {annotator_id}", SamplingParameters())


def _judgment(session: Session, asked: PersonTask, reply: Reply, messages: tuple[Message, ...]) -> Judgment:
    who, plan = ensure_annotator(session), asked.plan
    request_key = person_request_key(plan, who.id)
    made = build_judgment(plan, person_entry(session, who), request_key, reply, messages, annotator_id=who.id)
    after_judges = _judged_source(session, plan.about) in reveals_to(session.study, who.id)
    return replace(made, sight={**made.sight, "after_judges": after_judges})


def _judged_source(session: Session, about: str) -> str:
    """Return what answers of judges may have been shown about: for an item, its source."""
    asked = parse_target(about)
    item = find_item(session.study, asked.id) if asked.kind is JudgmentTargetKind.ITEM else None
    return about if item is None else item.about


def _with_field_name(asked: PersonTask, problem: str) -> str:
    """Return a problem with the name of a field instead of its key."""
    key, sign, rest = problem.partition(": ")
    names = {field.key: field.name for field in asked.scheme.fields}
    return f"{names[key]}: {rest}" if sign and key in names else problem
