"""Runs of models and renderers: stored once, then never changed."""

from project.json_text import to_json
from project.names import shown
from project.queries.stored_values import stored_object
from project.store import Row, Study
from project.types import Run

SOURCE = "source_sha256"
"""Under which a run's result keeps the SHA-256 of the whole file that it worked on."""
SOURCE_KIND = "source"
"""The kind of a run that read a file whole, for a run of an earlier version that kept no checksum of it."""

_COLUMNS = "id, recording_id, kind, backend, parameters, result, finished_at, program_version"


def insert_run(study: Study, new: Run) -> None:
    """Store a run; inside `Study.recording_run`."""
    study.write_run(
        f"INSERT INTO run ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                new.id,
                new.recording_id,
                new.kind,
                new.backend,
                to_json(dict(new.parameters)),
                to_json(dict(new.result)),
                new.finished_at,
                new.program_version,
            )
        ],
    )


def runs_of(study: Study, recording_id: str, kind: str | None = None) -> list[Run]:
    """Return the runs over a recording, newest first; of one kind where `kind` is given.

    Raises:
        UserError: one of them is damaged.
    """
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM run WHERE recording_id = ? AND kind = coalesce(?, kind) "
        "ORDER BY finished_at DESC, rowid DESC",
        (recording_id, kind),
    )
    return [_run(row) for row in rows]


def latest_run(study: Study, recording_id: str, kind: str) -> Run | None:
    """Return the newest run of a kind over a recording, or None.

    Raises:
        UserError: it is damaged.
    """
    row = study.row(
        f"SELECT {_COLUMNS} FROM run WHERE recording_id = ? AND kind = ? ORDER BY finished_at DESC, rowid DESC LIMIT 1",
        (recording_id, kind),
    )
    return None if row is None else _run(row)


def source_sha256(study: Study, run: Run) -> str:
    """Return the SHA-256 of the whole file that a run worked on; "" where nobody read it.

    Runs of earlier versions kept none: then that of a run counts that read their file later.
    """
    later = () if SOURCE in run.result else runs_of(study, run.recording_id, SOURCE_KIND)
    for result in (run.result, *(one.result for one in later if one.parameters.get("run") == run.id)):
        found = result.get(SOURCE)
        if isinstance(found, str) and found:
            return found
    return ""


def run_called(study: Study, run_id: str) -> Run | None:
    """Return the run with this id, or None.

    Raises:
        UserError: it is damaged.
    """
    row = study.row(f"SELECT {_COLUMNS} FROM run WHERE id = ?", (run_id,))
    return None if row is None else _run(row)


def kinds_run(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the kinds of runs there were over it; recordings without any are left out."""
    kinds: dict[str, set[str]] = {}
    for recording_id, kind in study.rows("SELECT DISTINCT recording_id, kind FROM run"):
        kinds.setdefault(recording_id, set()).add(kind)
    return kinds


def _run(row: Row) -> Run:
    what = f"A run ({shown(row[2])}, {shown(row[6])})"
    return Run(row[0], row[1], row[2], row[3], stored_object(row[4], what), stored_object(row[5], what), row[6], row[7])
