import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2
from statsmodels.stats.contingency_tables import mcnemar as reference
from statsmodels.stats.multitest import multipletests

from benchmark.metrics.paired_tests import holm, mcnemar
from tests.builders.metric_cases import random_cases

rights = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=80)


@random_cases
def test_random_cases_are_those_of_statsmodels_and_of_scipy(cases: int) -> None:
    chance = np.random.default_rng(0)
    exact = 0
    for _ in range(cases):
        size = int(chance.integers(1, 200))
        one, other = (chance.random(size) < share for share in chance.random(2))
        table = [[(one & other).sum(), (one & ~other).sum()], [(~one & other).sum(), (~one & ~other).sum()]]
        alone, beside = table[0][1], table[1][0]
        found = mcnemar([*one], [*other])
        assert (found.first_only, found.second_only) == (alone, beside)
        exact += found.exact
        assert found.p == pytest.approx(reference(table, exact=found.exact).pvalue, abs=1e-9)
        if not found.exact:
            assert found.p == pytest.approx(chi2.sf((abs(alone - beside) - 1) ** 2 / (alone + beside), 1), abs=1e-9)
        elif alone + beside:
            assert found.p == pytest.approx(binomtest(min(alone, beside), alone + beside).pvalue, abs=1e-9)
    assert 0.1 < exact / cases < 0.9


@given(rights)
def test_it_does_not_matter_who_is_first_nor_what_both_got_right(pairs: list[tuple[bool, bool]]) -> None:
    one, other = [first for first, _ in pairs], [second for _, second in pairs]
    found, turned = mcnemar(one, other), mcnemar(other, one)
    assert found.p == turned.p
    assert found.p == mcnemar([*one, True, False], [*other, True, False]).p


def test_judges_that_are_right_about_the_same_items_do_not_differ() -> None:
    found = mcnemar([True, False, True], [True, False, True])
    assert (found.p, found.exact) == (1, True)
    assert mcnemar([], []).p is None
    assert mcnemar([True], [False]).p == 1
    with pytest.raises(ValueError, match="1 items of the first, 2 of the second"):
        mcnemar([True], [False, True])


def test_twenty_five_items_in_which_they_differ_are_many() -> None:
    one = [True] * 25
    assert mcnemar(one[1:], [False] * 24).exact
    assert not mcnemar(one, [False] * 25).exact


@random_cases
def test_random_families_are_those_of_statsmodels(cases: int) -> None:
    chance = np.random.default_rng(0)
    for _ in range(cases):
        p = chance.random(int(chance.integers(1, 12))) ** 3
        expected = multipletests(p, method="holm")[1]
        assert [*holm(dict(enumerate(p))).values()] == pytest.approx([*expected], abs=1e-9)


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_holm_written_out(p: dict[str, float | None]) -> None:
    """The smallest times how many there are, the next times one less, never falling and never above 1."""
    known = sorted((value, name) for name, value in p.items() if value is not None)
    expected: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0
    for place, (value, name) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - place)))
        expected[name] = highest
    found = holm(p)
    assert [*found] == [*p]
    for name, value in expected.items():
        assert found[name] == (None if value is None else pytest.approx(value, abs=1e-12))
