"""Reads and writes the rows of the annotation tables as they are, for the lossless exchange format."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from project.entities.study_records import Json
from project.schema.table_declaration import EXCHANGED, ColumnKind, StudyColumn, StudyTable
from project.schema.tables import TABLES
from project.store.column_values import to_json
from project.store.study import Cell, Study
from project.store.visibility import VISIBLE_SEGMENTS

EXCHANGE_TABLES: Mapping[str, StudyTable] = MappingProxyType(
    {name: table for name, table in TABLES.items() if EXCHANGED in table.copies}
)
"""Table -> what it is made of, each table after those that it refers to."""


def read_table(study: Study, table: str, *, seen: bool = False) -> list[dict[str, Json]]:
    """Return every row of one of `EXCHANGE_TABLES`, ordered by its key; `seen` leaves out what training hides."""
    found = EXCHANGE_TABLES[table]
    names, key = ", ".join(found.names), ", ".join(found.key)
    rows = study.rows(
        f"SELECT {names} FROM {VISIBLE_SEGMENTS if seen and table == 'segment' else table} ORDER BY {key}"
    )
    return [{column.name: _read(column, cell) for column, cell in zip(found.columns, row, strict=True)} for row in rows]


def insert_rows(study: Study, table: str, rows: Sequence[Mapping[str, Json]]) -> None:
    """Add rows of one of `EXCHANGE_TABLES`, whose columns have been checked; inside a step."""
    found = EXCHANGE_TABLES[table]
    study.write_many(
        found.insert_sql, [tuple(_write(column, row[column.name]) for column in found.columns) for row in rows]
    )


def row_key(table: str, row: Mapping[str, Json]) -> tuple[Json, ...]:
    """Return what tells a row apart in its table."""
    return EXCHANGE_TABLES[table].key_of(row)


def _read(column: StudyColumn, cell: Cell) -> Json:
    if column.kind is ColumnKind.JSON:
        found: Json = json.loads(str(cell))
        return found
    assert not isinstance(cell, bytes)
    return bool(cell) if column.truth else cell


def _write(column: StudyColumn, value: Json) -> Cell:
    if column.kind is ColumnKind.JSON:
        return to_json(value)
    assert value is None or isinstance(value, str | int)
    return int(value) if isinstance(value, bool) else value
