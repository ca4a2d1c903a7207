"""A budget is never passed, and what was set aside and not needed can be used by others."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from benchmark.judging.run_budget import BudgetTracker, Cost, Limits

requests = st.lists(
    st.tuples(st.integers(0, 400), st.floats(0, 1), st.integers(1, 4)).map(
        lambda row: (Cost(row[0], row[0] / 1e6), row[1], row[2])
    ),
    max_size=20,
)


async def spend(purse: BudgetTracker, asked: list[tuple[Cost, float, int]]) -> list[bool]:
    async def one(most: Cost, share: float, rounds: int) -> bool:
        held = await purse.reserve(lambda: most)
        assert purse.limits.allows(purse.spent + purse.reserved)
        if held is None:
            return False
        for _ in range(rounds):
            await asyncio.sleep(0)
        purse.settle(held, Cost(int(most.tokens * share), most.money * share))
        assert purse.limits.allows(purse.spent + purse.reserved)
        return True

    return list(await asyncio.gather(*(one(*each) for each in asked)))


@given(requests, st.none() | st.integers(0, 2000), st.none() | st.floats(0, 0.002))
def test_it_is_never_passed(asked: list[tuple[Cost, float, int]], tokens: int | None, money: float | None) -> None:
    purse = BudgetTracker(Limits(money, tokens))
    sent = asyncio.run(spend(purse, asked))
    assert purse.reserved == Cost()
    assert purse.limits.allows(purse.spent)
    if tokens is None and money is None:
        assert all(sent)
    for (most, _, _), was in zip(asked, sent, strict=True):
        # One that was not sent would not have fitted beside what was spent by the end.
        assert was or not purse.limits.allows(purse.spent + most) or not purse.limits.allows(most)


def test_one_that_does_not_fit_now_waits_for_what_others_leave() -> None:
    purse = BudgetTracker(Limits(tokens=100))
    asked = [(Cost(60), 0.1, 3), (Cost(60), 0.5, 1)]
    assert asyncio.run(spend(purse, asked)) == [True, True]
    assert purse.spent.tokens == 36


def test_one_that_never_fits_is_not_sent_and_does_not_wait() -> None:
    purse = BudgetTracker(Limits(tokens=100))
    assert asyncio.run(spend(purse, [(Cost(101), 1, 1), (Cost(100), 1, 1)])) == [False, True]


def test_waiting_can_be_given_up() -> None:
    async def give_up() -> None:
        purse = BudgetTracker(Limits(tokens=10))
        held = await purse.reserve(lambda: Cost(10))
        assert held is not None
        waiting = asyncio.create_task(purse.reserve(lambda: Cost(5)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        purse.settle(held, Cost(2))
        assert await purse.reserve(lambda: Cost(8)) is not None

    asyncio.run(give_up())
