"""What judges said about questions, as far as filters need it: nothing of what they saw or wrote besides the answer."""

from collections.abc import Collection
from dataclasses import dataclass

from project.judging import JudgmentStatus
from project.store import Study


@dataclass(frozen=True, slots=True)
class Given:
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


_COLUMNS = "id, question_id, task, judge_id, judge, variant, condition, modality, seed, state, status, answer, at"
_STATUS = {one.value: one for one in JudgmentStatus}


def given_about_questions(study: Study, tasks: Collection[str]) -> list[Given]:
    """Return what was said about all questions in some tasks, in no order."""
    marks = ", ".join("?" * len(tasks))
    rows = study.rows(f"SELECT {_COLUMNS} FROM judgment WHERE question_id <> '' AND task IN ({marks})", [*tasks])
    return [Given(*row[:10], _STATUS[row[10]], *row[11:]) for row in rows]


def judges_behind(study: Study) -> dict[str, tuple[str, str]]:
    """Return judgment -> judge and the entry as it was (JSON), for the judgments that worded questions."""
    rows = study.rows(
        "SELECT id, judge_id, judge FROM judgment "
        "WHERE id IN (SELECT judgment_id FROM question WHERE judgment_id <> '')"
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def newest_judgment(study: Study) -> int:
    """Return a number that changes when judgments are added."""
    row = study.row("SELECT coalesce(max(rowid), 0) FROM judgment")
    return 0 if row is None else int(row[0])
