import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.paired_tests import (
    EquivalenceConclusion,
    compare_with_raw,
    correct_family,
    effect_size,
    holm,
    mcnemar,
)

RAW = [0.46, 0.38, 0.55, 0.41, 0.50, 0.39, 0.52, 0.47, 0.44, 0.49]


def shifted(by: float, noise: float) -> list[float]:
    return [value + by + noise * (-1) ** place for place, value in enumerate(RAW)]


def test_judges_that_are_right_about_the_same_items_do_not_differ_and_25_in_which_they_do_are_many() -> None:
    tested = mcnemar([True, False, True], [True, False, True])
    assert (tested.p, tested.exact) == (1, True)
    assert mcnemar([], []).p is None
    assert mcnemar([True], [False]).p == 1
    with pytest.raises(ValueError, match="1 items of the first, 2 of the second"):
        mcnemar([True], [False, True])
    assert mcnemar([True] * 24, [False] * 24).exact
    assert not mcnemar([True] * 25, [False] * 25).exact


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_holm_written_out(p: dict[str, float | None]) -> None:
    """The smallest times how many there are, the next times one less, never falling and never above 1."""
    known = sorted((value, name) for name, value in p.items() if value is not None)
    expected: dict[str, float | None] = dict.fromkeys(p)
    highest = 0.0
    for place, (value, name) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - place)))
        expected[name] = highest
    corrected = holm(p)
    assert [*corrected] == [*p]
    for name, value in expected.items():
        assert corrected[name] == (None if value is None else pytest.approx(value, abs=1e-12))


def test_an_effect_that_is_nearly_the_same_in_every_draw_has_no_interval() -> None:
    """Scipy would look for one for minutes."""
    value, low, high = effect_size(np.array([0.1, 0.1 + 1e-9, 0.1 - 1e-9, 0.1]))
    assert value > 1e7
    assert (low, high) == (None, None)


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


def test_conditions_without_tests_and_draws_without_a_value_are_left_out() -> None:
    family = correct_family({"copy": compare_with_raw(RAW, RAW), "cartoon": compare_with_raw(RAW, shifted(0.05, 0.08))})
    assert family["copy"].t_p_holm is None
    assert family["cartoon"].t_p_holm == family["cartoon"].t_p
    other = shifted(0.05, 0.08)
    compared = compare_with_raw([None, *RAW[1:]], [*other[:-1], None])
    assert compared == compare_with_raw(RAW[1:-1], other[1:-1])
    assert compared.n == 8
    assert compare_with_raw([None, None], [0.1, 0.2]).n == 0
    with pytest.raises(ValueError, match="10 draws raw, 1 of the condition"):
        compare_with_raw(RAW, [0.5])
    with pytest.raises(ValueError, match="margin"):
        compare_with_raw(RAW, RAW, margin=0)


def test_the_same_difference_in_every_draw_and_too_few_draws_say_so_and_test_nothing() -> None:
    for by in (0.0, 0.1):
        compared = compare_with_raw(RAW, [value + by for value in RAW])
        assert compared.difference == pytest.approx(by)
        assert compared.t_p is compared.wilcoxon_p is compared.effect is compared.equivalence_p is None
        assert "every draw" in compared.reason
    for count, difference in ((0, None), (1, pytest.approx(0.2))):
        compared = compare_with_raw(RAW[:count], shifted(0.1, 0.1)[:count])
        assert (compared.n, compared.difference) == (count, difference)
        assert "two draws" in compared.reason
