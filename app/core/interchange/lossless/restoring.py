"""Brings the rows of a lossless file into a study: what is there stays, what is new is added, ids stay the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType

from app.core.interchange.document import Document, Lane, RecordingPart
from app.core.interchange.import_step import import_step
from app.core.interchange.importing import LanePlan
from app.core.interchange.lossless.rows import STUDY, Row
from app.core.interchange.mapping import Becomes, Target
from app.core.schemes import IN_USE, in_use
from app.core.session import Session
from project.errors import UserError
from project.queries.whole import TABLES, all_rows, insert_rows, key_of
from project.schemes.loader import load_scheme
from project.types import Changes, Json
from project.withdrawing.again import require_nobody_comes_back

_SAME_NAME = {"annotator": "name", "participant": "pseudonym", "collection": "name"}
"""Tables whose rows are the same where this column is, though another study gave them other ids."""


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """Everything that a lossless file adds; nothing is written before `apply_rows`.

    Attributes:
        lanes: how much of each lane is new.
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
    def further(self) -> int:
        """How many other rows are new: recordings, people, values, reviews and so on."""
        return sum(len(rows) for rows in self.rows.values()) - self.added

    @property
    def left_out(self) -> int:
        """How many entries are left out: none, but what is different in the study stays as it is there."""
        return 0


def plan_rows(session: Session, document: Document) -> RowsPlan:
    """Say what importing a lossless file would do.

    Raises:
        UserError: a line refers to something that is neither in the file nor in the study, or somebody who withdrew
            from the study is in the file.
    """
    return _Planner(session, document).plan()


def apply_rows(session: Session, found: RowsPlan, name: str) -> Changes:
    """Write a plan as one step, called after `name` of the file; nothing is written if anything of it fails.

    Raises:
        UserError: the study is open for reading only.
    """
    session.study.require_writable()
    if not found.added and not found.further and list(found.schemes) == in_use(session.study):
        return Changes()
    brought = {str(row["name"]): str(row["id"]) for row in found.rows.get("annotator", ())}
    with import_step(session, name, brought) as step:
        for table, rows in found.rows.items():
            insert_rows(session.study, table, rows)
        if list(found.schemes) != in_use(session.study):
            session.study.set_property(IN_USE, [*found.schemes])
    session.schemes.reload()
    return step.changes


class _Planner:
    def __init__(self, session: Session, document: Document) -> None:
        self._session = session
        self._rows = document.rows
        self._parts = document.recordings
        self._present = {table: {key_of(table, row): row for row in all_rows(session.study, table)} for table in TABLES}
        self._marked = {key[0] for table in ("segment", "utterance") for key in self._present[table]}
        self._numbers = {row["number"] for row in self._present["recording"].values()}
        self._old_recordings: set[Json] = set()
        self._same: dict[str, dict[Json, Json]] = {table: {} for table in TABLES}
        self._remarks: Counter[str] = Counter()

    def plan(self) -> RowsPlan:
        require_nobody_comes_back(
            self._session.study,
            {str(row["id"]): str(row["pseudonym"]) for row in self._rows["participant"]},
            {str(row["id"]): int(str(row["number"])) for row in self._rows["recording"]},
        )
        self._recognise()
        rows = {table: tuple(self._new(table)) for table in TABLES}
        self._check_schemes(rows["segment"])
        lanes = tuple(self._lane(part, lane) for part in self._parts for lane in part.lanes)
        remarks = tuple(f"{count} {what}" for what, count in self._remarks.items())
        return RowsPlan(lanes, remarks, rows, self._schemes(), sum(lane.known for lane in lanes))

    def _recognise(self) -> None:
        """Find rows of the file that the study has under other ids: by name, recordings by their main file."""
        for table, column in _SAME_NAME.items():
            named = {row[column]: row["id"] for row in self._present[table].values()}
            for row in self._rows[table]:
                if (row["id"],) not in self._present[table] and row[column] in named:
                    self._same[table][row["id"]] = named[row[column]]
        mains = {row["fingerprint"]: row for row in self._present["medium"].values() if row["role"] == "main"}
        for row in self._rows["medium"]:
            known = (row["recording_id"],) in self._present["recording"]
            if row["role"] == "main" and not known and row["fingerprint"] in mains:
                self._same["recording"][row["recording_id"]] = mains[row["fingerprint"]]["recording_id"]

    def _new(self, table: str) -> list[Row]:
        """Return the rows that the study lacks, and let the tables that come after refer to them."""
        found: dict[tuple[Json, ...], Row] = {}
        recordings = {key[0] for key in self._present["recording"]}
        for given in self._rows[table]:
            if given.get("id") in self._same[table]:
                continue
            row = _referring(table, given, self._same)
            key = key_of(table, row)
            if key in found:
                raise UserError(f"The file has the same line of type {table} twice.", "Nothing was imported.")
            if key in self._present[table]:
                if self._present[table][key] != row:
                    self._remarks[f"lines of type {table} differ from the study, which stays as it is."] += 1
            elif table != "medium" or row["recording_id"] not in self._old_recordings:
                self._check_references(table, row)
                found[key] = self._placed(table, row)
        if table == "recording":
            self._old_recordings = recordings
        self._present[table] = {**self._present[table], **found}
        return list(found.values())

    def _placed(self, table: str, row: Row) -> Row:
        """Return a row as this study takes it: a number that is free, a path that stays in its folder."""
        if table == "recording":
            if row["number"] in self._numbers:
                row = {**row, "number": max(int(str(number)) for number in self._numbers) + 1}
                self._remarks["recordings get another number, as theirs is taken."] += 1
            self._numbers.add(row["number"])
        if table == "medium":
            path = PurePosixPath(str(row["path"]).replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
                row = {**row, "path": path.name or "medium"}
                self._remarks["media lie outside the study's folder: locate them after the import."] += 1
        return row

    def _check_references(self, table: str, row: Row) -> None:
        for name, column in TABLES[table].columns.items():
            if column.refers and row[name] is not None and (row[name],) not in self._present[column.refers]:
                raise UserError(
                    f"A line of type {table} refers to a {column.refers} that is nowhere.", "Nothing was imported."
                )

    def _check_schemes(self, segments: Sequence[Row]) -> None:
        needed = {str(row["scheme"]) for row in segments} | set(self._schemes())
        held = {key[0] for key in self._present["scheme_version"]}
        for key in sorted(needed - held):
            try:
                load_scheme(key)
            except UserError:
                raise UserError(
                    f"The file does not hold the scheme “{key}” that it uses.", "Export it again."
                ) from None

    def _schemes(self) -> tuple[str, ...]:
        about = self._rows[STUDY][0]["schemes"]
        assert isinstance(about, list)
        used = in_use(self._session.study) if self._marked else []
        return tuple(dict.fromkeys([*used, *(str(key) for key in about)]))

    def _lane(self, part: RecordingPart, lane: Lane) -> LanePlan:
        becomes = Becomes.UTTERANCES if lane.kind == "utterances" else Becomes.SEGMENTS
        target = Target(becomes, lane.annotator, lane.scheme, lane.track, participant=lane.participant)
        place = str(self._same["recording"].get(part.id, part.id))
        known = sum(entry.id in self._marked for entry in lane.entries)
        count = len(lane.entries)
        return LanePlan(part.name, lane.name, target, place, count, count - known, known, MappingProxyType({}), ())


def _referring(table: str, row: Row, same: Mapping[str, Mapping[Json, Json]]) -> Row:
    """Return a row that refers to the ids that the study has for what it is about."""
    found = dict(row)
    for name, column in TABLES[table].columns.items():
        if column.refers in same and found[name] in same[column.refers]:
            found[name] = same[column.refers][found[name]]
        if column.kind == "json" and isinstance(found[name], str):
            found[name] = same.get("participant", {}).get(found[name], found[name])
    return found
