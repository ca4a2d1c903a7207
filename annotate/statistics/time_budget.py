"""Time budgets: how often, how long, and in which share of the observed time each label was marked.

The figures are those of BORIS and The Observer. Source of the terms: Martin and Bateson (2021), Measuring Behaviour,
chapter 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

from annotate.agreement.annotation_arrays import NamedKey
from annotate.statistics.observations import (
    CodedObservation,
    TimeSpan,
    cut_marks,
    group_observations,
    observed_before,
    unite_spans,
)

_SECOND_US = 1_000_000
_MINUTE_US = 60 * _SECOND_US


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """One label in one group of observations.

    Attributes:
        group: value for each key of the budget.
        label: its key.
        name: what people call the label.
        observations: how many are in the group.
        observed_s: how long they are together, in seconds.
        count: how many segments; one that crosses the bound of a phase counts on both sides.
        rate: segments a minute of observed time; None where nothing was observed.
        total_s: sum of the durations; 0 where only points were marked.
        mean_s: of the segments that last; None where there is none, as the next two.
        sd_s: sample standard deviation; None for fewer than two.
        median_s: of the durations.
        share: of the observed time that is marked with the label, 0 to 1: time that is marked twice counts once.
        latency_s: observed time until the first start, on average over the observations that have the label.
        occurring_in: how many observations have the label.
    """

    group: tuple[str, ...]
    label: str
    name: str
    observations: int
    observed_s: float
    count: int
    rate: float | None
    total_s: float
    mean_s: float | None
    sd_s: float | None
    median_s: float | None
    share: float | None
    latency_s: float | None
    occurring_in: int


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """A row for each group and label, also where a label does not occur.

    Attributes:
        keys: by which observations are grouped.
        labels: of the track.
    """

    keys: tuple[NamedKey, ...]
    labels: tuple[NamedKey, ...]
    rows: tuple[BudgetRow, ...]


def compute_time_budget(
    keys: Sequence[NamedKey], labels: Sequence[NamedKey], observations: Sequence[CodedObservation]
) -> TimeBudget:
    """Return the budget of observations. It looks at no study, so it may run in another thread."""
    rows = [
        row for group, inside in group_observations(observations).items() for row in _group_rows(group, labels, inside)
    ]
    return TimeBudget(tuple(keys), tuple(labels), tuple(rows))


def _group_rows(
    group: tuple[str, ...], labels: Sequence[NamedKey], inside: Sequence[CodedObservation]
) -> list[BudgetRow]:
    observed_us = sum(observation.observed_us for observation in inside)
    tallies = {label.key: _LabelTally() for label in labels}
    for observation in inside:
        before, spans = observed_before(observation), dict[str, list[TimeSpan]]()
        firsts: dict[str, int] = {}
        for place, (label, start, end) in cut_marks(observation):
            spans.setdefault(label, []).append((start, end))
            latency = before[place] + start - observation.spans[place][0]
            firsts[label] = min(latency, firsts.get(label, latency))
        for label, marked in spans.items():
            tallies[label].add(marked, firsts[label])
    return [tallies[label.key].row(group, label, len(inside), observed_us) for label in labels]


class _LabelTally:
    """What is counted of one label in one group, in microseconds."""

    def __init__(self) -> None:
        self._count = self._covered_us = 0
        self._durations: list[int] = []
        self._latencies: list[int] = []

    def add(self, marked: Sequence[TimeSpan], latency_us: int) -> None:
        """Count the spans of one observation."""
        self._count += len(marked)
        self._durations += [end - start for start, end in marked if end > start]
        self._covered_us += sum(end - start for start, end in unite_spans(marked))
        self._latencies.append(latency_us)

    def row(self, group: tuple[str, ...], label: NamedKey, observations: int, observed_us: int) -> BudgetRow:
        """Return the figures in seconds."""
        seconds = [duration / _SECOND_US for duration in self._durations]
        return BudgetRow(
            group,
            label.key,
            label.name,
            observations,
            observed_us / _SECOND_US,
            self._count,
            self._count * _MINUTE_US / observed_us if observed_us else None,
            sum(self._durations) / _SECOND_US,
            fmean(seconds) if seconds else None,
            stdev(seconds) if len(seconds) > 1 else None,
            median(seconds) if seconds else None,
            self._covered_us / observed_us if observed_us else None,
            fmean(self._latencies) / _SECOND_US if self._latencies else None,
            len(self._latencies),
        )
