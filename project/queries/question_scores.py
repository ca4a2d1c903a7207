"""What judges said about questions, as far as filters need it: nothing of what they saw or wrote besides the answer."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from project.judging import JudgmentStatus
from project.store import Row, Study


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


def given_rows(study: Study, tasks: Collection[str], after: int, upto: int) -> list[Row]:
    """Return what was said about questions in some tasks, as it is stored, for `given_in`.

    Args:
        study: the study.
        tasks: keys of tasks.
        after: number of the judgment (`newest_judgment`) after which is read; judgments are stored once and never
            changed, so what was read before stands.
        upto: number of the last judgment that is read.
    """
    marks = ", ".join("?" * len(tasks))
    return study.rows(
        f"SELECT {_COLUMNS} FROM judgment WHERE rowid > ? AND rowid <= ? AND question_id <> '' AND task IN ({marks})",
        [after, upto, *tasks],
    )


def given_about(study: Study, tasks: Collection[str], question_id: str) -> list[Row]:
    """Return what was said about one question in some tasks, as it is stored, for `given_in`."""
    marks = ", ".join("?" * len(tasks))
    return study.rows(
        f"SELECT {_COLUMNS} FROM judgment WHERE question_id = ? AND task IN ({marks})", [question_id, *tasks]
    )


def given_in(rows: Iterable[Row]) -> list[Given]:
    """Return what `given_rows` read as judgments; any thread may do it."""
    return [Given(*(*row[:10], _STATUS[row[10]], *row[11:])) for row in rows]


def judges_behind(study: Study, question_id: str | None = None) -> dict[str, tuple[str, str]]:
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
