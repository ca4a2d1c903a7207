"""Detection, leaks, landmarks, signals and flicker on cases whose answer is known."""

import numpy as np
import pytest

from anonymize.measures.frame_measures import (
    count_leaks,
    estimate_lag,
    interocular_distance,
    match_detections,
    mean_difference,
    mean_error,
    normalized_error,
    pearson,
)
from anonymize.measures.frame_observation import mutual_visibility, warp_error, warp_ratio
from anonymize.measures.privacy_report import MeasuredValue, pool_values
from anonymize.voice.voice_measures import (
    compare_intonation,
    count_syllables,
    normalize_words,
    word_error_rate,
)
from tests.builders.speaking import vowels

FACES = np.array([[10, 10, 40, 40], [200, 50, 30, 30]], np.float32)


def test_a_hit_counts_where_it_lies_on_a_face_and_is_sure() -> None:
    hits = np.array([[12, 12, 40, 40], [200, 50, 30, 30]], np.float32)
    assert match_detections(FACES, hits, np.array([0.9, 0.4])).tolist() == [True, False]
    assert match_detections(FACES, hits[:0], np.zeros(0)).tolist() == [False, False]


def test_leaks_are_counted_in_frames_and_in_a_row() -> None:
    looked = np.arange(0, 100, 10)
    shares = np.array([1.0, 0.95, 0.5, 0.2, 0.89, 1.0, 0.1, 1.0, 1.0, 1.0])
    found = count_leaks(shares, looked, looked, looked * 40_000, 4_000_000, stride=10)
    assert found.coverage.value == pytest.approx(0.6)
    assert (found.frames, found.longest_frames, found.longest_s) == (4, 30, 1.2)
    assert found.first_us == 800_000
    none = count_leaks(np.zeros(0), np.zeros(0, int), np.arange(5), np.arange(5), 5)
    assert (none.coverage.value, none.frames, none.first_us) == (None, 0, None)


def test_points_that_stay_have_no_error_and_moved_ones_that_of_the_way() -> None:
    points = np.random.default_rng(0).uniform(0, 100, (68, 3))
    points[36], points[45] = 0, (50, 0, 0)
    assert interocular_distance(points, "ibug68") == 50
    assert normalized_error(points, points, 50) == 0
    assert normalized_error(points, points + np.array([3, 4, 9]), 50) == pytest.approx(0.1)
    assert np.isnan(normalized_error(points, points, 0))
    assert mean_error(np.array([0.1, np.nan, 0.3])).value == pytest.approx(0.2)
    assert mean_error(np.array([np.nan])).value is None


WAVE = np.sin(np.arange(200) / 7) + 0.3 * np.sin(np.arange(200) / 2.3)


def test_what_does_not_move_has_no_correlation_but_a_reason() -> None:
    assert pearson(WAVE, np.full(200, 3.0)).note == "The signal does not move in the clip."
    assert pearson(np.full(200, 3.0), WAVE).note == "The signal does not move in the source."
    few = np.where(np.arange(200) < 9, WAVE, np.nan)
    assert pearson(few, WAVE) == MeasuredValue(None, 9, "It takes 10 pairs; there are 9.")


def test_a_shift_lowers_the_correlation_and_is_found() -> None:
    late = np.roll(WAVE, 4)
    assert pearson(WAVE, late).value < 0.9
    assert estimate_lag(WAVE, late, 8).value == 4
    assert estimate_lag(late, WAVE, 8).value == -4
    assert estimate_lag(WAVE, WAVE, 8).value == 0
    assert estimate_lag(np.zeros(200), WAVE, 8).value is None


def test_angles_take_the_shorter_way_round() -> None:
    assert mean_difference(np.array([179.0]), np.array([-179.0]), turn=360).value == pytest.approx(2)
    assert mean_difference(np.array([1.0, np.nan]), np.array([2.5, 3.0])) == MeasuredValue(1.5, 1)
    assert mean_difference(np.array([np.nan]), np.array([1.0])).value is None


def scene(shift: int) -> np.ndarray:
    noise = np.random.default_rng(0).integers(0, 255, (40, 60 + 10, 3), dtype=np.uint8)
    return np.ascontiguousarray(noise[:, shift : shift + 60])


def moving(x: float) -> np.ndarray:
    return np.tile(np.array([x, 0], np.float32), (40, 60, 1))


def test_a_picture_that_moves_as_the_flow_says_does_not_flicker() -> None:
    mask = mutual_visibility(moving(-3), moving(3))
    assert not mask[:, :3].any(), "what leaves the picture does not count"
    assert mask[:, 4:].all()
    assert warp_error(scene(0), scene(3), moving(-3), mask)[0] == pytest.approx(0)
    wrong, pixels = warp_error(scene(0), scene(3), moving(0), np.ones((40, 60), bool))
    assert wrong / pixels > 0.1


def test_flicker_is_a_ratio_to_the_source() -> None:
    assert warp_ratio(2.0, 2.0, 10).value == 1
    assert warp_ratio(2.0, 5.0, 10).value == 2.5
    assert warp_ratio(0.0, 5.0, 10).value is None
    assert warp_ratio(0.0, 0.0, 0).note


def test_pooled_figures_weigh_by_what_they_were_taken_from() -> None:
    some, none = [MeasuredValue(1.0, 3), MeasuredValue(0.0, 1)], MeasuredValue(None, 9, "no")
    assert pool_values([*some, none], "none") == MeasuredValue(0.75, 4)
    assert pool_values([none], "none") == MeasuredValue(None, 0, "none")


# What changing a voice costs and buys

RATE = 16_000


def sound(pitch: float = 120.0) -> np.ndarray:
    return vowels(4.0, RATE, pitch)[0].astype(np.float64)


def test_words_changed_left_out_and_added_count_alike() -> None:
    heard = ("my name is jo", "my name is", "my name was jo", "oh my name is jo", "")
    rates = [word_error_rate(["my", "name", "is", "jo"], text.split()) for text in heard]
    assert rates == [0.0, 0.25, 0.25, 0.25, 1.0]


def test_words_are_compared_without_capitals_and_punctuation() -> None:
    assert normalize_words("Hi, everybody! I\u2019m Jo - 2nd.") == ["hi", "everybody", "i'm", "jo", "2nd"]


def test_a_higher_voice_with_the_same_course_correlates_and_its_ratio_is_told() -> None:
    found = compare_intonation(sound(120), sound(150), RATE)
    assert found.correlation == pytest.approx(1, abs=0.05)
    assert found.ratio == pytest.approx(1.25, abs=0.03)


def test_without_a_voice_there_is_no_pitch_and_no_syllable() -> None:
    for silent in (np.zeros(4 * RATE), np.zeros(0), np.zeros(10)):
        assert compare_intonation(silent, silent, RATE).correlation is None
        assert compare_intonation(sound(), silent, RATE).ratio is None
        assert count_syllables(silent, RATE) == 0
