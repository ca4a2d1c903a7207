import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr
from sklearn.metrics import mean_absolute_error
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from annotate.agreement.coefficients import assign_bins, count_coincidences, nominal_alpha
from benchmark.metrics.ratings import answered_pairs, mae, pairwise_agreement, pearson, pearson_p, randolph_kappa
from tests.builders.metric_cases import numbers, random_cases

points = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=30)


@random_cases
def test_random_cases_are_those_of_scipy_and_scikit_learn(cases: int) -> None:
    for first, second in numbers(cases):
        found = pearsonr(first, second)
        assert pearson([*first], [*second]) == pytest.approx(found.statistic, abs=1e-9)
        assert pearson_p([*first], [*second]) == pytest.approx(found.pvalue, abs=1e-9)
        assert mae([*first], [*second]) == pytest.approx(mean_absolute_error(first, second), abs=1e-9)


@random_cases
def test_random_cases_are_those_of_statsmodels(cases: int) -> None:
    chance = np.random.default_rng(0)
    for _ in range(cases):
        raters, bins = int(chance.integers(2, 6)), int(chance.integers(2, 12))
        rated = chance.integers(-5, 6, (int(chance.integers(1, 30)), raters)).astype(float)
        table, _ = aggregate_raters(assign_bins(rated, -5, 5, bins), n_cat=bins)
        ours = randolph_kappa(rated.tolist(), -5, 5, bins)
        assert ours == pytest.approx(fleiss_kappa(table, method="randolph"), abs=1e-9)


@random_cases
def test_random_cases_are_those_of_krippendorff(cases: int) -> None:
    """Randolph's kappa and alpha rest on the same pairs: with as many values a unit, agreement is one number."""
    chance = np.random.default_rng(1)
    for _ in range(cases):
        units, bins = int(chance.integers(2, 30)), int(chance.integers(2, 6))
        rated = chance.integers(0, bins, (units, 2))
        if len(np.unique(rated)) < 2:
            continue
        expected = krippendorff.alpha(rated.T, level_of_measurement="nominal", value_domain=[*range(bins)])
        pairs = count_coincidences(rated.T, np.zeros(units, np.int64), bins, 1)
        assert nominal_alpha(pairs)[0] == pytest.approx(expected, abs=1e-9)
        agreed = pairwise_agreement(rated.tolist(), within=0)
        assert agreed is not None
        often = np.bincount(rated.ravel(), minlength=bins)
        by_chance = 1 - (often * (often - 1)).sum() / (2 * units * (2 * units - 1))
        assert 1 - (1 - agreed) / by_chance == pytest.approx(expected, abs=1e-9)


@given(points, st.floats(0.1, 10), st.floats(-100, 100))
def test_r_knows_no_units_and_no_order(pairs: list[tuple[int, int]], width: float, shift: float) -> None:
    first, second = [float(number) for number, _ in pairs], [float(other) for _, other in pairs]
    found = pearson(first, second)
    moved = pearson([*reversed(first)], [width * value + shift for value in reversed(second)])
    assert moved == (None if found is None else pytest.approx(found, abs=1e-6))
    turned = pearson(first, [-value for value in second])
    assert turned == (None if found is None else pytest.approx(-found, abs=1e-9))


@given(points)
def test_who_says_what_is_true_has_r_1_or_none(pairs: list[tuple[int, int]]) -> None:
    truth = [float(number) for number, _ in pairs]
    assert pearson(truth, truth) == (pytest.approx(1) if len({*truth}) > 1 else None)
    assert mae(truth, truth) == 0


def test_without_variance_r_is_undefined() -> None:
    assert pearson([0.1, 0.1, 0.1], [1, 2, 3]) is None
    assert pearson_p([0.1, 0.1, 0.1], [1, 2, 3]) is None
    assert pearson([1], [1]) is None
    assert pearson([], []) is None
    assert pearson([1, 2], [5, 5]) is None


def test_two_pairs_have_an_r_and_no_p() -> None:
    assert pearson([1, 2], [3, 7]) == pytest.approx(1)
    assert pearson_p([1, 2], [3, 7]) is None


def test_a_perfect_r_has_a_p_of_nothing() -> None:
    assert pearson_p([1, 2, 3, 4], [2, 4, 6, 8]) == pytest.approx(0, abs=1e-9)


def test_what_was_refused_is_left_out() -> None:
    truth, said = [1.0, 5, 9, 3], [2.0, None, 10, 4]
    assert pearson(truth, said) == pytest.approx(1)
    assert mae(truth, said) == 1
    assert [answered_pair.tolist() for answered_pair in answered_pairs(truth, said)] == [[1, 9, 3], [2, 10, 4]]
    assert pearson(truth, [None] * 4) is None
    assert mae(truth, [None] * 4) is None
    with pytest.raises(ValueError, match="4 truths, 1 answers"):
        mae(truth, [1])


def test_kappa_written_out() -> None:
    """Four of five pairs in the same of five bins: (4/5 - 1/5) / (4/5)."""
    rated = [[0, 1], [4, 5], [10, 9], [2, 3], [0, 10]]
    assert randolph_kappa(rated, 0, 10) == pytest.approx(0.75)
    assert randolph_kappa([[0, 1, 10]], 0, 10) == pytest.approx((1 / 3 - 1 / 5) / (4 / 5))


def test_agreement_of_two_points_apart() -> None:
    assert pairwise_agreement([[0, 2], [0, 3], [7]]) == 0.5
    assert pairwise_agreement([[0, 2, 4]]) == pytest.approx(2 / 3)


def test_what_nobody_rated_twice_has_no_agreement() -> None:
    assert randolph_kappa([[1], []], 0, 10) is None
    assert randolph_kappa([], 0, 10) is None
    assert randolph_kappa([[1, 1]], 0, 10, bins=1) is None
    assert pairwise_agreement([[1], []]) is None
    assert pairwise_agreement([]) is None


@given(st.lists(st.lists(st.integers(0, 10), max_size=4), max_size=10))
def test_kappa_lies_between_its_ends(rated: list[list[int]]) -> None:
    found = randolph_kappa(rated, 0, 10)
    assert found is None or -0.25 - 1e-12 <= found <= 1
