"""Renders the tables of a report as LaTeX with booktabs. All names are escaped, so that the file always compiles."""

import unicodedata
from collections.abc import Sequence
from itertools import groupby

from benchmark.report.report_document import BenchmarkReport, ReportRow, ReportTable, ResultOrigin
from project.text_format import escape_unprintable
from project.text_tables import EMPTY_CELL, NumberFormat, TableCell, column_groups, format_cell, format_sd

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": r"{[}",
    "]": r"{]}",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
    "\N{NO-BREAK SPACE}": "~",
}
_HYPHEN_MARK = "\N{BELL}"
"""Separates two hyphens until they are written, so that they do not become a dash."""
_MAX_T1_LETTER = 0x17F
"""Letters up to here have a glyph in the encoding T1."""
_BLOCKS = {ResultOrigin.BASELINE: 1, ResultOrigin.CHANCE: 1, ResultOrigin.PUBLISHED: 2}
"""Origins that a rule separates from the rows above."""
_MAX_LINE_CHARS = 40
"""Columns with longer texts are wrapped."""
_MAX_COLUMNS = 7
"""Tables with more columns are scaled to the text width."""
_PREAMBLE = r"""% Compiles as it is. In a paper of your own: \usepackage[T1]{fontenc}, textcomp, booktabs, graphicx.
\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage[margin=2cm]{geometry}
\begin{document}
"""


def escape_latex(text: str) -> str:
    """Return plain text as LaTeX: on one line, without commands, and only with glyphs of T1."""
    line = "".join(
        _escape_letter(letter)
        for letter in " ".join(escape_unprintable(text).split()).replace("--", f"-{_HYPHEN_MARK}-")
    )
    return line.replace(_HYPHEN_MARK, "{}")


def latex_document(report: BenchmarkReport) -> str:
    """Return a document with all tables of a report."""
    parts = [_PREAMBLE, rf"\section*{{{escape_latex(report.title)}}}", ""]
    if report.warning:
        parts += [rf"\textbf{{{escape_latex(report.warning)}}}", ""]
    for section in report.sections:
        if section.tables:
            parts += [rf"\subsection*{{{escape_latex(section.title)}}}", ""]
            parts += [rf"\input{{tables/{table.key}.tex}}" for table in section.tables]
            parts += [r"\clearpage", ""]
    return "\n".join([*parts, r"\end{document}", ""])


def latex_table(table: ReportTable) -> str:
    """Return one table as a `table` environment."""
    specs = "".join(_column_spec(table, place) for place in range(len(table.columns)))
    numbers = [column.number for column in table.columns]
    body = [rf"\begin{{tabular}}{{l{specs}}}", r"\toprule", *_head_rows(table)]
    for _, rows in groupby(table.rows, lambda row: _BLOCKS.get(row.origin, 0)):
        body += [r"\midrule", *(_row(row, numbers) for row in rows)]
    body += [r"\bottomrule", r"\end{tabular}"]
    if len(table.columns) > _MAX_COLUMNS:
        body = [r"\resizebox{\textwidth}{!}{%", *body, "}"]
    published = any(row.origin is ResultOrigin.PUBLISHED for row in table.rows)
    note = f"{escape_latex(table.note)}" + (r" $^\dagger$ As published." if published else "")
    caption = rf"\caption{{\textbf{{{escape_latex(table.title)}.}} {note}}}"
    lines = [r"\begin{table}[htbp]", r"\centering", r"\small", *body, caption, rf"\label{{tab:{table.key}}}"]
    return "\n".join([*lines, r"\end{table}", ""])


def _column_spec(table: ReportTable, place: int) -> str:
    """Return the column specification: numbers right-aligned, long texts wrapped."""
    if table.columns[place].number is not NumberFormat.TEXT:
        return "r"
    return "p{6cm}" if max((len(row.cells[place].text) for row in table.rows), default=0) > _MAX_LINE_CHARS else "l"


def _head_rows(table: ReportTable) -> list[str]:
    groups = column_groups(table.columns)
    lines = []
    if any(name for name, _ in groups):
        cells, rules, at = [""], [], 2
        for name, span in groups:
            cells.append(rf"\multicolumn{{{span}}}{{c}}{{{escape_latex(name)}}}")
            if name:
                rules.append(rf"\cmidrule(lr){{{at}-{at + span - 1}}}")
            at += span
        lines += [" & ".join(cells) + r" \\", " ".join(rules)]
    names = [escape_latex(table.corner), *(escape_latex(column.title) for column in table.columns)]
    return [*lines, " & ".join(names) + r" \\"]


def _row(row: ReportRow, numbers: Sequence[NumberFormat]) -> str:
    name = escape_latex(row.name)
    if row.origin is ResultOrigin.PUBLISHED:
        name = rf"\textit{{{name}}}$^\dagger$"
    # A row that begins with [ would be read as an option of \\, so the name is in braces.
    return " & ".join([f"{{{name}}}", *map(_cell, row.cells, numbers)]) + r" \\"


def _cell(cell: TableCell, number: NumberFormat) -> str:
    text = escape_latex(format_cell(cell, number)) or escape_latex(EMPTY_CELL)
    text = rf"\textbf{{{text}}}" if cell.best else text
    deviation = format_sd(cell, number)
    return rf"{text}$\pm${deviation}" if deviation else text


def _escape_letter(text: str) -> str:
    if text == _HYPHEN_MARK:
        return text
    if text in _ESCAPES:
        return _ESCAPES[text]
    if " " <= text <= "~" or (0xC0 <= ord(text) <= _MAX_T1_LETTER and text.isalpha()):
        return text
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if " " <= letter <= "~")
    return "".join(_ESCAPES.get(letter, letter) for letter in plain) or "?"
