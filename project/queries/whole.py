"""The rows of the human tables that make up annotation work, as they are: for the exchange that loses nothing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from project.json_text import to_json
from project.sight import SEEN
from project.store import Cell, Study
from project.types import Json


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        kind: `text`, `number`, `truth` (kept as 0 or 1) or `json` (kept as text).
        refers: the table whose id it holds, or "".
        empty: whether it may be null.
        one_of: the only values it may have, or nothing for any.
    """

    kind: str = "text"
    refers: str = ""
    empty: bool = False
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One table; `key` are the columns that tell its rows apart."""

    columns: Mapping[str, Column]
    key: tuple[str, ...] = ("id",)


_NUMBER = Column("number")
_TEXT = Column()
_AT = {"at": _TEXT}
_WHO = {"recording_id": Column(refers="recording"), "annotator_id": Column(refers="annotator")}
_SPAN = {"start_us": _NUMBER, "end_us": _NUMBER}

TABLES: Mapping[str, Table] = MappingProxyType(
    {
        "scheme_version": Table({"key": _TEXT, "version": _NUMBER, "text": _TEXT}, ("key", "version")),
        "collection": Table({"id": _TEXT, "name": _TEXT, "agent_context": _TEXT}),
        "recording": Table(
            {
                "id": _TEXT,
                "collection_id": Column(refers="collection"),
                "number": _NUMBER,
                "name": _TEXT,
                "duration_us": _NUMBER,
            }
        ),
        "medium": Table(
            {
                "id": _TEXT,
                "recording_id": Column(refers="recording"),
                "role": Column(one_of=("main", "camera", "microphone", "chapter")),
                "position": _NUMBER,
                "offset_us": _NUMBER,
                "path": _TEXT,
                "fingerprint": _TEXT,
                "facts": Column("json"),
            }
        ),
        "participant": Table(
            {
                "id": _TEXT,
                "pseudonym": _TEXT,
                "role": Column(one_of=("user", "robot", "bystander")),
                "note": _TEXT,
            }
        ),
        "appearance": Table(
            {"recording_id": Column(refers="recording"), "participant_id": Column(refers="participant")},
            ("recording_id", "participant_id"),
        ),
        "consent": Table(
            {
                "participant_id": Column(refers="participant"),
                "use": Column(one_of=("annotate", "release", "models")),
                "granted": Column("truth"),
            },
            ("participant_id", "use"),
        ),
        "annotator": Table({"id": _TEXT, "name": _TEXT, "kind": Column(one_of=("person", "model", "adjudicated"))}),
        "segment": Table({"id": _TEXT, **_WHO, "scheme": _TEXT, "track": _TEXT, "label": _TEXT, **_SPAN}),
        "segment_value": Table(
            {
                "segment_id": Column(refers="segment"),
                "scheme": _TEXT,
                "version": _NUMBER,
                "field": _TEXT,
                "value": Column("json"),
            },
            ("segment_id", "scheme", "version", "field"),
        ),
        "utterance": Table(
            {
                "id": _TEXT,
                "recording_id": Column(refers="recording"),
                "participant_id": Column(refers="participant", empty=True),
                **_SPAN,
                "text": _TEXT,
                "words": Column("json"),
                "checked": Column("truth"),
                "suggested": Column("truth"),
            }
        ),
        "assignment": Table({**_WHO, "purpose": Column(one_of=("work", "training"))}, ("recording_id", "annotator_id")),
        "completion": Table({**_WHO, **_AT}, ("recording_id", "annotator_id")),
        "review": Table(
            {
                "segment_id": Column(refers="segment"),
                "reviewer_id": Column(refers="annotator"),
                "decision": Column(one_of=("agree", "disagree")),
                "note": _TEXT,
                **_AT,
            },
            ("segment_id", "reviewer_id"),
        ),
        "comment": Table(
            {
                "id": _TEXT,
                "segment_id": Column(refers="segment"),
                "annotator_id": Column(refers="annotator"),
                "text": _TEXT,
                **_AT,
                "resolved": Column("truth"),
            }
        ),
    }
)
"""Table -> what it is made of, each table after those that it refers to."""


def all_rows(study: Study, table: str, *, seen: bool = False) -> list[dict[str, Json]]:
    """Return every row of one of `TABLES`, ordered by its key; with `seen`, without segments that training hides."""
    found = TABLES[table]
    names, key = ", ".join(found.columns), ", ".join(found.key)
    rows = study.rows(f"SELECT {names} FROM {SEEN if seen and table == 'segment' else table} ORDER BY {key}")
    kinds = [column.kind for column in found.columns.values()]
    return [
        {name: _read(kind, cell) for name, kind, cell in zip(found.columns, kinds, row, strict=True)} for row in rows
    ]


def insert_rows(study: Study, table: str, rows: Sequence[Mapping[str, Json]]) -> None:
    """Add rows of one of `TABLES`, whose columns have been checked; inside a step."""
    columns = TABLES[table].columns
    marks = ", ".join("?" * len(columns))
    study.write_many(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        [tuple(_write(column.kind, row[name]) for name, column in columns.items()) for row in rows],
    )


def key_of(table: str, row: Mapping[str, Json]) -> tuple[Json, ...]:
    """Return what tells a row apart in its table."""
    return tuple(row[name] for name in TABLES[table].key)


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
