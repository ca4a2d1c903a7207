"""Formats counts, percentages, sizes, file names and CSV tables as text.

A CSV cell is written so that no spreadsheet takes it for a formula.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TextIO


def pluralize(number: int, thing: str) -> str:
    """Return `1 recording`, `2 recordings`, `0 recordings`: a number and what it counts, whose plural ends in s."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def describe_rows(number: int, thing: str, recordings: int = 1) -> str:
    """Return what a step of the history is about: `segment`, `2 segments`, `22 segments in 2 recordings`."""
    rows = thing if number == 1 else f"{number} {thing}s"
    return rows if recordings < 2 else f"{rows} in {recordings} recordings"


def format_percent(share: float, decimals: int = 1) -> str:
    """Return `33.3 %` for a third."""
    return f"{100 * share:.{decimals}f} %"


_KB, _MB, _GB = 1e3, 1e6, 1e9


def format_size(size: int) -> str:
    """Return `2 kB`, `2.7 MB` or `3.09 GB`: decimal units, as disks and downloads are counted."""
    if size < _MB / 10:
        return f"{max(1, round(size / _KB))} kB" if size else "0 kB"
    if size < _GB:
        return f"{size / _MB:.1f} MB"
    return f"{size / _GB:.2f} GB"


def escape_unprintable(name: object) -> str:
    """Return a file's name or path with what cannot be printed (newlines, bytes that are no UTF-8) as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(name))


Cell = str | int | float | None
_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,20})?")
_FORMULA_SIGNS = r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""What begins a formula in some spreadsheet, in full width too. Source: OWASP, "CSV Injection"."""
_FORMULA = re.compile(f"'*{_FORMULA_SIGNS}")
_NEUTRAL = re.compile(f"'+{_FORMULA_SIGNS}")


def neutralize_formula(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe goes before what begins like one.

    Numbers stay as they are. `restore_formula` is the way back; an apostrophe that was there before is kept apart by a
    further one.
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def restore_formula(cell: str) -> str:
    """Return what `neutralize_formula` was given."""
    return cell[1:] if _NEUTRAL.match(cell) else cell


def write_csv(file: TextIO, head: Sequence[str], rows: Iterable[Sequence[Cell]], separator: str = ",") -> None:
    """Write a table to a file that was opened with `newline=""`; numbers keep all digits, None is an empty cell."""
    table = csv.writer(file, delimiter=separator, lineterminator="\r\n")
    for row in chain([head], rows):
        table.writerow([_text(cell) for cell in row])


def to_csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table as the text that `write_csv` writes."""
    text = io.StringIO()
    write_csv(text, head, rows)
    return text.getvalue()


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return neutralize_formula(cell) if isinstance(cell, str) else repr(cell)
