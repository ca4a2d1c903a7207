"""Metrics as functions of sums over items: value, mean over draws and interval follow from the same sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, finite_or_none, ratio

NO_ITEMS = "There is no item of this sort."


@dataclass(frozen=True, slots=True, eq=False)
class MetricContributions:
    """The contribution of each item to a metric.

    Attributes:
        sums: (n, c) of each item.
        formula: (..., c) sums -> (...) metric, NaN where undefined.
        counts: (n,) which items count.
        reason: why the metric is undefined although items count.
    """

    sums: Floats
    formula: Callable[[Floats], Floats]
    counts: Bools
    reason: str = NO_ITEMS

    @property
    def value(self) -> float | None:
        """The metric over all items; None if undefined."""
        return finite_or_none(float(self.formula(self.sums.sum(0))))


MetricValue: TypeAlias = MetricContributions | float | None
"""A metric of some items: sums where it is a function of them, else its value; None if undefined."""


def metric_values(metrics: Mapping[str, MetricValue]) -> dict[str, float | None]:
    """Return the value of each metric."""
    return {key: metric.value if isinstance(metric, MetricContributions) else metric for key, metric in metrics.items()}


def share_of_items(
    right: Sequence[bool | float], counts: Sequence[bool] | None = None, weights: Sequence[float] | None = None
) -> MetricContributions:
    """Return the share of right items, or their mean, among those that count, by weight."""
    counted = np.ones(len(right), bool) if counts is None else np.array(counts, bool)
    weight = counted if weights is None else counted * np.array(weights, float)
    return MetricContributions(
        np.stack([np.array(right, float) * weight, weight], axis=-1).astype(float), ratio, counted
    )


def mean_of_metrics(parts: Sequence[MetricContributions]) -> MetricContributions:
    """Return the mean of several metrics of the same items, over those that have a value."""
    ends = np.cumsum([part.sums.shape[1] for part in parts])[:-1]

    def formula(sums: Floats) -> Floats:
        columns = np.split(sums, ends, axis=-1)
        return mean_of_known(np.stack([part.formula(own) for part, own in zip(parts, columns, strict=True)], axis=-1))

    counts = np.any([part.counts for part in parts], axis=0)
    return MetricContributions(np.concatenate([part.sums for part in parts], axis=1), formula, counts)


def mean_of_known(values: Floats) -> Floats:
    """Return (...) means of the finite ones of (..., k) values; NaN without any."""
    known = np.isfinite(values)
    return ratio(np.stack([np.where(known, values, 0).sum(-1), known.sum(-1)], axis=-1))
