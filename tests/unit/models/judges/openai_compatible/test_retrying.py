"""When a failed request is made again: pure arithmetic."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.openai_compatible.server_requests import RetryLimits, retry_after_s

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"RETRY-AFTER": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90),
        ({"Retry-After": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0),
        ({"Retry-After": "Fri, 02 Jan 2026 03:04:35 -0000"}, 30),
        ({"Retry-After": "tomorrow"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
    ],
)
def test_hints(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds


@given(st.text())
def test_no_hint_makes_it_fail(said: str) -> None:
    found = retry_after_s({"Retry-After": said}, NOW)
    assert found is None or found >= 0


draws = st.floats(0, 1, exclude_max=True)


@given(st.integers(1, 40), st.floats(0, 1000), st.none() | st.floats(0, 10_000), draws)
def test_it_never_waits_longer_than_it_has(failures: int, left: float, hint: float | None, draw: float) -> None:
    patience = RetryLimits()
    wait = patience.next_wait(failures, left, hint, lambda: draw)
    if wait is None:
        assert failures >= patience.tries or left <= max(hint or 0, patience.longest_s) + patience.first_s
    else:
        assert failures < patience.tries
        assert 0 <= wait < left
        assert hint is None or wait >= hint


@given(st.integers(1, 19), draws)
def test_waits_double_up_to_a_longest_one(failures: int, draw: float) -> None:
    wait = RetryLimits(tries=20).next_wait(failures, 1e9, None, lambda: draw)
    most = min(0.5 * 2 ** (failures - 1), 30)
    assert wait is not None
    assert most / 2 <= wait <= most


@given(st.integers(1, 20), st.floats(1, 1000), draws)
def test_all_waits_together_end(tries: int, total: float, draw: float) -> None:
    patience, passed, failures = RetryLimits(tries=tries, total_s=total), 0.0, 1
    while (wait := patience.next_wait(failures, total - passed, None, lambda: draw)) is not None:
        passed += wait
        failures += 1
    assert failures <= tries
    assert passed <= total
