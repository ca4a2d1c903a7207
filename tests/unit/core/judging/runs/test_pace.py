"""A judge is asked no faster than its limits allow."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from app.core.judging.runs.pace import MINUTE_S, Pace


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


async def starts(pace: Pace, clock: Clock, durations: list[float], extra: list[int]) -> list[float]:
    began: list[float] = []

    async def one(duration: float, more: int) -> None:
        async with pace.slot():
            began.append(clock.now)
            await clock.sleep(duration)
        pace.count(more)
        began.extend([clock.now] * more)

    await asyncio.gather(*(one(*each) for each in zip(durations, extra, strict=True)))
    return began


@given(
    st.lists(st.tuples(st.floats(0, 20), st.integers(0, 2)), max_size=30),
    st.integers(1, 5),
    st.integers(1, 7),
)
def test_in_no_minute_are_more_requests_begun_than_allowed(
    asked: list[tuple[float, int]], at_once: int, per_minute: int
) -> None:
    clock = Clock()
    pace = Pace(at_once, per_minute, clock, clock.sleep)
    began = asyncio.run(starts(pace, clock, [d for d, _ in asked], [0] * len(asked)))
    assert len(began) == len(asked)
    for at in began:
        assert sum(at - MINUTE_S < other <= at for other in began) <= per_minute


def test_what_was_tried_again_counts_too() -> None:
    clock = Clock()
    pace = Pace(1, 4, clock, clock.sleep)
    began = asyncio.run(starts(pace, clock, [0.0, 0.0], [3, 0]))
    assert began[-1] - began[0] >= MINUTE_S


@given(st.integers(1, 6), st.integers(0, 25))
def test_no_more_than_allowed_are_under_way(at_once: int, number: int) -> None:
    now, most = 0, 0

    async def one(pace: Pace) -> None:
        nonlocal now, most
        async with pace.slot():
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1

    async def all_of_them() -> None:
        pace = Pace(at_once)
        await asyncio.gather(*(one(pace) for _ in range(number)))

    asyncio.run(all_of_them())
    assert most == min(at_once, number)
