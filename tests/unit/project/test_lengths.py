"""How long something is: short media never look as if there were nothing in them."""

import pytest

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
