"""A budget is never passed, and a judge is asked no faster than its limits allow."""

import asyncio
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from benchmark.judging.run_budget import MINUTE_S, SLOT_GRACE_S, BudgetTracker, Cost, Limits, RateLimiter
from tests.builders.waiting import HANG_S

requests = st.lists(
    st.tuples(st.integers(0, 400), st.floats(0, 1), st.integers(1, 4)).map(
        lambda row: (Cost(row[0], row[0] / 1e6), row[1], row[2])
    ),
    max_size=20,
)


def is_kept(budget: BudgetTracker) -> bool:
    money, tokens = budget.limits.money, budget.limits.tokens
    spent = budget.spent + budget.reserved
    return (money is None or spent.money <= money) and (tokens is None or spent.tokens <= tokens)


async def spend(budget: BudgetTracker, asked: list[tuple[Cost, float, int]]) -> list[bool]:
    """Ask at once; each request has its worst case, the share of it that it takes, and how long it lasts."""

    async def ask(most: Cost, share: float, rounds: int) -> bool:
        async with budget.reserve(lambda: most) as reservation:
            assert is_kept(budget)
            if reservation is None:
                return False
            for _ in range(rounds):
                await asyncio.sleep(0)
            reservation.took = Cost(int(most.tokens * share), most.money * share)
        assert is_kept(budget)
        return True

    return list(await asyncio.gather(*(ask(*request) for request in asked)))


@given(requests, st.none() | st.integers(0, 2000), st.none() | st.floats(0, 0.002))
def test_a_budget_is_never_passed(
    asked: list[tuple[Cost, float, int]], tokens: int | None, money: float | None
) -> None:
    budget = BudgetTracker(Limits(money, tokens))
    sent = asyncio.run(spend(budget, asked))
    assert budget.reserved == Cost()
    if tokens is None and money is None:
        assert all(sent)
    for (most, _, _), was_sent in zip(asked, sent, strict=True):
        # One that was not sent would not have fitted beside what was spent by the end.
        assert was_sent or not budget.limits.allows(budget.spent + most) or not budget.limits.allows(most)


def test_a_request_waits_for_what_others_leave_and_one_that_never_fits_does_not() -> None:
    budget = BudgetTracker(Limits(tokens=100))
    assert asyncio.run(spend(budget, [(Cost(60), 0.1, 3), (Cost(60), 0.5, 1)])) == [True, True]
    assert budget.spent.tokens == 36
    for limits, most, exact in (
        (Limits(tokens=100), Cost(101), Cost(100)),
        (Limits(money=1.0), Cost(0, 1.01), Cost(0, 1.0)),
    ):
        assert asyncio.run(spend(BudgetTracker(limits), [(most, 1, 1), (exact, 1, 1)])) == [False, True]


def test_a_request_that_is_tried_again_reserves_more_where_there_is_room() -> None:
    async def try_again() -> None:
        budget = BudgetTracker(Limits(tokens=100))
        async with budget.reserve(lambda: Cost(60)) as reservation:
            assert reservation.lose(Cost(30))
            assert budget.reserved == Cost(90)
            assert not budget.has_room(Cost(20))
            reservation.took = Cost(40)
        assert (budget.reserved, budget.spent) == (Cost(), Cost(70))

    asyncio.run(try_again())


def test_waiting_can_be_given_up() -> None:
    async def give_up() -> None:
        budget = BudgetTracker(Limits(tokens=10))
        async with budget.reserve(lambda: Cost(10)) as reservation:
            waiting = asyncio.create_task(spend(budget, [(Cost(5), 1, 1)]))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            reservation.took = Cost(2)
        assert await spend(budget, [(Cost(8), 1, 1)]) == [True]

    asyncio.run(give_up())


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


async def gather(questions: Iterable[Awaitable[None]]) -> None:
    async with asyncio.timeout(HANG_S):
        await asyncio.gather(*questions)


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
    pace = RateLimiter(at_once, per_minute, clock, clock.sleep)
    asyncio.run(gather(ask(pace, asked, *question) for question in questions))
    assert len(asked.began) == sum(requests for _, requests, _ in questions)
    assert asked.most <= at_once
    for at in asked.began:
        assert sum(at - MINUTE_S + SLOT_GRACE_S < other <= at for other in asked.began) <= per_minute


def test_what_is_tried_again_waits_too() -> None:
    clock = Clock()
    asked = Asked(clock)
    asyncio.run(ask(RateLimiter(1, 2, clock, clock.sleep), asked, 0.0, 3, False))
    assert asked.began[2] - asked.began[0] >= MINUTE_S


def test_judges_that_bring_each_others_answers_into_form_do_not_wait_for_each_other_for_ever() -> None:
    clock = Clock()
    asked = Asked(clock)

    async def ask_both(own: RateLimiter, second: RateLimiter) -> None:
        async with own.slot():
            await asked.request(own, 1.0)
            await asked.request(second, 1.0)

    first, second = RateLimiter(1), RateLimiter(1)
    asyncio.run(gather((ask_both(first, second), ask_both(second, first))))
    assert len(asked.began) == 4


@given(st.integers(1, 6), st.integers(0, 25))
def test_no_more_questions_than_allowed_are_under_way(at_once: int, number: int) -> None:
    now, most = 0, 0

    async def ask_question(pace: RateLimiter) -> None:
        nonlocal now, most
        async with pace.slot():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

    pace = RateLimiter(at_once)
    asyncio.run(gather(ask_question(pace) for _ in range(number)))
    assert most == min(at_once, number)
