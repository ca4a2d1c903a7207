"""Asks judges for questions about a recording and for inferences from them.

Inferences are imported as statements that people rate.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.study.scheme_versions import ensure_scheme
from benchmark.authoring.judge_questions import Intake, clean_text
from benchmark.disclosure.cast_names import restore_pseudonyms
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest, RunNote, refusal_error
from benchmark.prompts.statement_prompts import (
    INFERENCES_PER_ANSWER,
    LONGEST_STATEMENT,
    SCHEME,
    STATEMENT,
    STATEMENT_CLASSES,
    class_key,
    statement_key,
)
from benchmark.questions.question_validity import gist
from project.entities.judgments import (
    RAW_CONDITION,
    JudgeEntry,
    Judgment,
    JudgmentStatus,
    JudgmentTarget,
    JudgmentTargetKind,
    followup_part,
)
from project.entities.study_records import Annotator, Changes, FieldValue, Json, Participant, Segment
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress
from project.queries.annotator_rows import annotator_by_name, insert_annotator
from project.queries.judgment_rows import find_judgments
from project.queries.segment_rows import insert_segments, insert_values, valued_segments
from project.session.jobs import run_inline
from project.session.session import Session
from project.text_format import pluralize

QUESTION, INFERENCES = "nli_question", "nli_inferences"
INFERENCE_VARIANTS = ("cot", "plain")
"""Variants in which five inferences each are asked for: with thoughts first and without (SocialNLI, section 3.2)."""
MAX_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class InferenceAnswers:
    """The answers of judges, known or new, and why others were not asked."""

    answers: tuple[Judgment, ...] = ()
    notes: tuple[RunNote, ...] = ()


def ask_judges(session: Session, requests: Iterable[AskRequest], progress: Progress) -> InferenceAnswers:
    """Ask in this process; what was answered before is not asked again."""
    ids: list[str] = []
    notes: list[RunNote] = []
    for request in requests:
        asking = prepare(session, request, progress)
        ids += [judgment.id for judgment in asking.cached]
        notes += asking.notes
        if asking.job is not None:
            result, changes = run_inline(session, asking.job, progress)
            ids += sorted(changes.ids("judgment"))
            notes += result.notes
    if not ids and notes:
        raise refusal_error(notes)
    return InferenceAnswers(tuple(find_judgments(session.study, ids)), tuple(notes))


def question_request(
    session: Session,
    recording_ids: Sequence[str],
    judges: Sequence[JudgeEntry],
    questions: int = 1,
    condition: str = RAW_CONDITION,
    seed: int = 0,
) -> AskRequest:
    """Return the first request: some questions about each recording, about what is meant but not said."""
    if not 1 <= questions <= MAX_QUESTIONS:
        raise UserError(f"A recording has 1 to {MAX_QUESTIONS} questions.", "Give a number in this range.")
    targets = [
        JudgmentTarget(JudgmentTargetKind.RECORDING, session.recording(recording_id).id, str(number)).key
        for recording_id in dict.fromkeys(recording_ids)
        for number in range(1, questions + 1)
    ]
    return AskRequest(judges, targets, QUESTION, condition=condition, seed=seed)


def inference_requests(
    judges: Sequence[JudgeEntry], questions: Iterable[Judgment], condition: str = RAW_CONDITION, seed: int = 0
) -> list[AskRequest]:
    """Return the second requests: each judge infers from its own questions, in both variants."""
    asked = [question for question in questions if question.task == QUESTION and question.status is JudgmentStatus.OK]
    found = []
    for judge in judges:
        targets = [
            JudgmentTarget(
                JudgmentTargetKind.RECORDING, judgment.recording_id, followup_part(QUESTION, judgment.id)
            ).key
            for judgment in asked
            if judgment.judge_id == judge.id
        ]
        if targets:
            found += [
                AskRequest([judge], targets, INFERENCES, variant, condition=condition, seed=seed)
                for variant in INFERENCE_VARIANTS
            ]
    return found


TRACK = "inferences"
EMPTY = "It is empty."
TOO_LONG = f"It is longer than {LONGEST_STATEMENT} characters."
DUPLICATE = "The recording has a statement that says the same."
NO_CLASS = "It has none of the three classes."
_LIST_MARKER = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*\u2022])\s+")
_CLASSES = tuple(field_choice.key for field_choice in STATEMENT_CLASSES)


@dataclass(frozen=True, slots=True)
class InferenceImportResult:
    """The statements that an import added, and why inferences were left out.

    Attributes:
        statements: how many different ones are new.
        segments: their ids, one for each statement and rater.
        skipped: a reason in one sentence -> how many inferences were left out for it.
    """

    statements: int = 0
    segments: tuple[str, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)


def import_inferences(
    session: Session, judgments: Iterable[Judgment], raters: Sequence[str] = ()
) -> tuple[InferenceImportResult, Changes]:
    """Make a segment of each usable inference for each rater, as one step; the scheme is used where it was not yet.

    A segment has a statement and a class but neither plausibility nor explanation: people rate it without seeing other
    ratings. People are named by pseudonym.

    Args:
        session: of the study.
        judgments: answers to the task `nli_inferences`; others are counted as skipped.
        raters: names of those who rate; the annotator of the session where empty. New names become annotators.
    """
    session.study.require_writable()
    names = [*dict.fromkeys(rater.strip() for rater in raters if rater.strip())] or [session.annotator_name]
    intake = Intake(session)
    found = [*_usable_inferences(intake, judgments)]
    if not found:
        return InferenceImportResult(0, (), dict(intake.skipped)), Changes()
    ensure_scheme(session, SCHEME)
    scheme = session.schemes.get(SCHEME)
    study, version = session.study, scheme.version
    with session.step(f"Take {pluralize(len(found), 'statement')} of judges") as step:
        people = [_find_or_add_rater(session, name) for name in names]
        session.schemes.store_text(scheme)
        segments: list[Segment] = []
        values: list[FieldValue] = []
        for said, label, text in found:
            end_us = session.recording(said.recording_id).duration_us
            for who in people:
                segments.append(Segment(new_id(), said.recording_id, who, label, 0, end_us, SCHEME, TRACK))
                values.append(FieldValue(segments[-1].id, SCHEME, version, STATEMENT, text))
        insert_segments(study, segments)
        insert_values(study, values)
    segment_ids = tuple(segment.id for segment in segments)
    return InferenceImportResult(len(found), segment_ids, dict(intake.skipped)), step.changes


def _usable_inferences(intake: Intake, judgments: Iterable[Judgment]) -> Iterable[tuple[Judgment, str, str]]:
    """Yield judgment, class and statement of what can be used; counts the rest."""
    existing = _existing_statements(intake.session)
    for said in intake.usable_answers(judgments, INFERENCES):
        seen = existing.setdefault(said.recording_id, set())
        for number in range(1, INFERENCES_PER_ANSWER + 1):
            text = _clean_statement(said.answer.get(statement_key(number)), intake.names_in(said))
            label = said.answer.get(class_key(number))
            if reason := _rejection_reason(text, label, seen):
                intake.skipped[reason] += 1
            else:
                seen.add(gist(text))
                yield said, str(label), text


def _rejection_reason(text: str, label: Json, seen: set[str]) -> str:
    """Return why an inference cannot be used, in one sentence; "" where it can."""
    if not gist(text):
        return EMPTY
    if len(text) > LONGEST_STATEMENT:
        return TOO_LONG
    if label not in _CLASSES:
        return NO_CLASS
    return DUPLICATE if gist(text) in seen else ""


def _clean_statement(said: Json, called: Mapping[str, Participant]) -> str:
    """Return a statement as `clean_text`, without a list marker."""
    return restore_pseudonyms(_LIST_MARKER.sub("", clean_text(said)), called).strip()


def _existing_statements(session: Session) -> dict[str, set[str]]:
    """Return recording id -> the gists of its statements."""
    found: dict[str, set[str]] = {}
    for segment, values in valued_segments(session.study, SCHEME):
        if isinstance(statement := values.get(STATEMENT), str):
            found.setdefault(segment.recording_id, set()).add(gist(statement))
    return found


def _find_or_add_rater(session: Session, name: str) -> str:
    """Return the id of a rater, who is added if new; call it inside a step."""
    found = annotator_by_name(session.study, name)
    if found is None:
        found = Annotator(new_id(), name)
        insert_annotator(session.study, found)
    if found.kind != "person":
        raise UserError(
            f"{name} is not a person, but statements are rated by people.", "Choose another person: --rater NAME"
        )
    return found.id
