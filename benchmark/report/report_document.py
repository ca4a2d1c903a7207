"""The data model of a report, independent of its format."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from project.entities.study_records import Json
from project.text_tables import Column, NumberFormat, Record, TableCell


class ResultOrigin(StrEnum):
    """Where the results of a row are from."""

    JUDGE = "judge"
    PERSON = "person"
    BASELINE = "baseline"
    CHANCE = "chance"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One row; `source` is the paper and place of a published one."""

    name: str
    origin: ResultOrigin
    cells: tuple[TableCell, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table; each row has a cell for each column.

    Attributes:
        note: shown under the title.
        corner: heading of the names of rows.
    """

    key: str
    title: str
    note: str
    columns: tuple[Column[Any], ...]
    rows: tuple[ReportRow, ...]
    corner: str = "Judge"

    @property
    def sources(self) -> str:
        return "; ".join(dict.fromkeys(row.source for row in self.rows if row.source))


def report_rows(
    records: Iterable[Record],
    columns: Sequence[Column[Record]],
    name: Callable[[Record], str],
    origin: Callable[[Record], ResultOrigin] = lambda _record: ResultOrigin.JUDGE,
) -> tuple[ReportRow, ...]:
    """Return a row for each record."""
    return tuple(
        ReportRow(name(record), origin(record), tuple(column.cell(record) for column in columns)) for record in records
    )


def cell_column(
    key: str, title: str, number: NumberFormat = NumberFormat.SHARE, group: str = ""
) -> Column[Mapping[str, TableCell]]:
    """Return a column over records that map keys of columns to cells."""
    return Column(key, title, number, lambda cells: cells.get(key, TableCell()), group)


def cell_row(
    columns: Sequence[Column[Mapping[str, TableCell]]],
    name: str,
    origin: ResultOrigin,
    cells: Mapping[str, TableCell],
    source: str = "",
) -> ReportRow:
    """Return the row of a mapping of keys of columns to cells."""
    return ReportRow(name, origin, tuple(column.cell(cells) for column in columns), source)


def item_target(list_key: str, part: str = "") -> str:
    """Return the target of a number: the key of a list of items, and of a part of it."""
    return f"{list_key}#{part}" if part else list_key


def item_page(target: str) -> str:
    """Return the path of the page that a number links to."""
    list_key, mark, part = target.partition("#")
    return f"items/{list_key}.html{mark}{part}"


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot as files.

    Attributes:
        words: its numbers as text, for readers who cannot see it.
        files: ending -> content; `svg` is there.
    """

    key: str
    title: str
    words: str
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """The right answer about an item, the given one, and the traits by which figures are broken down."""

    truth: str
    answer: str
    traits: str


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item with its outcome.

    Attributes:
        number: in its list, from 1.
        draw: from 1.
        recording: its number in the study.
        outcome: `right`, `wrong`, `unparsed`, `refused`, `error`, `not asked`; `answered` if there is no
            right answer.
        keys: for programs, with keys of schemes and numbers.
        labels: for people, with display names.
        is_releasable: its recording may leave, so it may be in a report.
        texts: name -> private text; {} unless requested.
    """

    number: int
    draw: int
    recording: int
    recording_id: str
    start_us: int
    end_us: int
    outcome: str
    keys: ReportAnswer
    labels: ReportAnswer
    ms: int
    is_releasable: bool = True
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ItemPart:
    """Some items of a list, by number, under a title."""

    key: str
    title: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReportItemList:
    """All items of one run.

    Attributes:
        task: name of the task.
        judge: who answered, as in the tables.
        withheld: number of items that count but are not listed, because their recording may not leave or somebody still
            answers them.
    """

    key: str
    task: str
    judge: str
    item_set: str
    lines: tuple[ItemLine, ...]
    parts: tuple[ItemPart, ...]
    withheld: int = 0

    @property
    def title(self) -> str:
        return f"{self.task}, {self.judge}"


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A heading with its content."""

    key: str
    title: str
    tables: tuple[ReportTable, ...] = ()
    pictures: tuple[ReportPlot, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """A whole report.

    Attributes:
        warning: about passing it on, or "".
        facts: name -> text, shown under the title.
        results: JSON for programs and later reports.
    """

    title: str
    warning: str
    facts: Mapping[str, str]
    sections: tuple[ReportSection, ...]
    lists: tuple[ReportItemList, ...]
    results: Mapping[str, Json] = field(default_factory=dict)


def format_duration(ms: int) -> str:
    """Return the duration of an answer; "" if nobody took any time."""
    return f"{ms / 1000:,.1f} s" if ms else ""
