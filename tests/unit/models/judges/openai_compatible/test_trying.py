"""Servers that are slow, busy or broken: tried again within bounds, and left at once when nobody waits any more."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.judges.judge_interface import Reply
from models.judges.openai_compatible.server_requests import RetryLimits, retry_after_s
from project.entities.judgments import JudgmentStatus
from tests.builders.misbehaving_server import (
    Behaviour,
    answers,
    cuts_off,
    drips,
    echoes_the_key,
    fails,
    hangs,
    hangs_up,
    misbehaving,
    never_ends,
    says,
    sends,
)
from tests.builders.openai_judge import KEY, asking
from tests.builders.waiting import HANG_S

OK = '{"verdict": "error"}'
SHORT_S = 3.0
"""Of requests that are never answered. A busy machine has sent them by then."""


@pytest.mark.parametrize(
    "behaviour",
    [
        fails(429),
        cuts_off,
        sends(b""),
        answers({"error": {"code": 503, "message": "overloaded"}}),
    ],
)
def test_what_may_pass_is_tried_again(behaviour: Behaviour) -> None:
    with misbehaving(behaviour, behaviour, says(OK)) as server:
        asked = asking(server.url)
        reply = asked.ask()
    assert (reply.status, reply.answer, reply.calls) == (JudgmentStatus.OK, {"verdict": "error"}, 3)
    assert (len(server.asked), len(asked.waits)) == (3, 2)
    assert 0.25 <= asked.waits[0] <= 0.5 <= asked.waits[1] <= 1.0
    assert len(asked.gate.noted) == 3


@pytest.mark.parametrize(
    ("behaviour", "counts"),
    [(hangs_up, True), (sends(b""), True), (hangs, True), (fails(503), False)],
)
def test_a_lost_answer_is_not_asked_for_again_where_nothing_is_left_to_pay_it(
    behaviour: Behaviour, counts: bool
) -> None:
    told: list[bool] = []

    def nothing_left() -> bool:
        told.append(True)
        return False

    with misbehaving(behaviour, says(OK)) as server:
        # Who answers is given the time for it, however busy the machine is.
        reply = asking(server.url, timeout_s=SHORT_S if behaviour is hangs else HANG_S).ask(on_lost=nothing_left)
    assert bool(told) is counts
    assert (reply.calls, len(server.asked)) == ((1, 1) if counts else (2, 2))
    assert (reply.status is JudgmentStatus.ERROR) is counts


def test_tries_end() -> None:
    with misbehaving(fails(500, "on fire")) as server:
        asked = asking(server.url, tries=3)
        reply = asked.ask()
    assert (reply.status, reply.calls, len(server.asked), len(asked.waits)) == (JudgmentStatus.ERROR, 3, 3, 2)
    assert reply.error.endswith("could not be asked (HTTP 500): on fire, tried 3 times.")


def test_retry_after_is_honoured_by_all_requests_of_the_judge() -> None:
    with misbehaving(fails(429, Retry_After="50"), says(OK)) as server:
        asked = asking(server.url)

        async def two() -> None:
            await asked.judge.ask(asked.question())
            await asked.judge.ask(asked.question())

        asked.run(two)
    assert len(asked.waits) >= 2
    assert all(wait > 45 for wait in asked.waits)


def test_a_server_that_wants_to_be_left_alone_is() -> None:
    with misbehaving(fails(429, Retry_After="7200"), says(OK)) as server:
        asked = asking(server.url)

        async def two() -> list[Reply]:
            return [await asked.judge.ask(asked.question()) for _ in range(2)]

        first, second = asked.run(two)
    assert (first.calls, second.calls, len(server.asked)) == (1, 0, 1)
    assert second.status is JudgmentStatus.ERROR
    assert second.error.startswith(f"{server.url[7:-3]} could not be asked; it wants to be asked again in 120 minutes")


@pytest.mark.parametrize("behaviour", [hangs, drips])
def test_a_request_ends_in_time_even_where_bytes_still_come(behaviour: Behaviour) -> None:
    with misbehaving(behaviour) as server:
        reply = asking(server.url, timeout_s=SHORT_S).ask()
        assert server.left.wait(HANG_S)
    assert (reply.status, len(server.asked)) == (JudgmentStatus.ERROR, 1)
    assert f"no whole answer within {SHORT_S:g} s" in reply.error


def test_a_stream_without_end_is_cut_off() -> None:
    with misbehaving(never_ends) as server:
        reply = asking(server.url).ask()
        assert server.left.wait(HANG_S)
    assert (reply.status, len(server.asked)) == (JudgmentStatus.ERROR, 1)
    assert "answer is larger than" in reply.error


def test_cancelling_closes_the_connection_at_once() -> None:
    with misbehaving(hangs) as server:
        asked = asking(server.url)

        async def cancelled() -> bool:
            task = asyncio.ensure_future(asked.judge.ask(asked.question()))
            while not server.asked:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await asyncio.to_thread(server.left.wait, 30)

        assert asked.run(cancelled)


def test_nobody_listens() -> None:
    with misbehaving() as server:
        url = server.url
    reply = asking(url, tries=2).ask()
    assert (reply.status, reply.calls) == (JudgmentStatus.ERROR, 2)
    assert "nothing listens there; is the server running?" in reply.error


def test_a_key_is_echoed_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with misbehaving(echoes_the_key) as server:
        asked = asking(server.url)
        reply = asked.ask()
        assert len(server.asked) == 1
        found = asked.run(asked.judge.probe)
    assert reply.status is JudgmentStatus.ERROR
    assert not found.ok
    assert reply.error.endswith("does not accept the key (HTTP 401); set it with: greenroom judge key.")
    for text in (repr(reply), repr(found), repr(asked.judge), repr(vars(asked.judge)), caplog.text):
        for piece in (KEY, KEY[:6], KEY[-4:]):
            assert piece not in text


def test_no_error_holds_a_key() -> None:
    with misbehaving(fails(500, f"what is {KEY} or Bearer {KEY}?")) as server:
        reply = asking(server.url, tries=1).ask()
    assert reply.status is JudgmentStatus.ERROR
    assert KEY not in repr(reply)
    assert KEY[-8:] not in repr(reply)


NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"RETRY-AFTER": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90),
        ({"Retry-After": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0),
        ({"Retry-After": "tomorrow"}, None),
        ({"Retry-After": "inf"}, None),
    ],
)
def test_hints(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds


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
