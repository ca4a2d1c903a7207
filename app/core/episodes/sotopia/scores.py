"""Human scores as SOTOPIA-pi gives them away: a CSV file with a row for each episode, rater and agent."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from app.core.interchange.limits import MEGABYTE, damaged, read_text
from benchmark.dimensions import DIMENSIONS, ranges
from project.errors import UserError

_LARGEST = 50 * MEGABYTE
_CALLED = {key: key for key in DIMENSIONS} | {"financial": "financial_and_material_benefits"}
"""Dimension -> its column."""
_NEEDED = ("episode", "rater", "agent")
HEAD = ("set", *_NEEDED, *(_CALLED[key] for key in DIMENSIONS))
"""Columns as they are written; others, such as `is_target`, are passed over."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one rater gave one agent.

    Attributes:
        home: the set of the episode; "" where the file does not say.
        agent: position, from 0.
        scores: dimension -> score, in its range.
    """

    line: int
    home: str
    episode: str
    rater: str
    agent: int
    scores: dict[str, int]


def read_scores(path: Path) -> list[Score]:
    """Return the rows of a file.

    Raises:
        UserError: a column is missing, or a row holds no whole number or one out of its range; line and column are
            named.
    """
    try:
        rows = csv.DictReader(io.StringIO(read_text(path, _LARGEST)), strict=True)
        columns = [one.strip() for one in rows.fieldnames or ()]
        if missing := [one for one in (*_NEEDED, *_CALLED.values()) if one not in columns]:
            raise damaged(path, f"the column “{missing[0]}” is missing")
        found = [_score(path, rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise damaged(path, str(error)) from None
    if not found:
        raise UserError(f"There are no scores in {path.name}.", "Choose a file with a row for each rater and agent.")
    return found


def _score(path: Path, line: int, row: dict[str, str | None]) -> Score:
    def text(column: str) -> str:
        if not (value := (row.get(column) or "").strip()):
            raise damaged(path, f"“{column}” is empty", line)
        return value

    def number(column: str, low: int, high: int) -> int:
        value = text(column)
        try:
            found = int(value)
        except ValueError:
            raise damaged(path, f"“{value}” in “{column}” is no whole number", line) from None
        if not low <= found <= high:
            raise damaged(path, f"{found} in “{column}” is not between {low} and {high}", line)
        return found

    scores = {key: number(_CALLED[key], *limits) for key, limits in ranges().items()}
    home = (row.get("set") or "").strip()
    return Score(line, home, text("episode"), text("rater"), number("agent", 1, 100) - 1, scores)
