"""Queries on the history of steps, merge conflicts, runs of models and renderers, and shared copies.

Runs are stored once and never changed. Shared copies are noted, so that a withdrawal can say that they exist.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

from project.entities.study_records import Changes, Json, Run
from project.queries.row_mapper import RowMapper, group_values
from project.store.study import Study


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


STEPS = RowMapper(HistoryStep, "journal_step")


def read_steps(study: Study, limit: int = 100) -> list[HistoryStep]:
    """Return the newest steps, newest first."""
    return STEPS.select(study, "ORDER BY id DESC LIMIT ?", limit)


def revision_key(study: Study) -> tuple[int, str, int, tuple[int, int]]:
    """Return what changes with every edit and every run: number and time of the newest step, and how many runs.

    What another program writes past the history changes it, too.
    """
    ((step, at, run),) = study.rows(
        "SELECT coalesce(max(id), 0), coalesce((SELECT at FROM journal_step ORDER BY id DESC LIMIT 1), ''), "
        "(SELECT coalesce(max(rowid), 0) FROM run) FROM journal_step"
    )
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


Version: TypeAlias = dict[str, list[dict[str, Any]]]
"""Table -> rows, column by column."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """One item that two people changed differently.

    Attributes:
        table: of the row; `segment` also stands for a whole segment with all that was said about it.
        key: the values of the row's primary key.
        ours: the version that the study kept when they were merged; None where it was deleted.
        theirs: the other version; None where it was deleted.
        source: whose the other version is: an annotator, or the name of a copy.
        at: when they were merged, UTC, ISO 8601.
        resolution: `ours` or `theirs`, once somebody chose.
    """

    id: str
    table: str
    key: tuple[Any, ...]
    ours: Version | None
    theirs: Version | None
    source: str
    at: str
    resolution: str | None


_VERSION_CODEC = (json.dumps, lambda text: None if text is None else json.loads(text))
CONFLICTS = RowMapper(
    Conflict,
    "conflict",
    noun="A conflict ({id})",
    columns={"table": "table_name", "key": "row_key"},
    codecs={
        "key": (json.dumps, lambda text: tuple(json.loads(text))),
        "ours": _VERSION_CODEC,
        "theirs": _VERSION_CODEC,
    },
)


def all_conflicts(study: Study, *, unresolved: bool = False) -> list[Conflict]:
    """Return the conflicts, oldest merge first."""
    return CONFLICTS.select(study, f"{'WHERE resolution IS NULL' if unresolved else ''} ORDER BY at, id")


def conflict_by_id(study: Study, identifier: str) -> Conflict | None:
    """Return the conflict of an id or of the start of one, or None where there is none or several fit."""
    conflicts = CONFLICTS.select(study, "WHERE substr(id, 1, ?) = ?", len(identifier), identifier)
    return conflicts[0] if len(conflicts) == 1 and identifier else None


def count_unresolved(study: Study) -> int:
    """Return how many conflicts wait for somebody to choose."""
    return int(study.rows("SELECT count(*) FROM conflict WHERE resolution IS NULL")[0][0])


def set_resolution(study: Study, identifier: str, resolution: str | None) -> None:
    """Say which version was chosen; inside a step."""
    study.write("UPDATE conflict SET resolution = ? WHERE id = ?", (resolution, identifier))


SOURCE_SHA256_KEY = "source_sha256"
"""Under which a run's result keeps the SHA-256 of the whole file that it worked on."""


RUNS = RowMapper(Run, "run", noun="A run ({kind}, {finished_at})")
insert_run = RUNS.insert


def runs_of(study: Study, recording_id: str, kind: str | None = None) -> list[Run]:
    """Return the runs over a recording, newest first; of one kind where `kind` is given."""
    where = "WHERE recording_id = ? AND kind = coalesce(?, kind) ORDER BY finished_at DESC, rowid DESC"
    return RUNS.select(study, where, recording_id, kind)


latest_run = RUNS.query_first("WHERE recording_id = ? AND kind = ? ORDER BY finished_at DESC, rowid DESC LIMIT 1")


def source_sha256(run: Run) -> str:
    """Return the SHA-256 of the whole file that a run worked on; "" where the run says none."""
    found = run.result.get(SOURCE_SHA256_KEY)
    return found if isinstance(found, str) else ""


find_run = RUNS.find


def run_kinds(study: Study) -> dict[str, set[str]]:
    """Return recording id -> the kinds of runs there were over it; recordings without any are left out."""
    return group_values(study.rows("SELECT recording_id, kind FROM run"))


SHARED_PROPERTY = "shared"
"""The property that lists them; each file has its own."""
SHARE_STEP = "Share annotations"


@dataclass(frozen=True, slots=True)
class SharedCopy:
    """When a copy was made, UTC, ISO 8601, and its name; where it is by now is not known."""

    at: str
    name: str


def record_shared_copy(study: Study, copy: SharedCopy, annotator_id: str | None) -> Changes:
    """Write down that a copy was made; no undo reaches it."""
    with study.step(SHARE_STEP, annotator_id, undoable=False) as step:
        before = study.get_property(SHARED_PROPERTY)
        listed = before if isinstance(before, list) else []
        study.set_property(SHARED_PROPERTY, [*listed, {"at": copy.at, "name": copy.name}])
    return step.changes


def parse_shared_copies(value: str) -> tuple[SharedCopy, ...]:
    """Return the copies that the property lists; what is damaged in it is left out."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return ()
    listed = [copy for copy in found if isinstance(copy, dict)] if isinstance(found, list) else []
    return tuple(SharedCopy(str(copy.get("at", "")), str(copy.get("name", ""))) for copy in listed)
