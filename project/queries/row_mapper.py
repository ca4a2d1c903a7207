"""Maps the rows of a table to frozen dataclasses, and deletes rows with all that refers to them.

Every method that writes runs inside a step, or inside `Study.run_transaction` for a run table.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import repeat, starmap
from operator import attrgetter, itemgetter
from typing import Any, Generic, TypeAlias, TypeVar, get_origin, get_type_hints

from project.schema.table_declaration import ColumnKind, StudyColumn, StudyTable, TableKind
from project.schema.tables import HUMAN_TABLES, TABLES
from project.store.column_values import damaged_value_error, to_json
from project.store.study import Cell, Row, Study
from project.text_format import escape_unprintable

_CHUNK = 900
_DAMAGE = (ValueError, TypeError, RecursionError)
"""What is raised where a value is not what it should be."""

Entity = TypeVar("Entity")
Result = TypeVar("Result")
Query: TypeAlias = Callable[[Study, *tuple[Cell, ...]], Result]
Codec: TypeAlias = tuple[Callable[[Any], Cell], Callable[[Any], Any]]
"""How a value is written to a cell, and how it is read from one; reading raises `ValueError` or `TypeError`."""


@dataclass(frozen=True)
class RowMapper(Generic[Entity]):
    """Reads and writes the rows of a table.

    Attributes:
        entity: a dataclass with a field for each column, or for some, where rows are only read; a field that is a
            dataclass holds several, and one that no column holds, because it has a table of its own, is read as ().
        table: its name.
        view: what is read in place of the table, which hides rows.
        noun: what a row is called where it is damaged, with its columns in braces; begins a sentence.
        remedy: what to do about a damaged row, where it is not only to check the study.
        columns: field -> its column, where they are called differently.
        codecs: field -> how its values are kept, where that does not follow from its type.
    """

    entity: type[Entity]
    table: str
    view: str = ""
    noun: str = ""
    remedy: str = ""
    columns: Mapping[str, str] | None = None
    codecs: Mapping[str, Codec] | None = None

    @cached_property
    def _declared(self) -> StudyTable:
        return TABLES[self.table]

    @cached_property
    def _leaves(self) -> list[tuple[str, str, Any]]:
        """The path, the column and the type of every field that is kept in a column."""
        return [*self._leaves_of(self.entity, "")]

    def _leaves_of(self, kind: Any, prefix: str) -> Iterable[tuple[str, str, Any]]:
        hints = get_type_hints(kind)
        for field in fields(kind):
            column = (self.columns or {}).get(field.name, field.name)
            if column in self._declared.kinds:
                yield prefix + field.name, column, hints[field.name]
            elif is_dataclass(hints[field.name]):
                yield from self._leaves_of(hints[field.name], f"{prefix}{field.name}.")

    @cached_property
    def _parts(self) -> list[tuple[int, int, Any]]:
        """Where the fields of a dataclass inside the dataclass begin and end, and what is made of them; the last first.

        A field that no column holds is an empty tuple.
        """
        hints, paths = get_type_hints(self.entity), [path for path, _, _ in self._leaves]
        found, end = [], 0
        for name, kind in hints.items():
            start, end = end, end + sum(path.partition(".")[0] == name for path in paths)
            if name not in paths:
                found.append((start, end, kind if end > start else tuple))
        return found[::-1]

    @cached_property
    def _codecs(self) -> dict[str, Codec]:
        """Column -> how its values are kept, where they are not kept as they are."""
        given = self.codecs or {}
        found = {
            column: given.get(path) or _codec_for(self._declared.column(column), kind)
            for path, column, kind in self._leaves
        }
        return {column: codec for column, codec in found.items() if codec is not None}

    @cached_property
    def _decoders(self) -> list[tuple[int, Callable[[Any], Any]]]:
        names = [column for _, column, _ in self._leaves]
        return [(names.index(column), decode) for column, (_, decode) in self._codecs.items()]

    @cached_property
    def _encoders(self) -> list[tuple[int, Callable[[Any], Cell]]]:
        return [(self._declared.names.index(column), encode) for column, (encode, _) in self._codecs.items()]

    @cached_property
    def _values_of(self) -> Callable[[Any], Any]:
        paths = {column: path for path, column, _ in self._leaves}
        return attrgetter(*(paths[column] for column in self._declared.names))

    @cached_property
    def column_list(self) -> str:
        """The columns as SQL lists them, in the order of `read`."""
        return ", ".join(column for _, column, _ in self._leaves)

    def column_list_of(self, alias: str) -> str:
        """Return the columns of a table that a query calls `alias`."""
        return ", ".join(f"{alias}.{column}" for _, column, _ in self._leaves)

    def read(self, row: Row) -> Entity:
        """Return a row as an entity."""
        cells = [*row]
        try:
            for index, decode in self._decoders:
                cells[index] = decode(cells[index])
            for start, end, kind in self._parts:
                cells[start:end] = [kind(*cells[start:end])]
            return self.entity(*cells)
        except _DAMAGE:
            values = zip((column for _, column, _ in self._leaves), row, strict=True)
            shown = {column: escape_unprintable(str(value)) for column, value in values}
            what = self.noun.format_map(shown) or f"A row of “{self.table}”"
            raise damaged_value_error(what, self.remedy) from None

    def read_all(self, rows: Sequence[Row]) -> list[Entity]:
        """Return rows as entities: column by column, which is faster than row by row."""
        if not rows or not (self._decoders or self._parts):
            return [*starmap(self.entity, rows)]
        columns: list[Iterable[Any]] = [*zip(*rows, strict=True)]
        for index, decode in self._decoders:
            columns[index] = map(decode, columns[index])
        for start, end, kind in self._parts:
            columns[start:end] = [map(kind, *columns[start:end]) if end > start else repeat(())]
        try:
            return [*starmap(self.entity, zip(*columns, strict=False))]
        except _DAMAGE:
            # The row that is damaged is named.
            return [*map(self.read, rows)]

    def cells(self, entity: Entity) -> list[Cell]:
        """Return the cells of a whole row, in the order of the table's columns."""
        cells = [*self._values_of(entity)]
        for index, encode in self._encoders:
            cells[index] = encode(cells[index])
        return cells

    def select(self, study: Study, rest: str = "", *values: Cell) -> list[Entity]:
        """Return rows; `rest` is what follows the table in SQL, such as `WHERE recording_id = ? ORDER BY at`."""
        return self.read_all(study.rows(f"SELECT {self.column_list} FROM {self.view or self.table} {rest}", values))

    def first(self, study: Study, rest: str, *values: Cell) -> Entity | None:
        """Return the first row of a selection, or None."""
        row = study.row(f"SELECT {self.column_list} FROM {self.view or self.table} {rest}", values)
        return None if row is None else self.read(row)

    def find(self, study: Study, *key: Cell) -> Entity | None:
        """Return the row of a key, or None where there is none to be seen."""
        return self.first(study, f"WHERE {self._declared.key_condition}", *key)

    def select_among(self, study: Study, column: str, values: Iterable[str], rest: str = "") -> list[Entity]:
        """Return the rows of which a column is one of some values; `rest` as in `select`."""
        return self.select(study, f"WHERE {column} IN (SELECT value FROM json_each(?)) {rest}", json.dumps([*values]))

    def iterate_among(self, study: Study, column: str, values: Iterable[str], rest: str = "") -> Iterator[Entity]:
        """Yield what `select_among` returns, in pieces, where it may be too much for memory."""
        wanted = [*dict.fromkeys(values)]
        for first in range(0, len(wanted), _CHUNK):
            yield from self.select_among(study, column, wanted[first : first + _CHUNK], rest)

    def group(self, study: Study, field: str, rest: str = "", *values: Cell) -> dict[str, list[Entity]]:
        """Return value of a field -> the rows that have it, for the rows of a selection."""
        found: dict[str, list[Entity]] = {}
        for entity in self.select(study, rest, *values):
            found.setdefault(getattr(entity, field), []).append(entity)
        return found

    def query(self, rest: str = "") -> Query[list[Entity]]:
        """Return a function that returns what `select` returns, given the study and a value for each `?`."""
        return lambda study, *values: self.select(study, rest, *values)

    def query_first(self, rest: str) -> Query[Entity | None]:
        """Return a function that returns what `first` returns."""
        return lambda study, *values: self.first(study, rest, *values)

    def query_groups(self, field: str, rest: str) -> Query[dict[str, list[Entity]]]:
        """Return a function that returns what `group` returns."""
        return lambda study, *values: self.group(study, field, rest, *values)

    def insert(self, study: Study, new: Entity) -> None:
        """Add a row."""
        self._write(study, self._declared.insert_sql, [new])

    def insert_all(self, study: Study, new: Iterable[Entity]) -> None:
        """Add rows."""
        self._write(study, self._declared.insert_sql, new)

    def insert_missing(self, study: Study, new: Iterable[Entity]) -> None:
        """Add the rows whose key is not there yet."""
        self._write(study, f"{self._declared.insert_sql} ON CONFLICT DO NOTHING", new)

    def insert_bulk(self, study: Study, new: Sequence[Entity]) -> None:
        """Add rows about subjects of which the table has none; twice as fast as `insert_all`."""
        subject = self._declared.names.index(self._declared.subject)
        rows = [*map(self.cells, new)]
        study.insert_many(self.table, rows, [str(row[subject]) for row in rows])

    def upsert(self, study: Study, new: Entity) -> None:
        """Add a row, or replace the one of the same key."""
        self._write(study, self._upsert_sql, [new])

    def update(self, study: Study, new: Entity) -> None:
        """Replace the row of the same key."""
        sql, order = self._update
        study.write(sql, order(self.cells(new)))

    def delete(self, study: Study, *key: Cell) -> None:
        """Remove the row of a key."""
        study.write(self._declared.delete_sql, key)

    def delete_tree(self, study: Study, *ids: str) -> None:
        """Remove rows of a human table, see `delete_with_dependents`."""
        delete_with_dependents(study, self.table, ids)

    @cached_property
    def _update(self) -> tuple[str, Callable[[Sequence[Cell]], Sequence[Cell]]]:
        """The statement of an update, and what puts cells into its order."""
        table = self._declared
        others = [name for name in table.names if name not in table.key]
        sql = f"UPDATE {self.table} SET {', '.join(f'{name} = ?' for name in others)} WHERE {table.key_condition}"
        return sql, itemgetter(*map(table.names.index, (*others, *table.key)))

    @cached_property
    def _upsert_sql(self) -> str:
        table = self._declared
        changed = ", ".join(f"{name} = excluded.{name}" for name in table.names if name not in table.key)
        return f"{table.insert_sql} ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {changed}"

    def _write(self, study: Study, sql: str, new: Iterable[Entity]) -> None:
        write = study.write_run if self._declared.kind is TableKind.RUN else study.write_many
        write(sql, [*map(self.cells, new)])


def _codec_for(column: StudyColumn, kind: Any) -> Codec | None:
    """Return how values of a type are kept in a column; None where they are kept as they are."""
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return (lambda choice: choice.value), kind
    if column.truth:
        return int, bool
    if column.kind is not ColumnKind.JSON or kind is str:
        return None
    if get_origin(kind) is tuple:
        return (lambda texts: to_json([*texts])), _parse_texts
    if isinstance(get_origin(kind), type) and issubclass(get_origin(kind), Mapping):
        return (lambda values: to_json(dict(values))), _parse_object
    return to_json, json.loads


def _parse_texts(text: str) -> tuple[str, ...]:
    """Read a list of texts that can be written anywhere."""
    found = parse_list(text)
    "".join(found).encode()
    return tuple(found)


def parse_list(text: str) -> list[Any]:
    """Read a JSON list.

    Raises:
        ValueError: it is something else.
    """
    found = json.loads(text)
    if not isinstance(found, list):
        raise ValueError(text)
    return found


def group_values(pairs: Iterable[Row]) -> dict[str, set[str]]:
    """Return first value -> the second values of the pairs that begin with it."""
    found: dict[str, set[str]] = {}
    for first, second in pairs:
        found.setdefault(first, set()).add(second)
    return found


def _parse_object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(text)
    return found


def delete_with_dependents(study: Study, table: str, ids: Iterable[str]) -> None:
    """Remove rows with the rows that refer to them and may not be without; others are left without them."""
    given = (json.dumps([*ids]),)
    for sql in _deletion_statements(table, "SELECT value FROM json_each(?1)", "id"):
        study.write(sql, given)


@cache
def _deletion_statements(name: str, ids: str, column: str) -> tuple[str, ...]:
    """Return what removes the rows of which a column is one of some ids, what refers to others first."""
    found: list[str] = []
    own_ids = ids if column == "id" else f"SELECT id FROM {name} WHERE {column} IN ({ids})"
    for child in HUMAN_TABLES.values():
        for reference in child.columns:
            if reference.parent != name:
                continue
            if reference.cascade:
                found += _deletion_statements(child.name, own_ids, reference.name)
            else:
                found.append(f"UPDATE {child.name} SET {reference.name} = NULL WHERE {reference.name} IN ({own_ids})")
    return (*found, f"DELETE FROM {name} WHERE {column} IN ({ids})")
