"""Reads rows from the pages of a SQLite file without SQLite, so that a bad page costs only its own rows."""

import sqlite3
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from project.ids import is_id
from project.schema import format_versions

Value = str | int | float | bytes | None
Cells = list[Value]

INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 0x02, 0x05, 0x0A, 0x0D
_TABLES = (INTERIOR_TABLE, LEAF_TABLE)
_DEFAULT_PAGE_BYTES = 4096
_LONGEST = 1_000_000_000
_FIXED_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class _Senseless(Exception):
    """The content of a page is impossible."""


@dataclass(frozen=True, slots=True)
class RecoveredRow:
    """One row: its number in the table (0 in a table without), and its values as they lie in the file."""

    rowid: int
    values: Cells


@dataclass(slots=True)
class Tree:
    """What is left of one b-tree.

    Attributes:
        rows: those that could be read.
        bad_pages: pages that should hold rows and do not make sense.
        bad_rows: rows that do not make sense on pages that do.
    """

    rows: list[RecoveredRow] = field(default_factory=list)
    bad_pages: int = 0
    bad_rows: int = 0


class PageReader:
    """The pages of one file; remembers which were used, so that what hangs loose can be looked at in the end."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        size = int.from_bytes(content[16:18])
        size = 65536 if size == 1 else size
        self.page_size = size if 512 <= size <= 65536 and size & (size - 1) == 0 else _DEFAULT_PAGE_BYTES
        self.count = -(-len(content) // self.page_size)
        self._usable = self.page_size - (content[20] if len(content) > 20 and content[20] <= 32 else 0)
        self._used: set[int] = {1}

    def read_tree(self, root: int, *, table: bool) -> Tree:
        """Read every row below a root page, of a table or of an index."""
        found = Tree()
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in self._used and number != 1:
                found.bad_pages += 1
                continue
            kind = self._kind(number)
            if kind is None or (kind in _TABLES) != table:
                found.bad_pages += 1
                continue
            self._used.add(number)
            waiting += self._read(number, kind, found)
        return found

    def skip_free(self) -> None:
        """Count the pages that the file says are free as used: what was deleted must not come back."""
        trunk, seen = int.from_bytes(self._content[32:36]), set[int]()
        while trunk and trunk <= self.count and trunk not in seen:
            seen.add(trunk)
            page = self._page(trunk)
            leaves = int.from_bytes(page[4:8])
            if leaves <= self._usable // 4 - 2:
                self._used.update(struct.unpack_from(f">{leaves}I", page, 8))
            trunk = int.from_bytes(page[:4])
        self._used |= seen

    def read_orphans(self) -> Iterator[tuple[bool, Tree]]:
        """Read the leaves that no tree leads to; yield whether each is of a table, and its rows."""
        for number in range(2, self.count + 1):
            kind = self._kind(number) if number not in self._used else None
            if kind not in (LEAF_TABLE, LEAF_INDEX):
                continue
            found = Tree()
            self._read(number, kind, found)
            if found.rows and not found.bad_rows:
                yield kind == LEAF_TABLE, found

    def _page(self, number: int) -> bytes:
        page = self._content[(number - 1) * self.page_size : number * self.page_size]
        return page + bytes(self.page_size - len(page))

    def _kind(self, number: int) -> int | None:
        """Return which kind of page of a tree this is; None where it is none."""
        if not 1 <= number <= self.count:
            return None
        start = self._header(number)
        page = self._page(number)
        kind, cells = page[start], int.from_bytes(page[start + 3 : start + 5])
        if kind not in (INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE):
            return None
        return kind if start + 12 + 2 * cells <= self._usable + 4 else None

    @staticmethod
    def _header(number: int) -> int:
        return 100 if number == 1 else 0

    def _read(self, number: int, kind: int, found: Tree) -> list[int]:
        """Read a page's rows into `found`; return the pages below it."""
        page, start = self._page(number), self._header(number)
        inner = kind in (INTERIOR_INDEX, INTERIOR_TABLE)
        count = int.from_bytes(page[start + 3 : start + 5])
        below = [int.from_bytes(page[start + 8 : start + 12])] if inner else []
        places = struct.unpack_from(f">{count}H", page, start + (12 if inner else 8))
        for at in places:
            try:
                if inner:
                    below.append(int.from_bytes(page[at : at + 4]))
                    at += 4
                if kind != INTERIOR_TABLE:
                    found.rows.append(self._cell(page, at, kind))
            except (_Senseless, IndexError, ValueError, struct.error):
                found.bad_rows += 1
        return below

    def _cell(self, page: bytes, at: int, kind: int) -> RecoveredRow:
        size, at = _varint(page, at)
        rowid = 0
        if kind == LEAF_TABLE:
            rowid, at = _varint(page, at)
            rowid -= (rowid >> 63) << 64
        if not 0 < size <= _LONGEST:
            raise _Senseless
        return RecoveredRow(rowid, _record(self._payload(page, at, size, kind)))

    def _payload(self, page: bytes, at: int, size: int, kind: int) -> bytes:
        usable = self._usable
        most = usable - 35 if kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return _take_exactly(page, at, size)
        least = (usable - 12) * 32 // 255 - 23
        here = least + (size - least) % (usable - 4)
        here = here if here <= most else least
        parts, left = [_take_exactly(page, at, here)], size - here
        following, used = int.from_bytes(_take_exactly(page, at + here, 4)), list[int]()
        while left:
            if not 1 < following <= self.count or following in self._used or following in used:
                raise _Senseless
            used.append(following)
            page = self._page(following)
            parts.append(page[4 : min(usable, 4 + left)])
            left -= len(parts[-1])
            following = int.from_bytes(page[:4])
        self._used.update(used)
        return b"".join(parts)


def _take_exactly(page: bytes, at: int, size: int) -> bytes:
    part = page[at : at + size]
    if len(part) != size:
        raise _Senseless
    return part


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return an integer of one to nine bytes and the place after it (section 1.6)."""
    value = 0
    for count in range(8):
        byte = data[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    return value << 8 | data[at + 8], at + 9


def _record(payload: bytes) -> Cells:
    """Return the values of a row (section 2.1)."""
    end, at = _varint(payload, 0)
    if not at <= end <= len(payload):
        raise _Senseless
    values: Cells = []
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        match kind:
            case 0:
                values.append(None)
            case 8 | 9:
                values.append(kind - 8)
            case 7:
                values.append(struct.unpack(">d", _take_exactly(payload, body, 8))[0])
                body += 8
            case 10 | 11:
                raise _Senseless
            case _ if kind in _FIXED_SIZES:
                values.append(int.from_bytes(_take_exactly(payload, body, _FIXED_SIZES[kind]), signed=True))
                body += _FIXED_SIZES[kind]
            case _:
                size = (kind - 12) // 2
                part = _take_exactly(payload, body, size)
                values.append(part.decode() if kind % 2 else part)
                body += size
    if body != len(payload):
        raise _Senseless
    return values


Key = tuple[Value, ...]
_TYPES: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int), "BLOB": (bytes,)}
_WIDE = 4
"""From so many columns on, a loose row is told from those of other tables and of indexes by its shape."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table: its columns in the order of its declaration, and what of it a row in the file looks like.

    Attributes:
        stored: the columns in the order in which a row holds them.
        rowid_alias: the column that stands for the number of the row; "" for none.
    """

    name: str
    columns: tuple[str, ...]
    types: Mapping[str, str]
    needed: frozenset[str]
    key: tuple[str, ...]
    stored: tuple[str, ...]
    rowid_alias: str
    has_rowids: bool

    def parse_row(self, found: RecoveredRow) -> dict[str, Value] | None:
        """Return a row by column; None where it cannot be one of this table."""
        values = found.values
        if len(values) != len(self.stored):
            return None
        row: dict[str, Value] = dict(zip(self.stored, values, strict=True))
        if self.rowid_alias:
            row[self.rowid_alias] = found.rowid
        for column, value in row.items():
            if value is None:
                if column in self.needed:
                    return None
            elif not isinstance(value, _TYPES[self.types[column]]):
                return None
        return row

    def row_key(self, row: Mapping[str, Value]) -> Key:
        """Return what tells a row from all others of the table."""
        return tuple(row[column] for column in self.key)


@dataclass(slots=True)
class RecoveredTable:
    """What is left of one table.

    Attributes:
        rows: by key, in the order in which they were stored.
        orphan_rows: rows from pages that nothing leads to any more, by key.
        bad_pages: pages that held rows and are lost.
        bad_rows: single rows that are lost.
    """

    rows: dict[Key, dict[str, Value]] = field(default_factory=dict)
    orphan_rows: dict[Key, dict[str, Value]] = field(default_factory=dict)
    bad_pages: int = 0
    bad_rows: int = 0


def table_layouts() -> dict[str, TableLayout]:
    """Return every table of the newest format."""
    with sqlite3.connect(":memory:") as memory:
        for version in format_versions.VERSIONS:
            for statement in version.statements:
                memory.execute(statement)
        tables = [
            name for kind, name in format_versions.expected_schema(len(format_versions.VERSIONS)) if kind == "table"
        ]
        found = {name: _read_layout(memory, name) for name in tables}
    memory.close()
    return found


def recover_tables(content: bytes, tables: Mapping[str, TableLayout]) -> dict[str, RecoveredTable]:
    """Read all rows that are left in a file."""
    reader = PageReader(content)
    reader.skip_free()
    roots = _roots(reader)
    found = {name: RecoveredTable() for name in tables}
    for name, root in roots.items():
        if name not in tables:
            reader.read_tree(root[0], table=root[1])
            continue
        shape, left = tables[name], found[name]
        tree = reader.read_tree(root[0], table=shape.has_rowids)
        left.bad_pages, left.bad_rows = tree.bad_pages, tree.bad_rows
        for recovered_row in sorted(tree.rows, key=lambda recovered_row: recovered_row.rowid):
            row = shape.parse_row(recovered_row)
            if row is None:
                left.bad_rows += 1
            else:
                left.rows[shape.row_key(row)] = row
    _add_orphans(reader, tables, found)
    return found


def _read_layout(memory: sqlite3.Connection, name: str) -> TableLayout:
    described = memory.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(row[1] for row in described)
    key = tuple(row[1] for row in sorted((row for row in described if row[5]), key=lambda row: row[5]))
    types = {row[1]: row[2] for row in described}
    (rowids,) = memory.execute("SELECT wr = 0 FROM pragma_table_list WHERE name = ?", (name,)).fetchone()
    stored = columns if rowids else (*key, *(column for column in columns if column not in key))
    return TableLayout(
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
    for row in reader.read_tree(1, table=True).rows:
        match row.values:
            case [str(kind), str(name), str(), int(root), sql] if root > 1:
                found[name] = (root, kind == "table" and "WITHOUT ROWID" not in str(sql))
    return found


def _add_orphans(reader: PageReader, tables: Mapping[str, TableLayout], found: dict[str, RecoveredTable]) -> None:
    """Give pages that nothing leads to any more to the one table that all of their rows fit."""
    for numbered, tree in reader.read_orphans():
        fitting = [shape for shape in tables.values() if shape.has_rowids == numbered and _matches_layout(shape, tree)]
        if len(fitting) != 1 or (not numbered and len(fitting[0].columns) < _WIDE):
            continue
        shape = fitting[0]
        for recovered_row in tree.rows:
            row = shape.parse_row(recovered_row)
            if row is not None and shape.row_key(row) not in found[shape.name].rows:
                found[shape.name].orphan_rows[shape.row_key(row)] = row


def _matches_layout(shape: TableLayout, tree: Tree) -> bool:
    rows = [shape.parse_row(recovered_row) for recovered_row in tree.rows]
    return all(row is not None and _has_valid_ids(row) for row in rows)


def _has_valid_ids(row: Mapping[str, Value]) -> bool:
    return all(
        is_id(value)
        for column, value in row.items()
        if column.endswith("_id") and column != "row_id" and isinstance(value, str) and value
    )


def row_cells(shape: TableLayout, row: Mapping[str, Value]) -> Cells:
    """Return the values of a row in the order of its table's columns."""
    return [row[column] for column in shape.columns]
