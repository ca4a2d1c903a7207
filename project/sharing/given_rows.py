"""What of one row goes along with a copy that holds annotations alone, by the kinds of its columns."""

import json
import re
from collections.abc import Callable
from typing import Any

from project.columns import COLUMNS, Kind
from project.errors import UserError
from project.ids import new_id
from project.json_text import to_json
from project.judging import RAW, Modality
from project.queries.schemes import all_versions
from project.schemes.scheme import FieldKind, Scheme
from project.sharing.stripped_scheme import stripped
from project.store import Cell, Study
from project.types import Json, ParticipantRole
from resources import resource

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
        self._tasks = {one.name.removesuffix(".toml") for one in resource("prompts").iterdir()}
        self.schemes: dict[tuple[str, int], Scheme] = {}
        self._texts: dict[tuple[str, int], str] = {}
        self._read_schemes()

    def name(self, ids: set[str]) -> None:
        """Give ids of the copy's own, in the order of the old ones, which is that in which rows were made."""
        for one in sorted(ids):
            self._key(one)

    def row(self, table: str, row: Row) -> Row | None:
        """Return the row of the copy; None where it does not go along."""
        made = self._by_kind(table, row)
        special = getattr(self, f"_of_{table}", None)
        found: Row | None = made if special is None else special(row, made)
        if found is not None and "id" in row:
            self._given.setdefault(table, set()).add(row["id"])
        return found

    def _by_kind(self, table: str, row: Row) -> Row:
        made: Row = {}
        for column, kind in COLUMNS[table].items():
            match kind:
                case Kind.KEY:
                    made[column] = self._key(row[column])
                case Kind.NUMBER | Kind.LABEL:
                    made[column] = row[column]
                case Kind.TIME:
                    made[column] = self._at
                case Kind.JSON:
                    made[column] = "{}"
                case Kind.NAME:
                    made[column] = self._code(table)
                case _:
                    made[column] = ""
        return made

    def _key(self, value: Cell) -> Cell:
        """Return an id of the copy's own for an id; equal ids are equal there too."""
        if not isinstance(value, str) or not value:
            return value
        if value not in self._ids:
            self._ids[value] = new_id()
        return self._ids[value]

    def _code(self, table: str) -> str:
        self._codes[table] = self._codes.get(table, 0) + 1
        return f"{_CODES[table]}{self._codes[table]}"

    def _read_schemes(self) -> None:
        for key, versions in all_versions(self._study).items():
            for version, text in versions.items():
                try:
                    self._texts[key, version], self.schemes[key, version] = stripped(text, key)
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
        known = row["role"] in {one.value for one in ParticipantRole}
        return made | {"role": row["role"] if known else ParticipantRole.BYSTANDER.value}

    def _of_utterance(self, _: Row, made: Row) -> Row | None:
        return made | {"words": "[]"}

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

    def _of_chain_node(self, _: Row, made: Row) -> Row | None:
        return made | {"source": ""}

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
        if row["modality"] not in {one.value for one in Modality}:
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
            "sight": "{}",
            "part": "",
            "prompt": "",
            "request_key": new_id(),
            "variant": row["variant"] if row["variant"] in _VARIANTS else "plain",
            "condition": RAW if row["condition"] == RAW else self._key(row["condition"]),
            "cached_from": None if row["cached_from"] is None else self._key(row["cached_from"]),
            "program_version": "",
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
                fields = {one.key: one.kind for one in scheme.fields}
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
