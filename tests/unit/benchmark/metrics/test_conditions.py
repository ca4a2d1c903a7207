import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import nctdtr
from scipy.stats import nct, ttest_1samp, ttest_rel, wilcoxon
from statsmodels.stats.effect_size import _noncentrality_t
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

from benchmark.metrics.paired_tests import EquivalenceConclusion, compare_with_raw, correct_family, effect_size
from tests.builders.metric_cases import numbers, random_cases

values = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=15)


@random_cases
def test_random_cases_are_those_of_scipy_and_statsmodels(cases: int) -> None:
    for place, (raw, other) in enumerate(numbers(cases)):
        margin = 0.05 + place % 7 / 5
        found, n = compare_with_raw([*raw], [*other], margin), len(raw)
        tested = ttest_rel(other, raw)
        assert found.n == n
        assert found.difference == pytest.approx((other - raw).mean(), abs=1e-9)
        assert (found.t, found.t_p) == pytest.approx((tested.statistic, tested.pvalue), abs=1e-9)
        interval = DescrStatsW(other - raw).tconfint_mean()
        assert (found.low, found.high) == pytest.approx(interval, abs=1e-9)
        assert found.wilcoxon_p == pytest.approx(wilcoxon(other - raw).pvalue, abs=1e-9)
        same = ttost_paired(other, raw, -margin, margin)[0]
        assert found.equivalence_p == pytest.approx(same, abs=1e-9)
        assert found.effect_low is not None
        assert found.effect_high is not None
        root = math.sqrt(n)
        shares = [nctdtr(n - 1, end * root, tested.statistic) for end in (found.effect_high, found.effect_low)]
        assert shares == pytest.approx([0.025, 0.975], abs=1e-9)
        # statsmodels takes the first guess of scipy, which is right to some seven digits.
        guess = _noncentrality_t(tested.statistic, n - 1).confint / root
        assert (found.effect_low, found.effect_high) == pytest.approx(guess, rel=1e-5, abs=1e-5)
        assert found.effect == pytest.approx(tested.statistic / math.sqrt(n), abs=1e-9)


@pytest.mark.parametrize("effect", [-0.8, 0, 0.2, 1.5])
def test_the_interval_of_the_effect_leaves_two_and_a_half_percent_on_either_side(effect: float) -> None:
    apart = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, -1.0, 1.0, 0.3, -0.3, 0.0])
    apart = apart / apart.std(ddof=1) + effect
    found, low, high = effect_size(apart)
    assert found == pytest.approx(effect, abs=1e-12)
    assert low is not None
    assert high is not None
    t, root = effect * math.sqrt(10), math.sqrt(10)
    assert nct.sf(t, 9, low * root) == pytest.approx(0.025, abs=1e-6)
    assert nct.cdf(t, 9, high * root) == pytest.approx(0.025, abs=1e-6)


def test_an_effect_that_is_nearly_the_same_in_every_draw_has_no_interval() -> None:
    """Scipy would look for one for minutes."""
    found, low, high = effect_size(np.array([0.1, 0.1 + 1e-9, 0.1 - 1e-9, 0.1]))
    assert found > 1e7
    assert (low, high) == (None, None)


@given(values)
def test_a_condition_and_raw_are_mirrors(pairs: list[tuple[float, float]]) -> None:
    raw, other = [value for value, _ in pairs], [value for _, value in pairs]
    found, turned = compare_with_raw(raw, other), compare_with_raw(other, raw)
    assert found.difference == pytest.approx(-(turned.difference or 0), abs=1e-9)
    assert found.reason == turned.reason
    assert found.conclusion == turned.conclusion
    for name in ("t_p", "wilcoxon_p", "equivalence_p"):
        one, again = getattr(found, name), getattr(turned, name)
        assert one == (None if again is None else pytest.approx(again, abs=1e-6))


@given(values, st.floats(0.01, 0.2), st.floats(1.1, 3))
def test_a_wider_margin_never_makes_equivalence_harder_to_show(
    pairs: list[tuple[float, float]], margin: float, more: float
) -> None:
    raw, other = [value for value, _ in pairs], [value for _, value in pairs]
    narrow, wide = (compare_with_raw(raw, other, value).equivalence_p for value in (margin, margin * more))
    assert (narrow is None) == (wide is None)
    assert narrow is None or wide is None or wide <= narrow + 1e-12


RAW = [0.46, 0.38, 0.55, 0.41, 0.50, 0.39, 0.52, 0.47, 0.44, 0.49]


def shifted(by: float, noise: float) -> list[float]:
    return [value + by + noise * (-1) ** place for place, value in enumerate(RAW)]


@pytest.mark.parametrize(
    ("other", "conclusion"),
    [
        (shifted(0.01, 0.02), EquivalenceConclusion.EQUIVALENT),
        (shifted(0.05, 0.01), EquivalenceConclusion.DIFFERENT_WITHIN_MARGIN),
        (shifted(-0.3, 0.02), EquivalenceConclusion.DIFFERENT),
        (shifted(0.0, 0.3), EquivalenceConclusion.OPEN),
        (RAW, EquivalenceConclusion.OPEN),
    ],
)
def test_no_difference_is_said_only_where_the_draws_can_show_it(
    other: list[float], conclusion: EquivalenceConclusion
) -> None:
    assert compare_with_raw(RAW, other).conclusion is conclusion


def test_a_family_is_corrected_test_by_test() -> None:
    others = {"diffusion": shifted(-0.03, 0.05), "deepfake": shifted(0.05, 0.08), "cartoon": shifted(0.04, 0.04)}
    found = correct_family({name: compare_with_raw(RAW, one) for name, one in others.items()})
    for plain, holm in (("t_p", "t_p_holm"), ("wilcoxon_p", "wilcoxon_p_holm"), ("equivalence_p",) * 2):
        p = [getattr(compare_with_raw(RAW, one), plain) for one in others.values()]
        suffix = holm if holm.endswith("holm") else f"{holm}_holm"
        expected = multipletests(p, method="holm")[1]
        assert [getattr(against_raw, suffix) for against_raw in found.values()] == pytest.approx([*expected], abs=1e-9)


def test_conditions_without_tests_take_no_part_in_the_family() -> None:
    found = correct_family({"copy": compare_with_raw(RAW, RAW), "deepfake": compare_with_raw(RAW, shifted(0.05, 0.08))})
    assert found["copy"].t_p_holm is None
    assert found["deepfake"].t_p_holm == found["deepfake"].t_p


@pytest.mark.parametrize("by", [0.0, 0.1])
def test_the_same_difference_in_every_draw_says_so_and_tests_nothing(by: float) -> None:
    found = compare_with_raw(RAW, [value + by for value in RAW])
    assert found.difference == pytest.approx(by)
    assert found.t_p is found.wilcoxon_p is found.effect is found.equivalence_p is None
    assert "every draw" in found.reason


@pytest.mark.parametrize("draws", [0, 1])
def test_fewer_than_two_draws_say_so(draws: int) -> None:
    found = compare_with_raw(RAW[:draws], shifted(0.1, 0.1)[:draws])
    assert found.n == draws
    assert found.difference == (pytest.approx(0.2) if draws else None)
    assert "two draws" in found.reason


def test_draws_without_a_value_are_left_out_in_pairs() -> None:
    other = shifted(0.05, 0.08)
    found = compare_with_raw([None, *RAW[1:]], [*other[:-1], None])
    assert found == compare_with_raw(RAW[1:-1], other[1:-1])
    assert compare_with_raw([None, None], [0.1, 0.2]).n == 0
    assert ttest_1samp(np.subtract(other, RAW)[1:-1], 0).pvalue == pytest.approx(found.t_p)


def test_what_cannot_be_compared_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="10 draws raw, 1 of the condition"):
        compare_with_raw(RAW, [0.5])
    with pytest.raises(ValueError, match="margin"):
        compare_with_raw(RAW, RAW, margin=0)
