"""Where somebody speaks: found in a conversation, in no noise or music, the same however the sound is cut."""

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.speech.silero import Silero
from models.speech.speech_recognizers import Samples
from tests.builders.voices import RATE, chords, hiss, said, spoken


@pytest.fixture(scope="module")
def silero() -> Silero:
    return Silero()


def shared_us(spans: "np.ndarray", start_us: int, end_us: int) -> int:
    return int(sum(max(0, min(end, end_us) - max(start, start_us)) for start, end in spans))


def test_it_hears_what_is_said_and_nothing_in_the_pauses(silero: Silero) -> None:
    found = silero.detect([spoken()])
    truth = [(entry["start_us"], entry["end_us"]) for entry in said()]
    for start, end in truth:
        assert shared_us(found, start, end) >= 0.85 * (end - start)
    outside = sum(end - start for start, end in found) - shared_us(found, truth[0][0], truth[-1][1])
    assert outside < 500_000


def test_it_hears_nobody_in_noise_and_chords_and_where_there_is_no_sound(silero: Silero) -> None:
    for blocks in ([hiss(10)], [chords(10)], [np.zeros(3, np.float32)], []):
        assert silero.detect(blocks).shape == (0, 2)


@settings(max_examples=settings.default.max_examples // 2)
@given(st.lists(st.integers(1, 40_000), min_size=1, max_size=12))
def test_the_cut_of_the_blocks_makes_no_difference(sizes: list[int]) -> None:
    sound = spoken()[: 4 * RATE]
    cuts = np.cumsum(sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("models.speech.silero.likelihood_to_spans", lambda likely, *_: likely)
        whole = Silero().detect([sound])
        patch.setattr("models.speech.silero._AT_ONCE", 2)
        in_pieces = Silero().detect(np.split(sound, cuts[cuts < len(sound)]))
    assert in_pieces == pytest.approx(whole, abs=1e-4)


def test_a_long_recording_takes_no_more_memory_than_a_short_one(silero: Silero) -> None:
    third_of_a_minute = spoken()[: 20 * RATE]

    def blocks(times: int) -> Iterator[Samples]:
        for _ in range(times):
            yield from np.array_split(third_of_a_minute, 100)

    def peak(times: int) -> int:
        tracemalloc.start()
        silero.detect(blocks(times))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(4) < peak(2) + 1_000_000
