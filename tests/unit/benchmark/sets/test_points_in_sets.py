"""Judges see a point with a second before and after it, in the study as in a frozen set."""

from pathlib import Path

from benchmark.items.sampling import SamplingOptions
from benchmark.judge_input.input_planning import plan_input
from benchmark.judge_input.judged_subjects import locate_target
from benchmark.sets.agreed_segments import segment_pool
from benchmark.sets.frozen_sets import make_set
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.study_records import Segment, point_in_span
from project.queries.item_set_rows import items_of
from tests.builders.marked_study import SECOND
from tests.builders.point_schemes import mark_moment, open_moments


def test_a_point_is_shown_with_a_second_around_it_and_what_lies_between_points_is_unmarked(tmp_path: Path) -> None:
    with open_moments(tmp_path) as session:
        made = mark_moment(session, "Ada", 10, "nod")
        mark_moment(session, "Ben", 10.2, "nod")
        place = locate_target(session, JudgmentTarget(JudgmentTargetKind.SEGMENT, made))
        assert (place.start_us, place.end_us) == (9 * SECOND, 11 * SECOND)
        pool = segment_pool(session, SamplingOptions(scheme="moments", track="nods"))
        assert [(item.start_us, item.end_us - item.start_us) for item in pool.candidates] == [(9 * SECOND, 2 * SECOND)]
        gaps = [(gap.start_us / SECOND, gap.end_us / SECOND) for gap in pool.gaps]
        assert gaps == [(0, 9), (11.2, 600)]


def test_a_judge_is_told_the_instant_of_a_point_in_the_study_and_in_a_set(tmp_path: Path) -> None:
    with open_moments(tmp_path) as session:
        early, span = (
            mark_moment(session, "Ada", 0.25, "nod"),
            mark_moment(session, "Ada", 1, "talk", end=3, track="talk"),
        )
        mark_moment(session, "Ben", 0.25, "nod")
        told = " What is asked about is the instant at 0.25 s from its start;"
        assert told in plan_input(session, early, "verdict").text
        assert "the instant" not in plan_input(session, span, "verdict").text
        shares = {"nod": 1.0, "shake": 0.0, "none": 1.0}
        wishes = SamplingOptions(scheme="moments", track="nods", shares=shares)
        made, _ = make_set(session, "verdict", draws=1, size=2, options=wishes)
        keys = {
            item.about: JudgmentTarget(JudgmentTargetKind.ITEM, item.id).key
            for item in items_of(session.study, made.id)
        }
        unmarked = plan_input(session, keys.pop(""), "verdict").text
        assert "the instant at" in unmarked, "what nobody marked does not show by what is told"
        assert told in plan_input(session, *keys.values(), "verdict").text


def test_the_point_of_a_span_that_is_shown_is_found_again() -> None:
    duration_us = 10 * SECOND
    for at_us in (0, 250_000, 5 * SECOND, duration_us - 250_000, duration_us):
        point = Segment("s", "r", "a", "nod", at_us, at_us)
        assert point_in_span(*point.shown_span(duration_us), duration_us) == at_us
