"""Hands answers over to whoever holds the study, as they arrive."""

import asyncio
import time
from collections.abc import Callable, Sequence

from app.core.jobs import Holder
from app.core.judging.runs.parts import judgment_json
from project.judging import Judgment
from project.types import Json

_PAUSE_AT_MOST_S = 0.02


class Delivery:
    """The way of the answers of one run into the study. Belongs to one event loop."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self._waiting: list[Judgment] = []
        self._kept = asyncio.Event()
        self._news = asyncio.Event()
        self._under_way: asyncio.Task[None] | None = None

    async def keep(self, judgment: Judgment) -> None:
        """Return when an answer is in the study."""
        self._waiting.append(judgment)
        self._news.set()
        await self._kept.wait()

    def stir(self) -> None:
        """Have `deliver` look whether it is over."""
        self._news.set()

    async def deliver(self, over: Callable[[], bool], say: Callable[[], None]) -> None:
        """Hand over answers as they arrive; ends when all are handed over and no more come.

        Those that arrive while others are written are handed over together; where this process writes them itself, it
        waits for more as long as writing took: a disk that is slow is asked less often.

        Args:
            over: whether no more answers come.
            say: called whenever some were handed over.

        Raises:
            UserError: an answer could not be stored.
        """
        while True:
            began = time.monotonic()
            if self._waiting and self._holder.threadsafe:
                new, kept = self._taken()
                self._under_way = asyncio.create_task(asyncio.to_thread(self._holder.part, _part(new)))
                await asyncio.shield(self._under_way)
                kept.set()
            else:
                self.hand_over()
            took = time.monotonic() - began
            say()
            if over() and not self._waiting:
                return
            await self._news.wait()
            self._news.clear()
            if not self._holder.threadsafe:
                await asyncio.sleep(min(took, _PAUSE_AT_MOST_S))

    def hand_over(self) -> None:
        """Hand over what waits, at once.

        Raises:
            UserError: an answer could not be stored.
        """
        new, kept = self._taken()
        if new:
            self._holder.part(_part(new))
        kept.set()

    async def finish(self) -> None:
        """Let end what is being handed over; nothing is raised, since `deliver` does that."""
        if self._under_way is not None:
            await asyncio.gather(self._under_way, return_exceptions=True)

    def _taken(self) -> tuple[list[Judgment], asyncio.Event]:
        """Take the answers that are to be handed over, and what those who wait for that are told by."""
        new, kept = self._waiting, self._kept
        self._waiting, self._kept = [], asyncio.Event()
        return new, kept


def _part(new: Sequence[Judgment]) -> dict[str, Json]:
    return {"judgments": [judgment_json(one) for one in new]}
