"""The rows of the table that `make bench` prints, and what of them can be compared between versions."""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

_HOLDS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, "under": operator.lt}


@dataclass(frozen=True, slots=True)
class Row:
    """One claim, as it was measured.

    Attributes:
        work: what was done.
        ours: Greenroom's figure, with its unit.
        peer: the peer and its figure in the same run, with its unit.
        ratio: of the two, where there is one.
        target: what has to be reached; "" for a figure that is only shown.
        ok: whether it was; None where it is only shown, or could not be measured and `ours` says why.
    """

    work: str
    ours: str
    peer: str = ""
    ratio: str = ""
    target: str = ""
    ok: bool | None = None

    @classmethod
    def judged(cls, work: str, ours: str, value: float, target: str, peer: str = "", ratio: str = "") -> Self:
        """Return the row of a figure that is held against the limit with which its target begins, such as `<= 1.3x`."""
        limit = re.match(r"(<=|>=|<|under) ([\d.]+)", target)
        assert limit is not None
        return cls(work, ours, peer, ratio, target, _HOLDS[limit[1]](value, float(limit[2])))


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    words = {True: "reached", False: "**falls short**", None: "not measured"}
    lines = ["| work | Greenroom | against | ratio | must reach | |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r.work} | {r.ours} | {r.peer} | {r.ratio} | {r.target} | {words[r.ok] if r.target else ''} |" for r in rows
    ]
    return "\n".join(lines)


NOISE = 1.25
"""By how much a ratio may be worse than in the record before it counts: twice the spread seen between quiet runs."""
SMALLEST = 0.05
"""Ratios below this are so good that their noise is larger than they are."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A ratio to a peer, a budget or another run, taken in one run with it.

    Attributes:
        work: what was done.
        ratio: greater than 0.
        smaller_is_better: whether it is a share of the peer's time or of a budget, not a speed-up.
    """

    work: str
    ratio: float
    smaller_is_better: bool


def figure_of(row: Row) -> Figure | None:
    """Return the figure of a row, or None where it has no ratio that says how good it is."""
    faster = re.fullmatch(r"1 : ([\d,]+)", row.ratio)
    if faster:
        return Figure(row.work, float(faster[1].replace(",", "")), False)
    plain = re.fullmatch(r"([\d.]+)x?", row.ratio)
    if not plain or not re.match(r"<|>=|under", row.target):
        return None
    return Figure(row.work, float(plain[1]), not row.target.startswith(">="))


def worse(before: Row, now: Row) -> str:
    """Return in a line how a row has become worse beyond noise, or ""."""
    if before.ok and now.ok is False:
        return f"{now.work}: {now.ours} ({now.ratio or 'no ratio'}), no longer {now.target}; before: {before.ours}"
    was, found = figure_of(before), figure_of(now)
    if was is None or found is None or was.smaller_is_better is not found.smaller_is_better:
        return ""
    if found.smaller_is_better:
        times = max(found.ratio, SMALLEST) / max(was.ratio, SMALLEST)
    else:
        times = was.ratio / max(found.ratio, 1e-9)
    if times <= NOISE:
        return ""
    return f"{now.work}: ratio {now.ratio}, before {before.ratio}: {times:.2f} times worse"


def regressions(before: Sequence[Row], now: Sequence[Row]) -> dict[str, str]:
    """Return what was done -> how it has become worse beyond noise, of the rows that both hold."""
    known = {row.work: row for row in before}
    found = {row.work: worse(known[row.work], row) for row in now if row.work in known}
    return {work: line for work, line in found.items() if line}
