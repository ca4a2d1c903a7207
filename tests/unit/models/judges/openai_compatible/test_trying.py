"""Servers that are slow, busy or broken: tried again within bounds, and left at once when nobody waits any more."""

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from models.judges.judge_interface import Reply
from project.entities.judgments import JudgmentStatus
from tests.builders.misbehaving_server import (
    Behaviour,
    answers,
    completion,
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
        fails(503),
        hangs_up,
        cuts_off,
        sends(json.dumps(completion(OK)).encode()[:-20]),
        sends(b""),
        answers({"error": {"code": 503, "message": "overloaded"}}),
        answers({"error": {"code": "429", "message": "slow down"}}),
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
    [(hangs_up, True), (cuts_off, True), (sends(b""), True), (hangs, True), (fails(503), False), (fails(429), False)],
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


def test_every_request_waits_for_its_turn() -> None:
    class Counting:
        begun = under_way = 0

        @asynccontextmanager
        async def turn(self) -> AsyncIterator[None]:
            self.begun += 1
            self.under_way += 1
            yield
            self.under_way -= 1

    turns = Counting()
    with misbehaving(fails(500), says("prose"), fails(429), says(OK)) as server:
        reply = asking(server.url, turns=turns).ask()
    assert reply.status is JudgmentStatus.OK
    assert (turns.begun, turns.under_way) == (len(server.asked), 0) == (4, 0)


def test_tries_end() -> None:
    with misbehaving(fails(500, "on fire")) as server:
        asked = asking(server.url, tries=3)
        reply = asked.ask()
    assert (reply.status, reply.calls, len(server.asked), len(asked.waits)) == (JudgmentStatus.ERROR, 3, 3, 2)
    assert reply.error.endswith("could not be asked (HTTP 500): on fire, tried 3 times.")


@pytest.mark.parametrize("dated", [False, True])
def test_retry_after_is_honoured(dated: bool) -> None:
    hint = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True) if dated else "2"
    with misbehaving(fails(429, Retry_After=hint), says(OK)) as server:
        asked = asking(server.url)
        assert asked.ask().status is JudgmentStatus.OK
    least = 100 if dated else 2
    assert asked.waits[0] >= least


def test_a_wait_beyond_patience_is_an_error_that_says_when() -> None:
    with misbehaving(fails(429, "slow down", Retry_After="7200")) as server:
        asked = asking(server.url)
        reply = asked.ask()
    assert (reply.status, len(server.asked), asked.waits) == (JudgmentStatus.ERROR, 1, [])
    assert "it wants to be asked again in 120 minutes, at " in reply.error


def test_a_server_that_wants_to_be_left_alone_is() -> None:
    with misbehaving(fails(429, Retry_After="7200"), says(OK)) as server:
        asked = asking(server.url)

        async def two() -> list[Reply]:
            return [await asked.judge.ask(asked.question()) for _ in range(2)]

        first, second = asked.run(two)
    assert (first.calls, second.calls, len(server.asked)) == (1, 0, 1)
    assert second.status is JudgmentStatus.ERROR
    assert second.error.startswith(f"{server.url[7:-3]} could not be asked; it wants to be asked again in 120 minutes")


def test_other_requests_of_the_judge_rest_too() -> None:
    with misbehaving(fails(429, Retry_After="50"), says(OK)) as server:
        asked = asking(server.url)

        async def two() -> None:
            await asked.judge.ask(asked.question())
            await asked.judge.ask(asked.question())

        asked.run(two)
    assert len(asked.waits) >= 2
    assert all(wait > 45 for wait in asked.waits)


@pytest.mark.parametrize("behaviour", [hangs, drips])
def test_a_request_ends_in_time_even_where_bytes_still_come(behaviour: Behaviour) -> None:
    with misbehaving(behaviour) as server:
        reply = asking(server.url, timeout_s=SHORT_S).ask()
        assert server.left.wait(HANG_S)
    assert (reply.status, len(server.asked)) == (JudgmentStatus.ERROR, 1)
    assert f"no whole answer within {SHORT_S:g} s" in reply.error


def test_time_for_all_tries_ends_too() -> None:
    with misbehaving(hangs) as server:
        asked = asking(server.url, timeout_s=SHORT_S, patience_s=SHORT_S, tries=20)
        reply = asked.ask()
    assert (reply.status, len(server.asked)) == (JudgmentStatus.ERROR, 1)


def test_a_stream_without_end_is_cut_off() -> None:
    with misbehaving(never_ends) as server:
        reply = asking(server.url).ask()
        assert server.left.wait(HANG_S)
    assert (reply.status, len(server.asked)) == (JudgmentStatus.ERROR, 1)
    assert "answers with more than" in reply.error


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


def test_cancelling_ends_a_wait_between_tries() -> None:
    with misbehaving(fails(503)) as server:
        asked = asking(server.url)
        waiting = threading.Event()

        async def cancelled() -> None:
            async def sleep(seconds: float) -> None:
                waiting.set()
                await asyncio.Event().wait()

            asked.judge._sleep = sleep
            task = asyncio.ensure_future(asked.judge.ask(asked.question()))
            await asyncio.to_thread(waiting.wait, 30)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asked.run(cancelled)
    assert len(server.asked) == 1


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


@pytest.mark.parametrize("status", [400, 500])
def test_no_error_holds_a_key(status: int) -> None:
    with misbehaving(fails(status, f"what is {KEY} or Bearer {KEY}?")) as server:
        reply = asking(server.url, tries=1).ask()
    assert reply.status is JudgmentStatus.ERROR
    assert KEY not in repr(reply)
    assert KEY[-8:] not in repr(reply)


def test_a_server_without_a_key_that_wants_one() -> None:
    with misbehaving(fails(401)) as server:
        assert "wants a key" in asking(server.url, key="").ask().error
