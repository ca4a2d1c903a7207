"""Round numbers for the axis of a plot."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Ticks:
    """Marks of an axis, from its lower end to its upper one.

    Attributes:
        values: rising, at least two.
        texts: what stands beside each.
    """

    values: tuple[float, ...]
    texts: tuple[str, ...]

    @property
    def low(self) -> float:
        """Return where the axis begins."""
        return self.values[0]

    @property
    def high(self) -> float:
        """Return where it ends."""
        return self.values[-1]

    def place(self, value: float, first: float, last: float) -> float:
        """Return where a value lies when the axis goes from `first` to `last`; what is outside lies at its end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return first + share * (last - first)


def nice_ticks(values: Iterable[float | None], wanted: int = 5, *, whole: bool = False) -> Ticks:
    """Return round ticks that cover zero and all values; what is missing or not a number is passed over.

    Args:
        values: what the axis has to hold.
        wanted: how many steps at the most.
        whole: use whole numbers only, for counts.
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    if high - low <= 0:
        high = low + 1
    step = _round_step((high - low) / max(wanted, 1))
    if whole:
        step = max(1.0, math.ceil(step))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    first, last = first - (first * step > low), last + (last * step < high)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9) + (1 if _halves(step) else 0))
    places = tuple(number * step for number in range(first, max(last, first + 1) + 1))
    return Ticks(places, tuple(_text(place, decimals) for place in places))


def _round_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next(one * power for one in _STEPS if one * power >= raw * (1 - 1e-9))


def _halves(step: float) -> bool:
    return abs(step / 10.0 ** math.floor(math.log10(step) + 1e-9) - 2.5) < 1e-6


def _text(value: float, decimals: int) -> str:
    if abs(value) >= 1e9 or decimals > 9:
        return f"{value:.3g}"
    return f"{value + 0.0:,.{decimals}f}"
