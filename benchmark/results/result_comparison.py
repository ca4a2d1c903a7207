"""Compares two runs over the same items, and conditions with raw footage (SHREC, appendix I)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from benchmark.metrics.item_sums import MetricContributions
from benchmark.metrics.paired_tests import (
    EQUIVALENCE_MARGIN,
    NO_VARIANCE,
    ConditionComparison,
    EquivalenceConclusion,
    McNemar,
    compare_with_raw,
    correct_family,
    mcnemar,
)
from benchmark.metrics.resampling import Difference, DrawSpread, intervals, mean_sd, paired_difference
from benchmark.results.run_measures import BOOTSTRAP_SAMPLES, items_by_draw
from benchmark.tasks.benchmark_task import BenchmarkTask, ItemResponse, score


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """The difference of two runs in one figure.

    Attributes:
        difference: first minus second, with interval and p if there are any.
    """

    metric: str
    name: str
    share: bool
    first: float | None
    second: float | None
    difference: Difference


def compare_metrics(
    entry: BenchmarkTask,
    first: Sequence[ItemResponse],
    second: Sequence[ItemResponse],
    samples: int = BOOTSTRAP_SAMPLES,
) -> tuple[MetricDifference, ...]:
    """Compare two runs in all figures of their task, by resampling recordings for both.

    Args:
        entry: the task.
        first: n responses of the first.
        second: responses of the second to the same items, in the same order.
        samples: of the bootstrap for figures that are no functions of sums; 0 for no intervals.
    """
    if not first:
        return ()
    draws, homes = [response.draw for response in first], [response.recording_id for response in first]
    measured = [entry.measure(side) for side in (first, second)]
    means = [_draw_means(entry, side) for side in (first, second)]
    left = [metric.key for metric in entry.metrics if not isinstance(measured[0].get(metric.key), MetricContributions)]

    def score_left(pairs: Sequence[tuple[ItemResponse, ItemResponse]]) -> dict[str, float | None]:
        scores = [score(entry, [pair[side] for pair in pairs]) for side in (0, 1)]
        return {key: _subtract(scores[0].get(key), scores[1].get(key)) for key in left}

    ends = intervals(score_left, [*zip(first, second, strict=True)], draws, homes, samples) if left and samples else {}
    differences = []
    for metric in entry.metrics:
        own, other = (side.get(metric.key) for side in measured)
        first_mean, second_mean = (side.get(metric.key) for side in means)
        if samples and isinstance(own, MetricContributions) and isinstance(other, MetricContributions):
            difference = paired_difference(own, other, draws, homes)
        else:
            low, high = ends.get(metric.key, (None, None))
            difference = Difference(_subtract(first_mean, second_mean), low, high, None, len(first))
        differences.append(MetricDifference(metric.key, metric.name, metric.share, first_mean, second_mean, difference))
    return tuple(differences)


def _subtract(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def compare_correctness(
    first: Sequence[bool | None], second: Sequence[bool | None], same: Sequence[Hashable]
) -> McNemar | None:
    """Compare which items two judges got right; None if there are no right answers.

    An item counts once by its identity in `same`, also if it is in several draws.
    """
    found: dict[Hashable, tuple[bool, bool]] = {}
    for first_right, second_right, key in zip(first, second, same, strict=True):
        if first_right is not None and second_right is not None:
            found.setdefault(key, (first_right, second_right))
    return mcnemar([right for right, _ in found.values()], [right for _, right in found.values()]) if found else None


def _draw_means(entry: BenchmarkTask, said: Sequence[ItemResponse]) -> dict[str, float | None]:
    scores = [score(entry, responses) for responses in items_by_draw(said)]
    return {metric.key: mean_sd([values.get(metric.key) for values in scores]).mean for metric in entry.metrics}


_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class RawConditionPair:
    """The responses of one judge in one condition and on raw footage.

    Attributes:
        judge: the judge with its setting.
        raw: responses to n items on raw footage.
        other: responses to the same items in the condition, in the same order.
    """

    judge: str
    condition: str
    raw: Sequence[ItemResponse]
    other: Sequence[ItemResponse]


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """One figure in a condition, compared with raw.

    Attributes:
        n: number of items that count in both.
        raw: over the draws.
        other: over the draws.
        test: the difference, corrected over all rows of the figure.
    """

    judge: str
    condition: str
    metric: str
    name: str
    share: bool
    n: int
    raw: DrawSpread
    other: DrawSpread
    test: ConditionComparison

    @property
    def sentence(self) -> str:
        """The conclusion in a sentence; it says that there is no difference only if equivalence is shown."""
        return describe_condition(self)


def condition_rows(
    entry: BenchmarkTask, pairs: Sequence[RawConditionPair], margin: float = EQUIVALENCE_MARGIN
) -> tuple[ConditionRow, ...]:
    """Compare conditions with raw; each figure is a family of tests over all judges and conditions."""
    found: list[ConditionRow] = []
    scored = [
        [[score(entry, responses) for responses in items_by_draw(side)] for side in (pair.raw, pair.other)]
        for pair in pairs
    ]
    for metric in entry.metrics:
        if not metric.share:
            continue
        raw = [[values.get(metric.key) for values in sides[0]] for sides in scored]
        other = [[values.get(metric.key) for values in sides[1]] for sides in scored]
        tests = correct_family({at: compare_with_raw(raw[at], other[at], margin) for at in range(len(pairs))})
        found += [
            ConditionRow(
                *(pair.judge, pair.condition, metric.key, metric.name, metric.share, len(pair.raw)),
                *(mean_sd(raw[at]), mean_sd(other[at]), tests[at]),
            )
            for at, pair in enumerate(pairs)
        ]
    return tuple(found)


def describe_condition(row: ConditionRow) -> str:
    """Return the conclusion about a condition in a sentence."""
    against_raw = row.test
    about = f"{row.name} of {row.judge} under {row.condition}"
    if against_raw.difference is None:
        return f"{about}: no draw has a value both there and raw, so nothing can be said."
    if against_raw.reason == NO_VARIANCE and not against_raw.difference:
        return f"{about} is the same as raw in every draw, so there is nothing to test."
    if against_raw.reason:
        return f"{about}: {_difference_text(against_raw.difference)}. {against_raw.reason}"
    within = f"within {_PERCENT * against_raw.margin:.0f} points"
    p, same = against_raw.t_p_holm, against_raw.equivalence_p_holm
    match against_raw.conclusion:
        case EquivalenceConclusion.DIFFERENT:
            return f"{about} differs from raw: {_difference_text(against_raw.difference)} (corrected p {_p_text(p)})."
        case EquivalenceConclusion.EQUIVALENT:
            return f"{about}: no difference from raw, {within} (equivalence p {_p_text(same)})."
        case EquivalenceConclusion.DIFFERENT_WITHIN_MARGIN:
            return (
                f"{about} differs from raw, but {within}: {_difference_text(against_raw.difference)} "
                f"(corrected p {_p_text(p)})."
            )
        case EquivalenceConclusion.OPEN:
            return (
                f"{about}: {_difference_text(against_raw.difference)}; these draws show neither a difference "
                f"(corrected p {_p_text(p)}) nor its absence {within} (p {_p_text(same)})."
            )


def _difference_text(difference: float) -> str:
    points = _PERCENT * difference
    if round(points, 1) == 0:
        return "as high as raw"
    return f"{abs(points):.1f} points {'higher' if points > 0 else 'lower'} than raw"


def _p_text(value: float | None) -> str:
    if value is None:
        return "= none"
    return "< .001" if value < 0.001 else "= " + (f"{value:.3f}".lstrip("0") if value < 1 else "1")
