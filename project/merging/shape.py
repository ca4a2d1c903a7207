"""What merging has to know about the tables: keys, whom and what a row refers to, and what stays with each copy."""

from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

from project.journal import SUBJECTS
from project.store import Cell, Study

Row: TypeAlias = dict[str, Any]
"""One row: column -> value."""
Key: TypeAlias = tuple[Cell, ...]
"""The values of a row's primary key."""
Rows: TypeAlias = dict[str, list[Row]]
"""Table -> rows: one version of an item, as it is kept in a conflict."""

AUTHOR = {
    "segment": "annotator_id",
    "assignment": "annotator_id",
    "completion": "annotator_id",
    "review": "reviewer_id",
    "comment": "annotator_id",
    "face_review": "annotator_id",
    "seen_span": "annotator_id",
    "waiver": "annotator_id",
    "pii_decision": "annotator_id",
    "adoption": "annotator_id",
    "chain": "annotator_id",
    "chain_review": "reviewer_id",
    "question": "annotator_id",
    "verification": "annotator_id",
}
"""The column that names an annotator."""

ITEM = {
    "segment": "id",
    "segment_value": "segment_id",
    "review": "segment_id",
    "comment": "segment_id",
    "adoption": "segment_id",
}
"""The tables that make up a segment and all that was said about it, and the column with the segment's id."""

LOCAL = {"medium": ("path",)}
"""Columns that each copy has for itself: where a file lies differs from machine to machine."""

LEFT_OUT = {"participant": ("note",)}
"""Columns that a split copy is not given: unchanged there means unchanged, whatever they hold here."""

TIMES = {
    "completion": "at",
    "review": "at",
    "comment": "at",
    "face_review": "at",
    "seen_span": "at",
    "waiver": "at",
    "pii_decision": "at",
    "adoption": "at",
    "chain_review": "at",
    "question": "at",
    "verification": "at",
}
"""Columns that say when; two rows that differ in nothing else are the same, and the earlier time is kept."""

OWN_PROPERTIES = frozenset({"id", "copy", "release_key", "voice_secret", "pii-numbers", "policy", "shared"})
"""Facts about one file, which are never merged."""

PARENTS = {
    "recording": (("collection_id", "collection"),),
    "medium": (("recording_id", "recording"),),
    "appearance": (("recording_id", "recording"), ("participant_id", "participant")),
    "consent": (("participant_id", "participant"),),
    "segment": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "segment_value": (("segment_id", "segment"),),
    "hold_out": (("recording_id", "recording"),),
    "assignment": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "completion": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "review": (("segment_id", "segment"), ("reviewer_id", "annotator")),
    "comment": (("segment_id", "segment"), ("annotator_id", "annotator")),
    "utterance": (("recording_id", "recording"), ("participant_id", "participant")),
    "adoption": (("segment_id", "segment"), ("annotator_id", "annotator")),
    "track_correction": (("track_id", "face_track"), ("participant_id", "participant")),
    "track_box": (("track_id", "face_track"),),
    "region": (("recording_id", "recording"), ("participant_id", "participant")),
    "region_box": (("region_id", "region"),),
    "face_review": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "seen_span": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "waiver": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "private_word": (("participant_id", "participant"),),
    "pii_decision": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "chain": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "chain_node": (("chain_id", "chain"),),
    "chain_person": (("node_id", "chain_node"), ("participant_id", "participant")),
    "chain_edge": (("reason_id", "chain_node"), ("result_id", "chain_node")),
    "chain_review": (("chain_id", "chain"), ("reviewer_id", "annotator")),
    "question": (("recording_id", "recording"), ("chain_id", "chain"), ("annotator_id", "annotator")),
    "verification": (("question_id", "question"), ("annotator_id", "annotator")),
    "look": (("recording_id", "recording"), ("participant_id", "participant")),
    "summary": (("recording_id", "recording"),),
    "contradiction": (("recording_id", "recording"),),
    "episode": (("recording_id", "recording"),),
    "episode_agent": (("recording_id", "recording"), ("participant_id", "participant")),
}
"""Table -> the columns that refer to another table's id."""

ORDER = (
    "property", "collection", "recording", "medium", "participant", "appearance", "consent", "annotator",
    "scheme_version", "hold_out", "assignment", "completion", "segment", "segment_value", "review", "comment",
    "judge", "prompt_version", "adoption", "utterance", "track_correction", "track_box", "region", "region_box",
    "face_review", "seen_span", "waiver", "private_word", "public_word", "pii_decision", "chain", "chain_node",
    "chain_person", "chain_edge", "chain_review", "question", "verification", "look", "summary", "contradiction",
    "character", "scenario", "episode", "episode_agent", "conflict", "merged_copy",
)  # fmt: skip
"""Every human table, what others refer to first."""

_CHUNK = 900


@dataclass(frozen=True, slots=True)
class Table:
    """One human table."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    @property
    def subject(self) -> str:
        """The column by which its rows are looked up."""
        return SUBJECTS[self.name]

    def key_of(self, row: Row) -> Key:
        """Return a row's key."""
        if len(self.key) == 1:
            return (row[self.key[0]],)
        return tuple([row[column] for column in self.key])

    def cells_of(self, rows: list[Row]) -> list[list[Cell]]:
        """Return the rows as they are written, in the order of the columns."""
        if len(self.columns) == 1:
            return [[row[self.columns[0]]] for row in rows]
        return [*map(list, map(itemgetter(*self.columns), rows))]


def tables_of(study: Study) -> dict[str, Table]:
    """Return every human table by name."""
    found = {}
    for name in ORDER:
        described = study.rows(f"PRAGMA main.table_info({name})")
        keys = sorted((row[5], row[1]) for row in described if row[5])
        found[name] = Table(name, tuple(row[1] for row in described), tuple(column for _, column in keys))
    return found


def rows_about(study: Study, table: Table, subjects: set[Cell], column: str = "") -> dict[Key, Row]:
    """Return the rows of a table whose `column` (its subject, where none is named) is one of these."""
    found: dict[Key, Row] = {}
    wanted = [*subjects]
    for first in range(0, len(wanted), _CHUNK):
        part = wanted[first : first + _CHUNK]
        marks = ", ".join("?" * len(part))
        for values in study.rows(
            f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {column or table.subject} IN ({marks})", part
        ):
            row = dict(zip(table.columns, values, strict=True))
            found[table.key_of(row)] = row
    return found
