"""One line of the table that `make bench` prints."""

from collections.abc import Sequence
from dataclasses import dataclass


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


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table."""
    words = {True: "reached", False: "**falls short**", None: "not measured"}
    lines = ["| work | Greenroom | against | ratio | must reach | |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r.work} | {r.ours} | {r.peer} | {r.ratio} | {r.target} | {words[r.ok] if r.target else ''} |" for r in rows
    ]
    return "\n".join(lines)
