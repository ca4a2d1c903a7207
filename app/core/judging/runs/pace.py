"""How fast a judge is asked: so many requests at once, and so many a minute, all that is tried again included."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

MINUTE_S = 60.0
SOON_S = 0.25
"""A request that is made later than this after its slot was given counts when it is made."""


class Pace:
    """Lets requests through no faster than a judge's limits allow, first come, first served.

    In no stretch of a minute are more than `per_minute` requests started.

    Attributes:
        at_once: requests that may be under way at the same time.
        per_minute: requests that may be started in a minute; 0 for no limit.
    """

    def __init__(
        self,
        at_once: int,
        per_minute: int = 0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.at_once = at_once
        self.per_minute = per_minute
        self._clock = clock
        self._sleep = sleep
        self._slots = asyncio.Semaphore(at_once)
        # Apart from the slots: a judge that coerces is asked by those that hold slots of their own.
        self._requests = asyncio.Semaphore(at_once)
        self._first: ContextVar[list[float]] = ContextVar("first")
        self._turn = asyncio.Lock()
        self._started: deque[float] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until a question may be asked; it is under way until the block ends.

        Its first request counts as begun here, so that its own time does not hold the waiting.
        """
        async with self._slots:
            await self._begin()
            self._first.set([self._clock()])
            yield

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may be made, whether in a slot or not; it is under way until the block ends."""
        async with self._requests:
            first = self._first.get([])
            if not first or self._clock() - first.pop() > SOON_S:
                await self._begin()
            yield

    async def _begin(self) -> None:
        if self.per_minute:
            async with self._turn:
                await self._wait()
                self._started.append(self._clock())

    async def _wait(self) -> None:
        while True:
            while self._started and self._started[0] <= self._clock() - MINUTE_S:
                self._started.popleft()
            if len(self._started) < self.per_minute:
                return
            due = self._started[len(self._started) - self.per_minute] + MINUTE_S
            await self._sleep(max(0.001, due - self._clock()))
