"""Queries on personal information in texts: decisions about places, private words and public words."""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any

from project.queries.row_mapper import RowMapper
from project.schema.table_declaration import ColumnKind, StudyTable
from project.schema.tables import HUMAN_TABLES, TABLES
from project.store.column_values import to_json
from project.store.study import Study
from project.text_matching.spellings import squeeze_letters


class PiiVerdict(StrEnum):
    """Whether a place is hidden wherever anything leaves."""

    HIDE = "hide"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class PiiPlace:
    """A stretch of one text of a study. It is found again after edits elsewhere in that text.

    Attributes:
        table: where the text is kept.
        row: id of its row.
        field: the form's field, or the table's column.
        text: what stands there.
        ordinal: how many times the same stands before it in the same text.
    """

    table: str
    row: str
    field: str
    text: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class PiiDecision:
    """What a person decided about a place.

    Attributes:
        recording_id: None for a text that is about no recording.
        context: checksum over the words around a place that is kept: the words may be those of somebody who withdraws.
    """

    place: PiiPlace
    recording_id: str | None
    kind: str
    verdict: PiiVerdict
    annotator_id: str
    at: str
    context: str = ""


PII_DECISIONS = RowMapper(
    PiiDecision,
    "pii_decision",
    noun="A decision on personal information",
    columns={"table": "table_name", "row": "row_id", "verdict": "decision"},
)


def pii_decisions(study: Study) -> dict[PiiPlace, PiiDecision]:
    """Return every decision that holds, by its place.

    A place that somebody kept counts as undecided again where other words stand around it than when it was kept.
    """
    decisions = PII_DECISIONS.select(study)
    contexts = _contexts(study, [decision.place for decision in decisions if decision.verdict is PiiVerdict.KEEP])
    return {
        decision.place: decision
        for decision in decisions
        if decision.verdict is PiiVerdict.HIDE or contexts.get(decision.place) == decision.context
    }


def put_pii_decision(study: Study, new: PiiDecision) -> None:
    """Set a decision, with what stands around its place now; inside a step."""
    context = _contexts(study, [new.place]).get(new.place, "") if new.verdict is PiiVerdict.KEEP else ""
    PII_DECISIONS.upsert(study, replace(new, context=context))


def delete_pii_decision(study: Study, place: PiiPlace) -> None:
    """Take a decision back; inside a step."""
    PII_DECISIONS.delete(study, place.table, place.row, place.field, place.text, place.ordinal)


_NEIGHBOURS = 2
"""Words before and after a place that stand there still where a decision to keep it holds."""
_WORD = re.compile(r"\w+")
_FIELD_NAME_COLUMNS = ("field", "kind", "source")
"""Columns that hold the name of a field whose text stands in another column."""

_Row = dict[str, Any]


def _contexts(study: Study, places: Iterable[PiiPlace]) -> dict[PiiPlace, str]:
    """Return what stands around places; those in tables that the program does not have are left out."""
    contexts: dict[PiiPlace, str] = {}
    edited: dict[str, list[PiiPlace]] = {}
    for place in places:
        if place.table in HUMAN_TABLES:
            edited.setdefault(place.table, []).append(place)
        elif place.table in TABLES:
            # Nobody edits its texts.
            contexts[place] = ""
    for name, of_table in edited.items():
        table = HUMAN_TABLES[name]
        rows: dict[str, list[_Row]] = {}
        for cells in study.rows(
            f"SELECT {', '.join(table.names)} FROM {name} WHERE {table.subject} IN (SELECT value FROM json_each(?)) "
            f"ORDER BY {', '.join(table.key)}",
            (json.dumps([_subject(place) for place in of_table]),),
        ):
            row = dict(zip(table.names, cells, strict=True))
            rows.setdefault(str(row[table.subject]), []).append(row)
        for place in of_table:
            here = rows.get(_subject(place), [])
            around = "\n".join(_context(place, row) for row in here if _is_about(place, table, row))
            contexts[place] = sha256(around.encode("utf-8", "surrogatepass")).hexdigest() if around else ""
    return contexts


def _subject(place: PiiPlace) -> str:
    """Return what the row of a place is about: the first part of its key."""
    return place.row.split("/")[0]


def _is_about(place: PiiPlace, table: StudyTable, row: _Row) -> bool:
    """Tell whether a place is in a row: its field's, where several rows of fields are about the same."""
    parts = place.row.split("/")[1:]
    if not all(part in map(str, table.key_of(row)) for part in parts):
        return False
    named = [row[name] for name in _FIELD_NAME_COLUMNS if name in row]
    return place.field in row or not named or place.field in named


def _context(place: PiiPlace, row: _Row) -> str:
    """Return the words around a place in a row; what the row says as a whole where its text is one of several."""
    text = _text_of(place, row)
    if text is None:
        kinds = TABLES[place.table].kinds
        return to_json(
            {
                name: value
                for name, value in row.items()
                if kinds[name] in (ColumnKind.TEXT, ColumnKind.NAME, ColumnKind.JSON)
            }
        )
    at = -1
    for _ in range(place.ordinal + 1):
        at = text.find(place.text, at + 1)
        if at < 0:
            return ""
    before, after = _WORD.findall(text[:at].casefold()), _WORD.findall(text[at + len(place.text) :].casefold())
    return f"{' '.join(before[-_NEIGHBOURS:])} … {' '.join(after[:_NEIGHBOURS])}"


def _text_of(place: PiiPlace, row: _Row) -> str | None:
    if isinstance(row.get(place.field), str):
        return str(row[place.field])
    if any(row.get(name) == place.field for name in _FIELD_NAME_COLUMNS):
        if "value" not in row:
            return str(row["text"])
        with suppress(ValueError):
            value = json.loads(row["value"])
            return value if isinstance(value, str) else None
    return None


UNSPECIFIED_KIND = "word"
"""Kind of a word of which nobody said what it is."""


@dataclass(frozen=True, slots=True)
class PrivateWord:
    """A word or phrase that must not leave.

    Attributes:
        replacement: what is written in its place.
        kind: what it is: `person`, `place`, ...; `word` where nobody said.
        participant_id: whose name it is, where it is a participant's.
    """

    word: str
    replacement: str
    kind: str = UNSPECIFIED_KIND
    participant_id: str | None = None


PRIVATE_WORDS = RowMapper(PrivateWord, "private_word")


class WordOwners:
    """Tells whose a private word is: the participant's that it names, or whose pseudonym replaces it."""

    def __init__(self, people: Iterable[tuple[str, str]] = ()) -> None:
        self._ids = {squeeze_letters(pseudonym): identifier for identifier, pseudonym in people}

    def owner(self, participant_id: str | None, replacement: str) -> str | None:
        """Return the id of the participant whose word it is; None for nobody's."""
        return participant_id or self._ids.get(squeeze_letters(replacement))


def private_words(study: Study) -> list[PrivateWord]:
    """Return every private word, longest first."""
    owners = WordOwners((str(row[0]), str(row[1])) for row in study.rows("SELECT id, pseudonym FROM participant"))
    return [
        replace(word, participant_id=owners.owner(word.participant_id, word.replacement))
        for word in PRIVATE_WORDS.select(study, "ORDER BY length(word) DESC, word")
    ]


def replacements(study: Study) -> dict[str, str]:
    """Return private word -> what is written in its place, longest first."""
    return {private_word.word: private_word.replacement for private_word in private_words(study)}


put_private_word = PRIVATE_WORDS.upsert
delete_private_word = PRIVATE_WORDS.delete


def public_words(study: Study) -> set[str]:
    """Return the words of which a person said that they are personal nowhere in this study."""
    return {row[0] for row in study.rows("SELECT word FROM public_word")}


def put_public_word(study: Study, word: str) -> None:
    """Say that a word is personal nowhere; inside a step."""
    study.write("INSERT INTO public_word (word) VALUES (?) ON CONFLICT DO NOTHING", (word,))


def delete_public_word(study: Study, word: str) -> None:
    """Take back that a word is personal nowhere; inside a step."""
    study.write("DELETE FROM public_word WHERE word = ?", (word,))
