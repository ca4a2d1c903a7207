"""The metrics of the benchmark against the libraries they are checked with, and what an interval takes."""

from collections.abc import Iterator

import numpy as np
from scipy.stats import pearsonr, ttest_rel, wilcoxon
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error
from sklearn.preprocessing import MultiLabelBinarizer
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.weightstats import ttost_paired

from annotate.agreement.coefficients import assign_bins
from annotate.agreement.figure_intervals import draw_resamples
from benchmark.metrics.classification import accuracy, exact_match, macro_f1, macro_f1_multilabel
from benchmark.metrics.paired_tests import EQUIVALENCE_MARGIN, compare_with_raw, mcnemar
from benchmark.metrics.ratings import mae, pearson, randolph_kappa
from benchmark.metrics.resampling import DRAW_SAMPLES, mean_over_draws
from tests.builders.metric_cases import labelled_answers, number_series, set_answers
from tools.bench.measuring import median_seconds
from tools.bench.row import Row

_UNREAD = "(unparsed)"
_LABELS = ("competence", "error", "none")
_CASES = 1_000
_ITEMS, _DRAWS, _RECORDINGS = 600, 3, 360
_THEIR_SAMPLES = 20

Pair = tuple[str, float | None, float]


def run() -> list[Row]:
    """Measure."""
    return [_equality(), _interval()]


def _equality() -> Row:
    apart: dict[str, float] = {}
    for name, ours, theirs in (*_of_labels(), *_of_sets(), *_of_numbers(), *_of_raters()):
        assert ours is not None
        apart[name] = max(apart.get(name, 0.0), abs(ours - float(theirs)))
    worst = max(apart, key=lambda name: apart[name])
    return Row(
        f"{len(apart)} metrics of the benchmark on {_CASES:,} random cases each",
        f"{apart[worst]:.1e} apart at most ({worst})",
        "scikit-learn, scipy, statsmodels",
        target="equal to 1e-9",
        ok=apart[worst] <= 1e-9,
    )


def _of_labels() -> Iterator[Pair]:
    for truth, said, labels in labelled_answers(_CASES):
        words = [text or _UNREAD for text in said]
        yield "accuracy", accuracy(truth, said).value, accuracy_score(truth, words)
        theirs = f1_score(truth, words, labels=labels, average="macro", zero_division=0)
        yield "macro_f1", macro_f1(truth, said, labels).value, theirs


def _of_sets() -> Iterator[Pair]:
    for truth, said, labels in set_answers(_CASES):
        names = MultiLabelBinarizer(classes=[*labels, _UNREAD])
        true = names.fit_transform(truth)
        given = names.transform([[_UNREAD] if one is None else one for one in said])
        yield "exact_match", exact_match(truth, said).value, accuracy_score(true, given)
        theirs = f1_score(true, given, labels=[*range(len(labels))], average="macro", zero_division=0)
        yield "macro_f1 of sets", macro_f1_multilabel(truth, said, labels).value, theirs


def _of_numbers() -> Iterator[Pair]:
    for first, second in number_series(_CASES):
        yield "pearson_r", pearson([*first], [*second]).value, pearsonr(first, second).statistic
        yield "mae", mae([*first], [*second]).value, mean_absolute_error(first, second)
        found = compare_with_raw([*first], [*second])
        yield "paired t", found.t_p, ttest_rel(second, first).pvalue
        yield "signed ranks", found.wilcoxon_p, wilcoxon(second - first).pvalue
        yield (
            "equivalence",
            found.equivalence_p,
            ttost_paired(second, first, -EQUIVALENCE_MARGIN, EQUIVALENCE_MARGIN)[0],
        )
        one, other = first > first.mean(), second > second.mean()
        table = [[(one & other).sum(), (one & ~other).sum()], [(~one & other).sum(), (~one & ~other).sum()]]
        ours = mcnemar([*one], [*other])
        yield "mcnemar", ours.p, statsmodels_mcnemar(table, exact=ours.exact).pvalue


def _of_raters() -> Iterator[Pair]:
    draw = np.random.default_rng(11)
    for _ in range(_CASES):
        rated = draw.integers(-5, 6, (int(draw.integers(1, 30)), int(draw.integers(2, 5)))).astype(float)
        table, _ = aggregate_raters(assign_bins(rated, -5, 5, 5), n_cat=5)
        yield "randolph_kappa", randolph_kappa(rated.tolist(), -5, 5), fleiss_kappa(table, method="randolph")


def _interval() -> Row:
    draw = np.random.default_rng(0)
    truth, said = ([str(one) for one in draw.choice(_LABELS, _ITEMS)] for _ in range(2))
    films = [int(integer) for integer in draw.integers(0, _RECORDINGS, _ITEMS)]
    draws = [place * _DRAWS // _ITEMS for place in range(_ITEMS)]
    spent = median_seconds(lambda: mean_over_draws(macro_f1(truth, said, _LABELS), draws, films), 21)

    def theirs() -> None:
        homes, where = np.unique(films, return_inverse=True)
        for weights in draw_resamples(len(homes), _THEIR_SAMPLES, 0):
            for index in range(_DRAWS):
                chosen = np.array(draws) == index
                f1_score(
                    np.array(truth)[chosen],
                    np.array(said)[chosen],
                    labels=_LABELS,
                    average="macro",
                    sample_weight=weights[where][chosen],
                    zero_division=0,
                )

    peer = median_seconds(theirs, 3) * DRAW_SAMPLES / _THEIR_SAMPLES
    return Row.judged(
        f"macro-F1 of {_DRAWS} draws of {_ITEMS // _DRAWS} items, "
        f"its interval from {DRAW_SAMPLES:,} samples of recordings",
        f"{1000 * spent:.1f} ms",
        peer / spent,
        ">= 50x faster",
        f"scikit-learn a sample at a time, {peer:.1f} s, from {_THEIR_SAMPLES} samples",
        f"1 : {peer / spent:,.0f}",
    )
