"""Which rows of which table are left in a damaged file."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from project import schema
from project.ids import is_id
from project.recovering.pages import Cells, Found, PageReader, Tree, Value

Key = tuple[Value, ...]
_TYPES: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int), "BLOB": (bytes,)}
_WIDE = 4
"""From so many columns on, a loose row is told from those of other tables and of indexes by its shape."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A table: its columns in the order of its declaration, and what of it a row in the file looks like.

    Attributes:
        stored: the columns in the order in which a row holds them.
        alias: the column that stands for the number of the row; "" for none.
    """

    name: str
    columns: tuple[str, ...]
    types: Mapping[str, str]
    needed: frozenset[str]
    key: tuple[str, ...]
    stored: tuple[str, ...]
    alias: str
    rowids: bool

    def row(self, found: Found) -> dict[str, Value] | None:
        """Return a row by column; None where it cannot be one of this table."""
        values = found.values
        if len(values) != len(self.stored):
            return None
        row: dict[str, Value] = dict(zip(self.stored, values, strict=True))
        if self.alias:
            row[self.alias] = found.rowid
        for column, value in row.items():
            if value is None:
                if column in self.needed:
                    return None
            elif not isinstance(value, _TYPES[self.types[column]]):
                return None
        return row

    def key_of(self, row: Mapping[str, Value]) -> Key:
        """Return what tells a row from all others of the table."""
        return tuple(row[column] for column in self.key)


@dataclass(slots=True)
class Left:
    """What is left of one table.

    Attributes:
        rows: by key, in the order in which they were stored.
        loose: rows from pages that nothing leads to any more, by key.
        bad_pages: pages that held rows and are lost.
        bad_rows: single rows that are lost.
    """

    rows: dict[Key, dict[str, Value]] = field(default_factory=dict)
    loose: dict[Key, dict[str, Value]] = field(default_factory=dict)
    bad_pages: int = 0
    bad_rows: int = 0


def shapes() -> dict[str, Shape]:
    """Return every table of the newest format."""
    with sqlite3.connect(":memory:") as memory:
        for version in schema.VERSIONS:
            for statement in version.statements:
                memory.execute(statement)
        tables = [name for kind, name in schema.expected_schema(len(schema.VERSIONS)) if kind == "table"]
        found = {name: _shape(memory, name) for name in tables}
    memory.close()
    return found


def left_in(content: bytes, tables: Mapping[str, Shape]) -> dict[str, Left]:
    """Read all rows that are left in a file."""
    reader = PageReader(content)
    reader.skip_free()
    roots = _roots(reader)
    found = {name: Left() for name in tables}
    for name, root in roots.items():
        if name not in tables:
            reader.tree(root[0], table=root[1])
            continue
        shape, left = tables[name], found[name]
        tree = reader.tree(root[0], table=shape.rowids)
        left.bad_pages, left.bad_rows = tree.bad_pages, tree.bad_rows
        for one in sorted(tree.rows, key=lambda one: one.rowid):
            row = shape.row(one)
            if row is None:
                left.bad_rows += 1
            else:
                left.rows[shape.key_of(row)] = row
    _add_loose(reader, tables, found)
    return found


def _shape(memory: sqlite3.Connection, name: str) -> Shape:
    described = memory.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(row[1] for row in described)
    key = tuple(row[1] for row in sorted((row for row in described if row[5]), key=lambda row: row[5]))
    types = {row[1]: row[2] for row in described}
    (rowids,) = memory.execute("SELECT wr = 0 FROM pragma_table_list WHERE name = ?", (name,)).fetchone()
    stored = columns if rowids else (*key, *(column for column in columns if column not in key))
    return Shape(
        name,
        columns,
        types,
        frozenset(row[1] for row in described if row[3]),
        key,
        stored,
        key[0] if rowids and len(key) == 1 and types[key[0]] == "INTEGER" else "",
        bool(rowids),
    )


def _roots(reader: PageReader) -> dict[str, tuple[int, bool]]:
    """Return where each table and index begins, and whether it has numbered rows, as far as the first page says so."""
    found: dict[str, tuple[int, bool]] = {}
    for row in reader.tree(1, table=True).rows:
        match row.values:
            case [str(kind), str(name), str(), int(root), sql] if root > 1:
                found[name] = (root, kind == "table" and "WITHOUT ROWID" not in str(sql))
    return found


def _add_loose(reader: PageReader, tables: Mapping[str, Shape], found: dict[str, Left]) -> None:
    """Give pages that nothing leads to any more to the one table that all of their rows fit."""
    for numbered, tree in reader.loose():
        fitting = [shape for shape in tables.values() if shape.rowids == numbered and _fits(shape, tree)]
        if len(fitting) != 1 or (not numbered and len(fitting[0].columns) < _WIDE):
            continue
        shape = fitting[0]
        for one in tree.rows:
            row = shape.row(one)
            if row is not None and shape.key_of(row) not in found[shape.name].rows:
                found[shape.name].loose[shape.key_of(row)] = row


def _fits(shape: Shape, tree: Tree) -> bool:
    rows = [shape.row(one) for one in tree.rows]
    return all(row is not None and _ids_are_ids(row) for row in rows)


def _ids_are_ids(row: Mapping[str, Value]) -> bool:
    return all(
        is_id(value)
        for column, value in row.items()
        if column.endswith("_id") and column != "row_id" and isinstance(value, str) and value
    )


def cells(shape: Shape, row: Mapping[str, Value]) -> Cells:
    """Return the values of a row in the order of its table's columns."""
    return [row[column] for column in shape.columns]
