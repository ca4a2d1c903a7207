"""Where a study has texts, and how they are read."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from project.errors import UserError
from project.queries.schemes import version_text
from project.schemes.loader import load_scheme, parse_scheme
from project.schemes.scheme import FieldKind
from project.sight import SEEN, SEEN_CHAIN, SEEN_RECORDING
from project.store import Study

ON_SEGMENTS = frozenset({"segment_value", "comment", "review"})
"""Tables whose texts are about segments."""
OF_CHAINS = frozenset({"chain", "chain_node", "question"})
"""Tables whose texts are of chains, or of questions that were made from one."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands.

    Attributes:
        table: of the study; for those of `ON_SEGMENTS` the subject is the segment.
        subject: id of what the text is about, as `Changes` names it.
        field: the form's field, or the table's column.
    """

    table: str
    subject: str
    field: str


Found = Iterator[tuple[Place, str]]


class Texts:
    """Reads the texts of one study."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._kinds: dict[tuple[str, int], dict[str, FieldKind]] = {}
        self._readers: dict[str, Callable[[Sequence[str]], Found]] = {
            "segment_value": self._values,
            "comment": lambda ids: self._columns("comment", "segment_id", ("text",), ids),
            "review": lambda ids: self._columns("review", "segment_id", ("note",), ids),
            "utterance": lambda ids: self._columns("utterance", "id", ("text",), ids),
            "recording": lambda ids: self._columns("recording", "id", ("name",), ids),
            "collection": lambda ids: self._columns("collection", "id", ("name", "agent_context"), ids),
            "participant": lambda ids: self._columns("participant", "id", ("pseudonym", "note"), ids),
            "chain": lambda ids: self._columns("chain", "id", ("name",), ids),
            "chain_node": lambda ids: self._columns("chain_node", "id", ("text",), ids),
            "question": lambda ids: self._columns("question", "id", ("text", "answer", "explanation"), ids),
        }

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that have texts."""
        return tuple(self._readers)

    def subjects(self, table: str) -> list[str]:
        """Return what the texts of a table are about, in the order in which it was made."""
        column = "segment_id" if table in ON_SEGMENTS else "id"
        return [
            row[0] for row in self._study.rows(f"SELECT DISTINCT {column} FROM {table} WHERE {_seen(table)} ORDER BY 1")
        ]

    def read(self, table: str, subjects: Sequence[str]) -> Found:
        """Read the texts about some subjects; those that are gone are left out."""
        return self._readers[table](subjects)

    def forget_schemes(self) -> None:
        """Read the study's schemes anew when they are next needed."""
        self._kinds.clear()

    def _columns(self, table: str, key: str, columns: Sequence[str], ids: Sequence[str]) -> Found:
        rows = self._study.rows(
            f"SELECT {key}, {', '.join(columns)} FROM {table} WHERE {key} IN ({_marks(ids)}) AND {_seen(table)} "
            "ORDER BY 1",
            ids,
        )
        for subject, *cells in rows:
            for column, text in zip(columns, cells, strict=True):
                if text:
                    yield Place(table, subject, column), text

    def _values(self, ids: Sequence[str]) -> Found:
        rows = self._study.rows(
            f"SELECT v.segment_id, v.scheme, v.version, v.field, v.value FROM {SEEN} s "
            "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
            f"WHERE s.id IN ({_marks(ids)}) ORDER BY v.segment_id, v.version, v.field",
            ids,
        )
        newest = {(segment, field): (scheme, version, value) for segment, scheme, version, field, value in rows}
        for (segment, field), (scheme, version, value) in newest.items():
            if value.startswith('"') and self._is_text(scheme, version, field):
                yield Place("segment_value", segment, field), json.loads(value)

    def _is_text(self, scheme: str, version: int, field: str) -> bool:
        if (scheme, version) not in self._kinds:
            self._kinds[scheme, version] = self._kinds_of(scheme, version)
        return self._kinds[scheme, version].get(field, FieldKind.TEXT) is FieldKind.TEXT

    def _kinds_of(self, key: str, version: int) -> dict[str, FieldKind]:
        kept = version_text(self._study, key, version)
        try:
            scheme = load_scheme(key) if kept is None else parse_scheme(kept, key)
        except UserError:
            return {}
        return {field.key: field.kind for field in scheme.fields}


def _seen(table: str) -> str:
    """Return the condition under which a row of a table is seen."""
    if table in ON_SEGMENTS:
        return f"segment_id IN (SELECT id FROM {SEEN})"
    if table in OF_CHAINS:
        chain = "id" if table == "chain" else "chain_id"
        return f"({chain} IS NULL OR {chain} IN (SELECT id FROM {SEEN_CHAIN}))"
    if table in ("recording", "utterance"):
        return f"{'id' if table == 'recording' else 'recording_id'} IN (SELECT id FROM {SEEN_RECORDING})"
    return "TRUE"


def _marks(ids: Sequence[str]) -> str:
    return ", ".join("?" * len(ids))
