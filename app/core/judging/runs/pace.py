"""How fast a judge is asked: so many requests at once, and so many a minute."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

MINUTE_S = 60.0


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
        self._turn = asyncio.Lock()
        self._started: deque[float] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until a request may be started; it is under way until the block ends."""
        async with self._slots:
            if self.per_minute:
                async with self._turn:
                    await self._wait()
                    self._started.append(self._clock())
            yield

    def count(self, requests: int) -> None:
        """Count requests that were made beside the one of the slot: what was tried again, or asked to be mended."""
        if self.per_minute:
            self._started.extend([self._clock()] * requests)

    async def _wait(self) -> None:
        while True:
            while self._started and self._started[0] <= self._clock() - MINUTE_S:
                self._started.popleft()
            if len(self._started) < self.per_minute:
                return
            due = self._started[len(self._started) - self.per_minute] + MINUTE_S
            await self._sleep(max(0.001, due - self._clock()))
