"""Queries on personal information in texts: decisions about places, private words and public words."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from weakref import WeakKeyDictionary

from project.queries.row_mapper import RowMapper
from project.schema.table_declaration import ColumnKind, StudyTable
from project.schema.tables import HUMAN_TABLES, TABLES
from project.store.column_values import damaged_value_error
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
    """What a person decided about a place; `recording_id` is None for a text that is about no recording."""

    place: PiiPlace
    recording_id: str | None
    kind: str
    verdict: PiiVerdict
    annotator_id: str
    at: str


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
    found = {decision.place: decision for decision in PII_DECISIONS.select(study)}
    kept = [place for place, pii_decision in found.items() if pii_decision.verdict is PiiVerdict.KEEP]
    for gone in _kept_in_changed_context(study, kept):
        del found[gone]
    return found


put_pii_decision = PII_DECISIONS.upsert


def delete_pii_decision(study: Study, place: PiiPlace) -> None:
    """Take a decision back; inside a step."""
    PII_DECISIONS.delete(study, place.table, place.row, place.field, place.text, place.ordinal)


_NEIGHBOURS = 2
"""Words before and after a place that stand there still where a decision to keep it holds."""
_WORD = re.compile(r"\w+")
_FIELD_NAME_COLUMNS = ("field", "kind", "source")
"""Columns that hold the name of a field whose text stands in another column."""

_Row = dict[str, Any]
_Change = tuple[int, _Row | None, _Row | None]


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Which kept places were compared with the history, up to a step of it."""

    version: tuple[int, int]
    newest: int
    elsewhere: Mapping[PiiPlace, bool]


_COMPARED: WeakKeyDictionary[Study, _Comparison] = WeakKeyDictionary()


def _kept_in_changed_context(study: Study, kept: Sequence[PiiPlace]) -> list[PiiPlace]:
    """Return places that were kept in other words than stand there now, as the history tells.

    What did not change since the last call is not compared again.
    """
    if not kept:
        return []
    version = study.data_version()
    known = _COMPARED.get(study)
    if known is None or known.version != version or not _has_step(study, known.newest):
        known = _Comparison(version, 0, {})
    elsewhere = {place: known.elsewhere[place] for place in kept if place in known.elsewhere}
    # Quick edits of one text go on in the newest step.
    later = study.rows("SELECT step_id, table_name, row_id FROM journal_change WHERE step_id >= ?", (known.newest,))
    touched = {(str(table), str(row)) for _, table, row in later}
    newest = max((int(step) for step, _, _ in later), default=known.newest)
    for place in [*elsewhere]:
        if (place.table, _subject(place)) in touched or ("pii_decision", place.row) in touched:
            del elsewhere[place]
    new = [place for place in kept if place not in elsewhere]
    try:
        moved = _find_changed_context(study, new)
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        raise damaged_value_error("What the history says of a place that was kept") from None
    elsewhere |= {place: place in moved for place in new}
    if not study.in_transaction:
        _COMPARED[study] = _Comparison(version, newest, elsewhere)
    return [place for place in kept if elsewhere[place]]


def _has_step(study: Study, step: int) -> bool:
    return step == 0 or study.row("SELECT 1 FROM journal_step WHERE id = ?", (step,)) is not None


def _find_changed_context(study: Study, kept: Sequence[PiiPlace]) -> set[PiiPlace]:
    """Return those of some kept places around which other words stand now."""
    # A stranger's study names tables as it likes, and no such name becomes part of a statement.
    unknown = {place for place in kept if place.table not in TABLES}
    kept = [place for place in kept if place.table in TABLES]
    if not kept:
        return unknown
    wanted = set(kept)
    decided: dict[PiiPlace, int] = {}
    changes: dict[tuple[str, str], list[_Change]] = {}
    rows = json.dumps(sorted({part for place in kept for part in (place.row, _subject(place))}))
    tables = json.dumps(["pii_decision", *sorted({place.table for place in kept})])
    # What came in the same step, such as by a merge, belongs together.
    for step, table, row, before, after in study.rows(
        "SELECT step_id, table_name, row_id, before, after FROM journal_change WHERE table_name IN "
        "(SELECT value FROM json_each(?)) AND row_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (tables, rows),
    ):
        states = [None if text is None else json.loads(text) for text in (before, after)]
        if table != "pii_decision":
            changes.setdefault((table, row), []).append((step, states[0], states[1]))
        elif states[1] is not None:
            place = PiiPlace(*(states[1][name] for name in ("table_name", "row_id", "field", "text", "ordinal")))
            if place in wanted and states[1]["decision"] == PiiVerdict.KEEP:
                decided[place] = step
    by_row: dict[tuple[str, str], list[PiiPlace]] = {}
    for place in kept:
        # A table that the history does not know holds no text that anybody edits.
        if place.table in HUMAN_TABLES and (place.table, _subject(place)) in changes:
            by_row.setdefault((place.table, _subject(place)), []).append(place)
    return unknown | {
        place
        for table in sorted({table for table, _ in by_row})
        for place in _changed_in_table(
            study,
            HUMAN_TABLES[table],
            {row: some for (name, row), some in by_row.items() if name == table},
            changes,
            decided,
        )
    }


def _subject(place: PiiPlace) -> str:
    """Return by what the history knows the row of a place: the first part of its key."""
    return place.row.split("/")[0]


def _changed_in_table(
    study: Study,
    table: StudyTable,
    places: Mapping[str, Sequence[PiiPlace]],
    changes: Mapping[tuple[str, str], Sequence[_Change]],
    decided: Mapping[PiiPlace, int],
) -> Iterator[PiiPlace]:
    """Yield places in rows of a table, by what the rows are about, around which other words stand now."""
    here: dict[str, dict[tuple[Any, ...], _Row | None]] = {}
    for values in study.rows(
        f"SELECT {', '.join(table.names)} FROM {table.name} WHERE {table.subject} IN (SELECT value FROM json_each(?))",
        (json.dumps([*places]),),
    ):
        row = dict(zip(table.names, values, strict=True))
        here.setdefault(str(row[table.subject]), {})[table.key_of(row)] = row
    for about, some in places.items():
        for place in some:
            known = changes[table.name, about]
            if _has_changed_context(place, table, known, decided.get(place, 0), here.get(about, {})):
                yield place


def _has_changed_context(
    place: PiiPlace,
    table: StudyTable,
    changes: Sequence[_Change],
    decided: int,
    now: Mapping[tuple[Any, ...], _Row | None],
) -> bool:
    then: dict[tuple[Any, ...], _Row | None] = {}
    passed: set[tuple[Any, ...]] = set()
    for step, before, after in changes:
        of_row = before if before is not None else after
        assert of_row is not None
        at = table.key_of(of_row)
        if at in passed:
            continue
        then[at] = after if step <= decided else before
        if step > decided:
            passed.add(at)
    return any(
        _context(place, old) != _context(place, now.get(at))
        for at, old in then.items()
        if _is_about(place, at, old or now.get(at))
    )


def _is_about(place: PiiPlace, key: tuple[Any, ...], row: _Row | None) -> bool:
    """Tell whether a place is in a row: its field's, where several rows of fields are about the same."""
    parts = place.row.split("/")[1:]
    if row is None or not all(part in map(str, key) for part in parts):
        return False
    named = [row[name] for name in _FIELD_NAME_COLUMNS if name in row]
    return place.field in row or not named or place.field in named


def _context(place: PiiPlace, row: _Row | None) -> object:
    """Return the words around a place in a row; what the row says as a whole where its text is one of several."""
    if row is None:
        return None
    text = _text_of(place, row)
    if text is None:
        kinds: Mapping[str, ColumnKind] = TABLES[place.table].kinds if place.table in TABLES else {}
        return {
            name: value
            for name, value in row.items()
            if kinds.get(name) in (ColumnKind.TEXT, ColumnKind.NAME, ColumnKind.JSON)
        }
    at = -1
    for _ in range(place.ordinal + 1):
        at = text.find(place.text, at + 1)
        if at < 0:
            return None
    before, after = _WORD.findall(text[:at].casefold()), _WORD.findall(text[at + len(place.text) :].casefold())
    return before[-_NEIGHBOURS:], after[:_NEIGHBOURS]


def _text_of(place: PiiPlace, row: _Row) -> str | None:
    if isinstance(row.get(place.field), str):
        return str(row[place.field])
    if any(row.get(name) == place.field for name in _FIELD_NAME_COLUMNS):
        if "value" not in row:
            return str(row["text"])
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
