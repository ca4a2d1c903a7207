"""Plots as data: the same description is painted to the screen and to files, and written as a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from resources.translation import tr
from widgets.labels import LabelLook

Cell = str | int | float | None
"""Of a table; None where there is nothing."""


class PlotNumberFormat(StrEnum):
    """How values are written."""

    COUNT = "count"
    FIGURE = "figure"


class PlotFormat(StrEnum):
    """A kind of file that a plot is drawn into; its ending."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class PlotTable:
    """The numbers of a plot, for those who do not look at it."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class PlottedValue:
    """A value with its interval; `value` is None where it is undefined, and then `reason` may say why."""

    value: float | None
    n: int | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one kind; `look` tells them apart from others by colour, pattern and sign."""

    name: str
    values: tuple[PlottedValue, ...]
    look: LabelLook | None = None


Column = tuple[str, Sequence[Cell]]


def _series_columns(
    many: Sequence[Series], write: Callable[[float | None], Cell] = lambda value: value, with_n: bool = False
) -> list[Column]:
    """Return the name and the cells of each value of some series, with their intervals and n where any has them."""
    every = [measured for series in many for measured in series.values]
    whiskers = any(measured.low is not None for measured in every)
    rests = with_n and any(measured.n is not None for measured in every)
    columns: list[Column] = []
    for series in many:
        name, values = series.name, series.values
        columns.append((name, [write(measured.value) for measured in values]))
        if whiskers:
            columns.append((tr("{name}, low").format(name=name), [measured.low for measured in values]))
            columns.append((tr("{name}, high").format(name=name), [measured.high for measured in values]))
        if rests:
            columns.append((f"{name}, n", [measured.n for measured in values]))
    return columns


def _column_table(corner: str, names: Sequence[Cell], columns: Sequence[Column]) -> PlotTable:
    head = (corner, *(name for name, _ in columns))
    return PlotTable(head, tuple(zip(names, *(cells for _, cells in columns), strict=True)))


@dataclass(frozen=True, slots=True)
class BarPlot:
    """Horizontal bars.

    Attributes:
        key: name of the files it is saved under.
        note: under the title: what is counted, and n.
        groups: what each value of a series is about.
        axis: title of the axis.
        stacked: the series lie behind one another instead of under one another.
        references: values to compare each group with, drawn as diamonds; called `reference`.
    """

    key: str
    title: str
    note: str
    groups: tuple[str, ...]
    series: tuple[Series, ...]
    axis: str
    number: PlotNumberFormat = PlotNumberFormat.COUNT
    stacked: bool = False
    reference: str = ""
    references: tuple[float | None, ...] = ()

    def table(self) -> PlotTable:
        """Return the numbers."""
        named = self.series if len(self.series) > 1 else [replace(series, name=self.axis) for series in self.series]
        columns = _series_columns(named, self._cell, with_n=True)
        if self.references:
            columns.append((self.reference, self.references))
        return _column_table("", self.groups, columns)

    def _cell(self, value: float | None) -> Cell:
        return value if value is None or self.number is PlotNumberFormat.FIGURE else round(value)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A heat map with its numbers.

    Attributes:
        rows: names, from the top; `down` says what they are.
        columns: names, from the left; `across` says what they are.
        values: (rows, columns) counts, or figures; None is left empty.
        diagonal: frame where a row meets the column of the same place.
    """

    key: str
    title: str
    note: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    down: str = ""
    across: str = ""
    diagonal: bool = False
    number: PlotNumberFormat = PlotNumberFormat.COUNT

    def table(self) -> PlotTable:
        """Return the numbers."""
        corner = f"{self.down} \\ {self.across}" if self.down or self.across else ""
        lines = zip(self.rows, self.values, strict=True)
        return PlotTable((corner, *self.columns), tuple((name, *values) for name, values in lines))


@dataclass(frozen=True, slots=True)
class HistogramPanel:
    """One panel of a histogram: (bins,) counts, and a value to mark with its name."""

    name: str
    counts: tuple[int, ...]
    look: LabelLook | None = None
    mark: float | None = None
    mark_name: str = ""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Piles over one axis, a panel each.

    Attributes:
        edges: (bins + 1,) rising.
        open_end: the last bin also holds what is beyond it.
    """

    key: str
    title: str
    note: str
    edges: tuple[float, ...]
    piles: tuple[HistogramPanel, ...]
    axis: str
    open_end: bool = False

    def table(self) -> PlotTable:
        """Return the numbers, a row for each bin."""
        last: Cell = None if self.open_end else self.edges[-1]
        ends = (*self.edges[1:-1], last)
        rows = [
            (low, high, *(pile.counts[place] for pile in self.piles))
            for place, (low, high) in enumerate(zip(self.edges, ends, strict=False))
        ]
        return PlotTable(("from", "to", *(pile.name for pile in self.piles)), tuple(rows))


@dataclass(frozen=True, slots=True)
class Lines:
    """Values over a quantity: (x,) the same for every series."""

    key: str
    title: str
    note: str
    x: tuple[float, ...]
    series: tuple[Series, ...]
    x_axis: str
    y_axis: str

    def table(self) -> PlotTable:
        """Return the numbers, a row for each x."""
        return _column_table(self.x_axis, self.x, _series_columns(self.series))


@dataclass(frozen=True, slots=True)
class Radar:
    """Shapes over the same axes from 0 to 1, a panel each.

    Attributes:
        axes: names, clockwise from the top.
        shapes: (axes,) values each, filled in a panel of its own.
        outlines: (axes,) values each, in every panel, told apart by their dashes.
    """

    key: str
    title: str
    note: str
    axes: tuple[str, ...]
    shapes: tuple[Series, ...]
    outlines: tuple[Series, ...] = ()

    def table(self) -> PlotTable:
        """Return the numbers, a row for each shape."""
        lines = (*self.shapes, *self.outlines)
        return PlotTable(
            ("", *self.axes), tuple((line.name, *(measured.value for measured in line.values)) for line in lines)
        )


Plot = BarPlot | Matrix | Histogram | Lines | Radar


def format_value(value: float | None, number: PlotNumberFormat = PlotNumberFormat.FIGURE) -> str:
    """Return how a value is written in a plot."""
    if value is None:
        return "–"  # noqa: RUF001 an en dash stands for nothing
    return f"{value:,.0f}" if number is PlotNumberFormat.COUNT else f"{value + 0.0:.3f}"


def plot_text(plot: Plot, most: int = 40) -> str:
    """Return the numbers of a plot as text, for screen readers; the first rows where there are more than `most`."""
    table = plot.table()
    lines = [plot.note, *(_row_text(table.head, row) for row in table.rows[:most])]
    if len(table.rows) > most:
        lines.append(tr("And {value} more rows.").format(value=len(table.rows) - most))
    return "\n".join(lines)


def _row_text(head: Sequence[str], row: Sequence[Cell]) -> str:
    cells = [f"{name} {format_cell(cell)}" for name, cell in zip(head[1:], row[1:], strict=True) if cell is not None]
    first = row[0] if isinstance(row[0], str) else f"{head[0]} {format_cell(row[0])}"
    return f"{first}: {', '.join(cells) or 'nothing'}"


def format_cell(cell: Cell) -> str:
    """Return a cell of a table for people."""
    if isinstance(cell, str):
        return cell
    return format_value(cell, PlotNumberFormat.COUNT if isinstance(cell, int) else PlotNumberFormat.FIGURE)
