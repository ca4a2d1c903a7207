"""Queries on questions, verifications, judgments about questions, and meta information of recordings.

Questions of hidden chains are hidden too. Judgments are read without the material shown to the judge.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from project.entities.judgments import JudgmentStatus
from project.entities.questions import (
    LETTERS,
    Contradiction,
    PersonDescription,
    Question,
    Summary,
    SummarySource,
    Verification,
    WrongOption,
)
from project.queries.row_mapper import RowMapper, parse_list
from project.store.column_values import to_json
from project.store.study import Row, Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS


def _write_wrong(options: Iterable[WrongOption]) -> str:
    return to_json([[option.text, option.plausibility, option.source] for option in options])


def _parse_wrong(text: str) -> tuple[WrongOption, ...]:
    """Read wrong options; raises `ValueError` or `TypeError` where they are none, or more than there are letters."""
    listed = parse_list(text)
    if not all(isinstance(option, list) for option in listed):
        raise ValueError(text)
    found = [WrongOption(*option) for option in listed]
    "".join(part for wrong_option in found for part in (wrong_option.text, wrong_option.source)).encode()
    likely = [wrong_option.plausibility for wrong_option in found if wrong_option.plausibility is not None]
    if not 0 < len(found) < len(LETTERS) or not all(type(number) is int for number in likely):
        raise ValueError(text)
    return tuple(found)


QUESTIONS = RowMapper(Question, "question", noun="A question ({id})", codecs={"wrong": (_write_wrong, _parse_wrong)})
VERIFICATIONS = RowMapper(Verification, "verification", noun="What somebody said about a question ({question_id})")
DESCRIPTIONS = RowMapper(PersonDescription, "look", noun="What is said of how somebody looks")
SUMMARIES = RowMapper(Summary, "summary", noun="A summary")
CONTRADICTIONS = RowMapper(Contradiction, "contradiction")

VISIBLE_QUESTION = (
    f"((chain_id IS NULL OR chain_id IN (SELECT id FROM {VISIBLE_CHAINS})) "
    f"AND recording_id IN (SELECT id FROM {VISIBLE_RECORDINGS}) AND annotator_id IN (SELECT id FROM annotator))"
)
"""Where a question is to be seen: its chain is, and no other program left it without its recording or annotator."""
_KNOWN_ANNOTATOR = "annotator_id IN (SELECT id FROM annotator)"


find_question = QUESTIONS.query_first(f"WHERE id = ? AND {VISIBLE_QUESTION}")
questions_of = QUESTIONS.query(f"WHERE recording_id = ? AND {VISIBLE_QUESTION} ORDER BY id")
all_questions = QUESTIONS.query(f"WHERE {VISIBLE_QUESTION} ORDER BY id")


def question_rows(study: Study) -> list[Row]:
    """Return every question as it is stored, in the order in which they were made, for `parse_questions`."""
    return study.rows(f"SELECT {QUESTIONS.column_list} FROM question WHERE {VISIBLE_QUESTION} ORDER BY id")


parse_questions = QUESTIONS.read_all
"""Return what `question_rows` read as questions; any thread may do it."""


insert_questions = QUESTIONS.insert_bulk
update_question = QUESTIONS.update
delete_questions = QUESTIONS.delete_tree


def verifications(study: Study, recording_id: str = "") -> dict[str, list[Verification]]:
    """Return question id -> what people said about it, by time; of the questions of one recording where it is given."""
    here = "question_id IN (SELECT id FROM question WHERE recording_id = ?) AND" if recording_id else ""
    where = f"WHERE {here} {_KNOWN_ANNOTATOR} ORDER BY at, annotator_id"
    return VERIFICATIONS.group(study, "question_id", where, *([recording_id] if recording_id else []))


verifications_of = VERIFICATIONS.query(f"WHERE question_id = ? AND {_KNOWN_ANNOTATOR} ORDER BY at, annotator_id")
set_verification = VERIFICATIONS.upsert
delete_verification = VERIFICATIONS.delete


@dataclass(frozen=True, slots=True)
class QuestionJudgment:
    """One judgment about a question.

    Attributes:
        judge: the entry as it was, as JSON; many judgments share one.
        state: of the question when it was asked.
        answer: as JSON.
        at: UTC, ISO 8601.
    """

    id: str
    question_id: str
    task: str
    judge_id: str
    judge: str
    variant: str
    condition: str
    modality: str
    seed: int
    state: str
    status: JudgmentStatus
    answer: str
    at: str


QUESTION_JUDGMENTS = RowMapper(QuestionJudgment, "judgment", noun="A judgment ({id})")


def question_judgment_rows(study: Study, tasks: Collection[str]) -> list[Row]:
    """Return what was said about questions in some tasks, as it is stored, for `parse_question_judgments`."""
    marks = ", ".join("?" * len(tasks))
    return study.rows(
        f"SELECT {QUESTION_JUDGMENTS.column_list} FROM judgment WHERE question_id <> '' AND task IN ({marks})", [*tasks]
    )


def judgment_rows_about(study: Study, tasks: Collection[str], question_id: str) -> list[Row]:
    """Return what was said about one question in some tasks, as it is stored, for `parse_question_judgments`."""
    marks = ", ".join("?" * len(tasks))
    return study.rows(
        f"SELECT {QUESTION_JUDGMENTS.column_list} FROM judgment WHERE question_id = ? AND task IN ({marks})",
        [question_id, *tasks],
    )


parse_question_judgments = QUESTION_JUDGMENTS.read_all
"""Return what `question_judgment_rows` read as judgments; any thread may do it."""


def judges_of_wordings(study: Study, question_id: str | None = None) -> dict[str, tuple[str, str]]:
    """Return judgment -> judge and the entry as it was (JSON), for the judgments that worded all questions or one."""
    rows = study.rows(
        "SELECT id, judge_id, judge FROM judgment WHERE id IN "
        "(SELECT judgment_id FROM question WHERE judgment_id <> '' AND id = coalesce(?, id))",
        (question_id,),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def newest_judgment(study: Study) -> int:
    """Return a number that changes when judgments are added."""
    return int(study.rows("SELECT coalesce(max(rowid), 0) FROM judgment")[0][0])


person_descriptions = DESCRIPTIONS.query(
    "WHERE recording_id = ? AND participant_id IN (SELECT id FROM participant) ORDER BY participant_id, kind"
)


def set_person_description(study: Study, new: PersonDescription) -> None:
    """Set one thing by which somebody is told apart; an empty text removes it."""
    if new.text:
        DESCRIPTIONS.upsert(study, new)
    else:
        DESCRIPTIONS.delete(study, new.recording_id, new.participant_id, new.kind.value)


def summaries_of(study: Study, recording_id: str) -> dict[SummarySource, Summary]:
    """Return the summaries of a recording."""
    return {summary.source: summary for summary in SUMMARIES.select(study, "WHERE recording_id = ?", recording_id)}


def set_summary(study: Study, new: Summary) -> None:
    """Set a summary; an empty text removes it."""
    if new.text:
        SUMMARIES.upsert(study, new)
    else:
        SUMMARIES.delete(study, new.recording_id, new.source.value)


contradictions_in = CONTRADICTIONS.query("WHERE recording_id = ? ORDER BY id")
find_contradiction = CONTRADICTIONS.find
insert_contradictions = CONTRADICTIONS.insert_all
update_contradiction = CONTRADICTIONS.update
delete_contradiction = CONTRADICTIONS.delete
