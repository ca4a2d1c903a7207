"""Figures of random answers against those of scikit-learn, scipy, statsmodels and krippendorff."""

import math

import numpy as np
import pytest

from annotate.agreement.coefficients import assign_bins, confusion_tables, quadratic_kappa
from benchmark.metrics.classification import (
    accuracy,
    confusion,
    exact_match,
    f1_by_label,
    macro_f1,
    macro_f1_multilabel,
    multilabel_f1_by_label,
    partial_match,
)
from benchmark.metrics.item_sums import share_of_items
from benchmark.metrics.paired_tests import compare_with_raw, correct_family, holm, mcnemar
from benchmark.metrics.ratings import calibration, mae, pearson, randolph_kappa
from benchmark.metrics.resampling import mean_over_draws, mean_sd
from tests.builders.metric_cases import labelled_answers, number_series, random_cases, set_answers


@random_cases
def test_metrics_of_labels_are_those_of_scikit_learn(cases: int) -> None:
    """Answers that are none stand as a word that is no label."""
    from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

    for truth, said, labels in labelled_answers(cases):
        words = [answer or "(unparsed)" for answer in said]
        assert accuracy(truth, said).value == pytest.approx(accuracy_score(truth, words), abs=1e-9)
        expected = f1_score(truth, words, labels=labels, average="macro", zero_division=0)
        assert macro_f1(truth, said, labels).value == pytest.approx(expected, abs=1e-9)
        each = f1_score(truth, words, labels=labels, average=None, zero_division=np.nan)
        ours = [np.nan if value is None else value for value in f1_by_label(truth, said, labels).values()]
        np.testing.assert_allclose(ours, each, atol=1e-9)
        table = confusion_matrix(truth, words, labels=[*labels, "(unparsed)"])
        assert (confusion(truth, said, labels) == table[: len(labels)]).all()


@random_cases
def test_metrics_of_sets_of_labels_are_those_of_scikit_learn(cases: int) -> None:
    """What could not be read has a column of its own: else an empty answer would be the same."""
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.preprocessing import MultiLabelBinarizer

    for truth, said, labels in set_answers(cases):
        binarizer = MultiLabelBinarizer(classes=[*labels, "(unparsed)"])
        true = binarizer.fit_transform(truth)
        given = binarizer.transform([["(unparsed)"] if answer is None else answer for answer in said])
        assert exact_match(truth, said).value == pytest.approx(accuracy_score(true, given), abs=1e-9)
        columns = [*range(len(labels))]
        expected = f1_score(true, given, labels=columns, average="macro", zero_division=0)
        assert macro_f1_multilabel(truth, said, labels).value == pytest.approx(expected, abs=1e-9)
        each = f1_score(true, given, labels=columns, average=None, zero_division=np.nan)
        ours = [np.nan if value is None else value for value in multilabel_f1_by_label(truth, said, labels).values()]
        np.testing.assert_allclose(ours, each, atol=1e-9)
        held = true.any(1)
        hit = (true & given).any(1)[held]
        assert partial_match(truth, said).value == (pytest.approx(hit.mean(), abs=1e-9) if held.any() else None)


@random_cases
def test_metrics_of_numbers_are_those_of_scipy_scikit_learn_and_statsmodels(cases: int) -> None:
    from scipy.stats import pearsonr
    from sklearn.metrics import mean_absolute_error
    from statsmodels.stats.weightstats import DescrStatsW

    for first, second in number_series(cases):
        reference = pearsonr(first, second)
        assert pearson([*first], [*second]).value == pytest.approx(reference.statistic, abs=1e-9)
        assert mae([*first], [*second]).value == pytest.approx(mean_absolute_error(first, second), abs=1e-9)
        spread, described = mean_sd([*first]), DescrStatsW(first)
        assert (spread.mean, spread.sd) == pytest.approx((described.mean, described.std_ddof(1)), abs=1e-9)


@random_cases
def test_randolphs_kappa_is_that_of_statsmodels(cases: int) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    chance = np.random.default_rng(0)
    for _ in range(cases):
        raters, bins = int(chance.integers(2, 6)), int(chance.integers(2, 12))
        rated = chance.integers(-5, 6, (int(chance.integers(1, 30)), raters)).astype(float)
        table, _ = aggregate_raters(assign_bins(rated, -5, 5, bins), n_cat=bins)
        ours = randolph_kappa(rated.tolist(), -5, 5, bins)
        assert ours == pytest.approx(fleiss_kappa(table, method="randolph"), abs=1e-9)


@random_cases
def test_weighted_kappa_is_that_of_scikit_learn(cases: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    chance = np.random.default_rng(0)
    for _ in range(cases):
        size = int(chance.integers(2, 30))
        first, second = chance.integers(0, 11, (2, size))
        second[0] = (first[0] + 1) % 11  # scikit-learn divides by nothing where all say the same
        ones = np.ones(size, np.int64)
        (ours,) = quadratic_kappa(confusion_tables(first, second, ones, np.zeros_like(ones), 11, 1))
        reference = cohen_kappa_score(first, second, labels=range(11), weights="quadratic")
        assert ours == pytest.approx(reference, abs=1e-9)


@random_cases
def test_calibration_is_that_of_scikit_learn(cases: int) -> None:
    from sklearn.calibration import calibration_curve

    chance = np.random.default_rng(0)
    for _ in range(cases):
        size, bins = int(chance.integers(2, 80)), int(chance.integers(1, 15))
        truth, said = (chance.random(size) < chance.random()).astype(float), chance.random(size)
        truth[:2] = 0, 1  # scikit-learn wants both
        mean_truths, mean_answers = calibration_curve(truth, said, n_bins=bins)
        calibrated = calibration([*truth], [*said], bins)
        assert [each.mean_truth for each in calibrated.bins] == pytest.approx([*mean_truths], abs=1e-9)
        assert [each.mean_answer for each in calibrated.bins] == pytest.approx([*mean_answers], abs=1e-9)
        weights = np.array([each.n for each in calibrated.bins]) / size
        assert calibrated.error == pytest.approx((weights * np.abs(mean_truths - mean_answers)).sum(), abs=1e-9)


@random_cases
def test_mcnemars_test_is_that_of_statsmodels_and_of_scipy(cases: int) -> None:
    from scipy.stats import binomtest, chi2
    from statsmodels.stats.contingency_tables import mcnemar as reference

    chance = np.random.default_rng(0)
    exact = 0
    for _ in range(cases):
        size = int(chance.integers(1, 200))
        first, second = (chance.random(size) < share for share in chance.random(2))
        table = [[(first & second).sum(), (first & ~second).sum()], [(~first & second).sum(), (~first & ~second).sum()]]
        first_only, second_only = table[0][1], table[1][0]
        tested = mcnemar([*first], [*second])
        assert (tested.first_only, tested.second_only) == (first_only, second_only)
        exact += tested.exact
        assert tested.p == pytest.approx(reference(table, exact=tested.exact).pvalue, abs=1e-9)
        differing = first_only + second_only
        if not tested.exact:
            corrected = (abs(first_only - second_only) - 1) ** 2 / differing
            assert tested.p == pytest.approx(chi2.sf(corrected, 1), abs=1e-9)
        elif differing:
            assert tested.p == pytest.approx(binomtest(min(first_only, second_only), differing).pvalue, abs=1e-9)
    assert 0 < exact < cases


@random_cases
def test_families_are_corrected_as_statsmodels_does(cases: int) -> None:
    from statsmodels.stats.multitest import multipletests

    chance = np.random.default_rng(0)
    for _ in range(cases):
        p = chance.random(int(chance.integers(1, 12))) ** 3
        assert [*holm(dict(enumerate(p))).values()] == pytest.approx([*multipletests(p, method="holm")[1]], abs=1e-9)
    compared = {
        place: compare_with_raw([*raw], [*other]) for place, (raw, other) in enumerate(number_series(min(cases, 20)))
    }
    family = correct_family(compared)
    for name in ("t_p", "wilcoxon_p", "equivalence_p"):
        expected = multipletests([getattr(each, name) for each in compared.values()], method="holm")[1]
        assert [getattr(each, f"{name}_holm") for each in family.values()] == pytest.approx([*expected], abs=1e-9)


@random_cases
def test_a_comparison_with_raw_is_that_of_scipy_and_statsmodels(cases: int) -> None:
    from scipy.special import nctdtr
    from scipy.stats import ttest_rel, wilcoxon
    from statsmodels.stats.effect_size import _noncentrality_t
    from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

    for place, (raw, other) in enumerate(number_series(cases)):
        margin = 0.05 + place % 7 / 5
        compared, n = compare_with_raw([*raw], [*other], margin), len(raw)
        tested = ttest_rel(other, raw)
        assert compared.n == n
        assert compared.difference == pytest.approx((other - raw).mean(), abs=1e-9)
        assert (compared.t, compared.t_p) == pytest.approx((tested.statistic, tested.pvalue), abs=1e-9)
        interval = DescrStatsW(other - raw).tconfint_mean()
        assert (compared.low, compared.high) == pytest.approx(interval, abs=1e-9)
        assert compared.wilcoxon_p == pytest.approx(wilcoxon(other - raw).pvalue, abs=1e-9)
        equivalence_p = ttost_paired(other, raw, -margin, margin)[0]
        assert compared.equivalence_p == pytest.approx(equivalence_p, abs=1e-9)
        root = math.sqrt(n)
        assert compared.effect == pytest.approx(tested.statistic / root, abs=1e-9)
        ends = compared.effect_low, compared.effect_high
        # The observed value is in the outer 2.5 % of either end.
        shares = [nctdtr(n - 1, end * root, tested.statistic) for end in reversed(ends)]
        assert shares == pytest.approx([0.025, 0.975], abs=1e-9)
        # statsmodels takes the first guess of scipy, which is right to some seven digits.
        guess = _noncentrality_t(tested.statistic, n - 1).confint / root
        assert ends == pytest.approx(guess, rel=1e-5, abs=1e-5)


def test_the_interval_over_recordings_is_that_of_scipy() -> None:
    """One draw, as many items a recording: then recordings can be resampled by scipy too. Both are random."""
    from scipy.stats import bootstrap

    chance = np.random.default_rng(3)
    shares = chance.random(60)
    right = [chance.random() < share for share in shares for _ in range(20)]
    films = [film for film in range(60) for _ in range(20)]
    figure = mean_over_draws(share_of_items(right), [0] * len(right), films, samples=5000)
    means = np.array(right, float).reshape(60, 20).mean(1)
    reference = bootstrap((means,), np.mean, n_resamples=5000, method="percentile", rng=0).confidence_interval
    assert (figure.low, figure.high) == pytest.approx((reference.low, reference.high), abs=0.01)
