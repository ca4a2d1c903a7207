"""Applies one version of a conflict to the study."""

from project.errors import UserError
from project.merging.changed_rows import (
    SEGMENT_ID_COLUMNS,
    Key,
    Row,
    Rows,
    find_rows,
)
from project.merging.merge_decisions import free_name
from project.queries.history_rows import Conflict
from project.schema.table_declaration import StudyTable
from project.schema.tables import HUMAN_TABLES
from project.store.study import Study


def present_version(study: Study, conflict: Conflict) -> Rows | None:
    """Return the study's present version of the item, in the format of conflict versions; None for none."""
    if _is_segment_conflict(conflict):
        found = {
            name: [row for _, row in sorted(find_rows(study, HUMAN_TABLES[name], {conflict.key[0]}, column).items())]
            for name, column in SEGMENT_ID_COLUMNS.items()
        }
        return {name: rows for name, rows in found.items() if rows} or None
    row = _find_row(study, HUMAN_TABLES[conflict.table], conflict.key)
    return None if row is None else {conflict.table: [row]}


def apply_version(study: Study, conflict: Conflict, version: Rows | None) -> None:
    """Change the item to `version`; inside a step."""
    study.write("PRAGMA defer_foreign_keys = ON", ())
    present = present_version(study, conflict) or {}
    wanted = version or {}
    for name in reversed([*HUMAN_TABLES]):
        kept = {HUMAN_TABLES[name].key_of(row) for row in wanted.get(name, [])}
        for row in present.get(name, []):
            if HUMAN_TABLES[name].key_of(row) not in kept:
                _delete(study, HUMAN_TABLES[name], row)
    for name in HUMAN_TABLES:
        for row in wanted.get(name, []):
            _put_row(study, HUMAN_TABLES[name], row)


def _is_segment_conflict(conflict: Conflict) -> bool:
    return conflict.table == "segment" and (conflict.ours is None or conflict.theirs is None)


def _find_row(study: Study, table: StudyTable, key: Key) -> Row | None:
    return find_rows(study, table, {key[0]}, table.key[0]).get(key)


def _put_row(study: Study, table: StudyTable, row: Row) -> None:
    for column, parent in table.parents.items():
        if row[column] is not None and study.row(f"SELECT 1 FROM {parent} WHERE id = ?", (row[column],)) is None:
            raise UserError(
                f"The {parent.replace('_', ' ')} that this belongs to is no longer in the study.",
                "Keep the study's own version, or bring it back with Undo first.",
            )
    if table.name == "recording":
        row = {**row, "number": _free_number(study, row)}
    if table.name == "judge":
        others = {each_row[0] for each_row in study.rows("SELECT name FROM judge WHERE id <> ?", (row["id"],))}
        row = {**row, "name": free_name(str(row["name"]), "another", others)}
    key = table.key_of(row)
    (cells,) = table.cells_of([row])
    if _find_row(study, table, key) is None:
        study.write(table.insert_sql, cells)
    else:
        study.write(table.update_sql, [*cells, *key])


def _free_number(study: Study, row: Row) -> int:
    taken = study.row("SELECT 1 FROM recording WHERE number = ? AND id <> ?", (row["number"], row["id"]))
    highest = study.row("SELECT coalesce(max(number), 0) FROM recording")
    return int(row["number"]) if taken is None or highest is None else int(highest[0]) + 1


def _delete(study: Study, table: StudyTable, row: Row) -> None:
    for child, other in HUMAN_TABLES.items():
        for column, parent in other.parents.items():
            if parent == table.name and study.row(f"SELECT 1 FROM {child} WHERE {column} = ? LIMIT 1", (row["id"],)):
                raise UserError(
                    f"This {parent} is used by {child.replace('_', ' ')} rows, so it cannot be removed.",
                    "Keep the study's own version.",
                )
    study.write(table.delete_sql, table.key_of(row))
