"""How judges do under each condition, against raw footage, and what may be said about that (SHREC, appendix I)."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.metrics.conditions import MARGIN, NO_VARIANCE, AgainstRaw, Conclusion, against_raw, corrected
from benchmark.metrics.spread import Spread, mean_sd
from benchmark.results.measuring import draws_of
from benchmark.suite.base import Entry, Said
from project.types import Json

_HUNDRED = 100.0


@dataclass(frozen=True, slots=True)
class Pair:
    """One judge under one condition, and the same judge on raw footage.

    Attributes:
        who: the judge, and how it was asked.
        raw: what was said on raw footage about n items.
        other: what was said under the condition about the same items, in the same order.
    """

    who: str
    condition: str
    raw: Sequence[Said]
    other: Sequence[Said]


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """What one figure comes to under a condition.

    Attributes:
        n: items that count in both.
        raw: over the draws.
        other: over the draws.
        tested: the difference, corrected over all rows of the figure.
    """

    who: str
    condition: str
    metric: str
    name: str
    share: bool
    n: int
    raw: Spread
    other: Spread
    tested: AgainstRaw

    @property
    def words(self) -> str:
        """What may be said about it, in a sentence; that there is no difference only where equivalence is shown."""
        return in_words(self)

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        one = self.tested
        return {
            "judge": self.who,
            "condition": self.condition,
            "metric": self.metric,
            "name": self.name,
            "n": self.n,
            "draws": one.n,
            "raw": {"mean": self.raw.mean, "sd": self.raw.sd},
            "mean": self.other.mean,
            "sd": self.other.sd,
            "difference": one.difference,
            "interval": None if one.low is None or one.high is None else [one.low, one.high],
            "t": one.t,
            "t_p": one.t_p,
            "t_p_holm": one.t_p_holm,
            "wilcoxon_p": one.wilcoxon_p,
            "wilcoxon_p_holm": one.wilcoxon_p_holm,
            "effect": one.effect,
            "effect_interval": None
            if one.effect_low is None or one.effect_high is None
            else [one.effect_low, one.effect_high],
            "margin": one.margin,
            "equivalence_p": one.equivalence_p,
            "equivalence_p_holm": one.equivalence_p_holm,
            "conclusion": one.conclusion.value,
            "reason": one.reason,
            "words": self.words,
        }


def condition_rows(entry: Entry, pairs: Sequence[Pair], margin: float = MARGIN) -> tuple[ConditionRow, ...]:
    """Compare conditions with raw; each figure is a family of tests of its own, over all judges and conditions.

    Args:
        entry: the task that was asked.
        pairs: each judge under each condition.
        margin: how far apart still counts as the same; it holds for figures that are shares.
    """
    found: list[ConditionRow] = []
    scored = [[[entry.score(one) for one in draws_of(side)] for side in (pair.raw, pair.other)] for pair in pairs]
    for metric in entry.metrics:
        if not metric.share:
            continue
        raw = [[one.get(metric.key) for one in sides[0]] for sides in scored]
        other = [[one.get(metric.key) for one in sides[1]] for sides in scored]
        tests = corrected({at: against_raw(raw[at], other[at], margin) for at in range(len(pairs))})
        found += [
            ConditionRow(
                *(pair.who, pair.condition, metric.key, metric.name, metric.share, len(pair.raw)),
                *(mean_sd(raw[at]), mean_sd(other[at]), tests[at]),
            )
            for at, pair in enumerate(pairs)
        ]
    return tuple(found)


def in_words(row: ConditionRow) -> str:
    """Say what is shown about a condition, and no more than that."""
    one = row.tested
    about = f"{row.name} of {row.who} under {row.condition}"
    if one.difference is None:
        return f"{about}: no draw has a value both there and raw, so nothing can be said."
    if one.reason == NO_VARIANCE and not one.difference:
        return f"{about} is the same as raw in every draw, so there is nothing to test."
    if one.reason:
        return f"{about}: {_apart(one.difference)}. {one.reason}"
    within = f"within {_HUNDRED * one.margin:.0f} points"
    p, same = one.t_p_holm, one.equivalence_p_holm
    match one.conclusion:
        case Conclusion.DIFFERENT:
            return f"{about} differs from raw: {_apart(one.difference)} (corrected p {_p(p)})."
        case Conclusion.EQUIVALENT:
            return f"{about}: no difference from raw, {within} (equivalence p {_p(same)})."
        case Conclusion.DIFFERENT_WITHIN_MARGIN:
            return f"{about} differs from raw, but {within}: {_apart(one.difference)} (corrected p {_p(p)})."
        case Conclusion.OPEN:
            return (
                f"{about}: {_apart(one.difference)}; these draws show neither a difference (corrected p {_p(p)}) "
                f"nor its absence {within} (p {_p(same)})."
            )


def _apart(difference: float) -> str:
    points = _HUNDRED * difference
    if round(points, 1) == 0:
        return "as high as raw"
    return f"{abs(points):.1f} points {'higher' if points > 0 else 'lower'} than raw"


def _p(value: float | None) -> str:
    if value is None:
        return "= none"
    return "< .001" if value < 0.001 else "= " + (f"{value:.3f}".lstrip("0") if value < 1 else "1")
