import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from annotate.agreement.agreement_report import AgreementReport, compute_report
from annotate.agreement.annotation_arrays import Options
from annotate.agreement.coefficients import (
    assign_bins,
    confusion_tables,
    free_marginal_kappa,
    moments,
    pearson,
    quadratic_kappa,
)
from tests.builders.marks import Mark, material, with_ratings

numbers = st.lists(st.integers(0, 10), min_size=2, max_size=30)


@given(st.data(), st.integers(2, 11))
def test_randolph_is_that_of_statsmodels(data: st.DataObject, bins: int) -> None:
    first = data.draw(numbers)
    second = data.draw(st.lists(st.integers(0, 10), min_size=len(first), max_size=len(first)))
    array, other = (assign_bins(np.array(side, float), 0, 10, bins) for side in (first, second))
    table, _ = aggregate_raters(np.stack([array, other], axis=1), n_cat=bins)
    ours = free_marginal_kappa(np.array((array == other).sum()), np.array(len(array)), bins)
    np.testing.assert_allclose(ours, fleiss_kappa(table, method="randolph"), atol=1e-9)


def test_bins_are_of_one_width_and_the_maximum_is_in_the_last() -> None:
    assert assign_bins(np.array([0.0, 1.9, 2, 9.9, 10]), 0, 10, 5).tolist() == [0, 0, 1, 4, 4]
    assert assign_bins(np.array([-5.0, 0, 5]), -5, 5, 2).tolist() == [0, 1, 1]


@given(st.data())
def test_weighted_kappa_is_that_of_scikit_learn(data: st.DataObject) -> None:
    first = data.draw(numbers)
    second = data.draw(st.lists(st.integers(0, 10), min_size=len(first), max_size=len(first)))
    assume(len({*first, *second}) > 1)
    codes, ones = (np.array(first), np.array(second)), np.ones(len(first), np.int64)
    (ours,) = quadratic_kappa(confusion_tables(*codes, ones, np.zeros_like(ones), 11, 1))
    theirs = cohen_kappa_score(*codes, labels=range(11), weights="quadratic")
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@given(st.data())
def test_pearson_is_that_of_scipy(data: st.DataObject) -> None:
    first = data.draw(numbers)
    second = data.draw(st.lists(st.integers(0, 10), min_size=len(first), max_size=len(first)))
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    x, y = np.array(first, float), np.array(second, float)
    ours = pearson(moments(x, y, np.zeros(len(x), np.int64), 1).sum(0))
    np.testing.assert_allclose(ours, pearsonr(x, y).statistic, atol=1e-9)


def test_pearson_of_a_side_that_never_varies_is_undefined() -> None:
    x, y = np.array([7.0, 7, 7]), np.array([1.0, 2, 3])
    assert np.isnan(pearson(moments(x, y, np.zeros(3, np.int64), 1).sum(0)))


def report(first: list[float], second: list[float], maximum: float = 10) -> AgreementReport:
    marks: list[Mark] = [(r, "A", "error", 0, 60) for r in range(len(first))]
    marks += [(r, "B", "error", 0, 60) for r in range(len(second))]
    found = with_ratings(material(marks, recordings=len(first)), "goal", [*first, *second], 0, maximum)
    return compute_report(found, Options(samples=50, bins=5), {})


def test_ratings_of_a_whole_recording_written_out() -> None:
    """Four episodes: 0, 4, 6, 10 against 0, 4, 8, 10. Three of four in the same of five bins: (3/4 - 1/5) / (4/5)."""
    (field,) = report([0, 4, 6, 10], [0, 4, 8, 10]).fields
    figures = field.figures
    assert figures["randolph_kappa"].value == pytest.approx(0.6875)
    assert figures["randolph_kappa"].more == {"bins": 5}
    assert figures["pearson_r"].value == pytest.approx(np.corrcoef([0, 4, 6, 10], [0, 4, 8, 10])[0, 1])
    assert figures["mean_difference"].value == pytest.approx(0.5)
    assert {figure.n for figure in figures.values()} == {4}


def test_kappa_with_weights_knows_that_9_and_10_are_near_and_0_is_far() -> None:
    near = report([0, 9, 10, 9], [0, 10, 9, 10]).fields[0].figures["weighted_kappa"]
    far = report([0, 9, 10, 0], [0, 10, 9, 10]).fields[0].figures["weighted_kappa"]
    assert near.value is not None
    assert far.value is not None
    assert near.value > 0.95 > far.value


def test_no_variance_gives_reasons_and_not_a_number() -> None:
    """Everybody rates 0: kappa of free margins is 1, the rest is undefined."""
    figures = report([0, 0, 0], [0, 0, 0]).fields[0].figures
    assert figures["randolph_kappa"].value == 1
    for key in ("alpha_ordinal", "alpha_interval", "pearson_r", "weighted_kappa"):
        assert figures[key].value is None
        assert figures[key].reason.endswith(".")
        assert figures[key].n == 3


def test_a_rating_that_one_side_left_out_counts_nowhere() -> None:
    figures = report([0, 4, float("nan"), 10], [0, 4, 8, 10]).fields[0].figures
    assert {figure.n for figure in figures.values()} == {3}
