"""The data model of a report, independent of its format, and the formatting of numbers that all formats share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from project.entities.study_records import Json
from project.timebase import format_time


class NumberFormat(StrEnum):
    """How the values of a column are formatted."""

    SHARE = "share"
    """0.57, with ± of the draws, as in the tables of SHREC."""
    FIGURE = "figure"
    """0.571."""
    SIGNED = "signed"
    """+0.057."""
    COUNT = "count"
    SECONDS = "seconds"
    MONEY = "money"
    P = "p"
    TEXT = "text"


class ResultOrigin(StrEnum):
    """Where the results of a row are from."""

    JUDGE = "judge"
    PERSON = "person"
    BASELINE = "baseline"
    CHANCE = "chance"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class ItemListLink:
    """The target of a number: a list of items, and a part of it.

    Attributes:
        list: key of a `ReportItemList`.
        part: key of one of its parts; "" for all items.
    """

    list: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class ReportCell:
    """One cell of a table.

    Attributes:
        value: None if there is none; `reason` may say why.
        sd: standard deviation over draws.
        low: lower end of the 95 % interval.
        high: upper end of it.
        n: number of items.
        text: shown instead of a number.
        target: its items.
        reason: why there is no value, or a remark on it, in one sentence.
        best: the best value among the judges of the study.
    """

    value: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""
    target: ItemListLink | None = None
    reason: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """One column; adjacent columns of the same `group` share a heading."""

    key: str
    name: str
    number_format: NumberFormat = NumberFormat.SHARE
    group: str = ""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One row; `source` is the paper and place of a published one."""

    name: str
    origin: ResultOrigin
    cells: tuple[ReportCell, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table; each row has a cell for each column.

    Attributes:
        key: name of its files.
        note: shown under the title.
        corner: heading of the names of rows.
    """

    key: str
    title: str
    note: str
    columns: tuple[ReportColumn, ...]
    rows: tuple[ReportRow, ...]
    corner: str = "Judge"


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot as files.

    Attributes:
        key: name of its files.
        words: its numbers as text, for readers who cannot see it.
        csv: its numbers as a table.
    """

    key: str
    title: str
    words: str
    svg: bytes
    png: bytes
    csv: str


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    """The right answer about an item, and the given one.

    Attributes:
        truth: the right answer.
        answer: the answer.
        traits: those by which figures are broken down.
    """

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
        recording_id: of it.
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
        key: name of its page.
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


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A heading with its content; `lines` are paragraphs."""

    key: str
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    pictures: tuple[ReportPlot, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """A whole report.

    Attributes:
        at: when it was made, UTC, ISO 8601.
        warning: about passing it on, or "".
        facts: name -> text, shown under the title.
        results: JSON for programs and later reports.
    """

    title: str
    at: str
    warning: str
    facts: Mapping[str, str]
    sections: tuple[ReportSection, ...]
    lists: tuple[ReportItemList, ...]
    results: Mapping[str, Json] = field(default_factory=dict)


EMPTY_CELL = "\N{EN DASH}"
_DIGITS = {
    NumberFormat.SHARE: 2,
    NumberFormat.FIGURE: 3,
    NumberFormat.SIGNED: 3,
    NumberFormat.SECONDS: 1,
    NumberFormat.MONEY: 4,
}
_MIN_P = 0.001


def format_cell(cell: ReportCell, number: NumberFormat) -> str:
    """Return the value of a cell as text; a dash if there is none."""
    if cell.text:
        return cell.text
    if cell.value is None:
        return EMPTY_CELL
    if number is NumberFormat.COUNT:
        return f"{cell.value:,.0f}"
    if number is NumberFormat.P:
        return f"<{_MIN_P}" if cell.value < _MIN_P else f"{cell.value:.3f}"
    digits = _DIGITS.get(number, 3)
    return f"{cell.value:+.{digits}f}" if number is NumberFormat.SIGNED else f"{cell.value + 0.0:,.{digits}f}"


def format_sd(cell: ReportCell, number: NumberFormat) -> str:
    """Return the standard deviation of a cell, or "" if it has none or no value."""
    return "" if cell.sd is None or cell.value is None else f"{cell.sd:.{_DIGITS.get(number, 3)}f}"


def cell_hint(cell: ReportCell) -> str:
    """Return the tooltip of a cell: interval, n, and reason."""
    parts = []
    if cell.low is not None and cell.high is not None:
        parts.append(f"95 % interval over recordings {cell.low:.3f} to {cell.high:.3f}")
    if cell.n is not None:
        parts.append(f"n = {cell.n:,}")
    if cell.reason:
        parts.append(cell.reason)
    return "; ".join(parts)


def format_moment(start_us: int) -> str:
    """Return a time in the format of `greenroom open --at`."""
    return format_time(start_us)


def format_duration(ms: int) -> str:
    """Return the duration of an answer."""
    return f"{ms / 1000:,.1f} s"


def column_groups(columns: Sequence[ReportColumn]) -> list[tuple[str, int]]:
    """Return the headings over columns with the number of columns; "" if there is none."""
    found: list[tuple[str, int]] = []
    for column in columns:
        if found and found[-1][0] == column.group and column.group:
            found[-1] = (column.group, found[-1][1] + 1)
        else:
            found.append((column.group, 1))
    return found
