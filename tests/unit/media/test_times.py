from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from media.frame_index import load_index
from media.source import ticks_array_to_us, ticks_to_us
from tests.builders.clips import make_clip

TICKS = st.integers(-(10**12), 10**12)
BASES = st.sampled_from([(1, 24_000), (1001, 30_000), (1, 90_000), (1, 15_360), (1, 1_000_000_000), (1, 1), (1, 7)])


@given(TICKS, BASES)
def test_ticks_round_to_the_nearest_microsecond_and_halves_go_up(ticks: int, base: tuple[int, int]) -> None:
    exact = Fraction(ticks * base[0] * 1_000_000, base[1])
    assert ticks_to_us(ticks, *base) == floor(exact + Fraction(1, 2))


@given(st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=20), BASES)
def test_whole_arrays_round_alike(ticks: list[int], base: tuple[int, int]) -> None:
    found = ticks_array_to_us(np.array(ticks, np.int64), *base)
    assert found.tolist() == [ticks_to_us(tick, *base) for tick in ticks]


def test_picture_that_starts_after_the_sound_keeps_its_place(shared_data: Path) -> None:
    index = load_index(shared_data / "media" / "conv_multi_friends_720p.mp4")
    assert len(index) == 632
    assert index.times.times_us[:3].tolist() == [1_704_000, 1_745_708, 1_787_417]
    assert index.times.end_us == 28_063_667


def test_picture_that_starts_after_the_sound_in_a_made_clip(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "late.mp4", frames=10, sound=True, picture_offset_us=500_000)
    assert load_index(clip).times.times_us[:2].tolist() == [500_000, 533_333]
