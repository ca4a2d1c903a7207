"""Agreement of points within a tolerance and of samples, against tables written out by hand."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.agreement.agreement_report import AgreementReport, compute_report
from annotate.agreement.annotation_arrays import AgreementInput, AgreementSettings, Options
from annotate.agreement.segment_agreement import modified_kappa
from annotate.agreement.span_matching import SpanArray, find_overlaps, match_nearest_points
from annotate.agreement.study_agreement import AgreementQuery, describe_figure, read_agreement_input, report_agreement
from annotate.statistics.segment_statistics import summarize_segments
from annotate.study.people import add_participant
from project.entities.study_records import ParticipantRole
from project.session.session import Session
from tests.builders.marks import Mark, material, spans
from tests.builders.point_schemes import mark_moment, open_moments

TOLERANCE_US = 500_000
FEW = Options(tolerance_us=TOLERANCE_US, samples=20)

# Within half a second:   1.0 and 1.2 error;   5.0 error and 5.1 competence;   20 and 20 competence.
# Alone: 9.0 and 30 error by A, 9.9 error by B.
POINTS: list[Mark] = [
    *((0, "A", label, at, at) for label, at in [("error", 1), ("error", 5), ("error", 9), ("error", 30)]),
    (0, "A", "competence", 20, 20),
    *((0, "B", label, at, at) for label, at in [("error", 1.2), ("competence", 5.1), ("error", 9.9)]),
    (0, "B", "competence", 20, 20),
]
TABLE = np.array([[1.0, 1, 2], [0, 1, 0], [1, 0, 0]])
"""Error, competence, nothing: A down, B across."""


def figures(marks: list[Mark], options: Options = FEW, people: str = "AB") -> AgreementReport:
    found = replace(material(marks, people), points=True)
    return compute_report(AgreementInput(found, AgreementSettings(options=options)))


def fitted_chance(table: np.ndarray) -> float:
    """Return the share of agreement in what iterative proportional fitting makes of ones around an empty corner."""
    fitted = np.ones_like(table)
    fitted[-1, -1] = 0
    for _ in range(2000):
        fitted *= np.divide(table.sum(1), fitted.sum(1))[:, None]
        fitted *= np.divide(table.sum(0), fitted.sum(0))[None, :]
    return float(np.trace(fitted) / table.sum())


def test_kappa_counts_matched_points_and_those_without_a_partner() -> None:
    report = figures(POINTS)
    chance = fitted_chance(TABLE)
    assert chance == pytest.approx(0.25)
    assert report.main["point_kappa"].value == pytest.approx((2 / 6 - chance) / (1 - chance))
    assert report.main["point_kappa"].n == 6
    assert modified_kappa(TABLE[None])[0] == pytest.approx(1 / 9)
    # Of the three pairs, error was given 2 and 1 times, competence 1 and 2 times: chance is 4 / 9.
    assert report.main["point_kappa_matched"].value == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
    assert report.confusion == ((1, 1, 0, 2), (0, 1, 0, 0), (0, 0, 0, 0), (1, 0, 0, 0))


def test_alpha_f1_and_distance_of_points() -> None:
    main = figures(POINTS).main
    # Twelve values: error 6, competence 3, nothing 3; four of six units differ.
    assert main["point_alpha"].value == pytest.approx(1 - 11 * 8 / (144 - 36 - 9 - 9))
    assert main["point_f1"].value == pytest.approx(2 * 3 / 9)
    assert main["point_f1_same_label"].value == pytest.approx(2 * 2 / 9)
    assert main["point_distance"].value == pytest.approx((0.2 + 0.1 + 0) / 3)
    assert main["overlap_share"].value == pytest.approx(6 / 9)
    assert "alpha" not in main, "there is no time to weigh points by"
    assert figures(POINTS).f1_iou == {}


def test_the_tolerance_reaches_to_its_end_and_no_further() -> None:
    marks: list[Mark] = [(0, "A", "error", 1, 1), (0, "B", "error", 1.5, 1.5)]
    assert figures(marks).main["point_f1"].value == 1
    assert figures(marks, replace(FEW, tolerance_us=TOLERANCE_US - 1)).main["point_f1"].value == 0
    at_once: list[Mark] = [(0, "A", "error", 1, 1), (0, "B", "error", 1, 1)]
    assert figures(at_once, replace(FEW, tolerance_us=0)).main["point_f1"].value == 1


def test_points_are_matched_one_to_one_as_many_as_can_be_and_then_at_the_least_total_distance() -> None:
    def points(*seconds: float) -> SpanArray:
        return spans([(0, round(at * 1e6), round(at * 1e6) + TOLERANCE_US + 1, 0) for at in seconds])

    def matched(first: SpanArray, second: SpanArray) -> list[tuple[int, int]]:
        found = match_nearest_points(find_overlaps(first, second), first, second)
        return [*zip(found.first.tolist(), found.second.tolist(), strict=True)]

    # The nearest two, 1.4 and 1.3, would leave the others alone.
    assert matched(points(1.0, 1.4), points(1.3, 1.8)) == [(0, 0), (1, 1)]
    assert matched(points(1.0, 1.3), points(1.25, 1.1)) == [(0, 1), (1, 0)]


def test_alpha_of_three_people_weighs_each_pair_by_the_others() -> None:
    marks: list[Mark] = [(0, who, "error", at, at) for who in "ABC" for at in (1, 5)] + [(0, "A", "competence", 9, 9)]
    # Units: two that all three gave alike, and in two of three pairs one that only A gave. Each pair counts a half.
    alike, alone = 2 * 3 / 2, 2 / 2
    error, other, nothing = 2 * alike, alone, alone
    n = error + other + nothing
    expected = n**2 - error**2 - other**2 - nothing**2
    assert figures(marks, people="ABC").main["point_alpha"].value == pytest.approx(1 - (n - 1) * 2 * alone / expected)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_moments(tmp_path) as opened:
        yield opened


def test_samples_are_compared_one_by_one_and_one_that_was_not_taken_counts_for_nobody(session: Session) -> None:
    answers = {"Ada": "ffffaaaf-", "Ben": "fffafaa-a"}
    for who, said in answers.items():
        for number, answer in enumerate(said, start=1):
            if answer != "-":
                mark_moment(session, who, 2 * number, {"f": "face", "a": "away"}[answer], track="gaze")
    query = AgreementQuery(scheme="moments", track="gaze", options=FEW)
    main = report_agreement(session, query).main
    # Of the seven samples that both took, they agree on five; face was given 4 and 4 times.
    chance = (4 * 4 + 3 * 3) / 49
    assert main["sample_agreement"].value == pytest.approx(5 / 7)
    assert main["sample_kappa"].value == pytest.approx((5 / 7 - chance) / (1 - chance))
    assert main["sample_kappa"].n == main["sample_alpha"].n == 7
    assert main["sample_alpha"].value == pytest.approx(1 - 13 * 4 / (14**2 - 8**2 - 6**2))
    counted = summarize_segments(read_agreement_input(session, query).material).samples
    assert counted is not None
    # Ten minutes have 300 samples, for each of the two.
    assert (counted.taken, counted.missing) == (16, 2 * 300 - 16)
    assert counted.share.tolist() == [9 / 16, 7 / 16]


def test_partial_samples_are_intervals_and_a_scan_compares_each_participant(session: Session) -> None:
    for who, said in (("Ada", "yyn"), ("Ben", "yny")):
        for number, answer in enumerate(said, start=1):
            label = {"y": "yes", "n": "no"}[answer]
            mark_moment(session, who, 2 * number - 2, label, end=2 * number, track="touch")
    touch = report_agreement(session, AgreementQuery(scheme="moments", track="touch", options=FEW)).main
    assert touch["sample_agreement"].value == pytest.approx(1 / 3)
    people = [add_participant(session, f"P{number}", ParticipantRole.USER)[0] for number in (1, 2)]
    mark_moment(session, "Ada", 5, "near", track="scan", person=people[0])
    mark_moment(session, "Ada", 5, "far", track="scan", person=people[1])
    mark_moment(session, "Ben", 5, "near", track="scan", person=people[0])
    mark_moment(session, "Ben", 5, "near", track="scan", person=people[1])
    scan = report_agreement(session, AgreementQuery(scheme="moments", track="scan", options=FEW))
    assert (scan.main["sample_agreement"].value, scan.main["sample_agreement"].n) == (0.5, 2)
    split = {row.name: row.figures["verdict_agreement"].value for row in scan.rows["participant"]}
    assert split == {"P1": 1, "P2": 0}
    assert describe_figure("verdict_agreement", scan.settings.marks).name == "Same label in samples of both"
