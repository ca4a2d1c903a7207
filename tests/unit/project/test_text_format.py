"""How lengths, counts and identifiers are written."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from project.ids import is_id, new_id
from project.text_format import pluralize
from project.timebase import format_duration, format_minutes, format_seconds


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
