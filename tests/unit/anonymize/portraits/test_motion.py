"""Smooth without lag, over short gaps only, never across a cut, and relative to the face at rest."""

from dataclasses import replace

import numpy as np
import pytest

from anonymize.methods.synthetic.expression import (
    MAX_GAP_US,
    MAX_HOLD_US,
    REST_EXPRESSION,
    Expression,
    FaceSample,
    HeadPose,
    smooth_motion,
)

STEP = 40_000


def seen(frame: int, face: Expression | None = REST_EXPRESSION, x: float = 100.0) -> FaceSample:
    pose = HeadPose(np.zeros(3), np.array([x + 20, 70.0]), 0.5)
    return FaceSample(frame, frame * STEP, np.array([x, 50.0, 40.0, 50.0]), None if face is None else (pose, face))


def test_a_blink_is_drawn_when_it_happens_and_wholly() -> None:
    lids = [0.27] * 60
    lids[30:33] = [0.12, 0.05, 0.14]
    track = [seen(i, replace(REST_EXPRESSION, eye_left=v, eye_right=v)) for i, v in enumerate(lids)]
    drawn = smooth_motion(track, ())
    opened = np.array([drawn[i][1].eye_left for i in range(60)])
    assert opened.argmin() == 31
    assert opened.min() < 0.2
    assert opened[20] > 0.9
    assert np.abs(opened[[27, 35]] - opened[20]).max() < 0.2


def test_trembling_is_calmed_and_a_turn_is_not_delayed() -> None:
    tremble = np.random.default_rng(0).normal(0, 0.4, 100)
    place = 100 + np.where(np.arange(100) < 50, 0, 30) + tremble
    drawn = smooth_motion([seen(i, x=float(x)) for i, x in enumerate(place)], ())
    path = np.array([drawn[i][0].place[0] for i in range(100)])
    assert np.diff(path[5:40]).std() < 0.5 * np.diff(place[5:40]).std()
    assert np.interp(135, path, np.arange(100)) == pytest.approx(49.5, abs=1)


@pytest.mark.parametrize("missing", [1, 5, MAX_GAP_US // STEP - 1])
def test_short_gaps_follow_the_box(missing: int) -> None:
    track = [seen(i, None if 20 <= i < 20 + missing else REST_EXPRESSION, x=100 + 2 * i) for i in range(50)]
    drawn = smooth_motion(track, ())
    assert sorted(drawn) == list(range(50))
    for i in range(20, 20 + missing):
        assert drawn[i][0].place[0] == pytest.approx(120 + 2 * i, abs=1.5)


def test_long_gaps_are_not_drawn_and_ends_are_held_briefly() -> None:
    track = [seen(i, REST_EXPRESSION if i < 20 or i >= 60 else None) for i in range(80)]
    held = MAX_HOLD_US // STEP
    assert sorted(smooth_motion(track, ())) == [*range(20 + held), *range(60 - held, 80)]
    assert smooth_motion([seen(i, None) for i in range(9)], ()) == {}


def test_nothing_is_smoothed_or_bridged_across_a_cut() -> None:
    smile = replace(REST_EXPRESSION, width=70.0)
    track = [seen(i, REST_EXPRESSION if i < 25 else smile) for i in range(50)]
    width = [smooth_motion(track, (25,))[i][1].width for i in (24, 25)]
    plain = [smooth_motion(track, ())[i][1].width for i in (24, 25)]
    assert width[1] - width[0] == pytest.approx(14, abs=0.01)
    assert plain[1] - plain[0] < 13.9


def test_what_a_face_is_at_rest_is_not_drawn() -> None:
    rng = np.random.default_rng(1)
    low = [replace(REST_EXPRESSION, inner_left=10.0 + e, lip=26.0 + e) for e in rng.normal(0, 0.3, 400)]
    drawn = smooth_motion([seen(i, face) for i, face in enumerate(low)], ())
    assert drawn[200][1].inner_left == pytest.approx(REST_EXPRESSION.inner_left, abs=0.45 * 7)
    assert drawn[200][1].lip == pytest.approx(REST_EXPRESSION.lip, abs=0.45 * 7)


def test_one_frame_is_enough_for_a_preview() -> None:
    assert list(smooth_motion([seen(7)], ())) == [7]
