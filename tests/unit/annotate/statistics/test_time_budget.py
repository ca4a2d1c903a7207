"""Time budgets: what is counted of a study by participant, phase and annotator, and the figures themselves."""

import statistics
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.annotation_arrays import NamedKey
from annotate.segments.segment_edits import add_segment
from annotate.statistics.observations import CodedObservation
from annotate.statistics.statistics_tables import budget_table, data_rows, encode_parquet, write_table
from annotate.statistics.study_observations import ObservationQuery, read_observations
from annotate.statistics.time_budget import BudgetRow, compute_time_budget
from annotate.study.people import add_participant
from annotate.study.scheme_versions import use_shipped_scheme
from project.entities.study_records import Assignment, ParticipantRole, WorkPurpose
from project.errors import UserError
from project.queries.annotator_rows import set_assignments, set_completed
from project.session.optional_parts import PARQUET
from project.session.session import Session
from project.timebase import utc_now
from tests.builders.marked_study import WALK, mark, open_study, person

SECOND = 1_000_000
LABELS = (NamedKey("a", "A"), NamedKey("b", "B"))


def rows_of(*observations: CodedObservation) -> dict[tuple[str, ...], BudgetRow]:
    budget = compute_time_budget((), LABELS, observations)
    return {(*row.group, row.label): row for row in budget.rows}


def seconds(*marks: tuple[str, float, float]) -> tuple[tuple[str, int, int], ...]:
    return tuple((label, round(start * SECOND), round(end * SECOND)) for label, start, end in marks)


def test_the_figures_of_a_label() -> None:
    one = CodedObservation((), ((0, 60 * SECOND),), seconds(("a", 6, 10), ("a", 8, 20), ("b", 30, 30)))
    other = CodedObservation((), ((0, 30 * SECOND),), seconds(("a", 2, 5)))
    found = rows_of(one, other)
    a, b = found["a",], found["b",]
    assert (a.count, a.observations, a.occurring_in, a.observed_s) == (3, 2, 2, 90)
    assert (a.rate, a.total_s, a.mean_s, a.median_s) == (2, 19, pytest.approx(19 / 3), 4)
    assert a.sd_s == pytest.approx(statistics.stdev([4, 12, 3]))
    # From 6 to 20 once, and three seconds: what overlaps counts once.
    assert a.share == pytest.approx(17 / 90)
    assert a.latency_s == 4
    assert (b.count, b.total_s, b.mean_s, b.sd_s, b.share, b.latency_s, b.occurring_in) == (1, 0, None, None, 0, 30, 1)


def test_a_label_that_does_not_occur_has_a_row_and_nothing_observed_no_rate() -> None:
    row = rows_of(CodedObservation((), ((0, 0),), ()))["a",]
    assert (row.count, row.total_s, row.rate, row.share, row.latency_s) == (0, 0, None, None, None)


def test_a_segment_is_cut_at_a_bound_and_a_point_is_on_one_side() -> None:
    early = CodedObservation(("early",), ((0, 10 * SECOND),), seconds(("a", 8, 14), ("b", 10, 10), ("b", 25, 25)))
    late = replace(early, group=("late",), spans=((10 * SECOND, 20 * SECOND), (22 * SECOND, 25 * SECOND)))
    found = rows_of(early, late)
    assert (found["early", "a"].total_s, found["late", "a"].total_s) == (2, 4)
    assert (found["early", "b"].count, found["late", "b"].count) == (1, 2)
    whole = replace(early, spans=((0, 10 * SECOND), (10 * SECOND, 20 * SECOND)))
    assert rows_of(whole)["early", "b"].count == 1
    # Time that was not observed counts for no latency.
    assert rows_of(replace(late, marks=seconds(("a", 23, 24))))["late", "a"].latency_s == 11


_times = st.integers(0, 50)


@given(st.lists(st.tuples(st.sampled_from("ab"), _times, _times)), st.lists(st.integers(1, 49), max_size=4))
def test_shares_stay_below_one_and_phases_add_up(marks: list[tuple[str, int, int]], bounds: list[int]) -> None:
    spans = sorted((label, min(times), max(times)) for label, *times in marks)
    whole = CodedObservation((), ((0, 50),), tuple(spans))
    edges = [0, *sorted(set(bounds)), 50]
    parts = [replace(whole, spans=(edge,)) for edge in pairwise(edges)]
    for label in "ab":
        row = rows_of(whole)[label,]
        covered = sum(any(start <= at < end for known, start, end in spans if known == label) for at in range(50))
        assert row.share == pytest.approx(covered / 50)
        split = [rows_of(part)[label,] for part in parts]
        assert sum(each.total_s for each in split) == pytest.approx(row.total_s)
        assert sum(each.share * each.observed_s for each in split) == pytest.approx(row.share * row.observed_s)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        use_shipped_scheme(opened, "cues")
        yield opened


def act(session: Session, who: str, start: float, end: float, person_id: str = "", recording: str = WALK) -> None:
    session.annotator_name = who
    values = {"participant": person_id} if person_id else {}
    span = round(start * SECOND), round(end * SECOND)
    add_segment(session, recording, *span, "gesture", values, scheme="cues", track="action")


def counted(session: Session, **asked: object) -> list[tuple[object, ...]]:
    """Return group, count and observed minutes of the rows of gestures."""
    query = ObservationQuery(**{"scheme": "cues", "track": "action", **asked})
    read = read_observations(session, query)
    rows = compute_time_budget(read.keys, read.labels, read.observations).rows
    return [(*row.group, row.count, row.observed_s / 60) for row in rows if row.label == "gesture"]


def test_by_participant_who_appears_or_is_named(session: Session) -> None:
    first, second, _absent = (
        add_participant(session, name, ParticipantRole.USER, WALK if name == "P02" else None)[0]
        for name in ("P01", "P02", "P03")
    )
    act(session, "Ada", 0, 10, first)
    act(session, "Ada", 20, 30, first)
    assert counted(session) == [("P01", 2, 10), ("P02", 0, 10)]
    act(session, "Ben", 0, 10, second)
    act(session, "Ben", 50, 60)
    # Ben observed whom he marked and who appears there; what names nobody is apart.
    assert counted(session) == [("P01", 2, 10), ("P02", 1, 20), ("", 1, 10)]
    assert counted(session, by=()) == [(4, 20)]
    assert counted(session, by=("annotator",), annotators=("Ben",)) == [("Ben", 2, 10)]
    assert counted(session, by=("recording", "participant"), end_us=25 * SECOND) == [
        ("1 walk", "P01", 2, 25 / 60),
        ("1 walk", "P02", 1, 50 / 60),
        ("1 walk", "", 0, 25 / 60),
    ]


def test_by_phase_as_the_annotator_marked_them_or_else_somebody(session: Session) -> None:
    mark(session, "Ada", 0, 60)
    mark(session, "Ada", 60, 180, "competence")
    mark(session, "Ada", 120, 240)
    act(session, "Ada", 50, 70)
    act(session, "Ben", 100, 110)
    asked = {"by": ("phase",), "phases": "shrec/segments"}
    assert counted(session, **asked, annotators=("Ada",)) == [("Error", 1, 3), ("Competence", 1, 2)]
    assert counted(session, **asked) == [("Error", 1, 6), ("Competence", 2, 4)]
    mark(session, "Ben", 300, 360)
    assert counted(session, **asked, annotators=("Ben",)) == [("Error", 0, 1)]


def test_work_without_segments_counts_and_training_does_not(session: Session) -> None:
    act(session, "Ada", 0, 10)
    assert counted(session, by=()) == [(1, 10)]
    with session.step("Done") as _:
        set_completed(session.study, "walk 2", person(session, "Ada").id, utc_now())
    assert counted(session, by=()) == [(1, 20)]
    with session.step("Train") as _:
        set_assignments(session.study, [Assignment(WALK, person(session, "Ada").id, WorkPurpose.TRAINING)])
    assert counted(session, by=()) == [(0, 10)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"by": ("mood",)}, "no grouping"),
        ({"by": ("phase",)}, "No track with phases"),
        ({"scheme": "shrec", "track": "", "by": ("participant",)}, "no field that names a participant"),
        ({"field": "description"}, "names a participant"),
        ({"start_us": 5, "end_us": 5}, "ends before"),
    ],
)
def test_a_question_that_cannot_be_answered(session: Session, asked: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        counted(session, **asked)


def test_the_table_for_programs_has_plain_values_under_plain_keys(session: Session) -> None:
    act(session, "Ada", 0, 10)
    read = read_observations(session, ObservationQuery("cues", "action", ("annotator",)))
    head, rows = data_rows(budget_table(compute_time_budget(read.keys, read.labels, read.observations)))
    found = dict(zip(head, rows[0], strict=True))
    assert (found["annotator"], found["label"], found["count"], found["total_s"], found["sd_s"]) == (
        "Ada",
        "gesture",
        1,
        10,
        None,
    )


def test_parquet_is_written_or_says_what_it_needs(session: Session, tmp_path: Path) -> None:
    act(session, "Ada", 0, 10)
    read = read_observations(session, ObservationQuery("cues", "action", ("annotator",)))
    head, rows = data_rows(budget_table(compute_time_budget(read.keys, read.labels, read.observations)))
    if not PARQUET.is_installed:
        with pytest.raises(UserError, match="optional part “parquet”"):
            encode_parquet(head, rows)
        return
    from pyarrow import parquet

    write_table(tmp_path / "budget.parquet", encode_parquet(head, rows))
    assert parquet.read_table(tmp_path / "budget.parquet").to_pylist()[0]["count"] == 1
