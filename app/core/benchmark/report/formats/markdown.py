"""A report as Markdown: tables that GitHub and pandoc read, plots as pictures beside it."""

import re
from collections.abc import Iterable

from app.core.benchmark.report.document import Cell, Column, Report, Row, Section, Standing, Table
from app.core.benchmark.report.wording import spread, written
from project.names import shown

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$^&@!]|:(?=//)|(?<=www)\.|^[-+=]")
_MARKS = {Standing.PUBLISHED: " (published)", Standing.PERSON: " (measured)"}


def escaped(text: str) -> str:
    """Return plain text as Markdown: one line, in which nothing is a mark, a link or a tag."""
    return _SPECIAL.sub(lambda one: rf"\{one[0]}", " ".join(shown(text).split()))


def markdown_of(report: Report) -> str:
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


def _section(section: Section) -> Iterable[str]:
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


def _table(table: Table) -> Iterable[str]:
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


def _head(column: Column) -> str:
    return escaped(f"{column.group}: {column.name}" if column.group else column.name)


def _row(row: Row, columns: tuple[Column, ...]) -> str:
    name = escaped(row.name)
    name = f"*{name}*" if row.standing is Standing.PUBLISHED else name
    cells = [_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True)]
    return _joined([name + _MARKS.get(row.standing, ""), *cells])


def _cell(cell: Cell, column: Column) -> str:
    text = escaped(written(cell, column.number))
    beside = spread(cell, column.number)
    text = f"{text} ± {beside}" if beside else text
    text = f"**{text}**" if cell.best else text
    return f"[{text}](items/{_anchor(cell)})" if cell.target is not None else text


def _anchor(cell: Cell) -> str:
    assert cell.target is not None
    return f"{cell.target.list}.html" + (f"#{cell.target.part}" if cell.target.part else "")


def _joined(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
