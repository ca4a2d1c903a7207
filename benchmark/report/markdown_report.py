"""Renders a report as Markdown for GitHub and pandoc, and its tables and item lists as CSV."""

import re
from collections.abc import Iterator, Sequence

from benchmark.report.report_document import (
    BenchmarkReport,
    ReportItemList,
    ReportRow,
    ReportSection,
    ReportTable,
    ResultOrigin,
    item_page,
)
from project.text_format import escape_unprintable, to_csv
from project.text_tables import NumberFormat, TableCell, csv_head, csv_rows, format_cell, format_sd, markdown_row
from project.timebase import format_time

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
            f"- [{escape_markdown(item_list.title)}]({item_page(item_list.key)}): {len(item_list.lines)} items"
            for item_list in report.lists
        ]
    return "\n".join([*lines, ""])


def _section(section: ReportSection) -> Iterator[str]:
    yield from (f"## {escape_markdown(section.title)}", "")
    for table in section.tables:
        yield from _table(table)
    for picture in section.pictures:
        yield from (f"![{escape_markdown(picture.title)}](plots/{picture.key}.svg)", "")


def _table(table: ReportTable) -> Iterator[str]:
    yield from (f"### {escape_markdown(table.title)}", "")
    if table.note:
        yield from (escape_markdown(table.note), "")
    titles = [f"{column.group}: {column.title}" if column.group else column.title for column in table.columns]
    yield markdown_row(map(escape_markdown, [table.corner, *titles]))
    yield markdown_row(["---", *("---:" for _ in table.columns)])
    for row in table.rows:
        yield _row(row, [column.number for column in table.columns])
    yield ""
    if table.sources:
        yield from (f"Published: {escape_markdown(table.sources)}.", "")


def _row(row: ReportRow, numbers: Sequence[NumberFormat]) -> str:
    name = escape_markdown(row.name)
    name = f"*{name}*" if row.origin is ResultOrigin.PUBLISHED else name
    return markdown_row([name + _MARKS.get(row.origin, ""), *map(_cell, row.cells, numbers)])


def _cell(cell: TableCell, number: NumberFormat) -> str:
    text = escape_markdown(format_cell(cell, number))
    deviation = format_sd(cell, number)
    text = f"{text} ± {deviation}" if deviation else text
    text = f"**{text}**" if cell.best else text
    return f"[{text}]({item_page(cell.target)})" if cell.target else text


_ITEM_HEAD = ("item", "draw", "recording", "start", "end", "outcome", "truth", "said", "traits", "ms")


def table_csv(table: ReportTable) -> bytes:
    """Return a table as CSV with a byte order mark, which spreadsheets open directly."""
    cells = [row.cells for row in table.rows]
    rows = [
        (row.name, row.origin.value, row.source, *values)
        for row, values in zip(table.rows, csv_rows(table.columns, cells), strict=True)
    ]
    head = (table.corner, "kind", "source", *csv_head(table.columns, cells))
    return to_csv(head, rows).encode("utf-8-sig", "replace")


def items_csv(item_list: ReportItemList) -> bytes:
    """Return a list of items as CSV with a byte order mark, which spreadsheets open directly."""
    texts = list(dict.fromkeys(name for line in item_list.lines for name in line.texts))
    rows = [
        (
            *(line.number, line.draw, line.recording, format_time(line.start_us), format_time(line.end_us)),
            *(line.outcome, line.keys.truth, line.keys.answer, line.keys.traits, line.ms),
            *(line.texts.get(name) for name in texts),
        )
        for line in item_list.lines
    ]
    return to_csv((*_ITEM_HEAD, *texts), rows).encode("utf-8-sig", "replace")
