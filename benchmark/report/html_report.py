"""Renders a report and its item lists as self-contained HTML, without scripts and network, with all names escaped."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape

from benchmark.report.report_document import (
    BenchmarkReport,
    ItemLine,
    ReportItemList,
    ReportPlot,
    ReportRow,
    ReportSection,
    ReportTable,
    ResultOrigin,
    format_duration,
    item_page,
)
from project.text_format import escape_unprintable
from project.text_tables import NumberFormat, TableCell, cell_hint, column_groups, format_cell, format_sd
from project.timebase import format_time
from resources import resource

_MARKS = {
    ResultOrigin.PUBLISHED: "published",
    ResultOrigin.PERSON: "measured",
    ResultOrigin.BASELINE: "baseline",
    ResultOrigin.CHANCE: "by chance",
}
_FILES = (("csv", "CSV"), ("tex", "LaTeX"))
_BEFORE_SVG = re.compile(rb"^.*?(?=<svg)", re.DOTALL)


def escape_html(plain: str) -> str:
    """Return plain text escaped for HTML and attributes; unprintable characters are shown as escapes."""
    return escape(escape_unprintable(plain), quote=True)


def render_html(report: BenchmarkReport) -> str:
    """Return the report; numbers link to its pages of items."""
    return _page(report.title, _body(report), fonts=any(section.pictures for section in report.sections))


def render_items_page(item_list: ReportItemList, warning: str) -> str:
    """Return the page of items of a run, with a warning about passing it on, or ""."""
    return _page(item_list.title, _items_body(item_list, warning))


def _page(title: str, body: Iterable[str], *, fonts: bool = False) -> str:
    """Return a standalone page; its content security policy permits only the embedded style sheet and fonts."""
    style = (_font_css() if fonts else "") + resource("report", "report.css").read_text("utf-8")
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
            f"<title>{escape_html(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _warning(warning: str) -> str:
    return f'<p class="warning">{escape_html(warning)}</p>' if warning else ""


@cache
def _font_css() -> str:
    faces = []
    for name, weight in (("Inter-Regular.otf", 400), ("Inter-SemiBold.otf", 600)):
        data = base64.b64encode(resource("fonts", name).read_bytes()).decode()
        faces.append(
            f'@font-face {{ font-family: "Inter"; font-weight: {weight}; src: url(data:font/otf;base64,{data}); }}\n'
        )
    return "".join(faces)


def _body(report: BenchmarkReport) -> Iterator[str]:
    yield f"<header><h1>{escape_html(report.title)}</h1>"
    yield _warning(report.warning)
    yield "<dl>"
    for name, fact in report.facts.items():
        yield f"<div><dt>{escape_html(name)}</dt><dd>{escape_html(fact)}</dd></div>"
    yield "</dl></header>"
    yield '<nav aria-label="Sections"><ul>'
    for section in report.sections:
        yield f'<li><a href="#{section.key}">{escape_html(section.title)}</a></li>'
    if report.lists:
        yield '<li><a href="#items">Items</a></li>'
    yield "</ul></nav><main>"
    for section in report.sections:
        yield from _section(section)
    if report.lists:
        yield '<section id="items"><h2>Items</h2><p>What became of each item, and where it is in the footage.</p><ul>'
        for item_list in report.lists:
            link = f'<a href="{item_page(item_list.key)}">{escape_html(item_list.title)}</a>'
            yield f"<li>{link}: {len(item_list.lines):,}</li>"
        yield "</ul></section>"
    yield "</main>"


def _section(section: ReportSection) -> Iterator[str]:
    yield f'<section id="{section.key}"><h2>{escape_html(section.title)}</h2>'
    for table in section.tables:
        yield from _table(table)
    if section.pictures:
        yield '<div class="plots">'
        for picture in section.pictures:
            yield from _picture(picture)
        yield "</div>"
    yield "</section>"


def _table(table: ReportTable) -> Iterator[str]:
    yield f'<div class="table" id="table-{table.key}"><table>'
    note = f"<span>{escape_html(table.note)}</span>" if table.note else ""
    yield f"<caption><strong>{escape_html(table.title)}</strong>{note}</caption><thead>"
    groups = column_groups(table.columns)
    if any(name for name, _ in groups):
        cells = "".join(
            f'<th colspan="{span}" scope="colgroup"{" class=group" if name else ""}>{escape_html(name)}</th>'
            for name, span in groups
        )
        yield f"<tr><td></td>{cells}</tr>"
    names = "".join(f'<th scope="col">{escape_html(column.title)}</th>' for column in table.columns)
    yield f'<tr><th scope="col" class="name">{escape_html(table.corner)}</th>{names}</tr></thead><tbody>'
    for row in table.rows:
        yield _row(row, [column.number for column in table.columns])
    yield "</tbody></table>"
    if table.sources:
        yield f'<p class="sources">Published: {escape_html(table.sources)}.</p>'
    files = " ".join(f'<a href="tables/{table.key}.{kind}">{name}</a>' for kind, name in _FILES)
    yield f'<p class="files">{files}</p></div>'


def _row(row: ReportRow, numbers: Sequence[NumberFormat]) -> str:
    mark = f' <span class="mark">{_MARKS[row.origin]}</span>' if row.origin in _MARKS else ""
    source = f' title="{escape_html(row.source)}"' if row.source else ""
    cells = "".join(map(_cell, row.cells, numbers))
    return f'<tr class="{row.origin.value}"><th scope="row"{source}>{escape_html(row.name)}{mark}</th>{cells}</tr>'


def _cell(cell: TableCell, number: NumberFormat) -> str:
    text = escape_html(format_cell(cell, number))
    text = f"<b>{text}</b>" if cell.best else text
    deviation = format_sd(cell, number)
    text += f'<span class="sd"> ± {deviation}</span>' if deviation else ""
    text = f'<a href="{item_page(cell.target)}">{text}</a>' if cell.target else text
    kind = ' class="text"' if number is NumberFormat.TEXT else ""
    hint = f' title="{escape_html(cell_hint(cell))}"' if cell_hint(cell) else ""
    return f"<td{kind}{hint}>{text}</td>"


def _picture(picture: ReportPlot) -> Iterator[str]:
    links = (f'<a href="plots/{picture.key}.{ending}">{ending.upper()}</a>' for ending in picture.files)
    yield f'<figure id="plot-{picture.key}">{_BEFORE_SVG.sub(b"", picture.files["svg"], 1).decode()}'
    yield (
        f"<figcaption>{escape_html(picture.title)} {' '.join(links)}</figcaption>"
        f"<details><summary>Numbers</summary><pre>{escape_lines(picture.words)}</pre></details></figure>"
    )


def escape_lines(plain: str) -> str:
    """Return several lines of plain text, escaped for HTML."""
    return "\n".join(escape_html(line) for line in plain.split("\n"))


_ITEM_HEADINGS = (
    *("Item", "Draw", "Recording", "Time", "Outcome"),
    *("Right answer", "Answer", "Took", "Show it", "What it is"),
)


def _items_body(item_list: ReportItemList, warning: str) -> Iterator[str]:
    yield f'<header><p><a href="../report.html">Back to the report</a></p><h1>{escape_html(item_list.title)}</h1>'
    yield _warning(warning)
    yield f"<p>{len(item_list.lines):,} items of the set {escape_html(item_list.item_set)}."
    if item_list.withheld:
        yield (f" {item_list.withheld:,} more count in the figures and are not listed: their recordings may not leave.")
    yield "</p>"
    if item_list.parts:
        yield '<p><a href="#parts">By part</a></p>'
    yield "</header><main>"
    yield '<section><h2>All items</h2><input type="checkbox" id="only-wrong"><label for="only-wrong">'
    yield "Only those that are not right</label>"
    yield '<div class="table"><table class="items"><thead><tr>'
    yield "".join(f'<th scope="col">{name}</th>' for name in _ITEM_HEADINGS) + "</tr></thead><tbody>"
    for line in item_list.lines:
        yield from _line(line)
    yield "</tbody></table></div></section>"
    if item_list.parts:
        yield '<section id="parts"><h2>By part</h2><dl class="parts">'
        for part in item_list.parts:
            links = " ".join(f'<a href="#item-{number}">{number}</a>' for number in part.numbers)
            heading = f"{escape_html(part.title)} ({len(part.numbers):,})"
            yield f'<div id="{part.key}"><dt>{heading}</dt><dd>{links}</dd></div>'
        yield "</dl></section>"
    yield "</main>"


def _line(line: ItemLine) -> Iterator[str]:
    start, end = format_time(line.start_us), format_time(line.end_us)
    command = f"greenroom open STUDY --recording {line.recording} --at {start}"
    cells = (
        *(str(line.draw), str(line.recording), f"{start} to {end}", line.outcome),
        *(line.labels.truth, line.labels.answer, format_duration(line.ms)),
    )
    kind = line.outcome.replace(" ", "-")
    yield f'<tr id="item-{line.number}" class="{kind}"><th scope="row">{line.number}</th>'
    yield "".join(f"<td>{escape_html(cell)}</td>" for cell in cells) + f"<td><code>{escape_html(command)}</code>"
    for name, text in line.texts.items():
        yield f"<details><summary>{escape_html(name)}</summary><pre>{escape_lines(text)}</pre></details>"
    yield f"</td><td>{escape_html(line.labels.traits)}</td></tr>"
