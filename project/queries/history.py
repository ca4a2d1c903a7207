"""The history of a study: who did what, and when."""

from dataclasses import dataclass

from project.store import Study


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One step of the history.

    Attributes:
        id: counts up from 1 in this file.
        name: what was done, such as "Move segment"; for an undo or redo, what it took back or made again.
        annotator_id: who did it, where that is known.
        at: when, in UTC, as ISO 8601.
        kind: `edit`, `undo`, `redo`, or `fixed` for what is not there to be undone.
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
