"""Queries on questions, verifications, judgments about questions, and meta information of recordings.

Questions of hidden chains are hidden too. Judgments are read without the material shown to the judge.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from project.entities.judgments import JudgmentStatus
from project.entities.questions import (
    LETTERS,
    Contradiction,
    LookKind,
    Maker,
    PersonDescription,
    Question,
    QuestionKind,
    Summary,
    SummarySource,
    Verification,
    VerificationDecision,
    WrongOption,
)
from project.entities.study_records import Json
from project.errors import UserError
from project.store.column_values import to_json
from project.store.study import Cell, Row, Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS
from project.text_format import escape_unprintable

QUESTION_COLUMNS = (
    "id, recording_id, chain_id, kind, aspect, covers, made_from, start_us, end_us, text, answer, wrong, explanation, "
    "seed, place, maker, annotator_id, judgment_id, at"
)
VISIBLE_QUESTION = (
    f"((chain_id IS NULL OR chain_id IN (SELECT id FROM {VISIBLE_CHAINS})) "
    f"AND recording_id IN (SELECT id FROM {VISIBLE_RECORDINGS}) AND annotator_id IN (SELECT id FROM annotator))"
)
"""Where a question is to be seen: its chain is, and no other program left it without its recording or annotator."""
_KNOWN_ANNOTATOR = "annotator_id IN (SELECT id FROM annotator)"
_VERIFICATION_COLUMNS = "question_id, annotator_id, decision, checklist, checks, difficulty, note, state, at"


def find_question(study: Study, question_id: str) -> Question | None:
    """Return one question, or None where none of that id is to be seen."""
    row = study.row(f"SELECT {QUESTION_COLUMNS} FROM question WHERE id = ? AND {VISIBLE_QUESTION}", (question_id,))
    return None if row is None else _question(row)


def questions_of(study: Study, recording_id: str) -> list[Question]:
    """Return the questions about a recording, in the order in which they were made."""
    return _read_where(study, "recording_id = ?", (recording_id,))


def all_questions(study: Study) -> list[Question]:
    """Return every question, in the order in which they were made."""
    return _read_where(study, "id <> ''", ())


def question_rows(study: Study) -> list[Row]:
    """Return every question as it is stored, in the order in which they were made, for `parse_questions`."""
    return study.rows(f"SELECT {QUESTION_COLUMNS} FROM question WHERE {VISIBLE_QUESTION} ORDER BY id")


def parse_questions(rows: Iterable[Row]) -> list[Question]:
    """Return what `question_rows` read as questions; any thread may do it."""
    return [_question(row) for row in rows]


def insert_questions(study: Study, new: Sequence[Question]) -> None:
    """Add questions; inside a step."""
    study.insert_many("question", [_cells(question) for question in new], [question.id for question in new])


def update_question(study: Study, new: Question) -> None:
    """Replace the question of the same id; inside a step."""
    columns = QUESTION_COLUMNS.split(", ")[1:]
    study.write(
        f"UPDATE question SET {', '.join(f'{column} = ?' for column in columns)} WHERE id = ?",
        (*_cells(new)[1:], new.id),
    )


def delete_questions(study: Study, question_ids: Iterable[str]) -> None:
    """Remove questions with what people said about them; inside a step."""
    for text in question_ids:
        study.write("DELETE FROM verification WHERE question_id = ?", (text,))
        study.write("DELETE FROM question WHERE id = ?", (text,))


def verifications(study: Study, recording_id: str = "") -> dict[str, list[Verification]]:
    """Return question id -> what people said about it, by time; of the questions of one recording where it is given."""
    found: dict[str, list[Verification]] = {}
    here = "question_id IN (SELECT id FROM question WHERE recording_id = ?) AND" if recording_id else ""
    given = (recording_id,) if recording_id else ()
    for row in study.rows(
        f"SELECT {_VERIFICATION_COLUMNS} FROM verification WHERE {here} {_KNOWN_ANNOTATOR} ORDER BY at, annotator_id",
        given,
    ):
        found.setdefault(row[0], []).append(_verification(row))
    return found


def verifications_of(study: Study, question_id: str) -> list[Verification]:
    """Return what people said about a question, by time."""
    rows = study.rows(
        f"SELECT {_VERIFICATION_COLUMNS} FROM verification WHERE question_id = ? AND {_KNOWN_ANNOTATOR} "
        "ORDER BY at, annotator_id",
        (question_id,),
    )
    return [_verification(row) for row in rows]


def set_verification(study: Study, new: Verification) -> None:
    """Store what somebody says about a question, in place of what they said before; inside a step."""
    study.write(
        f"INSERT INTO verification ({_VERIFICATION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (question_id, annotator_id) DO UPDATE SET decision = excluded.decision, "
        "checklist = excluded.checklist, checks = excluded.checks, difficulty = excluded.difficulty, "
        "note = excluded.note, state = excluded.state, at = excluded.at",
        (
            *(new.question_id, new.annotator_id, new.decision.value, new.checklist, to_json([*new.checks])),
            *(new.difficulty, new.note, new.state, new.at),
        ),
    )


def delete_verification(study: Study, question_id: str, annotator_id: str) -> None:
    """Delete a person's verification of a question; inside a step."""
    study.write("DELETE FROM verification WHERE question_id = ? AND annotator_id = ?", (question_id, annotator_id))


def _read_where(study: Study, where: str, given: Sequence[Cell]) -> list[Question]:
    rows = study.rows(
        f"SELECT {QUESTION_COLUMNS} FROM question WHERE {where} AND {VISIBLE_QUESTION} ORDER BY id", given
    )
    return [_question(row) for row in rows]


def _cells(question: Question) -> list[Cell]:
    wrong: list[Json] = [[option.text, option.plausibility, option.source] for option in question.wrong]
    return [
        *(
            question.id,
            question.recording_id,
            question.chain_id,
            question.kind.value,
            question.aspect,
            to_json([*question.covers]),
            question.made_from,
        ),
        *(
            question.start_us,
            question.end_us,
            question.text,
            question.answer,
            to_json(wrong),
            question.explanation,
            question.seed,
            question.place,
        ),
        *(question.maker.value, question.annotator_id, question.judgment_id, question.at),
    ]


def _question(row: Row) -> Question:
    try:
        values = dict(zip(QUESTION_COLUMNS.split(", "), row, strict=True))
        values |= {
            "kind": QuestionKind(values["kind"]),
            "covers": _texts(values["covers"]),
            "wrong": _wrong(values["wrong"]),
            "maker": Maker(values["maker"]),
        }
        return Question(**values)
    except (ValueError, TypeError, RecursionError):
        raise _damaged_error("A question", row[0]) from None


def _verification(row: Row) -> Verification:
    try:
        return Verification(row[0], row[1], VerificationDecision(row[2]), row[3], _texts(row[4]), *row[5:])
    except (ValueError, TypeError, RecursionError):
        raise _damaged_error("What somebody said about a question", row[0]) from None


def _texts(text: str) -> tuple[str, ...]:
    """Read a list of texts; raises `ValueError` or `TypeError` where it is none, or they cannot be written anywhere."""
    found = json.loads(text)
    if not isinstance(found, list):
        raise ValueError(text)
    "".join(found).encode()
    return tuple(found)


def _wrong(text: str) -> tuple[WrongOption, ...]:
    """Read wrong options; raises `ValueError` or `TypeError` where they are none, or more than there are letters."""
    listed = json.loads(text)
    if not isinstance(listed, list) or not all(isinstance(option, list) for option in listed):
        raise ValueError(text)
    found = [WrongOption(*option) for option in listed]
    "".join(part for wrong_option in found for part in (wrong_option.text, wrong_option.source)).encode()
    likely = [wrong_option.plausibility for wrong_option in found if wrong_option.plausibility is not None]
    if not 0 < len(found) < len(LETTERS) or not all(type(number) is int for number in likely):
        raise ValueError(text)
    return tuple(found)


def _damaged_error(what: str, identifier: Any) -> UserError:
    return UserError(
        f"{what} ({escape_unprintable(identifier)}) of this study is damaged.",
        "Find out what else is: greenroom check STUDY",
    )


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


_JUDGMENT_COLUMNS = (
    "id, question_id, task, judge_id, judge, variant, condition, modality, seed, state, status, answer, at"
)
_STATUS_BY_VALUE = {status.value: status for status in JudgmentStatus}


def question_judgment_rows(study: Study, tasks: Collection[str], after: int, upto: int) -> list[Row]:
    """Return what was said about questions in some tasks, as it is stored, for `parse_question_judgments`.

    Args:
        study: the study.
        tasks: keys of tasks.
        after: number of the judgment (`newest_judgment`) after which is read; judgments are stored once and never
            changed, so what was read before stands.
        upto: number of the last judgment that is read.
    """
    marks = ", ".join("?" * len(tasks))
    return study.rows(
        f"SELECT {_JUDGMENT_COLUMNS} FROM judgment "
        f"WHERE rowid > ? AND rowid <= ? AND question_id <> '' AND task IN ({marks})",
        [after, upto, *tasks],
    )


def judgment_rows_about(study: Study, tasks: Collection[str], question_id: str) -> list[Row]:
    """Return what was said about one question in some tasks, as it is stored, for `parse_question_judgments`."""
    marks = ", ".join("?" * len(tasks))
    return study.rows(
        f"SELECT {_JUDGMENT_COLUMNS} FROM judgment WHERE question_id = ? AND task IN ({marks})", [question_id, *tasks]
    )


def parse_question_judgments(rows: Iterable[Row]) -> list[QuestionJudgment]:
    """Return what `question_judgment_rows` read as judgments; any thread may do it."""
    return [QuestionJudgment(*(*row[:10], _STATUS_BY_VALUE[row[10]], *row[11:])) for row in rows]


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
    row = study.row("SELECT coalesce(max(rowid), 0) FROM judgment")
    return 0 if row is None else int(row[0])


def person_descriptions(study: Study, recording_id: str) -> list[PersonDescription]:
    """Return how everybody in a recording looks, by person and kind."""
    rows = study.rows(
        "SELECT recording_id, participant_id, kind, text FROM look WHERE recording_id = ? "
        "AND participant_id IN (SELECT id FROM participant) ORDER BY participant_id, kind",
        (recording_id,),
    )
    return [PersonDescription(row[0], row[1], LookKind(row[2]), row[3]) for row in rows]


def set_person_description(study: Study, new: PersonDescription) -> None:
    """Set one thing by which somebody is told apart; an empty text removes it."""
    key = (new.recording_id, new.participant_id, new.kind.value)
    if not new.text:
        study.write("DELETE FROM look WHERE recording_id = ? AND participant_id = ? AND kind = ?", key)
        return
    study.write(
        "INSERT INTO look VALUES (?, ?, ?, ?) "
        "ON CONFLICT (recording_id, participant_id, kind) DO UPDATE SET text = excluded.text",
        (*key, new.text),
    )


def summaries_of(study: Study, recording_id: str) -> dict[SummarySource, Summary]:
    """Return the summaries of a recording."""
    rows = study.rows(
        "SELECT recording_id, source, text, judgment_id FROM summary WHERE recording_id = ?", (recording_id,)
    )
    return {SummarySource(row[1]): Summary(row[0], SummarySource(row[1]), row[2], row[3]) for row in rows}


def set_summary(study: Study, new: Summary) -> None:
    """Set a summary; an empty text removes it."""
    if not new.text:
        study.write("DELETE FROM summary WHERE recording_id = ? AND source = ?", (new.recording_id, new.source.value))
        return
    study.write(
        "INSERT INTO summary VALUES (?, ?, ?, ?) ON CONFLICT (recording_id, source) "
        "DO UPDATE SET text = excluded.text, judgment_id = excluded.judgment_id",
        (new.recording_id, new.source.value, new.text, new.judgment_id),
    )


def contradictions_in(study: Study, recording_id: str) -> list[Contradiction]:
    """Return what the summaries of a recording say differently, in the order in which it was noted."""
    rows = study.rows(
        "SELECT id, recording_id, text, resolution, settled, judgment_id FROM contradiction WHERE recording_id = ? "
        "ORDER BY id",
        (recording_id,),
    )
    return [_contradiction(row) for row in rows]


def find_contradiction(study: Study, contradiction_id: str) -> Contradiction | None:
    """Return one contradiction, or None where there is none of that id."""
    row = study.row(
        "SELECT id, recording_id, text, resolution, settled, judgment_id FROM contradiction WHERE id = ?",
        (contradiction_id,),
    )
    return None if row is None else _contradiction(row)


def insert_contradictions(study: Study, new: Sequence[Contradiction]) -> None:
    """Add contradictions."""
    study.write_many(
        "INSERT INTO contradiction VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                contradiction.id,
                contradiction.recording_id,
                contradiction.text,
                contradiction.resolution,
                int(contradiction.settled),
                contradiction.judgment_id,
            )
            for contradiction in new
        ],
    )


def update_contradiction(study: Study, new: Contradiction) -> None:
    """Replace the contradiction of the same id."""
    study.write(
        "UPDATE contradiction SET text = ?, resolution = ?, settled = ? WHERE id = ?",
        (new.text, new.resolution, int(new.settled), new.id),
    )


def delete_contradiction(study: Study, contradiction_id: str) -> None:
    """Remove a contradiction."""
    study.write("DELETE FROM contradiction WHERE id = ?", (contradiction_id,))


def _contradiction(row: Row) -> Contradiction:
    return Contradiction(row[0], row[1], row[2], row[3], bool(row[4]), row[5])
