"""What papers report of judges that answered questions, to be shown beside a study's own figures."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from project.types import Json
from resources import resource

R3_VQA, ESI_BENCH = "r3vqa-answers", "esi-bench-answers"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a table.

    Attributes:
        paper: its name.
        table: its number there.
        model: who answered; of a data set, its name.
        setting: what was shown: `base`, `+sub`, `+sub+tom`, ...
        figures: key -> value; shares in percent, scores as they are.
    """

    paper: str
    table: int
    model: str
    setting: str
    figures: Mapping[str, float]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        named: dict[str, Json] = {name: getattr(self, name) for name in ("paper", "table", "model", "setting")}
        return named | {"figures": dict(self.figures)}


@cache
def published_rows(paper: str) -> tuple[PublishedRow, ...]:
    """Return the rows of a paper's tables, `R3_VQA` or `ESI_BENCH`, as they are printed."""
    found = tomllib.loads(resource("published", f"{paper}.toml").read_text("utf-8"))
    told = ("table", "model", "setting")
    return tuple(
        PublishedRow(
            found["name"],
            row["table"],
            row["model"],
            row["setting"],
            {name: float(value) for name, value in row.items() if name not in told},
        )
        for row in found["rows"]
    )
