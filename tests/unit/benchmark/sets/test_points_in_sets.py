"""Judges see a point with a second before and after it, in the study as in a frozen set."""

from pathlib import Path

from benchmark.items.sampling import SamplingOptions
from benchmark.judge_input.judged_subjects import locate_target
from benchmark.sets.agreed_segments import segment_pool
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
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
