"""How lengths, counts and identifiers are written, how spans are merged, and how long work still takes."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.errors import Cancelled
from project.ids import is_id, new_id
from project.progress import MIN_ELAPSED_S, RemainingTimeEstimator, StageProgress, format_time_left
from project.text_format import pluralize
from project.timebase import format_duration, format_minutes, format_seconds, merge_spans
from tests.builders.cancelling import CancelAt


@pytest.mark.parametrize(
    ("length_us", "text"),
    [
        (0, "0.0 s"),
        (400, "0.000400 s"),
        (40_000, "0.040 s"),
        (200_000, "0.2 s"),
        (9_940_000, "9.9 s"),
        (9_960_000, "0:00:10"),
        (23_920_000, "0:00:24"),
        (59_600_000, "0:01:00"),
        (3_600_000_000, "1:00:00"),
    ],
)
def test_a_length_in_a_list(length_us: int, text: str) -> None:
    assert format_duration(length_us) == text


@pytest.mark.parametrize(
    ("length_us", "text"),
    [(200_000, "0.2 s"), (24_000_000, "24 s"), (59_600_000, "1 min"), (90 * 60_000_000, "90 min")],
)
def test_how_much_footage_there_is(length_us: int, text: str) -> None:
    assert format_minutes(length_us) == text


def test_nothing_that_lasts_is_written_as_zero() -> None:
    for length_us in (1, 10, 499, 33_367, 49_999, 99_999):
        for text in (format_seconds(length_us), format_duration(length_us), format_minutes(length_us)):
            assert float(text.removesuffix(" s")) > 0, length_us


@pytest.mark.parametrize(("number", "words"), [(0, "0 recordings"), (1, "1 recording"), (2, "2 recordings")])
def test_one_is_told_apart_from_several(number: int, words: str) -> None:
    assert pluralize(number, "recording") == words


def test_ids_sort_in_the_order_they_were_made() -> None:
    made = [new_id() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert all(
        is_id(text) and uuid.UUID(text).version == 7 and uuid.UUID(text).variant == uuid.RFC_4122 for text in made
    )


def test_threads_never_make_the_same() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [text for batch in pool.map(lambda _: [new_id() for _ in range(2_000)], range(8)) for text in batch]
    assert len(set(made)) == len(made)


def test_an_id_is_told_from_other_texts() -> None:
    assert not any(map(is_id, ("", "1", str(uuid.uuid4()), new_id().upper(), f"{new_id()}x")))


class Clock:
    """Shows what it is set to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def after(clock: Clock, remaining: RemainingTimeEstimator, seconds: float, done: int, total: int) -> float | None:
    clock.now += seconds
    return remaining.estimate(done, total)


def test_nothing_is_said_before_anybody_can_know(clock: Clock) -> None:
    remaining = RemainingTimeEstimator(clock)
    assert remaining.estimate(0, 100) is None
    assert after(clock, remaining, MIN_ELAPSED_S / 2, 50, 100) is None
    assert after(clock, remaining, 60, 0, 0) is None, "nobody knows how much there is"


def test_what_is_left_takes_as_long_as_what_was_done(clock: Clock) -> None:
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(0, 100)
    assert after(clock, remaining, 10, 20, 100) == pytest.approx(40)
    assert after(clock, remaining, 10, 50, 100) == pytest.approx(20)
    assert after(clock, remaining, 1, 100, 100) is None, "it is done"


def test_what_a_cache_held_does_not_make_it_faster(clock: Clock) -> None:
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(900, 1000)
    assert after(clock, remaining, 10, 900, 1000) is None
    assert after(clock, remaining, 10, 910, 1000) == pytest.approx(180)


@pytest.mark.parametrize("total", [100, 7])
def test_what_falls_back_is_another_piece_of_work(clock: Clock, total: int) -> None:
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(0, 100)
    assert after(clock, remaining, 1000, 90, 100) is not None
    assert after(clock, remaining, 0, 1, total) is None
    assert after(clock, remaining, 4, 3, total) == pytest.approx(2 * (total - 3))


def test_another_end_without_a_step_is_another_piece_and_a_later_end_is_not(clock: Clock) -> None:
    remaining = RemainingTimeEstimator(clock)
    remaining.estimate(0, 10)
    assert after(clock, remaining, 10, 5, 10) == pytest.approx(10)
    assert after(clock, remaining, 10, 10, 30) == pytest.approx(40)
    assert after(clock, remaining, 10, 10, 50) is None


@given(st.lists(st.tuples(st.floats(0, 1e4), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=30))
def test_it_is_never_negative_and_always_in_words(told: list[tuple[float, int, int]]) -> None:
    clock = Clock()
    remaining = RemainingTimeEstimator(clock)
    for seconds, done, total in told:
        left = after(clock, remaining, seconds, done, total)
        assert left is None or left >= 0
        assert bool(format_time_left(left)) == (left is not None)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.2, "about 1 s left"),
        (89, "about 89 s left"),
        (100, "about 2 min left"),
        (89 * 60, "about 89 min left"),
        (3 * 3600, "about 3.0 h left"),
    ],
)
def test_words(seconds: float | None, words: str) -> None:
    assert format_time_left(seconds) == words


def test_words_are_put_into_the_language_of_the_reader() -> None:
    assert format_time_left(30, {"about {value:.0f} s left": "noch {value:.0f} s"}.__getitem__) == "noch 30 s"


def test_stages_tell_how_far_it_is_and_end_where_nobody_wants_them() -> None:
    progress = CancelAt(3)
    stages = StageProgress(progress, 5, "Counting")
    assert [stages.finish_stage(made) for made in "ab"] == ["a", "b"]
    with pytest.raises(Cancelled):
        stages.finish_stage("c")
    assert progress.told == [(1, 5, "Counting"), (2, 5, "Counting"), (3, 5, "Counting")]


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 20)), max_size=12))
def test_joined_spans_cover_the_same_moments_and_do_not_touch(parts: list[tuple[int, int]]) -> None:
    spans = [(start, start + length) for start, length in parts]
    found = merge_spans(spans)
    assert {t for start, end in spans for t in range(start, end)} == {
        t for start, end in found for t in range(start, end)
    }
    assert all(before[1] < after[0] for before, after in pairwise(found))
