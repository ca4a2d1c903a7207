"""Reads and writes the rows of the annotation tables as they are, for the lossless exchange format."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from project.entities.study_records import Json, ParticipantRole
from project.store.column_values import to_json
from project.store.study import Cell, Study
from project.store.visibility import VISIBLE_SEGMENTS


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column.

    Attributes:
        kind: `text`, `number`, `truth` (kept as 0 or 1) or `json` (kept as text).
        references: the table whose id it holds, or "".
        nullable: whether it may be null.
        choices: the only values it may have, or nothing for any.
    """

    kind: str = "text"
    references: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table; `key` are the columns that tell its rows apart."""

    columns: Mapping[str, ColumnSchema]
    key: tuple[str, ...] = ("id",)


_NUMBER = ColumnSchema("number")
_TEXT = ColumnSchema()
_AT = {"at": _TEXT}
_WHO = {"recording_id": ColumnSchema(references="recording"), "annotator_id": ColumnSchema(references="annotator")}
_SPAN = {"start_us": _NUMBER, "end_us": _NUMBER}

EXCHANGE_TABLES: Mapping[str, TableSchema] = MappingProxyType(
    {
        "scheme_version": TableSchema({"key": _TEXT, "version": _NUMBER, "text": _TEXT}, ("key", "version")),
        "collection": TableSchema({"id": _TEXT, "name": _TEXT, "agent_context": _TEXT}),
        "recording": TableSchema(
            {
                "id": _TEXT,
                "collection_id": ColumnSchema(references="collection"),
                "number": _NUMBER,
                "name": _TEXT,
                "duration_us": _NUMBER,
            }
        ),
        "medium": TableSchema(
            {
                "id": _TEXT,
                "recording_id": ColumnSchema(references="recording"),
                "role": ColumnSchema(choices=("main", "camera", "microphone", "chapter")),
                "position": _NUMBER,
                "offset_us": _NUMBER,
                "path": _TEXT,
                "fingerprint": _TEXT,
                "facts": ColumnSchema("json"),
            }
        ),
        "participant": TableSchema(
            {
                "id": _TEXT,
                "pseudonym": _TEXT,
                "role": ColumnSchema(choices=tuple(role.value for role in ParticipantRole)),
                "note": _TEXT,
            }
        ),
        "appearance": TableSchema(
            {
                "recording_id": ColumnSchema(references="recording"),
                "participant_id": ColumnSchema(references="participant"),
            },
            ("recording_id", "participant_id"),
        ),
        "consent": TableSchema(
            {
                "participant_id": ColumnSchema(references="participant"),
                "use": ColumnSchema(choices=("annotate", "release", "models")),
                "granted": ColumnSchema("truth"),
            },
            ("participant_id", "use"),
        ),
        "annotator": TableSchema(
            {"id": _TEXT, "name": _TEXT, "kind": ColumnSchema(choices=("person", "model", "adjudicated"))}
        ),
        "segment": TableSchema({"id": _TEXT, **_WHO, "scheme": _TEXT, "track": _TEXT, "label": _TEXT, **_SPAN}),
        "segment_value": TableSchema(
            {
                "segment_id": ColumnSchema(references="segment"),
                "scheme": _TEXT,
                "version": _NUMBER,
                "field": _TEXT,
                "value": ColumnSchema("json"),
            },
            ("segment_id", "scheme", "version", "field"),
        ),
        "utterance": TableSchema(
            {
                "id": _TEXT,
                "recording_id": ColumnSchema(references="recording"),
                "participant_id": ColumnSchema(references="participant", nullable=True),
                **_SPAN,
                "text": _TEXT,
                "words": ColumnSchema("json"),
                "checked": ColumnSchema("truth"),
                "suggested": ColumnSchema("truth"),
            }
        ),
        "assignment": TableSchema(
            {**_WHO, "purpose": ColumnSchema(choices=("work", "training"))}, ("recording_id", "annotator_id")
        ),
        "completion": TableSchema({**_WHO, **_AT}, ("recording_id", "annotator_id")),
        "review": TableSchema(
            {
                "segment_id": ColumnSchema(references="segment"),
                "reviewer_id": ColumnSchema(references="annotator"),
                "decision": ColumnSchema(choices=("agree", "disagree")),
                "note": _TEXT,
                **_AT,
            },
            ("segment_id", "reviewer_id"),
        ),
        "comment": TableSchema(
            {
                "id": _TEXT,
                "segment_id": ColumnSchema(references="segment"),
                "annotator_id": ColumnSchema(references="annotator"),
                "text": _TEXT,
                **_AT,
                "resolved": ColumnSchema("truth"),
            }
        ),
    }
)
"""Table -> what it is made of, each table after those that it refers to."""


def read_table(study: Study, table: str, *, seen: bool = False) -> list[dict[str, Json]]:
    """Return every row of one of `EXCHANGE_TABLES`, ordered by its key; `seen` leaves out what training hides."""
    found = EXCHANGE_TABLES[table]
    names, key = ", ".join(found.columns), ", ".join(found.key)
    rows = study.rows(
        f"SELECT {names} FROM {VISIBLE_SEGMENTS if seen and table == 'segment' else table} ORDER BY {key}"
    )
    kinds = [column.kind for column in found.columns.values()]
    return [
        {name: _read(kind, cell) for name, kind, cell in zip(found.columns, kinds, row, strict=True)} for row in rows
    ]


def insert_rows(study: Study, table: str, rows: Sequence[Mapping[str, Json]]) -> None:
    """Add rows of one of `EXCHANGE_TABLES`, whose columns have been checked; inside a step."""
    columns = EXCHANGE_TABLES[table].columns
    marks = ", ".join("?" * len(columns))
    study.write_many(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        [tuple(_write(column.kind, row[name]) for name, column in columns.items()) for row in rows],
    )


def row_key(table: str, row: Mapping[str, Json]) -> tuple[Json, ...]:
    """Return what tells a row apart in its table."""
    return tuple(row[name] for name in EXCHANGE_TABLES[table].key)


def _read(kind: str, cell: Cell) -> Json:
    match kind:
        case "json":
            found: Json = json.loads(str(cell))
            return found
        case "truth":
            return bool(cell)
        case _:
            assert not isinstance(cell, bytes)
            return cell


def _write(kind: str, value: Json) -> Cell:
    match kind:
        case "json":
            return to_json(value)
        case "truth":
            return int(bool(value))
        case _:
            assert value is None or isinstance(value, str | int)
            return value
