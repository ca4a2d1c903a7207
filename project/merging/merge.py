"""Merges the work of one copy into a study, as one step that can be undone.

The newest step that both files share is where they parted: each row is compared with its state then. Runs of models,
the journal of requests and active time are only added.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from project.entities.study_records import Annotator, Changes
from project.erasure.subject_scope import PersonalFinder, find_contact_strings
from project.erasure.withdrawal_guard import copy_without_withdrawn, require_no_withdrawals_in_copy
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.merging.changed_rows import (
    NewSegmentRows,
    edits_since,
    fresh_segments,
    newest_common_step,
    newest_step,
    step_uid,
    store_fresh,
)
from project.merging.conflict_resolution import present_version
from project.merging.merge_decisions import (
    MergePlan,
    RowConflict,
    free_judge_names,
    map_authors,
    match_judges,
    merge_key,
    plan_merge,
    rename_taken_judges,
)
from project.merging.references import keep_references
from project.progress import Progress, Silent
from project.queries.annotator_rows import insert_annotator
from project.queries.history_rows import all_conflicts
from project.schema.tables import HUMAN_TABLES, RUN_TABLES
from project.store import locking
from project.store.study import Cell, Row, Study
from project.text_format import escape_unprintable

_RESULT_TABLES = {name: table for name, table in RUN_TABLES.items() if table.part_of == "run"}
"""Tables that hold what runs found."""
_FACT_TABLES = {name: table for name, table in RUN_TABLES.items() if name != "run" and name not in _RESULT_TABLES}
"""Tables of other things that happened."""


@dataclass(frozen=True, slots=True)
class NewRuns:
    """Ids of the runs that the study lacks, and how many rows of which table come with them."""

    ids: tuple[str, ...]
    rows: Mapping[str, int]

    def __bool__(self) -> bool:
        return bool(self.ids)


def find_new_runs(study: Study, copy: Study) -> NewRuns:
    """Return what models stored in the copy and the study does not have; runs are never changed."""
    here = {row[0] for row in study.rows("SELECT id FROM run")}
    ids = tuple(row[0] for row in copy.rows("SELECT id FROM run ORDER BY rowid") if row[0] not in here)
    counts = {
        table: sum(
            int(row[0])
            for run_id in ids
            for row in copy.rows(f"SELECT count(*) FROM {table} WHERE run_id = ?", (run_id,))
        )
        for table in _RESULT_TABLES
    }
    return NewRuns(ids, {"run": len(ids), **counts})


def store_runs(study: Study, copy: Study, runs: NewRuns) -> None:
    """Insert the new runs and their rows as they are."""
    if not runs:
        return
    with study.run_transaction():
        for text in runs.ids:
            for table, column in ((RUN_TABLES["run"], "id"), *((table, "run_id") for table in _RESULT_TABLES.values())):
                columns = ", ".join(table.names)
                study.write_run(
                    table.insert_sql, copy.rows(f"SELECT {columns} FROM {table.name} WHERE {column} = ?", (text,))
                )


def find_new_activity(study: Study, copy: Study, same_person: Mapping[str, str]) -> list[tuple[Cell, ...]]:
    """Return the counters in which the copy is ahead; of two, the larger counts, so that merging again adds nothing."""
    ask = "SELECT recording_id, annotator_id, day, seconds FROM activity"
    here = {row[:3]: row[3] for row in study.rows(ask)}
    found: list[Row] = [(row[0], same_person.get(row[1], row[1]), row[2], row[3]) for row in copy.rows(ask)]
    return [row for row in found if row[3] > here.get(row[:3], -1)]


def store_activity(study: Study, active: list[tuple[Cell, ...]]) -> None:
    """Set the counters."""
    if active:
        with study.without_history():
            study.write_many(
                "INSERT INTO activity VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET seconds = max(seconds, excluded.seconds)",
                active,
            )


def find_new_facts(
    study: Study, copy: Study, same_person: Mapping[str, str], same_judge: Mapping[str, str]
) -> dict[str, list[Row]]:
    """Return what happened in the copy and is not written in the study, by table; whole rows.

    Annotators and judges are called as they are in the study: id in the copy -> id here.
    """
    found = {}
    for name, table in _FACT_TABLES.items():
        key = ", ".join(table.key)
        here = {tuple(row) for row in study.rows(f"SELECT {key} FROM {name}")}
        new = []
        for cells in copy.rows(f"SELECT {', '.join(table.names)} FROM {name} ORDER BY {key}"):
            row = dict(zip(table.names, cells, strict=True))
            for column, same in ((table.author, same_person), ("judge_id", same_judge)):
                if column in row:
                    row[column] = same.get(str(row[column]), row[column])
            if (identity := table.key_of(row)) not in here:
                here.add(identity)
                new.append(tuple(row.values()))
        found[name] = new
    return found


def store_facts(study: Study, facts: Mapping[str, list[Row]]) -> None:
    """Insert the new facts as they are."""
    with study.run_transaction():
        for table, rows in facts.items():
            if rows:
                study.write_run(RUN_TABLES[table].insert_sql, rows)


COPY_PROPERTY = "copy"
"""The property that tells a split copy: its id, its annotator, the step it was split at."""

_SILENT = Silent()
_LOGGED = 2
"""Rows that are written for one that comes: itself, and what the history says of it."""
_CONFLICTS = uuid.UUID("5f1b5f2e-6a7a-4c53-9c6e-3a1d7c0e9b11")


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows of one table a merge added, changed and removed."""

    added: int = 0
    changed: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What a merge did, or would do.

    Attributes:
        source: what the copy is called in conflicts: its annotator, or its file's name.
        tables: table -> what came; tables without news are left out.
        conflicts: how many new ones there are.
        introduced: names of annotators that are new to the study.
        renumbered: recordings that got another number, because theirs was taken: name -> number.
        renamed: judges that got another name, because theirs was taken: name -> name.
        changes: rows touched.
    """

    source: str
    tables: Mapping[str, RowCounts] = field(default_factory=lambda: MappingProxyType({}))
    conflicts: int = 0
    introduced: tuple[str, ...] = ()
    renumbered: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    renamed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    changes: Changes = field(default_factory=Changes)

    @property
    def is_empty(self) -> bool:
        """Whether the study had everything already."""
        return not self.tables and not self.conflicts


def open_copy(
    study: Study, path: Path, finder: PersonalFinder = find_contact_strings, *, keep_rest: bool = False
) -> Study:
    """Open a copy for reading, without those who withdrew from the study.

    Args:
        study: that it is merged into.
        path: of the copy.
        finder: finds what is personal in texts of recordings in which they were, as in the withdrawal.
        keep_rest: what only looks like theirs comes along.
    """
    path = resolve_path(path)
    name = escape_unprintable(path.name)
    if path == study.path or (path.exists() and path.samefile(study.path)):
        raise UserError(f"“{name}” is the study itself.", "Choose the copies that annotators worked on.")
    if path.is_file() and locking.is_held(path):
        raise UserError(
            f"“{name}” is open in another window ({locking.read_holder(path)}).", "Close it there and try again."
        )
    copy = Study.open(path, read_only=True)
    try:
        if copy.id != study.id:
            raise UserError(f"“{name}” is a copy of another study.", "Merge it into the study that it was split from.")
        if newest_common_step(study, copy) is None and copy.get_property(COPY_PROPERTY) is not None:
            raise UserError(
                f"“{name}” was not split from this study, but from one of its copies.",
                "Merge it into that copy first.",
            )
        require_no_withdrawals_in_copy(study, copy)
        return copy_without_withdrawn(study, copy, finder, keep_rest=keep_rest)
    except BaseException:
        copy.close()
        raise


def copy_label(copy: Study) -> str:
    """Return what a copy is called: its annotator where it was split for one, else its file's name."""
    facts = copy.get_property(COPY_PROPERTY)
    if isinstance(facts, dict) and facts.get("annotator"):
        return str(facts["annotator"])
    return copy.path.stem


def copy_sort_key(copy: Study) -> tuple[str, str]:
    """Return by what copies are put in order, so that it does not matter how they are named on a command line."""
    return copy_id(copy, 0), newest_step(copy)[1]


def copy_id(copy: Study, known: int) -> str:
    """Return the id of a copy: its own where it was split, else the uid of the first step that only it has."""
    facts = copy.get_property(COPY_PROPERTY)
    if isinstance(facts, dict) and facts.get("id"):
        return str(facts["id"])
    return step_uid(copy, known + 1)


def merge_copy(
    study: Study, copy: Study, annotator_id: str | None, *, dry_run: bool = False, progress: Progress = _SILENT
) -> MergeResult:
    """Merge the changes of a copy since it was split off, or since it was last merged.

    It is one step under `annotator_id`; annotators that are new to the study are introduced before it. Nothing is
    written where the copy has no news, nor with `dry_run`.

    Raises:
        Cancelled: the user stopped it. Then nothing of the copy is in the study.
    """
    with study.locked(), study.cancellable(progress):
        return _merge(study, copy, annotator_id, dry_run, progress)


def _merge(study: Study, copy: Study, annotator_id: str | None, dry_run: bool, progress: Progress) -> MergeResult:
    known = newest_common_step(study, copy) or 0
    label = copy_label(copy)
    new_people, same_person = _match_annotators(study, copy)
    # A split copy never had all that the study it came from has, so there the journal alone says what is new.
    whole = study.get_property(COPY_PROPERTY) is None and not same_person
    fresh = fresh_segments(study, copy) if whole else NewSegmentRows()
    progress.check_cancelled()
    edits = edits_since(copy, known, but=fresh)
    progress.check_cancelled()
    runs = find_new_runs(study, copy)
    active = find_new_activity(study, copy, same_person)
    same_judge = match_judges(study, copy)
    facts = find_new_facts(study, copy, same_person, same_judge)
    if not any((edits, fresh.segments, new_people, runs, active, *facts.values())):
        return MergeResult(label)
    edits = map_authors(edits, same_person)
    for identifier in (*same_person, *(person.id for person in new_people)):
        edits.get("annotator", {}).pop((identifier,), None)
    for identifier in same_judge:
        edits.get("judge", {}).pop((identifier,), None)
    progress.check_cancelled()
    decision = plan_merge(study, copy, edits, label)
    keep_references(study, copy, decision, label, {person.id for person in new_people})
    renumbered = _renumber(study, decision)
    renamed = rename_taken_judges(study, decision, label)
    clashes = _new_clashes(study, decision)
    merged = MergeResult(
        label,
        MappingProxyType(
            _count_rows(decision, fresh, {**runs.rows, **{name: len(rows) for name, rows in facts.items()}})
        ),
        len(clashes),
        tuple(person.name for person in new_people),
        MappingProxyType(renumbered),
        MappingProxyType(renamed),
    )
    if dry_run:
        return merged
    study.require_writable()
    rows = _LOGGED * sum(table.added + table.changed + table.removed for table in merged.tables.values())
    with study.atomic(), study.cancellable(progress, rows):
        changes = Changes.from_pairs(("annotator", person.id) for person in new_people)
        for person in new_people:
            with study.step(f"Introduce {person.name}", undoable=False):
                insert_annotator(study, person)
        store_runs(study, copy, runs)
        store_activity(study, active)
        store_facts(study, facts)
        if not edits and not fresh.segments:
            return replace(merged, changes=changes)
        uid = newest_step(copy)[1]
        with study.step(f"Merge {label}", annotator_id, merge_key(uid, label)) as step:
            _write(study, decision)
            store_fresh(study, fresh)
            _write_clashes(study, clashes)
            study.write(
                "INSERT INTO merged_copy VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now')) "
                "ON CONFLICT (copy_id) DO UPDATE SET step_uid = excluded.step_uid, at = excluded.at",
                (copy_id(copy, _newest_shared_step(study, copy)), uid),
            )
    return replace(merged, changes=changes | step.changes)


def _match_annotators(study: Study, copy: Study) -> tuple[list[Annotator], dict[str, str]]:
    """Return the copy's annotators that the study lacks, and their id -> id here of those that go by the same name."""
    here = {str(row[1]): str(row[0]) for row in study.rows("SELECT id, name FROM annotator")}
    ids = set(here.values())
    new, same = [], {}
    for identifier, name, kind in copy.rows("SELECT id, name, kind FROM annotator ORDER BY id"):
        if identifier in ids:
            continue
        if name in here:
            same[identifier] = here[name]
        else:
            new.append(Annotator(identifier, name, kind))
    return new, same


def _renumber(study: Study, decision: MergePlan) -> dict[str, int]:
    """Give recordings that come with a number that is taken the next free one."""
    coming = decision.inserts.get("recording", [])
    if not coming:
        return {}
    taken = {int(row[0]) for row in study.rows("SELECT number FROM recording")}
    given = {}
    for row in sorted(coming, key=lambda row: str(row["id"])):
        if row["number"] in taken:
            row["number"] = max(taken) + 1
            given[str(row["name"])] = int(row["number"])
        taken.add(int(row["number"]))
    return given


def _count_rows(decision: MergePlan, fresh: NewSegmentRows, runs: Mapping[str, int]) -> dict[str, RowCounts]:
    found = {}
    for name in HUMAN_TABLES:
        counts = [len(rows.get(name, [])) for rows in (decision.inserts, decision.updates, decision.deletes)]
        counts[0] += len(fresh.rows.get(name, []))
        if any(counts):
            found[name] = RowCounts(*counts)
    return found | {name: RowCounts(count) for name, count in runs.items() if count}


def _write(study: Study, decision: MergePlan) -> None:
    study.write("PRAGMA defer_foreign_keys = ON", ())
    for table in reversed([*HUMAN_TABLES.values()]):
        if decision.deletes.get(table.name):
            study.write_many(table.delete_sql, decision.deletes[table.name])
    free_judge_names(study, decision.updates.get("judge", []))
    for name, table in HUMAN_TABLES.items():
        if decision.inserts.get(name):
            study.write_many(table.insert_sql, table.cells_of(decision.inserts[name]))
        if updates := decision.updates.get(name):
            rows = zip(table.cells_of(updates), map(table.key_of, updates), strict=True)
            study.write_many(table.update_sql, [[*cells, *key] for cells, key in rows])


def _new_clashes(study: Study, decision: MergePlan) -> list[tuple[str, RowConflict]]:
    """Return the conflicts that the study does not have yet, each with its id, which follows from what it says."""
    known = {row[0] for row in study.rows("SELECT id FROM conflict")}
    known |= {row["id"] for row in decision.inserts.get("conflict", [])}
    found: dict[str, RowConflict] = {}
    for clash in decision.clashes:
        said = [clash.table, clash.key, clash.theirs]
        identifier = str(uuid.uuid5(_CONFLICTS, json.dumps(said, sort_keys=True)))
        if identifier not in known:
            found[identifier] = clash
    return [*found.items()]


def _write_clashes(study: Study, clashes: list[tuple[str, RowConflict]]) -> None:
    rows: list[tuple[Cell, ...]] = []
    for identifier, clash in clashes:
        ours, theirs = (None if side is None else json.dumps(side) for side in (clash.ours, clash.theirs))
        rows.append((identifier, clash.table, json.dumps(clash.key), ours, theirs, clash.source))
    study.write_many(
        "INSERT INTO conflict VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), NULL)", rows
    )
    # A later merge may have changed what the study has of an item that is in conflict already.
    for conflict in all_conflicts(study, unresolved=True):
        present = present_version(study, conflict)
        if present != conflict.ours:
            text = None if present is None else json.dumps(present)
            study.write("UPDATE conflict SET ours = ? WHERE id = ?", (text, conflict.id))


def _newest_shared_step(study: Study, copy: Study) -> int:
    """Return the number in the copy of its newest step that is a step of the study too."""
    steps = {row[0] for row in study.rows("SELECT uid FROM journal_step")}
    found = copy.rows("SELECT id, uid FROM journal_step ORDER BY id DESC")
    return next((int(number) for number, uid in found if uid in steps), 0)
