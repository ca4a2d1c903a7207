"""Questions about recordings, and what people say about them. Those of chains that are hidden are hidden too."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from project.errors import UserError
from project.json_text import to_json
from project.names import shown
from project.questions import LETTERS, Maker, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.sight import SEEN_CHAIN, SEEN_RECORDING
from project.store import Cell, Row, Study
from project.types import Json

QUESTION_COLUMNS = (
    "id, recording_id, chain_id, kind, aspect, covers, made_from, start_us, end_us, text, answer, wrong, explanation, "
    "seed, place, maker, annotator_id, judgment_id, at"
)
SEEN_QUESTION = (
    f"((chain_id IS NULL OR chain_id IN (SELECT id FROM {SEEN_CHAIN})) "
    f"AND recording_id IN (SELECT id FROM {SEEN_RECORDING}) AND annotator_id IN (SELECT id FROM annotator))"
)
"""Where a question is to be seen: its chain is, and no other program left it without its recording or annotator."""
_KNOWN = "annotator_id IN (SELECT id FROM annotator)"
_VERIFICATION = "question_id, annotator_id, decision, checklist, checks, difficulty, note, state, at"


def question_called(study: Study, question_id: str) -> Question | None:
    """Return one question, or None where none of that id is to be seen.

    Raises:
        UserError: it is damaged.
    """
    row = study.row(f"SELECT {QUESTION_COLUMNS} FROM question WHERE id = ? AND {SEEN_QUESTION}", (question_id,))
    return None if row is None else _question(row)


def questions_of(study: Study, recording_id: str) -> list[Question]:
    """Return the questions about a recording, in the order in which they were made.

    Raises:
        UserError: one is damaged.
    """
    return _read(study, "recording_id = ?", (recording_id,))


def all_questions(study: Study) -> list[Question]:
    """Return every question, in the order in which they were made.

    Raises:
        UserError: one is damaged.
    """
    return _read(study, "id <> ''", ())


def question_rows(study: Study) -> list[Row]:
    """Return every question as it is stored, in the order in which they were made, for `questions_in`."""
    return study.rows(f"SELECT {QUESTION_COLUMNS} FROM question WHERE {SEEN_QUESTION} ORDER BY id")


def questions_in(rows: Iterable[Row]) -> list[Question]:
    """Return what `question_rows` read as questions; any thread may do it.

    Raises:
        UserError: one is damaged.
    """
    return [_question(row) for row in rows]


def insert_questions(study: Study, new: Sequence[Question]) -> None:
    """Add questions; inside a step."""
    study.insert_many("question", [_cells(one) for one in new], [one.id for one in new])


def update_question(study: Study, new: Question) -> None:
    """Replace the question of the same id; inside a step."""
    columns = QUESTION_COLUMNS.split(", ")[1:]
    study.write(
        f"UPDATE question SET {', '.join(f'{one} = ?' for one in columns)} WHERE id = ?", (*_cells(new)[1:], new.id)
    )


def delete_questions(study: Study, question_ids: Iterable[str]) -> None:
    """Remove questions with what people said about them; inside a step."""
    for one in question_ids:
        study.write("DELETE FROM verification WHERE question_id = ?", (one,))
        study.write("DELETE FROM question WHERE id = ?", (one,))


def verifications(study: Study, recording_id: str = "") -> dict[str, list[Verification]]:
    """Return question id -> what people said about it, by time; of the questions of one recording where it is given.

    Raises:
        UserError: one is damaged.
    """
    found: dict[str, list[Verification]] = {}
    here = "question_id IN (SELECT id FROM question WHERE recording_id = ?) AND" if recording_id else ""
    given = (recording_id,) if recording_id else ()
    for row in study.rows(
        f"SELECT {_VERIFICATION} FROM verification WHERE {here} {_KNOWN} ORDER BY at, annotator_id", given
    ):
        found.setdefault(row[0], []).append(_verification(row))
    return found


def verifications_of(study: Study, question_id: str) -> list[Verification]:
    """Return what people said about a question, by time.

    Raises:
        UserError: one is damaged.
    """
    rows = study.rows(
        f"SELECT {_VERIFICATION} FROM verification WHERE question_id = ? AND {_KNOWN} ORDER BY at, annotator_id",
        (question_id,),
    )
    return [_verification(row) for row in rows]


def set_verification(study: Study, new: Verification) -> None:
    """Store what somebody says about a question, in place of what they said before; inside a step."""
    study.write(
        f"INSERT INTO verification ({_VERIFICATION}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (question_id, annotator_id) DO UPDATE SET decision = excluded.decision, "
        "checklist = excluded.checklist, checks = excluded.checks, difficulty = excluded.difficulty, "
        "note = excluded.note, state = excluded.state, at = excluded.at",
        (
            *(new.question_id, new.annotator_id, new.decision.value, new.checklist, to_json([*new.checks])),
            *(new.difficulty, new.note, new.state, new.at),
        ),
    )


def delete_verification(study: Study, question_id: str, annotator_id: str) -> None:
    """Take back what somebody said about a question; inside a step."""
    study.write("DELETE FROM verification WHERE question_id = ? AND annotator_id = ?", (question_id, annotator_id))


def _read(study: Study, where: str, given: Sequence[Cell]) -> list[Question]:
    rows = study.rows(f"SELECT {QUESTION_COLUMNS} FROM question WHERE {where} AND {SEEN_QUESTION} ORDER BY id", given)
    return [_question(row) for row in rows]


def _cells(one: Question) -> list[Cell]:
    wrong: list[Json] = [[each.text, each.plausibility, each.source] for each in one.wrong]
    return [
        *(one.id, one.recording_id, one.chain_id, one.kind.value, one.aspect, to_json([*one.covers]), one.made_from),
        *(one.start_us, one.end_us, one.text, one.answer, to_json(wrong), one.explanation, one.seed, one.place),
        *(one.maker.value, one.annotator_id, one.judgment_id, one.at),
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
        raise _damaged("A question", row[0]) from None


def _verification(row: Row) -> Verification:
    try:
        return Verification(row[0], row[1], VerificationDecision(row[2]), row[3], _texts(row[4]), *row[5:])
    except (ValueError, TypeError, RecursionError):
        raise _damaged("What somebody said about a question", row[0]) from None


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
    if not isinstance(listed, list) or not all(isinstance(one, list) for one in listed):
        raise ValueError(text)
    found = [WrongOption(*one) for one in listed]
    "".join(part for one in found for part in (one.text, one.source)).encode()
    likely = [one.plausibility for one in found if one.plausibility is not None]
    if not 0 < len(found) < len(LETTERS) or not all(type(one) is int for one in likely):
        raise ValueError(text)
    return tuple(found)


def _damaged(what: str, identifier: Any) -> UserError:
    return UserError(
        f"{what} ({shown(identifier)}) of this study is damaged.", "Find out what else is: greenroom check STUDY"
    )
