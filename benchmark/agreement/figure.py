"""One figure of a report: its value, how many things it rests on, and how sure it is."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from project.types import Json


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure. `value` is None where it is undefined, and then `reason` says why.

    Attributes:
        n: how many things were counted: annotations, pairs, instants, reviews.
        low: lower end of the 95 % interval; None where there is none.
        high: upper end of it.
        reason: a sentence; "" where the value is defined.
        more: what else belongs to the figure, such as the step of a time grid.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str = ""
    more: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it; never NaN."""
        interval: Json = None if self.low is None or self.high is None else [self.low, self.high]
        shown: dict[str, Json] = {"value": self.value, "n": self.n, "interval": interval}
        return shown | ({"reason": self.reason} if self.reason else {}) | dict(self.more)


def undefined(reason: str, n: int = 0, more: Mapping[str, Json] | None = None) -> Figure:
    """Return a figure that cannot be had."""
    return Figure(None, n, reason=reason, more=more or {})


def defined(value: float) -> float | None:
    """Return a number that JSON can hold, or None."""
    return float(value) if math.isfinite(value) else None
