"""A report as Markdown: tables that GitHub and pandoc read, plots as pictures beside it.

Tables as CSV: for each column its value, and where there are any, spread, interval and number of items.
"""

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
    moment,
    spread,
    written,
)
from project.text_format import Cell as Written
from project.text_format import as_csv, shown

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$^&@!]|:(?=//)|(?<=www)\.|^[-+=]")
_MARKS = {ResultOrigin.PUBLISHED: " (published)", ResultOrigin.PERSON: " (measured)"}


def escaped(text: str) -> str:
    """Return plain text as Markdown: one line, in which nothing is a mark, a link or a tag."""
    return _SPECIAL.sub(lambda one: rf"\{one[0]}", " ".join(shown(text).split()))


def markdown_of(report: BenchmarkReport) -> str:
    """Return the whole report but the lists of items."""
    lines = [f"# {escaped(report.title)}", ""]
    if report.warning:
        lines += [f"> **{escaped(report.warning)}**", ""]
    lines += [f"- {escaped(name)}: {escaped(text)}" for name, text in report.facts.items()]
    for section in report.sections:
        lines += ["", *_section(section)]
    if report.lists:
        lines += ["", "## Items", ""]
        lines += [
            f"- [{escaped(one.task)}, {escaped(one.judge)}](items/{one.key}.html): {len(one.lines)} items"
            for one in report.lists
        ]
    return "\n".join([*lines, ""])


def _section(section: ReportSection) -> Iterable[str]:
    yield f"## {escaped(section.title)}"
    yield ""
    for line in section.lines:
        yield escaped(line)
        yield ""
    for table in section.tables:
        yield from _table(table)
    for picture in section.pictures:
        yield f"![{escaped(picture.title)}](plots/{picture.key}.svg)"
        yield ""


def _table(table: ReportTable) -> Iterable[str]:
    yield f"### {escaped(table.title)}"
    yield ""
    if table.note:
        yield escaped(table.note)
        yield ""
    yield _joined([escaped(table.corner), *(_head(one) for one in table.columns)])
    yield _joined(["---", *("---:" for _ in table.columns)])
    for row in table.rows:
        yield _row(row, table.columns)
    yield ""
    sources = dict.fromkeys(row.source for row in table.rows if row.source)
    if sources:
        yield f"Published: {escaped('; '.join(sources))}."
        yield ""


def _head(column: ReportColumn) -> str:
    return escaped(f"{column.group}: {column.name}" if column.group else column.name)


def _row(row: ReportRow, columns: tuple[ReportColumn, ...]) -> str:
    name = escaped(row.name)
    name = f"*{name}*" if row.standing is ResultOrigin.PUBLISHED else name
    cells = [_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True)]
    return _joined([name + _MARKS.get(row.standing, ""), *cells])


def _cell(cell: ReportCell, column: ReportColumn) -> str:
    text = escaped(written(cell, column.number))
    beside = spread(cell, column.number)
    text = f"{text} ± {beside}" if beside else text
    text = f"**{text}**" if cell.best else text
    return f"[{text}](items/{_anchor(cell)})" if cell.target is not None else text


def _anchor(cell: ReportCell) -> str:
    assert cell.target is not None
    return f"{cell.target.list}.html" + (f"#{cell.target.part}" if cell.target.part else "")


def _joined(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


_ITEM_HEAD = ("item", "draw", "recording", "start", "end", "outcome", "truth", "said", "traits", "ms")


def csv_of(table: ReportTable) -> bytes:
    """Return a table as a file that spreadsheets read without being asked."""
    extras = [_extras(table, place) for place in range(len(table.columns))]
    head = [table.corner, "kind", "source"]
    for column, extra in zip(table.columns, extras, strict=True):
        name = f"{column.group}, {column.name}" if column.group else column.name
        head += [name, *(f"{name}, {one}" for one in extra)]
    rows = []
    for row in table.rows:
        cells: list[Written] = [row.name, row.standing.value, row.source]
        for column, extra, cell in zip(table.columns, extras, row.cells, strict=True):
            cells += [_value(cell, column), *(getattr(cell, one) for one in extra)]
        rows.append(cells)
    return as_csv(head, rows).encode("utf-8-sig", "replace")


def items_csv(one: ReportItemList) -> bytes:
    """Return a list of items as a file that spreadsheets read without being asked."""
    texts = list(dict.fromkeys(name for line in one.lines for name in line.texts))
    rows = [
        (
            *(line.number, line.draw, line.recording, moment(line.start_us), moment(line.end_us), line.outcome),
            *(line.keys.truth, line.keys.said, line.keys.traits, line.ms, *(line.texts.get(name) for name in texts)),
        )
        for line in one.lines
    ]
    return as_csv((*_ITEM_HEAD, *texts), rows).encode("utf-8-sig", "replace")


def _extras(table: ReportTable, place: int) -> list[str]:
    def there() -> Iterator[str]:
        for name in ("sd", "low", "high", "n"):
            if any(getattr(row.cells[place], name) is not None for row in table.rows):
                yield name

    return list(there())


def _value(cell: ReportCell, column: ReportColumn) -> Written:
    if cell.text:
        return cell.text
    return round(cell.value) if column.number is NumberFormat.COUNT and cell.value is not None else cell.value
