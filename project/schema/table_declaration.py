"""What a table of a study file is: the declaration from which SQL, references, merging, copies and checks derive.

The declarations themselves are in the other modules of `project.schema`, by subject; `tables.py` puts them together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto
from functools import cached_property, partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any


class ColumnKind(StrEnum):
    """What the values of a column are, by which private content is found."""

    KEY = "key"
    """An id, or the key of a row elsewhere: structure."""
    NUMBER = "number"
    """A number that was measured or counted, a truth value, or an array of such."""
    LABEL = "label"
    """A word of the program's own, or the key of a scheme, a track, a label, a field, a task, a rule."""
    TIME = "time"
    """When somebody did something."""
    TEXT = "text"
    """What somebody wrote or said, or what a model did."""
    NAME = "name"
    """What somebody or something is called."""
    PATH = "path"
    """A place on a disk or a server, or a model that may be one."""
    HASH = "hash"
    """A checksum, which tells whether something is what it was, and so may tell what it was."""
    JSON = "json"
    """A JSON text, in which all of these may stand."""


class TableKind(StrEnum):
    """Who writes to a table, and how."""

    HUMAN = "human"
    """Edited in steps, which the history logs."""
    RUN = "run"
    """Written once, of what happened: runs, judgments, what was shown, requests, benchmarks, withdrawals."""
    COUNTER = "counter"
    """Counted by the program, inside `Study.without_history`; no edits, so not in the history."""
    HISTORY = "history"
    """The history itself."""


class TableCopies(Flag):
    """The files that are given rows of a table."""

    NONE = 0
    SPLIT = auto()
    """A copy that is split off for an annotator."""
    SHARED = auto()
    """A copy of the annotations alone."""
    EXCHANGED = auto()
    """The lossless exchange format."""


SPLIT, SHARED, EXCHANGED = TableCopies.SPLIT, TableCopies.SHARED, TableCopies.EXCHANGED
ALL_COPIES = SPLIT | SHARED | EXCHANGED


@dataclass(frozen=True, slots=True)
class StudyColumn:
    """One column.

    Attributes:
        sql: its type and constraints.
        parent: the table whose id it holds, also where the file keeps no reference; "" and NULL are none.
        cascade: whether its row goes when the parent goes; else it is set to NULL.
        values: the only values that it may have, or nothing for any.
        shape: what its JSON is: `value`, `object` or `array`; "" where it is read leniently.
        array: whether it is a long array of numbers.
        truth: whether it is a truth value, kept as 0 or 1.
        local: whether each copy has it for itself: where a file lies differs from machine to machine.
        withheld: whether a split copy is not given it: unchanged there means unchanged, whatever it holds here.
    """

    name: str
    kind: ColumnKind
    sql: str
    parent: str = ""
    cascade: bool = True
    values: tuple[str, ...] = ()
    shape: str = ""
    array: bool = False
    truth: bool = False
    local: bool = False
    withheld: bool = False

    @property
    def nullable(self) -> bool:
        """Whether it may be NULL."""
        return "NOT NULL" not in self.sql.partition(" CHECK ")[0]

    @property
    def referenced(self) -> bool:
        """Whether the file keeps the reference to the parent."""
        return "REFERENCES" in self.sql


@dataclass(frozen=True, eq=False)
class StudyTable:
    """One table.

    Attributes:
        label: what its rows are called; the plural of its name, if nothing else is said.
        key: the columns of its primary key.
        subject: the column that names what a row is about, which `Changes` reports.
        rowid: whether its rows have a number beside their key.
        indexes: end of the name -> columns of each index; references have theirs without being named.
        part_of: the run table with whose rows those of this one come.
        copies: which files are given rows of it; if nothing else is said, those of the parents' rows that are given.
        from_footage: whether its rows were made of the footage and the words of a recording, and go with them. Each
            table that names a recording says so.
        erased_whole: whether a row goes where one of its texts names somebody who withdrew: without it it says nothing.
        since: the version of the file format that made it.
    """

    name: str
    columns: tuple[StudyColumn, ...]
    label: str = ""
    key: tuple[str, ...] = ()
    kind: TableKind = TableKind.HUMAN
    subject: str = ""
    rowid: bool | None = None
    indexes: Mapping[str, str] = field(default_factory=dict)
    part_of: str = ""
    copies: TableCopies = TableCopies.NONE
    from_footage: bool | None = None
    erased_whole: bool = False
    since: int = 1

    def __post_init__(self) -> None:
        """Fill in what follows from the columns."""
        primary = tuple(column.name for column in self.columns if "PRIMARY KEY" in column.sql)
        key = self.key or primary
        for name, value in (
            ("label", self.label or f"{self.name.replace('_', ' ')}s"),
            ("key", key),
            ("subject", self.subject or key[0]),
            ("rowid", "id" in self.kinds if self.rowid is None else self.rowid),
        ):
            object.__setattr__(self, name, value)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def kinds(self) -> Mapping[str, ColumnKind]:
        """Column -> what its values are."""
        return MappingProxyType({column.name: column.kind for column in self.columns})

    @cached_property
    def parents(self) -> Mapping[str, str]:
        """Column -> the table whose id it holds."""
        return MappingProxyType({column.name: column.parent for column in self.columns if column.parent})

    def column(self, name: str) -> StudyColumn:
        """Return a column."""
        return self.columns[self.names.index(name)]

    @cached_property
    def local(self) -> tuple[str, ...]:
        """The columns that each copy has for itself."""
        return tuple(column.name for column in self.columns if column.local)

    @cached_property
    def withheld(self) -> tuple[str, ...]:
        """The columns that a split copy is not given."""
        return tuple(column.name for column in self.columns if column.withheld)

    @cached_property
    def author(self) -> str:
        """The column that names an annotator, or ""."""
        return next((column.name for column in self.columns if column.parent == "annotator"), "")

    @cached_property
    def time(self) -> str:
        """The column that says when, or ""; rows that differ in nothing else are the same, and the earlier is kept."""
        return next((column.name for column in self.columns if column.kind is ColumnKind.TIME), "")

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The SQL that makes it and its indexes."""
        lines = [f"  {column.name} {column.sql}" for column in self.columns]
        if len(self.key) > 1:
            lines.append(f"  PRIMARY KEY ({', '.join(self.key)})")
        options = "STRICT" if self.rowid else "STRICT, WITHOUT ROWID"
        body = ",\n".join(lines)
        indexes = {**self.indexes, **self._reference_indexes()}
        return (
            f"CREATE TABLE {self.name} (\n{body}\n) {options}",
            *(f"CREATE INDEX {self.name}_by_{end} ON {self.name} {columns}" for end, columns in indexes.items()),
        )

    def _reference_indexes(self) -> dict[str, str]:
        """Return an index for each reference that neither the key nor an index begins with."""
        covered = {self.key[0], *(columns.split(",")[0].strip("()") for columns in self.indexes.values())}
        return {
            column.name.removesuffix("_id"): f"({column.name})"
            for column in self.columns
            if column.parent and column.referenced and column.name not in covered
        }

    @cached_property
    def insert_sql(self) -> str:
        """The statement that inserts a whole row."""
        return f"INSERT INTO main.{self.name} ({', '.join(self.names)}) VALUES ({', '.join('?' * len(self.names))})"

    @cached_property
    def update_sql(self) -> str:
        """The statement that replaces a whole row; its key follows."""
        changed = ", ".join(f"{name} = ?" for name in self.names)
        return f"UPDATE main.{self.name} SET {changed} WHERE {self.key_condition}"

    @cached_property
    def delete_sql(self) -> str:
        """The statement that deletes the row of a key."""
        return f"DELETE FROM main.{self.name} WHERE {self.key_condition}"

    @cached_property
    def key_condition(self) -> str:
        """The condition that holds for the row of a key."""
        return " AND ".join(f"{name} = ?" for name in self.key)

    def key_of(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the key of a row."""
        if len(self.key) == 1:
            return (row[self.key[0]],)
        return tuple([row[name] for name in self.key])

    def cells_of(self, rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """Return rows as they are written, in the order of the columns."""
        if len(self.names) == 1:
            return [[row[self.names[0]]] for row in rows]
        return [*map(list, map(itemgetter(*self.names), rows))]

    def condition_by_parent(self, given: Mapping[str, str]) -> str:
        """Return the condition that holds for rows of the first parent that is named in `given`, by its ids in SQL."""
        column, parent = next((column, parent) for column, parent in self.parents.items() if parent in given)
        return f"{column} IN ({given[parent]})"


def _sql(
    kind: str,
    *,
    primary: bool = False,
    null: bool = False,
    unique: bool = False,
    default: str = "",
    parent: str = "",
    check: str = "",
) -> str:
    parts = [kind]
    parts += ["PRIMARY KEY"] * primary + ["NOT NULL"] * (not null) + ["UNIQUE"] * unique
    parts += [f"DEFAULT {default}"] * bool(default) + [f"REFERENCES {parent} (id)"] * bool(parent)
    return " ".join(parts + [f"CHECK ({check})"] * bool(check))


def text(
    name: str,
    *,
    kind: ColumnKind = ColumnKind.TEXT,
    choices: Iterable[str] = (),
    values: Iterable[str] = (),
    filled: bool = False,
    primary: bool = False,
    null: bool = False,
    unique: bool = False,
    default: str = "",
    check: str = "",
    local: bool = False,
    withheld: bool = False,
) -> StudyColumn:
    """Declare a column of text; the file enforces `choices`, but not `values`. `default` and `check` are SQL."""
    allowed = tuple(map(str, (*choices, *values)))
    if choices:
        check = f"{name} IN ({', '.join(map(repr, allowed))})"
    if filled or primary:
        check = f"{name} <> ''"
    sql = _sql("TEXT", primary=primary, null=null, unique=unique, default=default, check=check)
    return StudyColumn(name, kind, sql, values=allowed, local=local, withheld=withheld)


label = partial(text, kind=ColumnKind.LABEL)
key = partial(text, kind=ColumnKind.KEY)
name = partial(text, kind=ColumnKind.NAME)
path = partial(text, kind=ColumnKind.PATH)
checksum = partial(text, kind=ColumnKind.HASH)


def ident(name: str = "id", kind: ColumnKind = ColumnKind.KEY) -> StudyColumn:
    """Declare the column of an id that is the key."""
    return text(name, kind=kind, primary=True)


def ref(
    parent: str,
    name: str = "",
    *,
    primary: bool = False,
    null: bool = False,
    cascade: bool | None = None,
    kept: bool = True,
    filled: bool = False,
    check: str = "",
) -> StudyColumn:
    """Declare a column, `PARENT_id` by default, that holds the id of a row of another table.

    The file keeps the reference where `kept` is true; else the parent may be gone. For `cascade` see `StudyColumn`:
    by default, a row that may be without the parent stays without it. `check` is SQL.
    """
    name = name or f"{parent}_id"
    check = f"{name} <> ''" if filled else check
    sql = _sql("TEXT", primary=primary, null=null, parent=parent if kept else "", check=check)
    return StudyColumn(name, ColumnKind.KEY, sql, parent, cascade=not null if cascade is None else cascade)


def number(name: str, condition: str = "", *, null: bool = False, kind: str = "INTEGER") -> StudyColumn:
    """Declare a column of numbers; `condition` goes on after the name of the column, such as `>= 0`."""
    check = f"{name} {condition}" if condition else ""
    return StudyColumn(name, ColumnKind.NUMBER, _sql(kind, null=null, check=check))


def truth(name: str) -> StudyColumn:
    """Declare a column of truth values."""
    return StudyColumn(name, ColumnKind.NUMBER, _sql("INTEGER", check=f"{name} IN (0, 1)"), truth=True)


def numbers(name: str, item_bytes: int) -> StudyColumn:
    """Declare a column of arrays of as many numbers as the column `count` says."""
    size = "count" if item_bytes == 1 else f"{item_bytes} * count"
    return StudyColumn(name, ColumnKind.NUMBER, _sql("BLOB", check=f"length({name}) = {size}"), array=True)


def json_text(name: str, shape: str = "", *, null: bool = False, default: str = "") -> StudyColumn:
    """Declare a column of JSON; `shape` as in `StudyColumn`."""
    return StudyColumn(name, ColumnKind.JSON, _sql("TEXT", null=null, default=default), shape=shape)


def at() -> StudyColumn:
    """Declare the column that says when somebody did something."""
    return text("at", kind=ColumnKind.TIME)


START, END = number("start_us", ">= 0"), number("end_us", "> start_us")
END_OF_SEGMENT = number("end_us", ">= start_us")
"""A segment of no length is a point."""
