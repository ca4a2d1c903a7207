"""Whether a plausibility of 70 is one that people give 70 as well."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.metrics.ratings import paired

BINS = 10


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The answers that fall between two ends of the scale.

    Attributes:
        low: end, included.
        high: end, excluded but for the last bin.
        n: answers; never 0.
        said: mean answer.
        truth: mean of what people said of the same items.
    """

    low: float
    high: float
    n: int
    said: float
    truth: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Answers in bins of equal width.

    Attributes:
        error: mean of how far answers and truth are apart in a bin, by the number of its answers; None without any.
        bins: that hold answers, from the lowest.
        n: answers.
    """

    error: float | None
    bins: tuple[CalibrationBin, ...]
    n: int


def calibration(
    truth: Sequence[float],
    said: Sequence[float | None],
    bins: int = BINS,
    minimum: float = 0.0,
    maximum: float = 1.0,
) -> Calibration:
    """Compare the mean answer of each bin with what people said of these items.

    Where truths are 0 or 1 this is the expected calibration error (Naeini and others 2015); a truth may be a share too,
    such as the mean plausibility of several people. Answers of None are left out.

    Args:
        truth: n numbers.
        said: n answers; those outside the scale are in its first or last bin.
        bins: of equal width.
        minimum: of the scale.
        maximum: of the scale.

    Raises:
        ValueError: the sequences differ in length.
    """
    true, given = paired(truth, said)
    ends = np.linspace(minimum, maximum, bins + 1)
    place = np.clip(np.searchsorted(ends, given, side="right") - 1, 0, bins - 1)
    found = tuple(
        CalibrationBin(
            float(ends[one]),
            float(ends[one + 1]),
            int((place == one).sum()),
            float(given[place == one].mean()),
            float(true[place == one].mean()),
        )
        for one in range(bins)
        if (place == one).any()
    )
    total = sum(one.n for one in found)
    error = sum(one.n * abs(one.said - one.truth) for one in found) / total if total else None
    return Calibration(error, found, total)
