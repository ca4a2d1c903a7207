"""The lossless format: one JSON object a line, documented in docs/interchange.md.

Its import checks each line against the table it goes to and adds the rows that are new; ids stay the same.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from annotate.interchange.bounded_files import MEGABYTE, damaged_file_error, load_json, open_input, too_large_error
from annotate.interchange.document import (
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    LaneSubject,
    MediaLink,
    RecordingPart,
    build_lanes,
)
from annotate.interchange.document_import import LanePlan, import_step
from annotate.interchange.lane_mapping import EntryTarget, LaneTarget
from project.entities.study_records import Changes, Json
from project.erasure.withdrawal_guard import require_not_withdrawn
from project.errors import UserError
from project.ids import is_id
from project.queries.exchange_rows import EXCHANGE_TABLES, insert_rows, read_table, row_key
from project.queries.recording_rows import facts_from_json
from project.queries.study_schemes import SCHEMES_PROPERTY, schemes_in_use
from project.schema.table_declaration import ColumnKind, StudyColumn
from project.schemes.scheme_file import load_scheme, parse_scheme
from project.session.session import Session
from project.store.column_values import to_json
from project.text_format import escape_unprintable

Row = dict[str, Json]
STUDY = "study"
"""The one row about the study as a whole: its name, and the keys of the schemes in use, the default first."""


def collect_rows(
    session: Session, recordings: Sequence[str], annotators: Sequence[str] | None = None
) -> dict[str, tuple[Row, ...]]:
    """Return table -> rows about these recordings, of these annotators where they are given.

    What others say about a segment (reviews, comments) comes with it. A participant is left out who appears only in
    recordings that are not among these, and a collection that has none of them.
    """
    study = session.study
    found: dict[str, list[Row]] = {table: read_table(study, table, seen=True) for table in EXCHANGE_TABLES}
    chosen = set(recordings)

    def keep(table: str, fits: Callable[[Row], bool]) -> list[Row]:
        found[table] = [row for row in found[table] if fits(row)]
        return found[table]

    elsewhere = {row["participant_id"] for row in found["appearance"] if row["recording_id"] not in chosen}
    elsewhere |= {row["participant_id"] for row in found["utterance"] if row["recording_id"] not in chosen}
    keep("recording", lambda row: row["id"] in chosen)
    homes = {row["collection_id"] for row in found["recording"]}
    keep("collection", lambda row: row["id"] in homes)
    for table in ("medium", "appearance", "utterance"):
        keep(table, lambda row: row["recording_id"] in chosen)
    for table in ("segment", "assignment", "completion"):
        keep(
            table,
            lambda row: row["recording_id"] in chosen and (annotators is None or row["annotator_id"] in annotators),
        )
    marked = {row["id"] for row in found["segment"]}
    for table in ("segment_value", "review", "comment"):
        keep(table, lambda row: row["segment_id"] in marked)
    here = {row["participant_id"] for table in ("appearance", "utterance") for row in found[table]}
    here |= {row["value"] for row in found["segment_value"] if isinstance(row["value"], str)}
    keep("participant", lambda row: row["id"] in here or row["id"] not in elsewhere)
    people = {row["id"] for row in found["participant"]}
    for table in ("consent", "participant_variable"):
        keep(table, lambda row: row["participant_id"] in people)
    if annotators is not None:
        authors = {row["annotator_id"] for table in ("segment", "comment", "assignment") for row in found[table]}
        authors |= {row["annotator_id"] for row in found["completion"]}
        authors |= {row["reviewer_id"] for row in found["review"]}
        keep("annotator", lambda row: row["id"] in authors)
    about: Row = {"name": study.get_property("name", ""), "schemes": [*schemes_in_use(study)]}
    return {STUDY: (about,), **{table: tuple(rows) for table, rows in found.items()}}


_MAX_NUMBER = 2**53
_REQUIRED_TEXTS = ("scheme", "track", "label", "field", "key", "path", "pseudonym")


def check_row(table: str, row: dict[str, Any], path: Path, line: int) -> Row:
    """Return a row where all of its columns are there and have values that the study can hold."""
    if table == STUDY:
        return _check_study_row(row, path, line)
    columns = EXCHANGE_TABLES[table].columns
    for name in row:
        if name not in EXCHANGE_TABLES[table].names:
            raise damaged_file_error(path, f"“{name}” does not belong to a line of type {table}", line)
    for column in columns:
        if column.name not in row:
            raise damaged_file_error(path, f"“{column.name}” is missing", line)
        _check_value(column, row[column.name], path, line)
    _check_consistency(table, row, path, line)
    return row


def _check_study_row(row: dict[str, Any], path: Path, line: int) -> Row:
    name, schemes = row.get("name"), row.get("schemes")
    if not isinstance(name, str) or not isinstance(schemes, list) or not schemes or set(row) != {"name", "schemes"}:
        raise damaged_file_error(path, "the line about the study needs “name” and “schemes”", line)
    if not all(isinstance(key, str) and key for key in schemes):
        raise damaged_file_error(path, "“schemes” is not a list of keys", line)
    return row


def _check_value(column: StudyColumn, value: Any, path: Path, line: int) -> None:
    match column.kind:
        case ColumnKind.NUMBER:
            fits = isinstance(value, int) and isinstance(value, bool) == column.truth and abs(value) < _MAX_NUMBER
        case ColumnKind.JSON:
            fits = value is not None
        case _:
            fits = _is_valid_text(column, value)
    if not fits:
        raise damaged_file_error(path, f"“{column.name}” cannot be {json.dumps(value)[:40]}", line)


def _is_valid_text(column: StudyColumn, value: Any) -> bool:
    if value is None:
        return column.nullable
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    if column.values and value not in column.values:
        return False
    if column.parent or column.name == "id":
        return is_id(value)
    return bool(value) or column.name not in _REQUIRED_TEXTS


def _check_consistency(table: str, row: dict[str, Any], path: Path, line: int) -> None:
    least_us = 0 if table == "segment" else 1
    if "start_us" in row and not (row["start_us"] >= 0 and row["start_us"] + least_us <= row["end_us"]):
        raise damaged_file_error(path, "the end is not after the start, or the start is before the recording", line)
    if row.get("duration_us", 0) < 0 or row.get("position", 0) < 0 or row.get("number", 1) < 1:
        raise damaged_file_error(path, "a number is negative", line)
    if row.get("version", 1) < 1:
        raise damaged_file_error(path, "a version counts from 1", line)
    if table in ("annotator", "comment") and not row["name" if table == "annotator" else "text"]:
        raise damaged_file_error(path, "a text is empty", line)
    if table == "medium":
        try:
            facts_from_json(json.dumps(row["facts"]))
        except ValueError:
            raise damaged_file_error(path, "the facts about a medium make no sense", line) from None
    if table == "scheme_version":
        _check_scheme(row, path, line)


def _check_scheme(row: dict[str, Any], path: Path, line: int) -> None:
    try:
        scheme = parse_scheme(row["text"], str(row["key"]))
    except UserError as error:
        raise damaged_file_error(path, error.message.rstrip("."), line) from None
    if (scheme.key, scheme.version) != (row["key"], row["version"]):
        raise damaged_file_error(path, f"the text is of version {scheme.version} of “{scheme.key}”", line)


MAX_FILE_BYTES = 500 * MEGABYTE
MAX_LINE_BYTES = 32 * MEGABYTE
FORMAT = "greenroom-study"
VERSION = 1
_HEADER = f'{{"format": "{FORMAT}", "version": {VERSION}}}'


def _recognises(head: bytes) -> bool:
    """Tell whether the first line names the format."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return first.lstrip().startswith(b"{") and FORMAT.encode() in first


def _read(path: Path) -> Document:
    rows: dict[str, list[Row]] = {STUDY: [], **{table: [] for table in EXCHANGE_TABLES}}
    for line, found in _read_lines(path):
        kind = found.pop("type", None)
        if not isinstance(kind, str) or kind not in rows:
            raise damaged_file_error(path, f"“{str(kind)[:40]}” is no type of line", line)
        rows[kind].append(check_row(kind, found, path, line))
    if len(rows[STUDY]) != 1:
        raise damaged_file_error(path, "there is not one line about the study")
    held = {table: tuple(found) for table, found in rows.items()}
    return Document(tuple(_parts(held)), rows=held)


def _write(document: Document, path: Path) -> None:
    if not document.rows:
        raise UserError("This format can only export a study.", "Import the file first.")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_HEADER + "\n")
        for table in (STUDY, *EXCHANGE_TABLES):
            for row in document.rows.get(table, ()):
                file.write(to_json({"type": table, **row}) + "\n")


JSONL = Format(
    "jsonl",
    "Greenroom lines (.jsonl)",
    (".jsonl",),
    _recognises,
    _read,
    _write,
    (
        "The media files themselves, face tracks and other results of models, and the history of edits stay behind.",
        "Causal chains, questions, meta information and facts about episodes stay behind; chains have own files.",
    ),
    holds_several=True,
    lossless=True,
)
"""Everything that people did in the chosen recordings."""


def _read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with open_input(path) as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise damaged_file_error(path, f"the line is longer than {MAX_LINE_BYTES // MEGABYTE} MB", number)
            if file.tell() > MAX_FILE_BYTES:
                raise too_large_error(path, MAX_FILE_BYTES)
            if not line.strip():
                continue
            found = _parse_object(line, path, number)
            if number == 1:
                _check_header(found, path)
                continue
            if not line.endswith(b"\n"):
                raise damaged_file_error(path, "it ends in the middle of a line", number)
            yield number, found
        if number == 0:
            raise damaged_file_error(path, "it is empty")


def _parse_object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        found = load_json(text, parse_constant=_refuse_constant, parse_float=_parse_finite)
    except UnicodeDecodeError:
        raise damaged_file_error(path, "it is not UTF-8", number) from None
    except (ValueError, RecursionError) as error:
        raise damaged_file_error(path, f"it is not JSON ({error})", number) from None
    if not isinstance(found, dict):
        raise damaged_file_error(path, "the line is no object", number)
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _parse_finite(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"{text} is too large")
    return found


def _check_header(found: dict[str, Any], path: Path) -> None:
    if found.get("format") != FORMAT:
        raise damaged_file_error(path, f"its first line does not name the format “{FORMAT}”", 1)
    if found.get("version") != VERSION:
        raise UserError(
            f"{escape_unprintable(path.name)} was made by a newer version of Greenroom.",
            "Update Greenroom, then import it.",
        )


def _parts(rows: dict[str, tuple[Row, ...]]) -> Iterator[RecordingPart]:
    """Return the recordings with their segments as lanes, for the preview."""
    names = {row["id"]: str(row["name"]) for row in rows["annotator"]}
    people = {row["id"]: str(row["pseudonym"]) for row in rows["participant"]}
    lanes: dict[Json, dict[LaneSubject, list[InterchangeEntry]]] = {}
    for row in rows["segment"]:
        about = ("segments", names.get(row["annotator_id"], ""), "", str(row["scheme"]), str(row["track"]))
        lanes.setdefault(row["recording_id"], {}).setdefault(about, []).append(_entry(row, str(row["label"])))
    for row in rows["utterance"]:
        about = ("utterances", "", people.get(row["participant_id"], ""), "", "")
        lanes.setdefault(row["recording_id"], {}).setdefault(about, []).append(_entry(row, str(row["text"])))
    media: dict[Json, list[MediaLink]] = {}
    for row in rows["medium"]:
        media.setdefault(row["recording_id"], []).append(MediaLink(str(row["path"])))
    for row in rows["recording"]:
        duration = row["duration_us"]
        assert isinstance(duration, int)
        made = build_lanes(lanes.get(row["id"], {}))
        yield RecordingPart(str(row["name"]), made, tuple(media.get(row["id"], ())), duration, str(row["id"]))


def _entry(row: Row, text: str) -> InterchangeEntry:
    start, end = row["start_us"], row["end_us"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    return InterchangeEntry(start, end, text, id=str(row["id"]))


_NATURAL_KEYS = {"annotator": "name", "participant": "pseudonym", "collection": "name"}
"""Tables whose rows are the same where this column is, though another study gave them other ids."""


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """Everything that a lossless file adds; nothing is written before `apply_rows`.

    Attributes:
        remarks: what stays as it is or is changed on the way in, one line each.
        rows: table -> the new rows.
        schemes: keys of the schemes in use afterwards.
        known: how many segments and utterances are in the study already.
    """

    lanes: tuple[LanePlan, ...]
    remarks: tuple[str, ...]
    rows: Mapping[str, tuple[Row, ...]]
    schemes: tuple[str, ...]
    known: int

    @property
    def added(self) -> int:
        """How many segments and utterances are new."""
        return len(self.rows["segment"]) + len(self.rows["utterance"])

    @property
    def other_row_count(self) -> int:
        """How many other rows are new: recordings, people, values, reviews and so on."""
        return sum(len(rows) for rows in self.rows.values()) - self.added

    @property
    def left_out(self) -> int:
        """How many entries are left out: none, but what is different in the study stays as it is there."""
        return 0


def plan_rows(session: Session, document: Document) -> RowsPlan:
    """Say what importing a lossless file would do."""
    return _LosslessImportPlanner(session, document).build_plan()


def apply_rows(session: Session, found: RowsPlan, name: str, *, keep_rest: bool = False) -> Changes:
    """Write a plan as one step, called after `name` of the file; nothing is written if anything of it fails."""
    session.study.require_writable()
    if not found.added and not found.other_row_count and list(found.schemes) == schemes_in_use(session.study):
        return Changes()
    brought = {str(row["name"]): str(row["id"]) for row in found.rows.get("annotator", ())}
    with import_step(session, f"Import {name}", brought, keep_rest=keep_rest) as step:
        for table, rows in found.rows.items():
            insert_rows(session.study, table, rows)
        if list(found.schemes) != schemes_in_use(session.study):
            session.study.set_property(SCHEMES_PROPERTY, [*found.schemes])
    session.schemes.reload()
    return step.changes


class _LosslessImportPlanner:
    def __init__(self, session: Session, document: Document) -> None:
        self._session = session
        self._rows = document.rows
        self._parts = document.recordings
        self._present = {
            table: {row_key(table, row): row for row in read_table(session.study, table)} for table in EXCHANGE_TABLES
        }
        self._marked = {key[0] for table in ("segment", "utterance") for key in self._present[table]}
        self._numbers = {int(str(row["number"])) for row in self._present["recording"].values()}
        self._highest = max(self._numbers, default=0)
        self._old_recordings: set[Json] = set()
        self._old_people = {key[0] for key in self._present["participant"]}
        self._same: dict[str, dict[Json, Json]] = {table: {} for table in EXCHANGE_TABLES}
        self._remarks: Counter[str] = Counter()

    def build_plan(self) -> RowsPlan:
        require_not_withdrawn(
            self._session.study,
            {str(row["id"]): str(row["pseudonym"]) for row in self._rows["participant"]},
            {str(row["id"]): int(str(row["number"])) for row in self._rows["recording"]},
        )
        self._match_existing()
        rows = {table: tuple(self._select_new(table)) for table in EXCHANGE_TABLES}
        self._check_schemes(rows["segment"])
        lanes = tuple(self._lane(part, lane) for part in self._parts for lane in part.lanes)
        remarks = tuple(f"{count} {what}" for what, count in self._remarks.items())
        return RowsPlan(lanes, remarks, rows, self._schemes(), sum(lane.known for lane in lanes))

    def _match_existing(self) -> None:
        """Find rows of the file that the study has under other ids: by name, recordings by their main file."""
        for table, column in _NATURAL_KEYS.items():
            named = {row[column]: row["id"] for row in self._present[table].values()}
            for row in self._rows[table]:
                if (row["id"],) not in self._present[table] and row[column] in named:
                    self._same[table][row["id"]] = named[row[column]]
        mains = {row["fingerprint"]: row for row in self._present["medium"].values() if row["role"] == "main"}
        for row in self._rows["medium"]:
            known = (row["recording_id"],) in self._present["recording"]
            if row["role"] == "main" and not known and row["fingerprint"] in mains:
                self._same["recording"][row["recording_id"]] = mains[row["fingerprint"]]["recording_id"]

    def _select_new(self, table: str) -> list[Row]:
        """Return the rows that the study lacks, and let the tables that come after refer to them."""
        found: dict[tuple[Json, ...], Row] = {}
        recordings = {key[0] for key in self._present["recording"]}
        for given in self._rows[table]:
            if given.get("id") in self._same[table]:
                continue
            row = _remap_references(table, given, self._same)
            key = row_key(table, row)
            if key in found:
                raise UserError(f"The file contains the same {table} twice.", "Nothing was imported.")
            if key in self._present[table]:
                if self._present[table][key] != row:
                    self._remarks[f"lines of type {table} differ from the study, which stays as it is."] += 1
            elif table == "consent" and row["participant_id"] in self._old_people:
                self._remarks[
                    "lines of type consent are left out, as the study has these participants: record it there."
                ] += 1
            elif table != "medium" or row["recording_id"] not in self._old_recordings:
                self._check_references(table, row)
                found[key] = self._adapt_row(table, row)
        if table == "recording":
            self._old_recordings = recordings
        self._present[table] = {**self._present[table], **found}
        return list(found.values())

    def _adapt_row(self, table: str, row: Row) -> Row:
        """Return a row as this study takes it: a number that is free, a path that stays in its folder."""
        if table == "recording":
            number = int(str(row["number"]))
            if number in self._numbers:
                number = self._highest + 1
                row = {**row, "number": number}
                self._remarks["recordings get another number, as theirs is taken."] += 1
            self._numbers.add(number)
            self._highest = max(self._highest, number)
        if table == "medium":
            path = PurePosixPath(str(row["path"]).replace("\\", "/"))
            if not path.name or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
                row = {**row, "path": path.name or "medium"}
                self._remarks["media lie outside the study's folder: locate them after the import."] += 1
        return row

    def _check_references(self, table: str, row: Row) -> None:
        for name, parent in EXCHANGE_TABLES[table].parents.items():
            if row[name] is not None and (row[name],) not in self._present[parent]:
                raise UserError(f"The file contains a {table} whose {parent} is missing.", "Nothing was imported.")

    def _check_schemes(self, segments: Sequence[Row]) -> None:
        needed = {str(row["scheme"]) for row in segments} | set(self._schemes())
        held = {key[0] for key in self._present["scheme_version"]}
        for key in sorted(needed - held):
            try:
                load_scheme(key)
            except UserError:
                raise UserError(
                    f"The file uses the scheme “{key}” but does not contain it.", "Export it again."
                ) from None

    def _schemes(self) -> tuple[str, ...]:
        about = self._rows[STUDY][0]["schemes"]
        assert isinstance(about, list)
        used = schemes_in_use(self._session.study) if self._marked else []
        return tuple(dict.fromkeys([*used, *(str(key) for key in about)]))

    def _lane(self, part: RecordingPart, lane: InterchangeLane) -> LanePlan:
        becomes = EntryTarget.UTTERANCES if lane.kind == "utterances" else EntryTarget.SEGMENTS
        target = LaneTarget(becomes, lane.annotator, lane.scheme, lane.track, participant=lane.participant)
        place = str(self._same["recording"].get(part.id, part.id))
        known = sum(entry.id in self._marked for entry in lane.entries)
        count = len(lane.entries)
        return LanePlan(part.name, lane.name, target, place, count, count - known, known, {}, {})


def _remap_references(table: str, row: Row, same: Mapping[str, Mapping[Json, Json]]) -> Row:
    """Return a row that refers to the ids that the study has for what it is about."""
    found = dict(row)
    for column in EXCHANGE_TABLES[table].columns:
        if column.parent in same and found[column.name] in same[column.parent]:
            found[column.name] = same[column.parent][found[column.name]]
        if column.kind is ColumnKind.JSON and isinstance(found[column.name], str):
            found[column.name] = same.get("participant", {}).get(found[column.name], found[column.name])
    return found
