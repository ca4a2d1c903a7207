"""A judge is asked no faster than its limits allow."""

import asyncio
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from benchmark.judging.run_budget import MINUTE_S, SLOT_GRACE_S, RateLimiter
from tests.builders.waiting import HANG_S


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class Asked:
    """When requests began, and how many were under way at most."""

    clock: Clock
    began: list[float] = field(default_factory=list)
    now: int = 0
    most: int = 0

    async def request(self, pace: RateLimiter, duration: float) -> None:
        async with pace.turn():
            self.began.append(self.clock.now)
            self.now += 1
            self.most = max(self.most, self.now)
            await self.clock.sleep(duration)
            self.now -= 1


async def ask(pace: RateLimiter, asked: Asked, duration: float, requests: int, of_another: bool) -> None:
    """Ask a question that takes so many requests; in the course of another judge's question, outside of a slot."""
    if of_another:
        for _ in range(requests):
            await asked.request(pace, duration)
        return
    async with pace.slot():
        for _ in range(requests):
            await asked.request(pace, duration)


async def ask_all(pace: RateLimiter, asked: Asked, questions: list[tuple[float, int, bool]]) -> None:
    await asyncio.gather(*(ask(pace, asked, *question) for question in questions))


@given(
    st.lists(st.tuples(st.floats(0, 20), st.integers(1, 3), st.booleans()), max_size=20),
    st.integers(1, 5),
    st.integers(1, 7),
)
def test_in_no_minute_and_at_no_time_are_more_requests_made_than_allowed(
    questions: list[tuple[float, int, bool]], at_once: int, per_minute: int
) -> None:
    clock = Clock()
    asked = Asked(clock)
    asyncio.run(ask_all(RateLimiter(at_once, per_minute, clock, clock.sleep), asked, questions))
    assert len(asked.began) == sum(requests for _, requests, _ in questions)
    assert asked.most <= at_once
    for at in asked.began:
        assert sum(at - MINUTE_S + SLOT_GRACE_S < other <= at for other in asked.began) <= per_minute


def test_what_is_tried_again_waits_too() -> None:
    clock = Clock()
    asked = Asked(clock)
    asyncio.run(ask_all(RateLimiter(1, 2, clock, clock.sleep), asked, [(0.0, 3, False)]))
    assert asked.began[2] - asked.began[0] >= MINUTE_S


def test_judges_that_bring_each_others_answers_into_form_do_not_wait_for_each_other_for_ever() -> None:
    clock = Clock()
    asked = Asked(clock)

    async def mutual() -> None:
        rate_limiter, other = RateLimiter(1), RateLimiter(1)

        async def question(own: RateLimiter, second: RateLimiter) -> None:
            async with own.slot():
                await asked.request(own, 1.0)
                await asked.request(second, 1.0)

        async with asyncio.timeout(HANG_S):
            await asyncio.gather(question(rate_limiter, other), question(other, rate_limiter))

    asyncio.run(mutual())
    assert len(asked.began) == 4


@given(st.integers(1, 6), st.integers(0, 25))
def test_no_more_than_allowed_are_under_way(at_once: int, number: int) -> None:
    now, most = 0, 0

    async def one(pace: RateLimiter) -> None:
        nonlocal now, most
        async with pace.slot():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

    async def all_of_them() -> None:
        pace = RateLimiter(at_once)
        await asyncio.gather(*(one(pace) for _ in range(number)))

    asyncio.run(all_of_them())
    assert most == min(at_once, number)
