"""Reads every free text of a study with its place and time, for the search and for finding personal information."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from project.errors import UserError
from project.queries.episode_rows import PROFILE_COLUMNS
from project.queries.question_rows import VISIBLE_QUESTION
from project.queries.study_schemes import version_text
from project.schemes.scheme import FieldKind
from project.schemes.scheme_file import load_scheme, parse_scheme
from project.store.column_values import to_json
from project.store.study import Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS, VISIBLE_SEGMENTS

SEGMENT_TABLES = frozenset({"segment_value", "comment", "review"})
"""Tables whose texts are about segments."""
CHAIN_TABLES = frozenset({"chain", "chain_node", "question"})
"""Tables whose texts are of chains, or of questions that were made from one."""


WRONG_OPTION_PREFIX = "wrong_"
"""What the field of a wrong option begins with; its number follows, from 1."""
BOND_PREFIX = "bond_"
"""What the field of a story of a character begins with; its number follows, from 1."""
GOAL_PREFIX = "goal_"
"""What the field of a goal of a scenario begins with; its number follows, from 1."""
QUOTED = frozenset(
    {
        *("chain", "chain_node", "question", "look", "summary", "contradiction"),
        *("character", "scenario", "episode", "episode_agent"),
    }
)
"""Tables whose texts are told in pieces, with other names, or inside other texts."""


@dataclass(frozen=True, slots=True)
class TextLocation:
    """Where a text stands.

    Attributes:
        table: of the study; for those of `SEGMENT_TABLES` the subject is the segment.
        subject: id of what the text is about, as `Changes` names it.
        field: the form's field, or the table's column.
    """

    table: str
    subject: str
    field: str


Found = Iterator[tuple[TextLocation, str]]


@dataclass(frozen=True, slots=True)
class _TextSource:
    """The texts of one table.

    Attributes:
        columns: that hold them; a JSON list by the field of its first item, such as `goal_1`.
        rows: what follows FROM, such that the table is called `t`, with a condition.
        key: the columns of the id of its row.
        place: recording, start and end, in SQL.
        field: the column that names the field, where that is not the text's own.
        subject: the column of what the search finds; "" where the search leaves the table out.
        searched: columns that are searched and are no free texts.
    """

    table: str
    columns: tuple[str, ...]
    rows: str
    key: tuple[str, ...] = ("id",)
    place: str = "NULL, 0, 0"
    field: str = ""
    subject: str = ""
    searched: tuple[str, ...] = ()


_OF_SEGMENT = f"JOIN {VISIBLE_SEGMENTS} s ON s.id = t.segment_id WHERE TRUE"
_SEGMENT_PLACE = "s.recording_id, s.start_us, s.end_us"
_OF_CHAIN = f"JOIN {VISIBLE_CHAINS} c ON c.id = t.chain_id"
_IN_SIGHT = f"WHERE t.recording_id IN (SELECT id FROM {VISIBLE_RECORDINGS})"
_OWN_PLACE = "t.recording_id, t.start_us, t.end_us"
_RECORDING = "t.recording_id, 0, 0"
_LISTS = {"wrong": WRONG_OPTION_PREFIX, "bonds": BOND_PREFIX, "goals": GOAL_PREFIX}
_QUESTIONS = f"(SELECT * FROM question WHERE {VISIBLE_QUESTION})"
_SOURCES = (
    _TextSource("comment", ("text",), f"comment t {_OF_SEGMENT}", place=_SEGMENT_PLACE, subject="segment_id"),
    _TextSource(
        "review",
        ("note",),
        f"review t {_OF_SEGMENT}",
        key=("segment_id", "reviewer_id"),
        place=_SEGMENT_PLACE,
        subject="segment_id",
    ),
    _TextSource("utterance", ("text",), f"utterance t {_IN_SIGHT}", place=_OWN_PLACE, subject="id"),
    _TextSource("recording", ("name",), f"{VISIBLE_RECORDINGS} t WHERE TRUE", place="t.id, 0, 0", subject="id"),
    _TextSource("collection", ("name", "agent_context"), "collection t WHERE TRUE", subject="id"),
    _TextSource("participant", ("note",), "participant t WHERE TRUE", subject="id", searched=("pseudonym",)),
    _TextSource(
        "participant_variable", ("value",), "participant_variable t WHERE TRUE", key=("participant_id", "name")
    ),
    _TextSource("chain", ("name",), f"{VISIBLE_CHAINS} t WHERE TRUE", place=_RECORDING, subject="id"),
    _TextSource(
        "chain_node",
        ("text",),
        f"chain_node t {_OF_CHAIN} WHERE TRUE",
        place="c.recording_id, t.start_us, t.end_us",
        subject="id",
    ),
    _TextSource(
        "chain_review",
        ("note",),
        f"chain_review t {_OF_CHAIN} WHERE t.reviewer_id IN (SELECT id FROM annotator)",
        key=("chain_id", "reviewer_id"),
        place="c.recording_id, 0, 0",
    ),
    _TextSource(
        "question",
        ("text", "answer", "explanation", "wrong"),
        f"{_QUESTIONS} t WHERE TRUE",
        place=_OWN_PLACE,
        subject="id",
    ),
    _TextSource(
        "verification",
        ("note",),
        f"verification t JOIN {_QUESTIONS} q ON q.id = t.question_id "
        "WHERE t.annotator_id IN (SELECT id FROM annotator)",
        key=("question_id", "annotator_id"),
        place="q.recording_id, q.start_us, q.end_us",
    ),
    _TextSource(
        "look",
        ("text",),
        "look t WHERE TRUE",
        key=("recording_id", "participant_id"),
        place=_RECORDING,
        field="kind",
    ),
    _TextSource("summary", ("text",), "summary t WHERE TRUE", key=("recording_id",), place=_RECORDING, field="source"),
    _TextSource("contradiction", ("text", "resolution"), "contradiction t WHERE TRUE", place=_RECORDING),
    _TextSource("character", (*PROFILE_COLUMNS, "bonds"), "character t WHERE TRUE"),
    _TextSource("scenario", ("name", "context", "goals"), "scenario t WHERE TRUE"),
    _TextSource("episode", ("context",), f"episode t {_IN_SIGHT}", key=("recording_id",), place=_RECORDING),
    _TextSource(
        "episode_agent",
        (*PROFILE_COLUMNS, "goal"),
        f"episode_agent t {_IN_SIGHT}",
        key=("recording_id", "position"),
        place=_RECORDING,
    ),
)


class Texts:
    """Reads the texts of one study for the search."""

    tables = ("segment_value", *(source.table for source in _SOURCES if source.subject))
    """The tables that have texts."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._kinds: dict[tuple[str, int], dict[str, FieldKind]] = {}

    def subjects(self, table: str) -> list[str]:
        """Return what the texts of a table are about, in no order."""
        rows, subject = f"segment_value t {_OF_SEGMENT}", "segment_id"
        for source in _SOURCES:
            if source.table == table:
                rows, subject = source.rows, source.subject
        return [row[0] for row in self._study.rows(f"SELECT DISTINCT t.{subject} FROM {rows}")]

    def read(self, table: str, subjects: Sequence[str]) -> Found:
        """Read the texts about some subjects; those that are gone are left out."""
        if table == "segment_value":
            yield from self._values(subjects)
        for source in _SOURCES:
            if source.table == table:
                columns = [column for column in (*source.columns, *source.searched) if column not in _LISTS]
                rows = self._study.rows(
                    f"SELECT t.{source.subject}, {', '.join(f't.{column}' for column in columns)} FROM {source.rows} "
                    f"AND t.{source.subject} IN (SELECT value FROM json_each(?)) ORDER BY 1",
                    (to_json([*subjects]),),
                )
                for subject, *cells in rows:
                    for column, text in zip(columns, cells, strict=True):
                        if text:
                            yield TextLocation(table, subject, column), text

    def clear_scheme_cache(self) -> None:
        """Reload the study's schemes when they are next needed."""
        self._kinds.clear()

    def _values(self, ids: Sequence[str]) -> Found:
        rows = self._study.rows(
            f"SELECT v.segment_id, v.scheme, v.version, v.field, v.value FROM {VISIBLE_SEGMENTS} s "
            "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
            "WHERE s.id IN (SELECT value FROM json_each(?)) ORDER BY v.segment_id, v.version, v.field",
            (to_json([*ids]),),
        )
        newest = {(segment, field): (scheme, version, value) for segment, scheme, version, field, value in rows}
        for (segment, field), (scheme, version, value) in newest.items():
            if value.startswith('"') and self._is_text(scheme, version, field):
                yield TextLocation("segment_value", segment, field), json.loads(value)

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


@dataclass(frozen=True, slots=True)
class FreeText:
    """One text that somebody wrote or a model heard.

    Attributes:
        table: where it is kept.
        row: id of its row; of a value, of its segment; of a note of a review, what it is about and the reviewer; of a
            look, recording and participant; of a summary or an episode, the recording; of an agent of an episode,
            recording and position.
        field: the form's field, or the table's column; of a wrong option `wrong_1` and on, of a look its kind, of a
            summary what it was made from.
        text: as it stands there.
        recording_id: that it belongs to, or None where it belongs to the study as a whole.
        start_us: where on the recording; 0 for the recording as a whole.
        end_us: end of what it is about; equal to `start_us` for the recording as a whole.
    """

    table: str
    row: str
    field: str
    text: str
    recording_id: str | None = None
    start_us: int = 0
    end_us: int = 0


def free_texts(study: Study) -> Iterator[FreeText]:
    """Yield the texts of what is seen: those of each recording by time, in the order of recordings, then the others."""
    found = [*_values(study), *(text for source in _SOURCES for text in _read_source(study, source))]
    numbers = {row[0]: row[1] for row in study.rows("SELECT id, number FROM recording")}
    last = max(numbers.values(), default=0) + 1
    yield from sorted(
        found,
        key=lambda free_text: (
            numbers.get(free_text.recording_id or "", last),
            free_text.start_us,
            free_text.table,
            free_text.row,
            free_text.field,
        ),
    )


def _read_source(study: Study, source: _TextSource) -> Iterator[FreeText]:
    columns = ", ".join(f"t.{column}" for column in (*source.columns, *([source.field] if source.field else [])))
    row_id = " || '/' || ".join(f"t.{column}" for column in source.key)
    for row, recording, start, end, *cells in study.rows(
        f"SELECT {row_id}, {source.place}, {columns} FROM {source.rows}"
    ):
        fields = [cells.pop()] if source.field else source.columns
        for field, cell in zip(fields, cells, strict=True):
            for name, text in _list_items(field, cell) if field in _LISTS else ((field, cell),):
                if text:
                    yield FreeText(source.table, row, name, text, recording, start, end)


def _list_items(column: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield field and text of each item of a list that is kept as JSON; none where it is damaged."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    for number, item in enumerate(found if isinstance(found, list) else (), 1):
        if isinstance(item, list):
            item = (item[-1] if column == "bonds" else item[0]) if item else ""
        yield f"{_LISTS[column]}{number}", str(item)


def _values(study: Study) -> Iterator[FreeText]:
    spans = {
        row[0]: row[1:] for row in study.rows(f"SELECT id, recording_id, start_us, end_us FROM {VISIBLE_SEGMENTS}")
    }
    for place, text in Texts(study).read("segment_value", [*spans]):
        yield FreeText("segment_value", place.subject, place.field, text, *spans[place.subject])


_LIST_COLUMNS = {prefix: column for column, prefix in _LISTS.items()}


def write_free_text(study: Study, at: FreeText, text: str) -> None:
    """Put another text where one stands, but for utterances and values; inside a step."""
    [source] = (source for source in _SOURCES if source.table == at.table)
    where = " AND ".join(f"{column} = ?" for column in source.key)
    row = at.row.split("/")
    column = at.field
    if source.field:
        where += f" AND {source.field} = ?"
        row.append(at.field)
        [column] = source.columns
    prefix, _, number = at.field.rpartition("_")
    if not source.field and number.isdecimal():
        column = _LIST_COLUMNS[f"{prefix}_"]
        [(kept,)] = study.rows(f"SELECT {column} FROM {at.table} WHERE {where}", row)
        items = json.loads(kept)
        place = int(number) - 1
        if column == "goals":
            items[place] = text
        else:
            items[place][0 if column == "wrong" else -1] = text
        text = to_json(items)
    study.write(f"UPDATE {at.table} SET {column} = ? WHERE {where}", (text, *row))
