"""A metric over several draws of items: mean and standard deviation, as papers report it."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev


@dataclass(frozen=True, slots=True)
class Spread:
    """What the values of several draws come to.

    Attributes:
        mean: over the draws that have a value; None where none has.
        sd: standard deviation of a sample (divided by one less than their number); None for fewer than two.
        draws: that have a value.
        undefined: draws that have none.
    """

    mean: float | None
    sd: float | None
    draws: int
    undefined: int = 0


def mean_sd(values: Sequence[float | None]) -> Spread:
    """Return mean and standard deviation of one value a draw; a draw where the metric is undefined is left out."""
    known = [one for one in values if one is not None]
    return Spread(
        fmean(known) if known else None,
        stdev(known) if len(known) > 1 else None,
        len(known),
        len(values) - len(known),
    )
