"""One figure of a report: a value, what it was taken from, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from project.types import Json

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value.

    Attributes:
        value: None where it is undefined or was not measured.
        n: how many observations it was taken from.
        note: why there is no value, or what to keep in mind about it; a sentence, or empty.
    """

    value: float | None
    n: int = 0
    note: str = ""

    def as_json(self) -> dict[str, Json]:
        """Return it for the report's file."""
        value = None if self.value is None else round(self.value, _DIGITS)
        return {"value": value, "n": self.n, "note": self.note}

    @classmethod
    def from_json(cls, found: Mapping[str, Json]) -> "Figure":
        """Read what `as_json` wrote."""
        value = found["value"]
        return cls(None if value is None else float(cast(float, value)), int(cast(int, found["n"])), str(found["note"]))


def share(hits: int, n: int, what: str) -> Figure:
    """Return hits out of n, or none where n is 0; `what` names the observations that are missing then."""
    return Figure(hits / n, n) if n else Figure(None, 0, f"There are no {what}.")


def pooled(figures: "list[Figure]", empty: str) -> Figure:
    """Return the mean of the figures that have a value, each weighted by its n; none with the note `empty`."""
    having = [one for one in figures if one.value is not None and one.n]
    n = sum(one.n for one in having)
    if not n:
        return Figure(None, 0, empty)
    return Figure(sum(float(one.value or 0.0) * one.n for one in having) / n, n)
