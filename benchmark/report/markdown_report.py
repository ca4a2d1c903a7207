"""Renders a report as Markdown for GitHub and pandoc, and its tables and item lists as CSV."""

import re
from collections.abc import Iterable, Iterator

from benchmark.report.report_document import (
    BenchmarkReport,
    NumberFormat,
    ReportCell,
    ReportColumn,
    ReportItemList,
    ReportRow,
    ReportSection,
    ReportTable,
    ResultOrigin,
    format_cell,
    format_moment,
    format_sd,
)
from project.text_format import Cell, escape_unprintable, to_csv

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$^&@!]|:(?=//)|(?<=www)\.|^[-+=]")
_MARKS = {ResultOrigin.PUBLISHED: " (published)", ResultOrigin.PERSON: " (measured)"}


def escape_markdown(text: str) -> str:
    """Return plain text escaped for Markdown, on one line."""
    return _SPECIAL.sub(lambda match: rf"\{match[0]}", " ".join(escape_unprintable(text).split()))


def render_markdown(report: BenchmarkReport) -> str:
    """Return the report without its lists of items."""
    lines = [f"# {escape_markdown(report.title)}", ""]
    if report.warning:
        lines += [f"> **{escape_markdown(report.warning)}**", ""]
    lines += [f"- {escape_markdown(name)}: {escape_markdown(text)}" for name, text in report.facts.items()]
    for section in report.sections:
        lines += ["", *_section(section)]
    if report.lists:
        lines += ["", "## Items", ""]
        lines += [
            f"- [{escape_markdown(report_item_list.task)}, {escape_markdown(report_item_list.judge)}]"
            f"(items/{report_item_list.key}.html): {len(report_item_list.lines)} items"
            for report_item_list in report.lists
        ]
    return "\n".join([*lines, ""])


def _section(section: ReportSection) -> Iterable[str]:
    yield f"## {escape_markdown(section.title)}"
    yield ""
    for line in section.lines:
        yield escape_markdown(line)
        yield ""
    for table in section.tables:
        yield from _table(table)
    for picture in section.pictures:
        yield f"![{escape_markdown(picture.title)}](plots/{picture.key}.svg)"
        yield ""


def _table(table: ReportTable) -> Iterable[str]:
    yield f"### {escape_markdown(table.title)}"
    yield ""
    if table.note:
        yield escape_markdown(table.note)
        yield ""
    yield _join_cells([escape_markdown(table.corner), *(_column_title(column) for column in table.columns)])
    yield _join_cells(["---", *("---:" for _ in table.columns)])
    for row in table.rows:
        yield _row(row, table.columns)
    yield ""
    sources = dict.fromkeys(row.source for row in table.rows if row.source)
    if sources:
        yield f"Published: {escape_markdown('; '.join(sources))}."
        yield ""


def _column_title(column: ReportColumn) -> str:
    return escape_markdown(f"{column.group}: {column.name}" if column.group else column.name)


def _row(row: ReportRow, columns: tuple[ReportColumn, ...]) -> str:
    name = escape_markdown(row.name)
    name = f"*{name}*" if row.origin is ResultOrigin.PUBLISHED else name
    cells = [_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True)]
    return _join_cells([name + _MARKS.get(row.origin, ""), *cells])


def _cell(cell: ReportCell, column: ReportColumn) -> str:
    text = escape_markdown(format_cell(cell, column.number_format))
    beside = format_sd(cell, column.number_format)
    text = f"{text} ± {beside}" if beside else text
    text = f"**{text}**" if cell.best else text
    return f"[{text}](items/{_anchor(cell)})" if cell.target is not None else text


def _anchor(cell: ReportCell) -> str:
    assert cell.target is not None
    return f"{cell.target.list}.html" + (f"#{cell.target.part}" if cell.target.part else "")


def _join_cells(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


_ITEM_COLUMNS = ("item", "draw", "recording", "start", "end", "outcome", "truth", "said", "traits", "ms")


def table_csv(table: ReportTable) -> bytes:
    """Return a table as CSV with a byte order mark, which spreadsheets open directly."""
    extras = [_extra_columns(table, place) for place in range(len(table.columns))]
    head = [table.corner, "kind", "source"]
    for column, extra in zip(table.columns, extras, strict=True):
        name = f"{column.group}, {column.name}" if column.group else column.name
        head += [name, *(f"{name}, {statistic}" for statistic in extra)]
    rows = []
    for row in table.rows:
        cells: list[Cell] = [row.name, row.origin.value, row.source]
        for column, extra, cell in zip(table.columns, extras, row.cells, strict=True):
            cells += [_csv_value(cell, column), *(getattr(cell, statistic) for statistic in extra)]
        rows.append(cells)
    return to_csv(head, rows).encode("utf-8-sig", "replace")


def items_csv(report_item_list: ReportItemList) -> bytes:
    """Return a list of items as CSV with a byte order mark, which spreadsheets open directly."""
    texts = list(dict.fromkeys(name for line in report_item_list.lines for name in line.texts))
    rows = [
        (
            *(
                line.number,
                line.draw,
                line.recording,
                format_moment(line.start_us),
                format_moment(line.end_us),
                line.outcome,
            ),
            *(line.keys.truth, line.keys.answer, line.keys.traits, line.ms, *(line.texts.get(name) for name in texts)),
        )
        for line in report_item_list.lines
    ]
    return to_csv((*_ITEM_COLUMNS, *texts), rows).encode("utf-8-sig", "replace")


def _extra_columns(table: ReportTable, place: int) -> list[str]:
    def used_columns() -> Iterator[str]:
        for name in ("sd", "low", "high", "n"):
            if any(getattr(row.cells[place], name) is not None for row in table.rows):
                yield name

    return list(used_columns())


def _csv_value(cell: ReportCell, column: ReportColumn) -> Cell:
    if cell.text:
        return cell.text
    return round(cell.value) if column.number_format is NumberFormat.COUNT and cell.value is not None else cell.value
