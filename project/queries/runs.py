"""Runs of models and renderers: stored once, then never changed."""

import json

from project.json_text import to_json
from project.store import Row, Study
from project.types import Run

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
    """Return the runs over a recording, newest first; of one kind where `kind` is given."""
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM run WHERE recording_id = ? AND kind = coalesce(?, kind) "
        "ORDER BY finished_at DESC, rowid DESC",
        (recording_id, kind),
    )
    return [_run(row) for row in rows]


def latest_run(study: Study, recording_id: str, kind: str) -> Run | None:
    """Return the newest run of a kind over a recording, or None."""
    row = study.row(
        f"SELECT {_COLUMNS} FROM run WHERE recording_id = ? AND kind = ? ORDER BY finished_at DESC, rowid DESC LIMIT 1",
        (recording_id, kind),
    )
    return None if row is None else _run(row)


def kinds_run(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the kinds of runs there were over it; recordings without any are left out."""
    kinds: dict[str, set[str]] = {}
    for recording_id, kind in study.rows("SELECT DISTINCT recording_id, kind FROM run"):
        kinds.setdefault(recording_id, set()).add(kind)
    return kinds


def _run(row: Row) -> Run:
    return Run(row[0], row[1], row[2], row[3], json.loads(row[4]), json.loads(row[5]), row[6], row[7])
