"""All figures of small materials, against tables written out by hand, and what must hold of any material."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.agreement.agreement_report import AgreementReport, compute_report
from annotate.agreement.annotation_arrays import AgreementData, AgreementInput, AgreementSettings, Options
from annotate.agreement.figure_intervals import StatisticResult, percentile_interval
from project.codec import dump
from tests.builders.marks import LABELS, SECOND, Mark, drawn_marks, material, with_choices, with_ratings

FEW = Options(step_us=SECOND, samples=20)
SOME = settings(max_examples=settings.default.max_examples // 2)
BOUNDED = {
    "overlap_share": 0.0,
    "verdict_agreement": 0.0,
    "disagreement_share": 0.0,
    "matched_agreement": 0.0,
    "mean_iou": 0.0,
    "elan_ratio": 0.0,
    "cohen_kappa": -1.0,
    "elan_kappa": -1.0,
    "elan_kappa_matched": -1.0,
}
"""Figure -> the least it can be; alpha has no such bound."""

# One minute, on a grid of one second. Who marks what when, in seconds:
#
#   A   error 0-10   competence 20-30   error 40-44              error 52-60
#   B   error 2-10   error      20-30   competence 40-50
#
# Overlapping pairs: (0-10, 2-10) same, (20-30, 20-30) not, (40-44, 40-50) not.  A's 52-60 is alone.
MARKS: list[Mark] = [
    (0, "A", "error", 0, 10),
    (0, "A", "competence", 20, 30),
    (0, "A", "error", 40, 44),
    (0, "A", "error", 52, 60),
    (0, "B", "error", 2, 10),
    (0, "B", "error", 20, 30),
    (0, "B", "competence", 40, 50),
]


def figures(found: AgreementData, options: Options = FEW) -> AgreementReport:
    return compute_report(AgreementInput(found, AgreementSettings(options=options)))


def values(report: AgreementReport) -> dict[str, float | None]:
    every = {**report.main, **report.f1_iou, **{f"{k} same": v for k, v in report.f1_iou_same_label.items()}}
    return {key: figure.value for key, figure in every.items()}


def test_the_shares_and_the_segments_written_out() -> None:
    report = figures(material(MARKS))
    main = report.main
    assert main["overlap_share"] == StatisticResult(6 / 7, 7)
    assert main["verdict_agreement"] == StatisticResult(1 / 3, 3)
    assert main["disagreement_share"] == StatisticResult(2 / 3, 3, more={"basis": "labels"})
    assert main["matched_agreement"] == StatisticResult(1 / 3, 3)
    # IoU 8/10, 10/10 and 4/10.
    assert main["mean_iou"].value == pytest.approx(2.2 / 3)
    assert main["elan_ratio"].value == pytest.approx(2.2 / 4)
    assert main["elan_ratio"].n == 4
    assert [report.f1_iou[level].value for level in ("0.3", "0.5", "0.7")] == pytest.approx([6 / 7, 4 / 7, 4 / 7])
    assert [report.f1_iou_same_label[level].value for level in ("0.3", "0.5", "0.7")] == pytest.approx([2 / 7] * 3)
    assert [label.key for label in report.labels] == [*LABELS]
    assert report.confusion == ((1, 1, 0, 1), (1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
    rows = {row.key: row.figures for row in report.rows["label"]}
    assert (rows["error"]["overlap_share"].value, rows["error"]["overlap_share"].n) == (4 / 5, 5)
    assert (rows["competence"]["verdict_agreement"].value, rows["competence"]["verdict_agreement"].n) == (0, 2)
    assert rows["none"]["overlap_share"].reason
    fewer = figures(material(MARKS), replace(FEW, minimum_iou=0.5)).main
    assert (fewer["overlap_share"].value, fewer["verdict_agreement"].value) == (4 / 7, 1 / 2)


def test_kappa_and_alpha_of_the_time_grid_written_out() -> None:
    """Instants by state, A down and B across; 30 of 60 differ.

    |            | gap | error | competence | sum |
    |------------|-----|-------|------------|-----|
    | gap        | 22  | 0     | 6          | 28  |
    | error      | 10  | 8     | 4          | 22  |
    | competence | 0   | 10    | 0          | 10  |
    | sum        | 32  | 18    | 10         | 60  |
    """
    chance = (28 * 32 + 22 * 18 + 10 * 10) / 3600
    main = figures(material(MARKS)).main
    assert main["cohen_kappa"].value == pytest.approx((30 / 60 - chance) / (1 - chance))
    assert main["cohen_kappa"].n == 60
    expected = 1 - (60**2 + 40**2 + 20**2 - 120) / (120 * 119)
    assert main["alpha"].value == pytest.approx(1 - 0.5 / expected)


def test_the_kappa_of_holle_and_rein_written_out() -> None:
    """Linked: 0-10 (80 %) and 20-30 (100 %); 40-44 shares 40 % of the longer one only.

    |            | error | competence | unmatched | sum |
    |------------|-------|------------|-----------|-----|
    | error      | 2     | 0          | 2         | 4   |
    | competence | 2     | 0          | 0         | 2   |
    | unmatched  | 0     | 1          | 0         | 1   |
    | sum        | 4     | 1          | 2         | 7   |

    Linked by chance: 7 - 1 - 2 = 4, of which 4/6 * 4/5 + 2/6 * 1/5 = 18/30 alike.
    """
    chance = 4 / 7 * 18 / 30
    kappa = figures(material(MARKS)).main["elan_kappa"]
    assert kappa.value == pytest.approx((2 / 7 - chance) / (1 - chance))
    assert kappa.value < 0
    assert kappa.n == 7


def test_what_is_chosen_in_matched_segments_written_out() -> None:
    """Sets of the three matched pairs: ab and a, b and b, c and nothing filled in."""
    found = with_choices(material(MARKS), "attributes", "abc", ["ab", "b", "c", "a", "a", "b", ""])
    report = figures(found)
    (field,) = report.fields
    assert field.figures["same"] == StatisticResult(1 / 2, 2)
    assert field.figures["jaccard"] == StatisticResult(3 / 4, 2)
    # Values ab, a, b, b: observed (1/2) / 2, expected (1/2 + 2 * 1/2 + 2 * 1) * 2 / 12.
    assert field.figures["alpha"].value == pytest.approx(1 - (1 / 4) / (7 / 12))
    chosen = {row.key: row.figures["chosen_by_both"] for row in field.choices}
    assert (chosen["a"].value, chosen["b"].value, chosen["c"].value) == (1, 1 / 2, None)
    assert report.choices_where_agreed["attributes"] == StatisticResult(1.0, 2)
    assert report.choices_where_differing["attributes"] == StatisticResult(1.5, 2)


def test_reviews_decide_what_stays_in_disagreement() -> None:
    """Two reviews of three agree; one of the seven annotations is disputed."""
    found = replace(material(MARKS), reviewed=np.array([1, 3, 5]), agreed=np.array([True, True, False]))
    main = figures(found).main
    assert main["disagreement_share"] == StatisticResult(1 / 7, 7, more={"basis": "reviews"})
    assert main["reviewer_agreement"] == StatisticResult(2 / 3, 3)


def test_a_third_annotator_is_compared_with_both_and_counts_nowhere_else() -> None:
    marks: list[Mark] = [*MARKS, (0, "C", "error", 0, 10), (0, "C", "error", 20, 30), (0, "C", "error", 40, 44)]
    found = replace(material(marks, people="ABC"), third=2)
    report = figures(found)
    without = figures(material(MARKS))
    assert report.main["third_agreement"] == StatisticResult(4 / 6, 6)
    assert {key: value for key, value in values(report).items() if key != "third_agreement"} == {
        key: value for key, value in values(without).items() if key != "third_agreement"
    }
    assert report.label_share["error"] == without.label_share["error"]


def test_of_three_people_each_pair_counts_with_what_it_rests_on() -> None:
    marks: list[Mark] = [
        (0, "A", "error", 0, 60),
        (0, "B", "error", 0, 30),
        (1, "A", "error", 0, 10),
        (1, "C", "none", 0, 10),
    ]
    found = material(marks, people="ABC", recordings=2)
    worked = np.array([[True, True, False], [True, False, True]])
    report = figures(replace(found, worked=worked))
    # A and B: B's gaps meet A's errors as often as chance has it. A and C: 50 of 60 are alike, all of them gaps.
    assert [row.name for row in report.rows["pair"]] == ["A and B", "A and C"]
    assert report.main["cohen_kappa"].value == pytest.approx((0 + (50 / 60 - 25 / 36) / (1 - 25 / 36)) / 2)
    assert report.main["overlap_share"].n == 4


def test_nobody_in_common_is_reasons_all_the_way() -> None:
    for found in (material([]), material(MARKS[:4], people="A"), material([], people="", recordings=0)):
        report = figures(found)
        json.dumps(dump(report), allow_nan=False)
        for key, figure in report.main.items():
            if key not in ("cohen_kappa", "alpha"):
                assert figure.value is None, key
            assert figure.value is not None or figure.reason
    kappa = figures(material([])).main["cohen_kappa"]
    assert (kappa.value, kappa.n) == (None, 60), "two who marked nothing agree in one category, which is no kappa"


def ratings_report(first: list[float], second: list[float]) -> AgreementReport:
    marks: list[Mark] = [(r, who, "error", 0, 60) for who in "AB" for r in range(len(first))]
    rated = with_ratings(material(marks, recordings=len(first)), "goal", [*first, *second], 0, 10)
    return figures(rated, Options(samples=50, bins=5))


def test_ratings_of_a_whole_recording_written_out() -> None:
    """Four episodes: 0, 4, 6, 10 against 0, 4, 8, 10. Three of four in the same of five bins: (3/4 - 1/5) / (4/5)."""
    (field,) = ratings_report([0, 4, 6, 10], [0, 4, 8, 10]).fields
    assert field.figures["randolph_kappa"].value == pytest.approx(0.6875)
    assert field.figures["randolph_kappa"].more == {"bins": 5}
    r = np.corrcoef([0, 4, 6, 10], [0, 4, 8, 10])[0, 1]
    assert field.figures["pearson_r"].value == pytest.approx(r)
    assert field.figures["mean_difference"].value == pytest.approx(0.5)
    assert {figure.n for figure in field.figures.values()} == {4}
    rated = ratings_report([0, 0, float("nan"), 0], [0, 0, 8, 0]).fields[0].figures
    assert {figure.n for figure in rated.values()} == {3}, "a rating that one side left out counts nowhere"
    assert rated["randolph_kappa"].value == 1
    for key in ("alpha_ordinal", "alpha_interval", "pearson_r", "weighted_kappa"):
        assert rated[key].value is None
        assert rated[key].reason


def test_kappa_with_weights_knows_that_9_and_10_are_near_and_0_is_far() -> None:
    near = ratings_report([0, 9, 10, 9], [0, 10, 9, 10]).fields[0].figures["weighted_kappa"]
    far = ratings_report([0, 9, 10, 0], [0, 10, 9, 10]).fields[0].figures["weighted_kappa"]
    assert near.value > 0.95 > far.value


def test_intervals_are_by_recording_seeded_and_hold_the_value() -> None:
    marks = [(r, who, label, start + r / 2, end) for r in range(8) for _, who, label, start, end in MARKS[r % 3 :]]
    found = material(marks, recordings=8)
    entry, again = (figures(found, replace(FEW, samples=200)).main for _ in range(2))
    other = figures(found, replace(FEW, samples=200, seed=1)).main
    for key in BOUNDED:
        low, high = entry[key].low, entry[key].high
        assert low is not None
        assert high is not None
        assert low <= entry[key].value <= high
        assert (low, high) == (again[key].low, again[key].high)
    assert (entry["mean_iou"].low, entry["mean_iou"].high) != (other["mean_iou"].low, other["mean_iou"].high)
    assert figures(material(MARKS)).main["mean_iou"].low is None
    assert percentile_interval(np.arange(101.0), 2) == (2.5, 97.5)


@SOME
@given(drawn_marks())
def test_everything_stays_in_its_bounds_and_json_holds_it(marks: list[Mark]) -> None:
    report = figures(material(marks, recordings=3))
    json.dumps(dump(report), allow_nan=False)
    for key, least in BOUNDED.items():
        value = report.main[key].value
        assert value is None or least - 1e-9 <= value <= 1 + 1e-9, key
    for figure in (*report.f1_iou.values(), *report.f1_iou_same_label.values()):
        assert figure.value is None or 0 <= figure.value <= 1
    assert all(bool(figure.reason) == (figure.value is None) for figure in report.main.values())


@SOME
@given(drawn_marks(people="ABC"), st.permutations("ABC"))
def test_it_makes_no_difference_who_is_who(marks: list[Mark], names: list[str]) -> None:
    renamed = [(r, names["ABC".index(who)], label, start, end) for r, who, label, start, end in marks]
    report, again = (values(figures(material(named, people="ABC", recordings=3))) for named in (marks, renamed))
    assert report == {key: pytest.approx(value, abs=1e-9) for key, value in again.items()}


@SOME
@given(drawn_marks(people="A"))
def test_perfect_agreement_is_1(marks: list[Mark]) -> None:
    spans = list({(r, start, end): (r, who, label, start, end) for r, who, label, start, end in marks}.values())
    both: list[Mark] = [*spans, *((r, "B", label, start, end) for r, _, label, start, end in spans)]
    found = values(figures(material(both, recordings=3)))
    for key in ("overlap_share", "mean_iou", "matched_agreement", "elan_ratio", "cohen_kappa", "alpha", "elan_kappa"):
        assert found[key] is None or found[key] == pytest.approx(1), key
    assert all(found[f"{level}{alike}"] in (None, 1) for level in (0.3, 0.5, 0.7) for alike in ("", " same"))
