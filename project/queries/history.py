"""The history of a study: who did what, and when."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from project.store import Study
from project.types import Json


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One step of the history.

    Attributes:
        id: counts up from 1 in this file.
        name: what was done, such as "Move segment"; for an undo or redo, what it took back or made again.
        annotator_id: who did it, where that is known.
        at: when, in UTC, as ISO 8601.
        kind: `edit`, `undo`, `redo`, `fixed` for what is not there to be undone, or `withdrawal`, before which nothing
            is undone.
    """

    id: int
    name: str
    annotator_id: str | None
    at: str
    kind: str


def steps(study: Study, limit: int = 100) -> list[HistoryStep]:
    """Return the newest steps, newest first."""
    rows = study.rows("SELECT id, name, annotator_id, at, kind FROM journal_step ORDER BY id DESC LIMIT ?", (limit,))
    return [HistoryStep(*row) for row in rows]


def newest_mark(study: Study) -> tuple[int, str, int, tuple[int, int]]:
    """Return what changes with every edit and every run: number and time of the newest step, and how many runs.

    What another program writes past the history changes it, too.
    """
    row = study.row(
        "SELECT coalesce(max(id), 0), coalesce((SELECT at FROM journal_step ORDER BY id DESC LIMIT 1), ''), "
        "(SELECT coalesce(max(rowid), 0) FROM run) FROM journal_step"
    )
    step, at, run = (0, "", 0) if row is None else row
    return step, at, run, study.data_version()


@dataclass(frozen=True, slots=True)
class RowEdit:
    """What one step did to one row: its columns before and after, {} where it was not there.

    Attributes:
        subject: id of what the row is about, such as a segment's.
        at: when, in UTC, as ISO 8601.
    """

    subject: str
    before: dict[str, Json]
    after: dict[str, Json]
    at: str


def edits_of(study: Study, table: str, subjects: Collection[str]) -> list[RowEdit]:
    """Return what was ever done to the rows of a table about these subjects, oldest first."""
    rows = study.rows(
        "SELECT c.row_id, c.before, c.after, s.at FROM journal_change c JOIN journal_step s ON s.id = c.step_id "
        "WHERE c.table_name = ? AND c.row_id IN (SELECT value FROM json_each(?)) ORDER BY c.id",
        (table, json.dumps(sorted(subjects))),
    )
    return [RowEdit(row[0], json.loads(row[1] or "{}"), json.loads(row[2] or "{}"), row[3]) for row in rows]
