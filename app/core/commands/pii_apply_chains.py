"""Writes a scrubbed text of a chain, a question or what was gathered about a recording over the study's own."""

from dataclasses import replace

from project.queries.chains import chain_reviews, node_called, rename_chain, set_chain_review, update_node
from project.queries.free_texts import WRONG, FreeText
from project.queries.meta import (
    contradiction_called,
    looks_in,
    set_look,
    set_summary,
    summaries_of,
    update_contradiction,
)
from project.queries.questions import question_called, set_verification, update_question, verifications_of
from project.questions import LookKind, Question, SummarySource
from project.store import Study


def write_chain_text(study: Study, at: FreeText, text: str) -> None:
    """Write one text; inside a step. What others said about a chain or a question was said about its words before."""
    if at.table == "chain":
        rename_chain(study, at.row, text)
    elif at.table == "chain_node" and (node := node_called(study, at.row)) is not None:
        update_node(study, replace(node, text=text))
    elif at.table == "chain_review":
        chain_id, who = at.row.split("/")
        for review in chain_reviews(study, chain_id):
            if review.reviewer_id == who:
                set_chain_review(study, replace(review, note=text))
    elif at.table == "question" and (question := question_called(study, at.row)) is not None:
        update_question(study, _reworded(question, at.field, text))
    elif at.table == "verification":
        question_id, who = at.row.split("/")
        for said in verifications_of(study, question_id):
            if said.annotator_id == who:
                set_verification(study, replace(said, note=text))
    else:
        _write_meta(study, at, text)


def _reworded(question: Question, field: str, text: str) -> Question:
    if field == "text":
        return replace(question, text=text)
    if field == "answer":
        return replace(question, answer=text)
    if field == "explanation":
        return replace(question, explanation=text)
    number = int(field.removeprefix(WRONG)) - 1
    options = [replace(one, text=text) if at == number else one for at, one in enumerate(question.wrong)]
    return replace(question, wrong=tuple(options))


def _write_meta(study: Study, at: FreeText, text: str) -> None:
    if at.table == "look":
        recording_id, who = at.row.split("/")
        for look in looks_in(study, recording_id):
            if (look.participant_id, look.kind) == (who, LookKind(at.field)):
                set_look(study, replace(look, text=text))
    elif at.table == "summary":
        summary = summaries_of(study, at.row).get(SummarySource(at.field))
        if summary is not None:
            set_summary(study, replace(summary, text=text))
    elif at.table == "contradiction" and (found := contradiction_called(study, at.row)) is not None:
        changed = replace(found, text=text) if at.field == "text" else replace(found, resolution=text)
        update_contradiction(study, changed)
