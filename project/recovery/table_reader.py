"""Reads the rows of a damaged database through SQLite: each table from both ends, then by key around what is lost."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from project.files.sqlcipher import sqlite3
from project.schema import format_versions
from project.schema.schema_comparison import table_columns
from project.schema.table_declaration import StudyTable
from project.schema.tables import TABLES

Value = str | int | float | bytes | None
Key = tuple[Value, ...]
Row = dict[str, Value]

_READ_ERRORS = (sqlite3.Error, UnicodeError, OverflowError, MemoryError)
"""What reading a damaged file raises; of a damaged schema, also SQLite's message may be no UTF-8."""


@dataclass(slots=True)
class RecoveredTable:
    """What is left of one table.

    Attributes:
        rows: by key.
        incomplete: whether a part of the table cannot be read, so that nobody knows how many rows are lost.
        unreadable_rows: rows that are known to be there and cannot be read.
    """

    rows: dict[Key, Row] = field(default_factory=dict)
    incomplete: bool = False
    unreadable_rows: int = 0

    @property
    def is_damaged(self) -> bool:
        """Whether rows of it may be lost."""
        return self.incomplete or self.unreadable_rows > 0


def recover_tables(connection: sqlite3.Connection, known: Mapping[str, Iterable[Key]]) -> dict[str, RecoveredTable]:
    """Read all rows that SQLite can reach.

    Args:
        connection: on the damaged file; used for nothing else afterwards.
        known: keys of rows that a table may hold, such as those of a backup: a row is found by its key where the pages
            before and after it are lost.
    """
    # Reads on where the schema is damaged in part, or the end of the file is missing.
    for pragma in ("writable_schema = ON", "cell_size_check = OFF"):
        connection.execute(f"PRAGMA {pragma}")
    connection.text_factory = lambda text: text.decode(errors="surrogateescape")
    try:
        (room,) = connection.execute(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        ).fetchone()
    except _READ_ERRORS:
        room = 0
    tables = {}
    for name, table in TABLES.items():
        reader = _TableReader(connection, table, room)
        tables[name] = reader.read(known.get(name, ()))
        room = reader.room
    return tables


class _TableReader:
    """Reads one table.

    Attributes:
        room: how many bytes all rows that are still to come can have: in a file that was tampered with, many may share
            the same pages.
    """

    def __init__(self, connection: sqlite3.Connection, table: StudyTable, room: int) -> None:
        self.room = room
        self._connection, self._table = connection, table
        # By which SQLite finds a row without an index.
        self._address = ("rowid",) if table.rowid else table.key
        self._columns = (*self._address, *table.names)
        self._cells: dict[Key, Key] = {}
        self._unreadable: set[Key] = set()

    def read(self, known: Iterable[Key]) -> RecoveredTable:
        """Read all rows that can be reached; keys that are `known` help where the table has no numbered rows."""
        table = self._table
        complete = self._is_plain_table() and self._walk((), descending=False)
        if not complete and self._is_plain_table():
            self._walk((), descending=True)
            for address in (*self._indexed_addresses(), *(() if table.rowid else known)):
                if address not in self._cells:
                    self._walk(address, descending=False)
                    self._walk(address, descending=True)
        cells = sorted(self._cells.items()) if table.rowid else self._cells.items()
        rows = [dict(zip(table.names, values, strict=True)) for _, values in cells]
        unreadable = self._unreadable - self._cells.keys()
        return RecoveredTable({table.key_of(row): row for row in rows}, not complete, len(unreadable))

    def _is_plain_table(self) -> bool:
        """Tell whether it has all columns, none of them computed by code that the file brings along."""
        try:
            (kind,) = self._connection.execute(
                "SELECT type FROM pragma_table_list(?) WHERE schema = 'main'", (self._table.name,)
            ).fetchone() or ("",)
            computed = table_columns(self._connection, self._table.name)
        except _READ_ERRORS:
            return False
        return kind == "table" and not any(computed.get(column, True) for column in self._table.names)

    def _walk(self, start: Key, *, descending: bool) -> bool:
        """Read rows in the order of their addresses, the one at `start` first; without, from one end of the table.

        Returns whether it reached the other end, or a row that was read before.
        """
        passed = 0
        while True:
            try:
                for row in self._select(self._columns, start, descending, passed):
                    if not self._add(row):
                        return self.room >= 0
                    passed += 1
                return True
            except _READ_ERRORS:
                if not self._read_alone(start, descending, passed):
                    return False
                passed += 1

    def _read_alone(self, start: Key, descending: bool, passed: int) -> bool:
        """Read the next row, or at least its address where the end of a long row is lost; tell whether there is one.

        Needed because `sqlite3` reads one row ahead: where that fails, it drops the row before.
        """
        for columns in (self._columns, self._address):
            try:
                row = next(self._select(columns, start, descending, passed, limit=1), None)
            except _READ_ERRORS:
                continue
            if row is None or columns is self._columns:
                return row is not None and self._add(row)
            if row in self._cells or row in self._unreadable:
                return False
            self._unreadable.add(row)
            return True
        return False

    def _add(self, row: Key) -> bool:
        """Keep a row; return False where it was read before, or there is no room."""
        address, cells = row[: len(self._address)], row[len(self._address) :]
        if address in self._cells:
            return False
        self.room -= sum(len(cell) for cell in cells if isinstance(cell, str | bytes))
        if self.room < 0:
            return False
        self._cells[address] = cells
        return True

    def _select(
        self, columns: tuple[str, ...], start: Key, descending: bool, passed: int, limit: int = -1
    ) -> Iterator[Key]:
        """Yield rows behind those that were passed: to go on from an address, SQLite would read its neighbors whole."""
        address = self._address
        # As bytes: a damaged text is no UTF-8, and has its place in the order all the same.
        marks = ", ".join("CAST(? AS TEXT)" if isinstance(value, str) else "?" for value in start)
        values = [value.encode(errors="surrogateescape") if isinstance(value, str) else value for value in start]
        where = f"WHERE ({', '.join(address)}) {'<=' if descending else '>='} ({marks})" if start else ""
        order = ", ".join(f"{column} {'DESC' if descending else 'ASC'}" for column in address)
        table = f'main."{self._table.name}" NOT INDEXED'
        yield from self._connection.execute(
            f"SELECT {', '.join(columns)} FROM {table} {where} ORDER BY {order} LIMIT {limit} OFFSET {passed}", values
        )

    def _indexed_addresses(self) -> set[Key]:
        """Return the addresses of all rows that an index of the table names."""
        addresses: set[Key] = set()
        columns = ", ".join(self._address)
        try:
            indices = self._connection.execute(f"PRAGMA main.index_list('{self._table.name}')").fetchall()
        except _READ_ERRORS:
            return addresses
        # Those of a key and of a UNIQUE column are SQLite's own; others may be on an expression that takes for ever.
        for _, index, _, origin, *_ in indices:
            if origin in ("u", "pk") or ("index", index) in format_versions.expected_entries(
                len(format_versions.VERSIONS)
            ):
                try:
                    for row in self._connection.execute(
                        f'SELECT {columns} FROM main."{self._table.name}" INDEXED BY "{index}"'
                    ):
                        addresses.add(row)
                except _READ_ERRORS:
                    continue
        return addresses
