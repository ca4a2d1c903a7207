"""Covers: nothing is left under them, nothing changes beside them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonymize.sound.sound_plan import (
    FADE_US,
    CoverFilter,
    RoomTone,
    SoundPlan,
    measure_room,
    sound_filter,
)
from anonymize.sound.voice_methods import COVERS, MUTE, SILENCE
from anonymize.sound.voice_stream import UNKNOWN_SPEAKER
from project.timebase import Interval

RATE = 8000
SOUND = np.random.default_rng(3).uniform(-0.9, 0.9, (2, 4000)).astype(np.float32)
spans = st.lists(
    st.builds(lambda start, length: (start, start + length), st.integers(-50_000, 520_000), st.integers(0, 90_000)),
    max_size=6,
)


def cut(sound: NDArray[np.float32], sizes: list[int]) -> Iterator[NDArray[np.float32]]:
    at = 0
    while at < sound.shape[1]:
        size = sizes[at % len(sizes)]
        yield sound[:, at : at + size]
        at += size


def covered(sound: NDArray[np.float32], cover: CoverFilter, sizes: list[int], start_us: int = 0) -> NDArray[np.float32]:
    return np.concatenate(list(cover.treat(cut(sound, sizes), RATE, start_us)), axis=1)


def inside(found: list[Interval], start_us: int, margin: int = 0) -> NDArray[np.bool_]:
    """Samples that a span touches, by their times; `margin` samples more on each side."""
    here = np.zeros(SOUND.shape[1], bool)
    for begin_us, end_us in found:
        first = (begin_us - start_us) * RATE // 1_000_000
        last = max(first + 1, -(-(end_us - start_us) * RATE // 1_000_000))
        here[max(0, first - margin) : max(0, last + margin)] = True
    return here


@given(spans, st.lists(st.integers(1, 900), min_size=1, max_size=4), st.integers(0, 60_000))
def test_muted_spans_are_zero_and_all_beside_is_bit_for_bit(
    found: list[Interval], sizes: list[int], start_us: int
) -> None:
    made = covered(SOUND, CoverFilter(found), sizes, start_us)
    assert made.shape == SOUND.shape
    assert not made[:, inside(found, start_us)].any()
    beside = ~inside(found, start_us, FADE_US * RATE // 1_000_000)
    assert made[:, beside].tobytes() == SOUND[:, beside].tobytes()
    assert (np.abs(made) <= np.abs(SOUND)).all()


@given(spans, st.sampled_from(list(COVERS)), st.lists(st.integers(1, 900), min_size=1, max_size=4))
def test_how_sound_is_cut_into_blocks_makes_no_difference(found: list[Interval], kind: str, sizes: list[int]) -> None:
    tone = measure_room(iter([SOUND * np.float32(0.01)]), RATE)
    cover = CoverFilter(found, kind, tone)
    whole = covered(SOUND, cover, [SOUND.shape[1]])
    assert np.allclose(covered(SOUND, cover, sizes), whole, atol=1e-6)


@given(spans, st.sampled_from(list(COVERS)))
def test_what_is_heard_under_a_cover_does_not_depend_on_what_was_there(found: list[Interval], kind: str) -> None:
    tone = RoomTone(np.ones((1, 1)) * 1e-3)
    cover = CoverFilter(found, kind, tone)
    array, two = (covered(each, cover, [700]) for each in (SOUND, SOUND[:, ::-1]))
    here = inside(found, 0)
    assert np.array_equal(array[:, here], two[:, here])


def test_sound_that_is_no_number_is_silent_under_a_cover() -> None:
    broken = SOUND.copy()
    broken[:, 1000:1100] = np.nan
    made = covered(broken, CoverFilter([(125_000, 137_500)]), [512])
    assert not made[:, 1000:1100].any()


def test_the_tone_of_the_room_is_as_loud_as_its_quiet_moments_and_is_no_copy() -> None:
    rng = np.random.default_rng(5)
    quiet = rng.normal(0, 0.003, (1, 8 * RATE)).astype(np.float32)
    sound = quiet.copy()
    for second in range(8):
        sound[:, second * RATE : second * RATE + RATE // 2] += rng.normal(0, 0.3, RATE // 2).astype(np.float32)
    tone = measure_room(iter(np.array_split(sound, 13, axis=1)), RATE)
    made = np.concatenate(list(CoverFilter([(0, 8_000_000)], SILENCE, tone).treat(iter([sound]), RATE, 0)), axis=1)
    assert made.std() == pytest.approx(0.003, rel=0.3)
    assert abs(np.corrcoef(made[0], quiet[0])[0, 1]) < 0.05


def test_a_recording_of_digital_silence_has_a_silent_room() -> None:
    tone = measure_room(iter([np.zeros((1, 10), np.float32)]), RATE)
    assert not tone.samples_at(0, 100, 2).any()


def test_nothing_of_a_covered_word_is_smeared_beside_its_cover_by_a_changed_voice(tmp_path: Path) -> None:
    word = (200_000, 300_000)
    plan = SoundPlan((word,), MUTE, "mcadams", seeds={UNKNOWN_SPEAKER: "a secret"})
    other = SOUND.copy()
    other[:, RATE // 5 : 3 * RATE // 10] = 0.5
    first, second = (
        np.concatenate(list(sound_filter(plan, tmp_path / "none.wav").treat(iter([sound]), RATE, 0)), axis=1)
        for sound in (SOUND, other)
    )
    assert np.abs(first).max() > 0.1
    np.testing.assert_array_equal(first, second)
