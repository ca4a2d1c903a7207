"""Re-identification on vectors whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymize.measures.reidentification import (
    MIN_ENROLLED_FACES,
    MIN_FACES_IN_TRACK,
    AttackScores,
    chance_rate,
    equal_error_rate,
    false_match_rates,
    find_worst_track,
    identity_variance,
    match_threshold,
    rank_one_rate,
    reidentification_rate,
    run_trial,
)

PEOPLE, FRAMES, SIZE = 6, 60, 32
WHO = np.repeat(np.arange(PEOPLE), FRAMES)
WHEN = np.tile(np.arange(FRAMES) * 100_000, PEOPLE)
APART = ~np.eye(PEOPLE, dtype=bool)


def faces(seed: int = 0, spread: float = 0.05) -> NDArray[np.float64]:
    """Vectors of people who look like themselves and like nobody else."""
    random = np.random.default_rng(seed)
    centres = np.eye(SIZE)[:PEOPLE]
    return centres[WHO] + random.normal(0, spread, (len(WHO), SIZE))


def strangers(seed: int = 1) -> NDArray[np.float64]:
    """Vectors that have nothing to do with anybody."""
    return np.random.default_rng(seed).normal(0, 1, (len(WHO), SIZE))


def attack(gallery: NDArray[np.float64], probes: NDArray[np.float64]) -> AttackScores:
    return run_trial(gallery, probes, WHO, WHEN, APART)


def rate(gallery: NDArray[np.float64], probes: NDArray[np.float64], far: float = 0.01) -> float:
    found = attack(gallery, probes)
    return reidentification_rate(found.genuine, match_threshold(found.impostors, far)).value


def test_strangers_are_taken_for_somebody_about_as_often_as_the_rate_says() -> None:
    raw = faces(spread=0.4)
    assert rate(raw, strangers(), 0.05) < 0.15
    assert rank_one_rate(attack(raw, strangers())).value == pytest.approx(1 / PEOPLE, abs=0.08)
    assert rate(faces(), np.tile(np.eye(SIZE)[-1], (len(WHO), 1))) == 0.0, "one picture for all is nobody"


def test_the_own_frame_and_its_neighbours_are_not_in_the_gallery() -> None:
    """Every frame of one person points elsewhere, so no other frame tells anything about it."""
    gallery = np.eye(8)
    found = run_trial(gallery, gallery, np.zeros(8, int), np.arange(8) * 2_000_000, np.zeros((1, 1), bool))
    assert found.genuine == pytest.approx(np.zeros(8))
    pairs = np.repeat(np.eye(8), 2, axis=0)
    close = run_trial(
        pairs, pairs, np.zeros(16, int), np.arange(16) // 2 * 2_000_000 + np.arange(16) % 2, np.zeros((1, 1), bool)
    )
    assert close.genuine == pytest.approx(np.zeros(16))


@given(st.integers(100, 500), st.sampled_from([0.01, 0.05, 0.2]))
def test_no_more_impostors_pass_than_the_rate_allows(count: int, far: float) -> None:
    scores = np.random.default_rng(0).normal(size=count).round(2)
    assert (scores > match_threshold(scores, far).value).mean() <= far


def test_one_person_alone_has_no_threshold_and_a_reason() -> None:
    found = run_trial(faces()[:FRAMES], faces()[:FRAMES], WHO[:FRAMES], WHEN[:FRAMES], np.zeros((1, 1), bool))
    limit = match_threshold(found.impostors, 0.01)
    assert limit.value is None
    assert "there are 0" in limit.note
    assert reidentification_rate(found.genuine, limit).note == limit.note
    assert rank_one_rate(found).value is None
    assert equal_error_rate(found.genuine, found.impostors).value is None


def test_a_person_seen_too_seldom_is_not_in_the_gallery() -> None:
    """One or two bad views are no enrolment: their mean is like anything."""
    some = np.concatenate([np.flatnonzero(WHO < 3), np.flatnonzero(WHO == 3)[:MIN_ENROLLED_FACES]])
    found = run_trial(faces()[some], faces()[some], WHO[some], WHEN[some], APART)
    assert np.isnan(found.genuine[WHO[some] == 3]).all()
    assert np.isfinite(found.genuine[WHO[some] != 3]).all()
    assert found.people == 3


def test_the_worst_track_is_named_and_short_ones_are_judged_together() -> None:
    raw = faces()
    probes = strangers()
    probes[WHO == 4] = raw[WHO == 4]
    found = attack(raw, probes)
    limit = match_threshold(found.impostors, 0.01)
    worst, _, which = find_worst_track(found, WHO, WHO, limit)
    assert (worst.value, which) == (1.0, 4)
    tracks = np.where(WHO == 4, 100 + np.arange(len(WHO)) // 3, WHO)
    worst, _, which = find_worst_track(found, tracks, WHO, limit)
    assert worst.value == 1.0
    assert which >= 100
    few = WHO == 4
    few[few.nonzero()[0][MIN_FACES_IN_TRACK - 1 :]] = False
    genuine = np.where(few, found.genuine, np.nan)
    none = find_worst_track(replace(found, genuine=genuine), WHO, WHO, limit)
    assert none[0].value is None
    assert none[2] == -1


def test_a_mask_that_is_like_somebody_is_taken_for_them_by_chance() -> None:
    raw = faces()
    like_person_2 = np.tile(np.eye(SIZE)[2], (len(WHO), 1))
    found = attack(raw, like_person_2)
    limit = match_threshold(found.impostors, 0.01)
    assert reidentification_rate(found.genuine, limit).value == pytest.approx(1 / PEOPLE)
    assert chance_rate(found, WHO, limit).value == pytest.approx(1 / PEOPLE)
    assert false_match_rates(found, WHO, limit)[2].value == 1.0
    assert false_match_rates(found, WHO, limit)[0].value == 0.0
    worst, chance, _ = find_worst_track(found, WHO, WHO, limit)
    assert worst.value == chance.value


def test_a_face_that_keeps_its_look_has_no_variance() -> None:
    assert identity_variance(np.tile([3.0, 4.0], (5, 1))).value == pytest.approx(0)
    assert identity_variance(np.eye(4)).value == pytest.approx(0.75)
    assert identity_variance(np.eye(4)[:1]).value is None
