"""Whether two runs over the same items differ: in how often they are right, and in each figure."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from benchmark.metrics.comparing import McNemar, mcnemar
from benchmark.metrics.over_draws import Difference, paired_difference
from benchmark.metrics.resampled import intervals
from benchmark.metrics.spread import mean_sd
from benchmark.results.measuring import SAMPLES, draws_of
from benchmark.results.quick import counted
from benchmark.suite.base import Entry, Said
from project.types import Json

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Apart:
    """How far two runs are apart in one figure.

    Attributes:
        first: mean over draws.
        second: mean over draws.
        difference: the first less the second, with interval and p where there are any.
    """

    metric: str
    name: str
    share: bool
    first: float | None
    second: float | None
    difference: Difference

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        one = self.difference
        return {
            "metric": self.metric,
            "name": self.name,
            "first": self.first,
            "second": self.second,
            "difference": one.value,
            "interval": None if one.low is None or one.high is None else [one.low, one.high],
            "p": one.p,
            "n": one.n,
        }


def apart(entry: Entry, first: Sequence[Said], second: Sequence[Said], samples: int = SAMPLES) -> tuple[Apart, ...]:
    """Compare two runs in every figure of their task, by resampling recordings with both.

    Args:
        entry: the task.
        first: what the first said about n items.
        second: what the second said about the same, in the same order.
        samples: of the bootstrap for figures that are no sums over items; 0 for no intervals.
    """
    if not first:
        return ()
    means = [_means(entry, side) for side in (first, second)]
    quick = _quick(entry, first, second) if samples else {}
    slow = _slow(entry, first, second, samples) if samples else {}
    found = []
    for metric in entry.metrics:
        one, other = (side.get(metric.key) for side in means)
        value = None if one is None or other is None else one - other
        tested = quick.get(metric.key)
        if tested is None or tested.value is None or value is None or abs(tested.value - value) > _EQUAL:
            low, high = slow.get(metric.key) or (None, None)
            tested = Difference(value, low, high, None, len(first))
        found.append(Apart(metric.key, metric.name, metric.share, one, other, tested))
    return tuple(found)


def who_is_right(
    first: Sequence[bool | None], second: Sequence[bool | None], same: Sequence[Hashable]
) -> McNemar | None:
    """Compare which items two judges got right; None where right and wrong make no sense.

    Args:
        first: of n items; None where an item is neither right nor wrong.
        second: of the same items.
        same: what tells an item from all others: one that stands in several draws counts once.
    """
    found: dict[Hashable, tuple[bool, bool]] = {}
    for one, other, key in zip(first, second, same, strict=True):
        if one is not None and other is not None:
            found.setdefault(key, (one, other))
    return mcnemar([one for one, _ in found.values()], [other for _, other in found.values()]) if found else None


def _means(entry: Entry, said: Sequence[Said]) -> dict[str, float | None]:
    each = [entry.score(one) for one in draws_of(said)]
    return {metric.key: mean_sd([one.get(metric.key) for one in each]).mean for metric in entry.metrics}


def _quick(entry: Entry, first: Sequence[Said], second: Sequence[Said]) -> dict[str, Difference]:
    one, other = counted(first, entry), counted(second, entry)
    draws, homes = [said.draw for said in first], [said.recording_id for said in first]
    return {key: paired_difference(one[key], other[key], draws, homes) for key in one if key in other}


def _slow(
    entry: Entry, first: Sequence[Said], second: Sequence[Said], samples: int
) -> Mapping[str, tuple[float, float] | None]:
    quick = {*counted(first, entry)} & {*counted(second, entry)}
    if all(metric.key in quick for metric in entry.metrics):
        return {}

    def score(pairs: Sequence[tuple[Said, Said]]) -> dict[str, float | None]:
        one, other = entry.score([pair[0] for pair in pairs]), entry.score([pair[1] for pair in pairs])
        found: dict[str, float | None] = {}
        for metric in entry.metrics:
            mine, theirs = one.get(metric.key), other.get(metric.key)
            found[metric.key] = None if mine is None or theirs is None else mine - theirs
        return found

    pairs = list(zip(first, second, strict=True))
    return intervals(score, pairs, [one.draw for one in first], [one.recording_id for one in first], samples)
