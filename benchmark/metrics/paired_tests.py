"""Paired tests of judges and conditions: McNemar's test, equivalence with raw footage, and Holm's correction.

The comparison with raw footage follows SHREC, appendix I.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np

from annotate.agreement.figure_intervals import Floats

EXACT_BELOW = 25


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of two judges on the same items.

    Attributes:
        first_only: items that only the first got right.
        second_only: items that only the second got right.
        p: of a difference at least as large by chance; None without items.
        exact: p is of the binomial distribution; else of chi squared, with continuity correction.
    """

    first_only: int
    second_only: int
    p: float | None
    exact: bool


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Compare which of n items two judges got right; refused and unparsed answers are wrong.

    Each item counts once; pass an item of several draws only once. If neither judge was right alone, p is 1.

    Source: McNemar (1947); the exact test below `EXACT_BELOW` items that the judges differ in (Edwards 1948).
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} items of the first, {len(second)} of the second")
    array, other = np.array(first, bool), np.array(second, bool)
    first_only, second_only = int((array & ~other).sum()), int((~array & other).sum())
    exact = first_only + second_only < EXACT_BELOW
    if not len(array):
        return McNemar(0, 0, None, exact)
    return McNemar(first_only, second_only, _discordance_p(first_only, second_only, exact), exact)


def _discordance_p(first_only: int, second_only: int, exact: bool) -> float:
    from scipy.stats import binomtest, chi2

    differing = first_only + second_only
    if not differing:
        return 1.0
    if exact:
        return float(binomtest(first_only, differing).pvalue)
    return float(chi2.sf((abs(first_only - second_only) - 1) ** 2 / differing, 1))


Name = TypeVar("Name", bound=Hashable)


def holm(p: Mapping[Name, float | None]) -> dict[Name, float | None]:
    """Return p values corrected for the family-wise error rate.

    Tests without a p value are ignored.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    known = sorted(((value, name) for name, value in p.items() if value is not None), key=lambda pair: pair[0])
    adjusted: dict[Name, float | None] = dict.fromkeys(p)
    largest = 0.0
    for rank, (value, name) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * value))
        adjusted[name] = largest
    return adjusted


Condition = TypeVar("Condition", bound=Hashable)

EQUIVALENCE_MARGIN = 0.1
"""One and a half of 15 items, the size of a draw."""
SIGNIFICANCE_LEVEL = 0.05
TOO_FEW = "A test needs two draws at least that have a value under both conditions."
NO_VARIANCE = "The conditions differ by one and the same in every draw, so no test can say how far that is chance."
_MAX_T = 1e3
"""Beyond it, noncentral t of scipy is wrong, and takes minutes."""
_DIGITS = 12


class EquivalenceConclusion(StrEnum):
    """What the draws show."""

    DIFFERENT = "different"
    EQUIVALENT = "equivalent"
    DIFFERENT_WITHIN_MARGIN = "different_within_margin"
    """There is a difference, and it is smaller than the margin."""
    OPEN = "open"
    """Neither a difference nor its absence is shown."""


@dataclass(frozen=True, slots=True)
class ConditionComparison:
    """A condition compared with the raw footage; test results are None if `reason` says why.

    Attributes:
        n: pairs of draws.
        difference: mean of the condition less that of raw.
        low: lower end of the 95 % interval of the difference.
        t: of the paired t-test, that many standard errors from 0.
        t_p: two-sided.
        t_p_holm: corrected over the family.
        wilcoxon_p: of the signed ranks, two-sided; None where all differences are 0.
        wilcoxon_p_holm: corrected over the family.
        effect: Cohen's d_z, the mean difference over the standard deviation of differences.
        effect_low: lower end of its 95 % interval.
        margin: within which both count as equivalent.
        equivalence_p: of two one-sided t-tests against the margin.
        equivalence_p_holm: corrected over the family.
        reason: why there are no tests; "" otherwise.
    """

    n: int
    difference: float | None
    margin: float
    low: float | None = None
    high: float | None = None
    t: float | None = None
    t_p: float | None = None
    t_p_holm: float | None = None
    wilcoxon_p: float | None = None
    wilcoxon_p_holm: float | None = None
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None
    equivalence_p: float | None = None
    equivalence_p_holm: float | None = None
    reason: str = ""

    @property
    def conclusion(self) -> EquivalenceConclusion:
        """The conclusion of the t-tests, with corrected p values if there are any."""
        differ = self.t_p if self.t_p_holm is None else self.t_p_holm
        same = self.equivalence_p if self.equivalence_p_holm is None else self.equivalence_p_holm
        if same is not None and same < SIGNIFICANCE_LEVEL:
            different = differ is not None and differ < SIGNIFICANCE_LEVEL
            return EquivalenceConclusion.DIFFERENT_WITHIN_MARGIN if different else EquivalenceConclusion.EQUIVALENT
        return (
            EquivalenceConclusion.DIFFERENT
            if differ is not None and differ < SIGNIFICANCE_LEVEL
            else EquivalenceConclusion.OPEN
        )


def compare_with_raw(
    raw: Sequence[float | None], other: Sequence[float | None], margin: float = EQUIVALENCE_MARGIN
) -> ConditionComparison:
    """Compare one condition with raw.

    Args:
        raw: value of each draw on the raw footage; None where undefined.
        other: value of the same draws under the condition.
        margin: the largest difference that counts as equivalent, in units of the metric.
    """
    if len(raw) != len(other):
        raise ValueError(f"{len(raw)} draws raw, {len(other)} of the condition")
    if margin <= 0:
        raise ValueError(f"a margin of {margin}")
    both = [(value, after) for value, after in zip(raw, other, strict=True) if value is not None and after is not None]
    apart = np.round([after - value for value, after in both], _DIGITS)
    n = len(apart)
    difference = float(apart.mean()) if n else None
    if n < 2 or not np.ptp(apart):
        return ConditionComparison(n, difference, margin, reason=TOO_FEW if n < 2 else NO_VARIANCE)
    from scipy.stats import ttest_1samp

    tested = ttest_1samp(apart, 0.0)
    low, high = tested.confidence_interval()
    effect, effect_low, effect_high = effect_size(apart)
    return ConditionComparison(
        n,
        difference,
        margin,
        float(low),
        float(high),
        float(tested.statistic),
        float(tested.pvalue),
        wilcoxon_p=_wilcoxon(apart),
        effect=effect,
        effect_low=effect_low,
        effect_high=effect_high,
        equivalence_p=_equivalence_p(apart, margin),
    )


def _equivalence_p(apart: Floats, margin: float) -> float:
    """Return the larger p of two one-sided t-tests against the margins (TOST, Schuirmann 1987)."""
    from scipy.stats import ttest_1samp

    above = ttest_1samp(apart, -margin, alternative="greater")
    below = ttest_1samp(apart, margin, alternative="less")
    return float(max(above.pvalue, below.pvalue))


def correct_family(found: Mapping[Condition, ConditionComparison]) -> dict[Condition, ConditionComparison]:
    """Correct a family, such as all conditions of all judges; each kind of test is a family of its own (Holm)."""
    t = holm({name: against_raw.t_p for name, against_raw in found.items()})
    ranks = holm({name: against_raw.wilcoxon_p for name, against_raw in found.items()})
    same = holm({name: against_raw.equivalence_p for name, against_raw in found.items()})
    return {
        name: replace(against_raw, t_p_holm=t[name], wilcoxon_p_holm=ranks[name], equivalence_p_holm=same[name])
        for name, against_raw in found.items()
    }


def effect_size(apart: Floats) -> tuple[float, float | None, float | None]:
    """Return Cohen's d_z of (n,) differences that vary, n at least 2, and its 95 % interval.

    d_z times the root of n is distributed as noncentral t with n - 1 degrees of freedom; the interval holds those
    noncentralities under which the observed value is not in the outer 2.5 % of either side.

    Source: Steiger and Fouladi (1997), Noncentrality interval estimation; Lakens (2013), Calculating and reporting
    effect sizes.
    """
    n = len(apart)
    effect, root = float(apart.mean() / apart.std(ddof=1)), float(np.sqrt(n))
    low, high = (
        _noncentrality(n - 1, share, effect * root) for share in (1 - SIGNIFICANCE_LEVEL / 2, SIGNIFICANCE_LEVEL / 2)
    )
    return effect, low and low / root, high and high / root


def _noncentrality(df: int, share: float, t: float) -> float | None:
    """Return the noncentrality under which a share of noncentral t is below t; None if the numbers are too large."""
    from scipy.optimize import brentq
    from scipy.special import nctdtr, nctdtrinc

    if abs(t) > _MAX_T:
        return None
    near = float(nctdtrinc(df, share, t))  # right to some 1e-7 of its size
    for width in (1e-4, 1e-2, 1.0):
        ends = [near + sign * width * (1 + abs(near)) for sign in (-1, 1)]
        below = [float(nctdtr(df, end, t)) - share for end in ends]
        if below[0] > 0 > below[1]:
            return float(brentq(lambda nc: nctdtr(df, nc, t) - share, *ends, xtol=1e-13))
    return None


def _wilcoxon(apart: Floats) -> float | None:
    if not apart.any():
        return None
    from scipy.stats import wilcoxon

    return float(wilcoxon(apart).pvalue)
