"""Tables for people and programs: columns are declared once and written as text, JSON, CSV and Markdown.

A report adds HTML and LaTeX to the same columns and cells (`benchmark/report`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from project.entities.study_records import Json
from project.text_format import Cell, escape_unprintable, to_csv
from project.timebase import format_time

Record = TypeVar("Record")


class NumberFormat(StrEnum):
    """How the values of a column are printed."""

    SHARE = "share"
    """0.57, with ± of the draws, as in the tables of SHREC."""
    FIGURE = "figure"
    """0.571."""
    SIGNED = "signed"
    """+0.057."""
    COUNT = "count"
    """1,234."""
    SECONDS = "seconds"
    MONEY = "money"
    P = "p"
    """0.012; <0.001 below that."""
    TIME = "time"
    """Microseconds as h:mm:ss.mmm."""
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a table.

    Attributes:
        value: for programs; None if there is none, where `reason` may say why.
        sd: standard deviation over draws.
        low: lower end of the 95 % interval.
        high: upper end of it.
        n: number of items.
        text: shown to people instead of the value.
        target: what the cell links to, as `PAGE` or `PAGE#PART`.
        reason: why there is no value, or a remark on it, in one sentence.
        best: the best value of its column.
    """

    value: Json = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""
    target: str = ""
    reason: str = ""
    best: bool = False

    @property
    def figure(self) -> float | None:
        """The value, if it is a number."""
        return self.value if isinstance(self.value, int | float) and not isinstance(self.value, bool) else None


@dataclass(frozen=True, slots=True)
class Column(Generic[Record]):
    """One column.

    Attributes:
        key: its name in JSON; a column without one is for people only.
        title: its heading; a column without one is for programs only.
        value: returns the value of a record, or a cell.
        group: heading over adjacent columns of the same group.
    """

    key: str
    title: str
    number: NumberFormat
    value: Callable[[Record], TableCell | Json]
    group: str = ""

    def cell(self, record: Record) -> TableCell:
        """Return the cell of a record."""
        value = self.value(record)
        return value if isinstance(value, TableCell) else TableCell(value)

    @property
    def full_title(self) -> str:
        """The heading with that of its group; the key of a column for programs."""
        return f"{self.group}, {self.title}" if self.group else self.title or self.key


@dataclass(frozen=True, slots=True)
class TextTable:
    """Columns, and the cells of each row in their order."""

    columns: tuple[Column[Any], ...]
    rows: tuple[tuple[TableCell, ...], ...]

    def json(self) -> list[dict[str, Json]]:
        """Return an object for each row."""
        return [
            {column.key: cell.value for column, cell in zip(self.columns, row, strict=True) if column.key}
            for row in self.rows
        ]

    def lines(self, *, headings: bool = False, indent: str = "", width: int | None = None) -> list[str]:
        """Return a line for each row, with aligned columns.

        Args:
            headings: whether the first line has the titles.
            indent: begins each line.
            width: characters in a line; to fit, the longest texts end in an ellipsis. None: texts are whole.
        """
        lines = self._shown_texts()
        if headings:
            lines.insert(0, [column.title for column in self.columns if column.title])
        widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
        if width is not None:
            self._fit(widths, width - len(indent))
        right = [column.number is not NumberFormat.TEXT for column in self.columns if column.title]
        return [
            indent
            + _GAP.join(
                text.rjust(wide) if is_number else shorten(text, wide).ljust(wide)
                for text, wide, is_number in zip(texts, widths, right, strict=True)
            ).rstrip()
            for texts in lines
        ]

    def _fit(self, widths: list[int], room: int) -> None:
        """Make the widest columns of texts narrower until all columns fit, or each is as narrow as it may be."""
        shown = [column for column in self.columns if column.title]
        texts = [place for place, column in enumerate(shown) if column.number is NumberFormat.TEXT]
        for place in sorted(texts, key=lambda place: -widths[place]):
            excess = sum(widths) + len(_GAP) * (len(widths) - 1) - room
            widths[place] = max(widths[place] - max(excess, 0), min(widths[place], _MIN_WIDTH))

    def markdown(self, escape: Callable[[str], str]) -> list[str]:
        """Return the lines of a Markdown table.

        Args:
            escape: makes a text harmless in Markdown.
        """
        shown = [column for column in self.columns if column.title]
        rules = ["---" if column.number is NumberFormat.TEXT else "---:" for column in shown]
        rows = [[column.title for column in shown], *self._shown_texts()]
        head, *body = [markdown_row(map(escape, texts)) for texts in rows]
        return [head, markdown_row(rules), *body]

    def csv(self) -> str:
        """Return a CSV table; intervals, deviations and numbers of items have columns of their own."""
        return to_csv(csv_head(self.columns, self.rows), csv_rows(self.columns, self.rows))

    def _shown_texts(self) -> list[list[str]]:
        return [
            [
                escape_unprintable(format_cell(cell, column.number))
                for column, cell in zip(self.columns, row, strict=True)
                if column.title
            ]
            for row in self.rows
        ]


def table(records: Iterable[Record], columns: Sequence[Column[Record]]) -> TextTable:
    """Return the table of some records."""
    return TextTable(tuple(columns), tuple(tuple(column.cell(record) for column in columns) for record in records))


_GAP = "  "
_MIN_WIDTH = 12
"""Characters to which a text is shortened at most."""


def shorten(text: str, width: int) -> str:
    """Return a text that has no more characters than `width`; what is cut off shows as an ellipsis."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"


EMPTY_CELL = "\N{EN DASH}"
_DIGITS = {
    NumberFormat.SHARE: 2,
    NumberFormat.FIGURE: 3,
    NumberFormat.SIGNED: 3,
    NumberFormat.SECONDS: 1,
    NumberFormat.MONEY: 4,
}
_MIN_P = 0.001


def format_cell(cell: TableCell, number: NumberFormat) -> str:
    """Return the value of a cell as text; a dash if a number is missing."""
    if cell.text:
        return cell.text
    value = cell.figure
    if number is NumberFormat.TEXT:
        return _plain_text(cell.value)
    if value is None:
        return EMPTY_CELL
    if number is NumberFormat.TIME:
        return format_time(int(value))
    if number is NumberFormat.COUNT:
        return f"{value:,.0f}"
    if number is NumberFormat.P:
        return f"<{_MIN_P}" if value < _MIN_P else f"{value:.3f}"
    digits = _DIGITS[number]
    return f"{value:+.{digits}f}" if number is NumberFormat.SIGNED else f"{value + 0.0:,.{digits}f}"


def format_sd(cell: TableCell, number: NumberFormat) -> str:
    """Return the standard deviation of a cell, or "" if it has none or no value."""
    return "" if cell.sd is None or cell.value is None else f"{cell.sd:.{_DIGITS.get(number, 3)}f}"


def format_interval(low: float | None, high: float | None) -> str:
    """Return an interval as text; a dash if there is none."""
    return EMPTY_CELL if low is None or high is None else f"{low:+.3f} to {high:+.3f}"


def cell_hint(cell: TableCell) -> str:
    """Return the tooltip of a cell: interval, n, and reason."""
    parts = []
    if cell.low is not None and cell.high is not None:
        parts.append(f"95 % interval over recordings {cell.low:.3f} to {cell.high:.3f}")
    if cell.n is not None:
        parts.append(f"n = {cell.n:,}")
    if cell.reason:
        parts.append(cell.reason)
    return "; ".join(parts)


def column_groups(columns: Sequence[Column[Any]]) -> list[tuple[str, int]]:
    """Return the headings over columns with the number of columns; "" if there is none."""
    groups: list[tuple[str, int]] = []
    for column in columns:
        if groups and groups[-1][0] == column.group and column.group:
            groups[-1] = (column.group, groups[-1][1] + 1)
        else:
            groups.append((column.group, 1))
    return groups


def markdown_row(texts: Iterable[str]) -> str:
    """Return one line of a Markdown table."""
    return "| " + " | ".join(texts) + " |"


def csv_head(columns: Sequence[Column[Any]], rows: Sequence[Sequence[TableCell]]) -> list[str]:
    """Return the headings of a CSV table: of each column, and of each statistic beside it that a row has."""
    return [
        heading
        for place, column in enumerate(columns)
        for heading in (
            column.full_title,
            *(f"{column.full_title}, {statistic}" for statistic in _statistics(rows, place)),
        )
    ]


def csv_rows(columns: Sequence[Column[Any]], rows: Sequence[Sequence[TableCell]]) -> list[list[Cell]]:
    """Return the rows of a CSV table, to go under `csv_head`."""
    statistics = [_statistics(rows, place) for place in range(len(columns))]
    return [
        [
            value
            for column, names, cell in zip(columns, statistics, row, strict=True)
            for value in (_csv_value(cell, column.number), *(getattr(cell, name) for name in names))
        ]
        for row in rows
    ]


def _statistics(rows: Sequence[Sequence[TableCell]], place: int) -> list[str]:
    return [name for name in ("sd", "low", "high", "n") if any(getattr(row[place], name) is not None for row in rows)]


def _csv_value(cell: TableCell, number: NumberFormat) -> Cell:
    if cell.text:
        return cell.text
    if cell.figure is None:
        return _plain_text(cell.value) or None
    return round(cell.figure) if number is NumberFormat.COUNT else cell.figure


def _plain_text(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_plain_text, value))
    return "" if value is None else str(value)
