"""Writes a copy of a study that holds its annotations alone: column kinds decide what goes along."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from project.entities.judgments import RAW_CONDITION, Modality
from project.entities.study_records import Json, ParticipantRole
from project.errors import UserError
from project.files.atomic_files import explain_unwritable, publish_file
from project.files.temporary_files import scratch_folder
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.recording_rows import hold_outs
from project.queries.study_schemes import SCHEMES_PROPERTY, all_versions
from project.schema.table_declaration import SHARED, ColumnKind
from project.schema.tables import TABLES
from project.schemes.scheme import FieldKind, Scheme
from project.schemes.scheme_file import strip_explanations
from project.store.column_values import to_json
from project.store.opening import free_study_path
from project.store.study import Cell, Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS, VISIBLE_SEGMENTS
from resources.prompt_texts import prompt_keys

_VARIANTS = frozenset({"plain", "few-shot", "cot", "tom"})
_BACKEND = re.compile(r"[a-z0-9-]{1,20}")
_CODES = {
    "collection": "Collection ",
    "recording": "Recording ",
    "participant": "P",
    "annotator": "A",
    "chain": "Chain ",
    "judgment": "Prompt ",
}

Row = dict[str, Any]
_CONSTANTS: Mapping[str, Row] = {
    "utterance": {"words": "[]"},
    "chain_node": {"source": ""},
    "judgment": {"sight": "{}", "part": "", "prompt": "", "program_version": ""},
}
"""Table -> columns that are the same in every row of a copy."""
ChainState = Callable[[Study, str], str]


class GivenRows:
    """Makes the rows of a copy out of those of a study; tables have to come in the order of their references.

    Args:
        study: that is read.
        copy: that is written; rows that were given are in it when later ones are asked for.
        at: stands for every time at which somebody did something.
        chain_state: returns the state of a chain of a study, by id.

    Attributes:
        schemes: those that go along, by key and version.
    """

    def __init__(self, study: Study, copy: Study, at: str, chain_state: ChainState) -> None:
        self._study = study
        self._copy = copy
        self._at = at
        self._chain_state = chain_state
        self._ids: dict[str, str] = {}
        self._codes: dict[str, int] = {}
        self._judges: dict[str, int] = {}
        self._given: dict[str, set[str]] = {}
        self._tasks = {*prompt_keys()}
        self.schemes: dict[tuple[str, int], Scheme] = {}
        self._texts: dict[tuple[str, int], str] = {}
        self._read_schemes()

    def assign_ids(self, ids: set[str]) -> None:
        """Give ids of the copy's own, in the order of the old ones, which is that in which rows were made."""
        for text in sorted(ids):
            self._copied_id(text)

    def copy_row(self, table: str, row: Row) -> Row | None:
        """Return the row of the copy; None where it does not go along."""
        made = self._by_kind(table, row) | _CONSTANTS.get(table, {})
        special = getattr(self, f"_of_{table}", None)
        found: Row | None = made if special is None else special(row, made)
        if found is not None and "id" in row:
            self._given.setdefault(table, set()).add(row["id"])
        return found

    def _by_kind(self, table: str, row: Row) -> Row:
        made: Row = {}
        for column, kind in TABLES[table].kinds.items():
            match kind:
                case ColumnKind.KEY:
                    made[column] = self._copied_id(row[column])
                case ColumnKind.NUMBER | ColumnKind.LABEL:
                    made[column] = row[column]
                case ColumnKind.TIME:
                    made[column] = self._at
                case ColumnKind.JSON:
                    made[column] = "{}"
                case ColumnKind.NAME:
                    made[column] = self._next_code(table)
                case _:
                    made[column] = ""
        return made

    def _copied_id(self, value: Cell) -> Cell:
        """Return an id of the copy's own for an id; equal ids are equal there too."""
        if not isinstance(value, str) or not value:
            return value
        if value not in self._ids:
            self._ids[value] = new_id()
        return self._ids[value]

    def _next_code(self, table: str) -> str:
        self._codes[table] = self._codes.get(table, 0) + 1
        return f"{_CODES[table]}{self._codes[table]}"

    def _read_schemes(self) -> None:
        for key, versions in all_versions(self._study).items():
            for version, text in versions.items():
                try:
                    self._texts[key, version], self.schemes[key, version] = strip_explanations(text, key)
                except UserError:
                    continue

    def _of_scheme_version(self, row: Row, made: Row) -> Row | None:
        place = (row["key"], row["version"])
        scheme = self.schemes.get(place)
        if scheme is None or (scheme.key, scheme.version) != place:
            return None
        return made | {"text": self._texts[place]}

    def _of_recording(self, row: Row, made: Row) -> Row | None:
        return made | {"name": f"Recording {row['number']}"}

    def _of_participant(self, row: Row, made: Row) -> Row | None:
        known = row["role"] in {role.value for role in ParticipantRole}
        return made | {"role": row["role"] if known else ParticipantRole.BYSTANDER.value}

    def _of_segment(self, row: Row, made: Row) -> Row | None:
        """A label goes along where some version of its scheme has it."""
        for (key, _), scheme in self.schemes.items():
            for track in scheme.tracks if key == row["scheme"] else ():
                if track.key == row["track"] and track.label(row["label"]) is not None:
                    return made
        return None

    def _of_segment_value(self, row: Row, made: Row) -> Row | None:
        """A value goes along where its form offers it as a choice, or asks for a number or for who it is."""
        scheme = self.schemes.get((row["scheme"], row["version"]))
        if scheme is None or row["segment_id"] not in self._given.get("segment", ()):
            return None
        try:
            value: Json = json.loads(row["value"])
            kind = scheme.field(row["field"]).kind
            if kind is FieldKind.TEXT:
                return None
            if kind is FieldKind.PARTICIPANT:
                known = isinstance(value, str) and value in self._given.get("participant", ())
                return made | {"value": to_json(self._ids[str(value)])} if known else None
            return made | {"value": to_json(scheme.check_value(row["field"], value))}
        except (UserError, ValueError, TypeError, RecursionError):
            return None

    def _of_review(self, row: Row, made: Row) -> Row | None:
        return made if row["segment_id"] in self._given.get("segment", ()) else None

    def _of_chain(self, row: Row, made: Row) -> Row | None:
        return made if row["based_on"] in self._ids else made | {"based_on": ""}

    def _of_chain_review(self, row: Row, made: Row) -> Row | None:
        """A review holds for the state of a chain that it was given for; its checksum is another one here."""
        there = self._chain_state(self._study, row["chain_id"])
        fits = row["state"] == there
        return made | {"state": self._chain_state(self._copy, made["chain_id"]) if fits else new_id()}

    def _of_judgment(self, row: Row, made: Row) -> Row | None:
        if row["segment_id"] not in self._given.get("segment", ()) or row["task"] not in self._tasks:
            return None
        if row["modality"] not in {modality.value for modality in Modality}:
            return None
        judge = _object(row["judge"])
        backend = str(judge.get("backend", ""))
        told: Json = {
            "name": self._judge(row["judge_id"]),
            "backend": backend if _BACKEND.fullmatch(backend) else "",
            "model": "",
            "settings": {},
        }
        return made | {
            "judge": to_json(told),
            "answer": to_json(self._answer(row)),
            "request_key": new_id(),
            "variant": row["variant"] if row["variant"] in _VARIANTS else "plain",
            "condition": RAW_CONDITION if row["condition"] == RAW_CONDITION else self._copied_id(row["condition"]),
            "cached_from": None if row["cached_from"] is None else self._copied_id(row["cached_from"]),
        }

    def _judge(self, judge_id: str) -> str:
        return f"Judge {self._judges.setdefault(judge_id, len(self._judges) + 1)}"

    def _answer(self, row: Row) -> dict[str, Json]:
        """Return of an answer what a form of a scheme offers: labels, choices, numbers."""
        found: dict[str, Json] = {}
        for key, value in _object(row["answer"]).items():
            if key == "label" and any(
                track.label(value) is not None
                for scheme in self.schemes.values()
                for track in scheme.tracks
                if isinstance(value, str)
            ):
                found[key] = value
            for scheme in self.schemes.values():
                fields = {field.key: field.kind for field in scheme.fields}
                if fields.get(key, FieldKind.TEXT) in (FieldKind.TEXT, FieldKind.PARTICIPANT):
                    continue
                try:
                    found[key] = scheme.check_value(key, value)
                except (UserError, TypeError, ValueError):
                    continue
        return found


def _object(text: str) -> dict[str, Json]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


COPY_NAME = "Annotations"
_SILENT = Silent()
_R = "SELECT value FROM json_each(?1)"
_IN = f"recording_id IN ({_R})"
_SEGMENTS = f"SELECT id FROM {VISIBLE_SEGMENTS} WHERE {_IN}"
_CHAINS = f"SELECT id FROM {VISIBLE_CHAINS} WHERE {_IN}"
_NODES = f"SELECT id FROM chain_node WHERE chain_id IN ({_CHAINS})"
_GIVEN_IDS = {"recording": _R, "segment": _SEGMENTS, "chain": _CHAINS, "chain_node": _NODES}
"""Table -> the ids of its rows that go along; the rows of others go along with the row that they refer to."""
_GIVEN_ROWS = {
    "collection": f"id IN (SELECT collection_id FROM recording WHERE id IN ({_R}))",
    "recording": f"id IN ({_R})",
    "participant": f"id IN (SELECT participant_id FROM appearance WHERE {_IN} UNION SELECT participant_id FROM "
    f"utterance WHERE {_IN} UNION SELECT participant_id FROM chain_person WHERE node_id IN ({_NODES}))",
    "annotator": "?1 <> ''",
    "scheme_version": "?1 <> ''",
    "segment": f"id IN ({_SEGMENTS})",
    "chain": f"id IN ({_CHAINS})",
    "judgment": f"segment_id IN ({_SEGMENTS}) AND item_id = '' AND question_id = '' AND chain_id = ''",
}
SHARED_ROWS: Mapping[str, str] = {
    name: _GIVEN_ROWS.get(name) or table.condition_by_parent(_GIVEN_IDS)
    for name, table in TABLES.items()
    if SHARED in table.copies
}
"""Table -> which of its rows go along, what others refer to first."""


@dataclass(frozen=True, slots=True)
class AnnotationsCopy:
    """The result of sharing: the copy.

    Attributes:
        rows: table -> how many rows went along.
        left_out: table -> how many rows of annotations did not, because a rule could not tell that they may.
        held_out: how many recordings stayed because they are held out.
    """

    path: Path
    rows: Mapping[str, int]
    left_out: Mapping[str, int]
    held_out: int


def share_annotations(
    study: Study,
    out: Path,
    at: str,
    chain_state: ChainState,
    *,
    placing: Callable[[Path], None] = lambda _path: None,
    progress: Progress = _SILENT,
) -> AnnotationsCopy:
    """Write the copy; it appears whole or not at all, and never in the place of another file.

    Args:
        study: that is read.
        out: where the copy goes.
        at: the time that stands for all times at which somebody did something, UTC, ISO 8601.
        chain_state: returns the state of a chain of a study, by id.
        placing: is told where the copy goes when it is whole, right before it is there.
        progress: told how many tables of how many are written.

    Raises:
        Cancelled: the user stopped it; nothing was written.
    """
    path = free_study_path(out)
    held = hold_outs(study)
    recordings = [
        row[0] for row in study.rows(f"SELECT id FROM {VISIBLE_RECORDINGS} ORDER BY number") if row[0] not in held
    ]
    with (
        explain_unwritable(path),
        scratch_folder(path) as folder,
        Study.create(folder / "copy", COPY_NAME) as copy,
    ):
        kept, left_out = _fill_copy(study, copy, recordings, GivenRows(study, copy, at, chain_state), progress)
        copy.close()
        placing(path)
        publish_file(copy.path, path)
    return AnnotationsCopy(path, kept, left_out, len(held))


def _fill_copy(
    study: Study, copy: Study, recordings: list[str], given: GivenRows, progress: Progress
) -> tuple[dict[str, int], dict[str, int]]:
    """Write all that goes along; return table -> how many rows did, and how many did not."""
    kept: dict[str, int] = {}
    left_out: dict[str, int] = {}
    asked = (json.dumps(recordings),)
    given.assign_ids(
        {
            str(row[0])
            for table, where in SHARED_ROWS.items()
            if "id" in TABLES[table].kinds
            for row in study.rows(f"SELECT id FROM {table} WHERE {where}", asked)
        }
    )
    with copy.without_history():
        in_use, known = study.get_property(SCHEMES_PROPERTY), {key for key, _ in given.schemes}
        if isinstance(in_use, list):
            copy.set_property(SCHEMES_PROPERTY, [scheme for scheme in in_use if scheme in known])
        for done, (table, where) in enumerate(SHARED_ROWS.items()):
            progress.check_cancelled()
            progress.progress(done, len(SHARED_ROWS))
            columns, order = TABLES[table].names, TABLES[table].key[0]
            found = study.rows(f"SELECT {', '.join(columns)} FROM {table} WHERE {where} ORDER BY {order}", asked)
            made = [given.copy_row(table, dict(zip(columns, row, strict=True))) for row in found]
            rows = TABLES[table].cells_of([row for row in made if row is not None])
            copy.write_many(TABLES[table].insert_sql, rows)
            if rows:
                kept[table] = len(rows)
            if len(rows) < len(found):
                left_out[table] = len(found) - len(rows)
    return kept, left_out
