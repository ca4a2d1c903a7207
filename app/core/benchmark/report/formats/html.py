"""A report as HTML that needs nothing but itself: no script, no network, whatever a name in it says."""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape

from app.core.benchmark.report.document import Cell, Column, Number, Picture, Report, Row, Section, Standing, Table
from app.core.benchmark.report.wording import groups_of, more_of, spread, written
from project.names import shown
from resources import resource

_MARKS = {
    Standing.PUBLISHED: "published",
    Standing.PERSON: "measured",
    Standing.BASELINE: "baseline",
    Standing.CHANCE: "by chance",
}
_FILES = (("csv", "CSV"), ("tex", "LaTeX"))
_BEFORE_SVG = re.compile(rb"^.*?(?=<svg)", re.DOTALL)


def text(plain: str) -> str:
    """Return plain text for HTML, also inside quotes; what cannot be printed is shown as such."""
    return escape(shown(plain), quote=True)


def page(title: str, body: Sequence[str], *, fonts: bool = False) -> str:
    """Return a page of its own. Nothing but the one style sheet in it, and typefaces in it, may ever be loaded.

    Args:
        title: of the page.
        body: lines of it.
        fonts: whether it holds the typeface that plots were measured in; else the reader's own stands in for it.
    """
    style = (_typefaces() if fonts else "") + resource("report", "report.css").read_text("utf-8")
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    rule = f"default-src 'none'; style-src 'sha256-{allowed}'; font-src data:; base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{rule}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def html_of(report: Report) -> str:
    """Return the report; numbers lead to the pages of items beside it."""
    return page(report.title, list(_body(report)), fonts=any(one.pictures for one in report.sections))


def warning(said: str) -> list[str]:
    """Return what a reader has to know before passing a page on."""
    return [f'<p class="warning">{text(said)}</p>'] if said else []


@cache
def _typefaces() -> str:
    found = []
    for name, weight in (("Inter-Regular.otf", 400), ("Inter-SemiBold.otf", 600)):
        data = base64.b64encode(resource("fonts", name).read_bytes()).decode()
        found.append(
            f'@font-face {{ font-family: "Inter"; font-weight: {weight}; src: url(data:font/otf;base64,{data}); }}\n'
        )
    return "".join(found)


def _body(report: Report) -> Iterator[str]:
    yield f"<header><h1>{text(report.title)}</h1>"
    yield from warning(report.warning)
    yield "<dl>"
    for name, said in report.facts.items():
        yield f"<div><dt>{text(name)}</dt><dd>{text(said)}</dd></div>"
    yield "</dl></header>"
    yield '<nav aria-label="Sections"><ul>'
    for section in report.sections:
        yield f'<li><a href="#{section.key}">{text(section.title)}</a></li>'
    if report.lists:
        yield '<li><a href="#items">Items</a></li>'
    yield "</ul></nav><main>"
    for section in report.sections:
        yield from _section(section)
    if report.lists:
        yield '<section id="items"><h2>Items</h2><p>What became of each item, and where it is in the footage.</p><ul>'
        for one in report.lists:
            yield f'<li><a href="items/{one.key}.html">{text(one.task)}, {text(one.judge)}</a>: {len(one.lines):,}</li>'
        yield "</ul></section>"
    yield "</main>"


def _section(section: Section) -> Iterator[str]:
    yield f'<section id="{section.key}"><h2>{text(section.title)}</h2>'
    for line in section.lines:
        yield f"<p>{text(line)}</p>"
    for table in section.tables:
        yield from _table(table)
    if section.pictures:
        yield '<div class="plots">'
        for picture in section.pictures:
            yield from _picture(picture)
        yield "</div>"
    yield "</section>"


def _table(table: Table) -> Iterator[str]:
    yield f'<div class="table" id="table-{table.key}"><table>'
    note = f"<span>{text(table.note)}</span>" if table.note else ""
    yield f"<caption><strong>{text(table.title)}</strong>{note}</caption><thead>"
    groups = groups_of(table.columns)
    if any(name for name, _ in groups):
        cells = "".join(
            f'<th colspan="{span}" scope="colgroup"{" class=group" if name else ""}>{text(name)}</th>'
            for name, span in groups
        )
        yield f"<tr><td></td>{cells}</tr>"
    names = "".join(f'<th scope="col">{text(one.name)}</th>' for one in table.columns)
    yield f'<tr><th scope="col" class="name">{text(table.corner)}</th>{names}</tr></thead><tbody>'
    for row in table.rows:
        yield _row(row, table.columns)
    yield "</tbody></table>"
    sources = dict.fromkeys(row.source for row in table.rows if row.source)
    if sources:
        yield f'<p class="sources">Published: {text("; ".join(sources))}.</p>'
    files = " ".join(f'<a href="tables/{table.key}.{kind}">{name}</a>' for kind, name in _FILES)
    yield f'<p class="files">{files}</p></div>'


def _row(row: Row, columns: Sequence[Column]) -> str:
    mark = f' <span class="mark">{_MARKS[row.standing]}</span>' if row.standing in _MARKS else ""
    source = f' title="{text(row.source)}"' if row.source else ""
    cells = "".join(_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True))
    return f'<tr class="{row.standing.value}"><th scope="row"{source}>{text(row.name)}{mark}</th>{cells}</tr>'


def _cell(cell: Cell, column: Column) -> str:
    said = text(written(cell, column.number))
    said = f"<b>{said}</b>" if cell.best else said
    beside = spread(cell, column.number)
    said += f'<span class="sd"> ± {beside}</span>' if beside else ""
    if cell.target is not None:
        part = f"#{cell.target.part}" if cell.target.part else ""
        said = f'<a href="items/{cell.target.list}.html{part}">{said}</a>'
    more = more_of(cell)
    kind = ' class="text"' if column.number is Number.TEXT else ""
    return f'<td{kind} title="{text(more)}">{said}</td>' if more else f"<td{kind}>{said}</td>"


def _picture(picture: Picture) -> Iterator[str]:
    yield f'<figure id="plot-{picture.key}">{_BEFORE_SVG.sub(b"", picture.svg, 1).decode()}'
    yield (
        f'<figcaption>{text(picture.title)} <a href="plots/{picture.key}.svg">SVG</a> '
        f'<a href="plots/{picture.key}.png">PNG</a> <a href="plots/{picture.key}.csv">CSV</a></figcaption>'
        f"<details><summary>Numbers</summary><pre>{text_lines(picture.words)}</pre></details></figure>"
    )


def text_lines(plain: str) -> str:
    """Return several lines of plain text for HTML."""
    return "\n".join(text(line) for line in plain.split("\n"))
