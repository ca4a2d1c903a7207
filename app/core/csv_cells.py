"""Tables as CSV, in which no cell can be taken for a formula by a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TextIO

Cell = str | int | float | None
_NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,20})?")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NEUTRAL = re.compile(r"'+[=+\-@\t\r]")


def neutral(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe goes before what begins like one.

    Numbers stay as they are. `plain` is the way back; an apostrophe that was there before is kept apart by a further
    one.
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def plain(cell: str) -> str:
    """Return what `neutral` was given."""
    return cell[1:] if _NEUTRAL.match(cell) else cell


def write_csv(file: TextIO, head: Sequence[str], rows: Iterable[Sequence[Cell]], separator: str = ",") -> None:
    """Write a table to a file that was opened with `newline=""`; numbers keep all digits, None is an empty cell."""
    table = csv.writer(file, delimiter=separator, lineterminator="\r\n")
    for row in chain([head], rows):
        table.writerow([_text(cell) for cell in row])


def as_csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table as the text that `write_csv` writes."""
    text = io.StringIO()
    write_csv(text, head, rows)
    return text.getvalue()


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return neutral(cell) if isinstance(cell, str) else repr(cell)
