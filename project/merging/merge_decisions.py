"""Decides for each row that a copy changed: take it, leave it, or keep both versions as a conflict.

What would let more leave the study than before is never taken from a copy before a person decides. A judge that both
sides added is matched by its content; different judges with one name are renamed.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from project.merging.changed_rows import (
    OWN_PROPERTIES,
    SEGMENT_ID_COLUMNS,
    Edit,
    Key,
    Row,
    Rows,
    find_rows,
)
from project.schema.table_declaration import StudyTable
from project.schema.tables import HUMAN_TABLES
from project.store.study import Study

_LONGEST = 40
"""Characters of a name that stay where it is told apart from another."""


def match_judges(study: Study, copy: Study) -> dict[str, str]:
    """Return the id of each judge of the copy that the study has under another id -> that id; nothing else differs."""
    here = _read_judges(study)
    known = {_judge_content(row): identifier for identifier, row in here.items()}
    there = {text: row for text, row in _read_judges(copy).items() if text not in here}
    return {text: known[_judge_content(row)] for text, row in there.items() if _judge_content(row) in known}


def rename_taken_judges(study: Study, decision: "MergePlan", label: str) -> dict[str, str]:
    """Give judges that come with a name that is taken another one; returns their names -> those that they got.

    Args:
        study: that they come to.
        decision: what comes; names in it are changed.
        label: what the copy is called.
    """
    coming = [*decision.inserts.get("judge", []), *decision.updates.get("judge", [])]
    if not coming:
        return {}
    here = _read_judges(study)
    addresses = _known_addresses(study)
    replaced = {row["id"] for row in coming} | {key[0] for key in decision.deletes.get("judge", [])}
    taken = {row["name"] for identifier, row in here.items() if identifier not in replaced}
    given = {}
    for row in sorted(coming, key=lambda judge: str(judge["id"])):
        elsewhere = row["name"] in addresses and addresses[row["name"]] != _judge_address(row)
        name = free_name(str(row["name"]), label, taken | {*addresses} if elsewhere else taken)
        if name != row["name"]:
            given[str(row["name"])] = name
            row["name"] = name
        taken.add(name)
    return given


def is_redirected(ours: Row | None, theirs: Row | None) -> bool:
    """Tell whether two versions of a judge are asked at different addresses, or in a different way."""
    return ours is not None and theirs is not None and _judge_address(ours) != _judge_address(theirs)


def free_name(name: str, label: str, taken: set[Any]) -> str:
    """Return a name that is not taken: as it is, or with whose it is, or with a number as well."""
    if name not in taken:
        return name
    own, number = f"{name[:_LONGEST]} ({label})", 2
    while own in taken:
        own, number = f"{name[:_LONGEST]} ({label} {number})", number + 1
    return own


def free_judge_names(study: Study, rows: list[Row]) -> None:
    """Take their names away from judges that get others, so that two can swap theirs; inside a step."""
    study.write_many("UPDATE judge SET name = id WHERE id = ?", [(row["id"],) for row in rows])


def _judge_address(row: Row) -> str:
    """Return what says where a judge is asked: its kind, and its address as its settings give it."""
    try:
        settings = json.loads(row["settings"])
    except ValueError:
        settings = None
    url = settings.get("url") if isinstance(settings, dict) else row["settings"]
    return json.dumps([row["backend"], url])


def _known_addresses(study: Study) -> dict[str, str]:
    """Return each name that stands for a judge here, or did -> at which address it was asked last."""
    found = {}
    for before, after in study.rows("SELECT before, after FROM journal_change WHERE table_name = 'judge' ORDER BY id"):
        for state in (before, after):
            if state is not None:
                row = json.loads(state)
                found[str(row["name"])] = _judge_address(row)
    return found | {str(row["name"]): _judge_address(row) for row in _read_judges(study).values()}


def _read_judges(study: Study) -> dict[str, Row]:
    names = HUMAN_TABLES["judge"].names
    rows = study.rows(f"SELECT {', '.join(names)} FROM judge")
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def _judge_content(row: Row) -> str:
    try:
        settings = json.loads(row["settings"])
    except ValueError:
        settings = row["settings"]
    return json.dumps([row["name"], row["backend"], row["model"], settings], sort_keys=True)


Place: TypeAlias = tuple[str, Key]
"""Table and key of a row."""

_PREFIX = "merge:"


def merge_key(uid: str, label: str) -> str:
    """Return what marks the step that merges a copy up to its step `uid`."""
    return f"{_PREFIX}{uid}:{label}"


def last_merge_sources(study: Study, wanted: Iterable[Place]) -> dict[Place, str]:
    """Return place -> the copy whose merge changed the row last; rows that were edited here are left out."""
    asked = set(wanted)
    names = sorted({name for name, _ in asked})
    texts = {str(part) for _, key in asked for part in key}
    last: dict[Place, str | None] = {}
    for name, about, before, after, mark in study.rows(
        "SELECT c.table_name, c.row_id, c.before, c.after, s.merge_key FROM journal_change c JOIN journal_step s "
        f"ON s.id = c.step_id WHERE c.table_name IN ({', '.join('?' * len(names))}) ORDER BY c.id",
        names,
    ):
        table = HUMAN_TABLES[name]
        if table.subject in table.key and about not in texts:
            continue
        state: Row = json.loads(after or before)
        place = (name, table.key_of(state))
        if place in asked:
            last[place] = mark
    return {
        place: mark.split(":", 2)[2] for place, mark in last.items() if mark is not None and mark.startswith(_PREFIX)
    }


PERMISSION_PROPERTIES = frozenset(
    {"privacy_limits", "release_plan", "release_texts", "question_texts", "question_texts_unverified"}
)
"""Facts about a study that say what may leave and what was read before: of these, none counts as the stricter one."""
_ROBOT = "robot"


def _grants(row: Row | None) -> bool:
    return row is not None and bool(row["granted"])


def _is_robot(row: Row | None) -> bool:
    return row is not None and row["role"] == _ROBOT


def _keeps_text(row: Row | None) -> bool:
    return row is not None and row["decision"] == "keep"


_LOOSENING_CHECKS: Mapping[str, Callable[[Row | None, Row | None], bool]] = MappingProxyType(
    {
        "consent": lambda ours, theirs: _grants(theirs) and not _grants(ours),
        "waiver": lambda ours, theirs: theirs is not None and theirs != ours,
        "public_word": lambda ours, theirs: theirs is not None and ours is None,
        "private_word": lambda ours, theirs: theirs is None and ours is not None,
        "hold_out": lambda ours, theirs: theirs is None and ours is not None,
        # A robot is not asked, and who is not said to appear is not asked either.
        "participant": lambda ours, theirs: ours is not None and _is_robot(theirs) and not _is_robot(ours),
        "appearance": lambda ours, theirs: theirs is None and ours is not None,
        "pii_decision": lambda ours, theirs: (
            ours is not None and not _keeps_text(ours) and (theirs is None or _keeps_text(theirs))
        ),
    }
)


def is_permission(table: str, key: object) -> bool:
    """Tell whether rows of a table, or the property of a key, say what may leave."""
    return table in _LOOSENING_CHECKS or (table == "property" and key in PERMISSION_PROPERTIES)


def loosens_permission(table: str, ours: Row | None, theirs: Row | None) -> bool:
    """Tell whether more could leave a study if its version of a row became the other one; None: there is none."""
    if ours == theirs:
        return False
    if table == "property":
        return True
    return _LOOSENING_CHECKS[table](ours, theirs)


@dataclass(frozen=True, slots=True)
class RowConflict:
    """A row, or a segment with all that was said about it, of which there are two versions; None: deleted."""

    table: str
    key: Key
    ours: Rows | None
    theirs: Rows | None
    source: str


@dataclass(slots=True)
class MergePlan:
    """The changes and conflicts of a merge.

    Attributes:
        inserts: table -> rows that are new here.
        updates: table -> rows as they become.
        deletes: table -> keys of rows to remove.
        clashes: what both sides changed.
    """

    inserts: dict[str, list[Row]] = field(default_factory=dict)
    updates: dict[str, list[Row]] = field(default_factory=dict)
    deletes: dict[str, list[Key]] = field(default_factory=dict)
    clashes: list[RowConflict] = field(default_factory=list)

    def add_change(self, table: StudyTable, ours: Row | None, theirs: Row | None) -> None:
        """Make the study's row what `theirs` is."""
        if theirs is None:
            if ours is not None:
                self.deletes.setdefault(table.name, []).append(table.key_of(ours))
        elif ours is None:
            self.inserts.setdefault(table.name, []).append(theirs)
        else:
            self.updates.setdefault(table.name, []).append(theirs)


Edits = dict[str, dict[Key, Edit]]


def plan_merge(study: Study, copy: Study, edits: Edits, label: str) -> MergePlan:
    """Compare every row that the copy changed with the study's."""
    return _Deciding(study, copy, label).plan(edits)


def map_authors(edits: Edits, same_person: dict[str, str]) -> Edits:
    """Return the edits with annotators called as they are in the study; both may have introduced the same person."""
    if not same_person:
        return edits
    for name, table in HUMAN_TABLES.items():
        renamed: dict[Key, Edit] = {}
        for edit in edits.get(name, {}).values() if table.author else ():
            for row in (edit.before, edit.after):
                if row is not None:
                    row[table.author] = same_person.get(row[table.author], row[table.author])
            state = edit.after or edit.before
            assert state is not None
            renamed[table.key_of(state)] = edit
        if renamed:
            edits[name] = renamed
    return edits


class _Deciding:
    def __init__(self, study: Study, copy: Study, label: str) -> None:
        self._study = study
        self._copy = copy
        self._label = label
        self._made = MergePlan()
        self._disputes: list[tuple[StudyTable, Key, Row | None, Row | None]] = []

    def plan(self, edits: Edits) -> MergePlan:
        items = {
            (edit.after or edit.before or {})[column]
            for name, column in SEGMENT_ID_COLUMNS.items()
            for edit in edits.get(name, {}).values()
        }
        ours = {
            name: find_rows(self._study, HUMAN_TABLES[name], {*items}, column)
            for name, column in SEGMENT_ID_COLUMNS.items()
        }
        whole = self._whole_items(items, edits, ours)
        for name, of_table in edits.items():
            table = HUMAN_TABLES[name]
            here = ours.get(name)
            if here is None:
                here = find_rows(self._study, table, {key[table.key.index(table.subject)] for key in of_table})
            coming = self._made.inserts.setdefault(name, [])
            for key, edit in of_table.items():
                if (
                    whole
                    and name in SEGMENT_ID_COLUMNS
                    and str((edit.after or edit.before or {})[SEGMENT_ID_COLUMNS[name]]) in whole
                ):
                    continue
                if is_permission(name, key[0]):
                    self._decide_permission(table, key, edit, here.get(key))
                elif edit.before is None and edit.after is not None and key not in here and name not in _COMPARED:
                    coming.append(edit.after)
                else:
                    self._decide_row(table, key, edit, here.get(key))
        self._settle_disputes()
        return self._made

    def _decide_row(self, table: StudyTable, key: Key, edit: Edit, ours: Row | None) -> None:
        if table.name == "property" and key[0] in OWN_PROPERTIES:
            return
        before, theirs = _with_local_columns(table, edit, ours)
        if ours == theirs:
            return
        if table.name == "merged_copy":
            if theirs is not None and (ours is None or theirs["step_uid"] > ours["step_uid"]):
                self._made.add_change(table, ours, theirs)
        elif table.name == "conflict":
            if theirs is None or (ours is not None and ours["resolution"] is not None):
                return
            if is_permission(theirs["table_name"], json.loads(theirs["row_key"])[0]):
                # What was chosen in a copy about a permission is chosen here anew.
                theirs = theirs | {"resolution": None}
            if theirs != ours:
                self._made.add_change(table, ours, theirs)
        elif ours and theirs and _without_time(table, ours) == _without_time(table, theirs):
            if theirs[table.time] < ours[table.time]:
                self._made.add_change(table, ours, theirs)
        elif table.name == "judge" and is_redirected(ours, theirs):
            self._made.clashes.append(_clash(table, key, ours, theirs, self._label))
        elif ours == before:
            self._made.add_change(table, ours, theirs)
        else:
            self._disputes.append((table, key, ours, theirs))

    def _decide_permission(self, table: StudyTable, key: Key, edit: Edit, ours: Row | None) -> None:
        """Keep the stricter version of what says what may leave; the other one is for a person to choose."""
        before, theirs = _with_local_columns(table, edit, ours)
        if ours == theirs or (ours and theirs and _without_time(table, ours) == _without_time(table, theirs)):
            return
        if loosens_permission(table.name, ours, theirs):
            self._made.clashes.append(_clash(table, key, ours, theirs, self._label))
        elif loosens_permission(table.name, theirs, ours) and ours != before:
            self._made.add_change(table, ours, theirs)
            self._made.clashes.append(_clash(table, key, theirs, ours, _THIS_STUDY))
        else:
            self._decide_row(table, key, edit, ours)

    def _whole_items(self, items: set[str], edits: Edits, ours: dict[str, dict[Key, Row]]) -> set[str]:
        """Decide about the segments that only one side still has; return them."""
        here = {str(key[0]) for key in ours["segment"]}
        changed = edits.get("segment", {})
        gone_there = {s for s in items if (s,) in changed and changed[s,].after is None}
        new_there = {s for s in items if (s,) in changed and changed[s,].before is None}
        deleted_there = here & gone_there
        deleted_here = items - here - gone_there - new_there
        self._deleted_there(deleted_there, edits, ours)
        self._deleted_here(deleted_here)
        return deleted_there | deleted_here | (gone_there - here)

    def _deleted_there(self, segments: set[str], edits: Edits, ours: dict[str, dict[Key, Row]]) -> None:
        present, known = _by_item(ours, segments), _by_item(_rows_before(edits), segments)
        for segment in sorted(segments):
            if present[segment] == known[segment]:
                for name, rows in present[segment].items():
                    for row in rows:
                        self._made.add_change(HUMAN_TABLES[name], row, None)
            else:
                self._made.clashes.append(RowConflict("segment", (segment,), present[segment], None, self._label))

    def _deleted_here(self, segments: set[str]) -> None:
        if not segments:
            return
        theirs = _by_item(
            {
                name: find_rows(self._copy, HUMAN_TABLES[name], {*segments}, column)
                for name, column in SEGMENT_ID_COLUMNS.items()
            },
            segments,
        )
        brought = last_merge_sources(self._study, [("segment", (segment,)) for segment in segments])
        for segment in sorted(segments):
            source = brought.get(("segment", (segment,)))
            if source is None:
                self._made.clashes.append(RowConflict("segment", (segment,), None, theirs[segment], self._label))
                continue
            for name, rows in theirs[segment].items():
                for row in rows:
                    self._made.add_change(HUMAN_TABLES[name], None, row)
            self._made.clashes.append(RowConflict("segment", (segment,), theirs[segment], None, source))

    def _settle_disputes(self) -> None:
        if not self._disputes:
            return
        places: list[Place] = [(table.name, key) for table, key, _, _ in self._disputes]
        brought = last_merge_sources(self._study, places)
        for table, key, ours, theirs in self._disputes:
            source = brought.get((table.name, key))
            if source is None or not _prevails(theirs, ours):
                self._made.clashes.append(_clash(table, key, ours, theirs, self._label))
            else:
                self._made.add_change(table, ours, theirs)
                self._made.clashes.append(_clash(table, key, theirs, ours, source))


_COMPARED = frozenset({"property", "conflict"})
"""Tables of which a row that only the copy has is looked at, too."""
_THIS_STUDY = "this study"


def _with_local_columns(table: StudyTable, edit: Edit, ours: Row | None) -> tuple[Row | None, Row | None]:
    """Return both states of the copy with the columns that were not its business as they are here."""
    before, after = edit.before, edit.after
    if ours is None or not (table.local or table.withheld):
        return before, after
    kept = {column: ours[column] for column in table.local}
    for column in table.withheld:
        if before is not None and (after is None or before[column] == after[column]):
            kept[column] = ours[column]
    return (None if before is None else {**before, **kept}), (None if after is None else {**after, **kept})


def _prevails(row: Row | None, other: Row | None) -> bool:
    if row is None or other is None:
        return row is not None
    return json.dumps(row, sort_keys=True) > json.dumps(other, sort_keys=True)


def _clash(table: StudyTable, key: Key, ours: Row | None, theirs: Row | None, source: str) -> RowConflict:
    first, second = (None if row is None else {table.name: [row]} for row in (ours, theirs))
    return RowConflict(table.name, key, first, second, source)


def _without_time(table: StudyTable, row: Row) -> Row:
    return {name: value for name, value in row.items() if name != table.time}


def _rows_before(edits: Edits) -> dict[str, dict[Key, Row]]:
    return {
        name: {key: edit.before for key, edit in edits.get(name, {}).items() if edit.before is not None}
        for name in SEGMENT_ID_COLUMNS
    }


def _by_item(rows: dict[str, dict[Key, Row]], segments: Iterable[str]) -> dict[str, Rows]:
    """Return segment -> its rows by table, each in the order of its keys."""
    found: dict[str, Rows] = {segment: {} for segment in segments}
    for name, column in SEGMENT_ID_COLUMNS.items():
        for _, row in sorted(rows.get(name, {}).items()):
            if row[column] in found:
                found[row[column]].setdefault(name, []).append(row)
    return found
