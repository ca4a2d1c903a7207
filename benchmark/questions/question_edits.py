"""Edits of questions, and checksums that tell whether a question still matches the chain that it was made from."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmark.questions.question_validity import draft_problem
from project.entities.causal_chains import ChainGraph
from project.entities.questions import LETTERS, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.entities.study_records import Changes
from project.errors import UserError, no_longer_in_study
from project.queries import question_rows
from project.queries.chain_rows import find_chain, read_graph
from project.session.session import Session
from project.text_format import pluralize


def coverage_checksum(graph: ChainGraph, covers: Sequence[str]) -> str:
    """Return a checksum of what a question covers; "" if it covers nothing, or a node is gone.

    It is over kind, text, span and people of the nodes, and the edges between them. For a subchain it includes all
    reasons of its result, so that a new reason, which the question does not cover, changes it.
    """
    if not covers or any(cover not in graph.nodes_by_id for cover in covers):
        return ""
    inside = {*covers}
    nodes = [graph.nodes_by_id[node_id] for node_id in sorted(inside)]
    edges = {(reason, node_id) for node_id in inside for reason in graph.reasons[node_id] if reason in inside}
    first = graph.reasons[covers[0]]
    if not inside.isdisjoint(first):
        edges |= {(reason, covers[0]) for reason in first}
    said = [[node.id, node.kind.value, node.text, node.start_us, node.end_us, [*node.people]] for node in nodes]
    return hashlib.sha256(json.dumps([said, sorted(edges)], ensure_ascii=True).encode()).hexdigest()[:16]


def is_stale(question: Question, graph: ChainGraph | None) -> bool:
    """Tell whether the source of a question is gone or was changed."""
    if not question.made_from:
        return False
    return graph is None or coverage_checksum(graph, question.covers) != question.made_from


MIN_OPTIONS = 2
"""Fewest options of a question."""


@dataclass(frozen=True, slots=True)
class QuestionCorrection:
    """Changes of a question; None leaves a part unchanged.

    Attributes:
        wrong: as many options as there are.
        fits_chain: it was compared with the present chain, whose checksum becomes its source.
    """

    text: str | None = None
    answer: str | None = None
    wrong: Sequence[WrongOption] | None = None
    explanation: str | None = None
    start_us: int | None = None
    end_us: int | None = None
    fits_chain: bool = False


def add_questions(session: Session, questions: Sequence[Question], name: str = "") -> Changes:
    """Add questions as one step of the history.

    Args:
        session: of the study.
        questions: with their ids; an `annotator_id` of "" stands for the annotator of this session.
        name: of the step; such as `Add 12 questions` if empty.
    """
    durations: dict[str, int] = {}
    for question in questions:
        if question.recording_id not in durations:
            durations[question.recording_id] = session.recording(question.recording_id).duration_us
        _require_usable(question, len(question.wrong) + 1, durations[question.recording_id])
    if not questions:
        return Changes()
    with session.step(name or f"Add {pluralize(len(questions), 'question')}") as step:
        author = session.author()
        question_rows.insert_questions(
            session.study,
            [
                question if question.annotator_id else replace(question, annotator_id=author.id)
                for question in questions
            ],
        )
    return step.changes


def correct_question(session: Session, question_id: str, correction: QuestionCorrection) -> Changes:
    """Change the texts or the span of a question. Every annotator may correct questions of others."""
    session.study.require_writable()
    after = apply_correction(session, question_id, correction)
    if after == get_question(session, question_id):
        return Changes()
    with session.step("Correct question") as step:
        question_rows.update_question(session.study, after)
    return step.changes


def apply_correction(session: Session, question_id: str, correction: QuestionCorrection) -> Question:
    """Return a question after a correction, without writing it."""
    before = get_question(session, question_id)
    wrong = correction.wrong
    given: dict[str, Any] = {
        "text": _stripped(correction.text),
        "answer": _stripped(correction.answer),
        "wrong": None if wrong is None else tuple(replace(option, text=option.text.strip()) for option in wrong),
        "explanation": _stripped(correction.explanation),
        "start_us": correction.start_us,
        "end_us": correction.end_us,
        "made_from": _current_checksum(session, before) if correction.fits_chain else None,
    }
    after = replace(before, **{name: value for name, value in given.items() if value is not None})
    _require_usable(after, len(before.wrong) + 1, session.recording(before.recording_id).duration_us)
    return after


def reword_options(question: Question, texts: Sequence[str]) -> tuple[WrongOption, ...]:
    """Return wrong options with other texts, in their order.

    An unchanged option keeps its plausibility and source. A reworded one keeps its source, so that the consent of the
    people behind it is still checked.
    """
    same = {option.text: option for option in question.wrong}
    before = [*question.wrong, *[WrongOption("")] * len(texts)]
    return tuple(
        same.get(text.strip()) or WrongOption(text, None, option.source)
        for text, option in zip(texts, before, strict=False)
    )


def delete_questions(session: Session, question_ids: Iterable[str]) -> Changes:
    """Remove questions, with what people said about them, as one step."""
    session.study.require_writable()
    deleted_ids = [get_question(session, question_id).id for question_id in dict.fromkeys(question_ids)]
    if not deleted_ids:
        return Changes()
    with session.step(f"Delete {pluralize(len(deleted_ids), 'question')}") as step:
        question_rows.delete_questions(session.study, *deleted_ids)
    return step.changes


def get_question(session: Session, question_id: str) -> Question:
    """Return a question."""
    found = question_rows.find_question(session.study, question_id)
    if found is None:
        raise no_longer_in_study("question")
    return found


def _current_checksum(session: Session, question: Question) -> str | None:
    """Return the checksum of the present source of a question."""
    chain = find_chain(session.study, question.chain_id) if question.chain_id else None
    if not question.made_from:
        return None
    found = coverage_checksum(read_graph(session.study, chain), question.covers) if chain else ""
    if not found:
        raise UserError(
            "The part of the chain that this question covers was deleted.", "Drop the question, or make a new one."
        )
    return found


def _stripped(text: str | None) -> str | None:
    return None if text is None else text.strip()


def _require_usable(question: Question, options: int, duration_us: int) -> None:
    if not MIN_OPTIONS <= options <= len(LETTERS):
        raise UserError(
            f"A question has {MIN_OPTIONS} to {len(LETTERS)} options.",
            "Give one correct option and at least one wrong option.",
        )
    if reason := draft_problem(question, options):
        raise UserError(reason, "Correct the question, and try again.")
    if not 0 <= question.start_us < question.end_us <= duration_us:
        raise UserError("The material shown with the question must lie inside the recording.", "Choose another span.")


def content_state(question: Question) -> str:
    """Return the state that a verification refers to: texts of a question, and its source."""
    return f"{question.checksum}/{question.made_from}" if question.made_from else question.checksum


def is_author(question: Question, annotator_id: str) -> bool:
    """Tell whether an annotator wrote a question, so that others have to approve of it."""
    return question.kind is QuestionKind.WRITTEN and question.annotator_id == annotator_id


def verification_by(said: Iterable[Verification], annotator_id: str) -> Verification | None:
    """Return the verification of an annotator, among those of one question."""
    return next((verification for verification in said if verification.annotator_id == annotator_id), None)


def is_kept(question: Question, said: Iterable[Verification]) -> bool:
    """Tell whether a hand-written question was kept in its present form, because judges failed at it.

    A verification by the author marks that; it is no approval.
    """
    return any(
        is_author(question, verification.annotator_id)
        and verification.decision is VerificationDecision.KEEP
        and verification.state == content_state(question)
        for verification in said
    )
