"""How numbers are written, the same in every format."""

from collections.abc import Sequence

from app.core.benchmark.report.document import Cell, Column, Number
from project.timebase import format_time

NOTHING = "\N{EN DASH}"
_DIGITS = {Number.SHARE: 2, Number.FIGURE: 3, Number.SIGNED: 3, Number.SECONDS: 1, Number.MONEY: 4}
_LEAST_P = 0.001


def written(cell: Cell, number: Number) -> str:
    """Return the value of a cell; a dash where there is none."""
    if cell.text:
        return cell.text
    if cell.value is None:
        return NOTHING
    if number is Number.COUNT:
        return f"{cell.value:,.0f}"
    if number is Number.P:
        return f"<{_LEAST_P}" if cell.value < _LEAST_P else f"{cell.value:.3f}"
    digits = _DIGITS.get(number, 3)
    return f"{cell.value:+.{digits}f}" if number is Number.SIGNED else f"{cell.value + 0.0:,.{digits}f}"


def spread(cell: Cell, number: Number) -> str:
    """Return the standard deviation of a cell, or "" where it has none or no value to go with."""
    return "" if cell.sd is None or cell.value is None else f"{cell.sd:.{_DIGITS.get(number, 3)}f}"


def more_of(cell: Cell) -> str:
    """Return what else is known of a cell: interval, n, and why there is nothing."""
    parts = []
    if cell.low is not None and cell.high is not None:
        parts.append(f"95 % interval over recordings {cell.low:.3f} to {cell.high:.3f}")
    if cell.n is not None:
        parts.append(f"n = {cell.n:,}")
    if cell.why:
        parts.append(cell.why)
    return "; ".join(parts)


def moment(start_us: int) -> str:
    """Return a time as `greenroom open --at` reads it."""
    return format_time(start_us)


def took(ms: int) -> str:
    """Return how long an answer took."""
    return f"{ms / 1000:,.1f} s"


def groups_of(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Return the headings over columns, with how many columns each spans; "" where there is none."""
    found: list[tuple[str, int]] = []
    for one in columns:
        if found and found[-1][0] == one.group and one.group:
            found[-1] = (one.group, found[-1][1] + 1)
        else:
            found.append((one.group, 1))
    return found
