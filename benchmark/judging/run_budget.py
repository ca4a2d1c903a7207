"""The budget and the rate limits of a run.

Each request reserves its worst-case cost before it is sent, so the budget is never exceeded; retries count against
both.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import ceil
from typing import Any

from models.judges.judge_interface import AnswerForm, Message, ModelOptions, RepairLevel, Reply
from project.errors import UserError
from project.store.column_values import to_json
from project.timebase import SECOND_US


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of requests, or their worst case.

    Attributes:
        tokens: read and written together.
        money: in one currency.
    """

    tokens: int = 0
    money: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.tokens + other.tokens, self.money + other.money)


@dataclass(frozen=True, slots=True)
class Limits:
    """A budget; None for no limit.

    Attributes:
        money: that a run may cost, in the currency of the judges' prices.
        tokens: that a run may read and write together.
    """

    money: float | None = None
    tokens: int | None = None

    def remaining(self, money: float, tokens: int) -> "Limits":
        """Return the rest of the budget after some was spent."""
        left = Limits(
            None if self.money is None else self.money - money, None if self.tokens is None else self.tokens - tokens
        )
        if (left.money is not None and left.money <= 0) or (left.tokens is not None and left.tokens <= 0):
            raise UserError("The budget of this run is spent.", "Ask again with a new budget.")
        return left

    def allows(self, cost: Cost) -> bool:
        """Tell whether a cost is within the budget."""
        return (self.money is None or cost.money <= self.money) and (self.tokens is None or cost.tokens <= self.tokens)


@dataclass(eq=False)
class Reservation:
    """What is set aside for one running request.

    Attributes:
        extension: set aside on top of that, for tries after lost ones.
        lost: worst case of what was sent and never answered as a whole.
        took: its cost; None while unknown: one that is cancelled while it runs may still be charged by its server.
    """

    budget: "BudgetTracker"
    max_cost: Cost
    extension: Cost = Cost()
    lost: Cost = Cost()
    took: Cost | None = None

    @property
    def held(self) -> Cost:
        """All that is set aside."""
        return self.max_cost + self.extension

    @property
    def spent(self) -> Cost:
        """What it counts for once it ended."""
        return self.held if self.took is None or self.took == self.max_cost else self.took + self.lost

    def lose(self, cost: Cost) -> bool:
        """Count a lost request; returns whether the budget has room to send it again."""
        self.lost += cost
        fits = self.budget.has_room(cost)
        if fits:
            self.extension += cost
        return fits


class BudgetTracker:
    """Tracks what was spent and what is reserved for running requests."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self.spent = Cost()
        self._running: list[Reservation] = []
        self._released = asyncio.Event()

    @property
    def reserved(self) -> Cost:
        """The total of all reservations."""
        return sum((reservation.held for reservation in self._running), Cost())

    def has_room(self, cost: Cost) -> bool:
        """Tell whether a cost fits beside what was spent and what is reserved."""
        return self.limits.allows(self.spent + self.reserved + cost)

    @asynccontextmanager
    async def reserve(self, most: Callable[[], Cost]) -> AsyncIterator[Reservation | None]:
        """Reserve the worst case of the request in this block; None if the budget has no room for it.

        While other requests run it waits, because they may cost less than was reserved.

        `most` returns the worst case, and is called again after each wait, because estimates improve with replies.
        """
        while not self.has_room(cost := most()):
            if not self._running:
                yield None
                return
            await self._released.wait()
        reservation = Reservation(self, cost)
        self._running.append(reservation)
        try:
            yield reservation
        finally:
            self._running.remove(reservation)
            self.spent += reservation.spent
            self._released.set()
            self._released = asyncio.Event()


_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_CHAT = 64
_PATCH_PIXELS = 14
_MIN_TOKENS_PER_PICTURE = 1_600
_TOKENS_PER_CLIP_SECOND = 2_000
_REPAIR_TOKENS = 512
"""Tokens that the program adds when it asks to repair an answer."""


class Estimate:
    """Estimates the cost of requests to one judge; learns from its replies.

    Attributes:
        measured: whether a reply has shown how the judge counts tokens.
    """

    def __init__(self, options: Any, second: Any = None) -> None:
        self._options = options if isinstance(options, ModelOptions) else None
        self._second = second if isinstance(second, ModelOptions) else None
        self._more = 1.0
        self.measured = self._options is None

    def max_cost(self, messages: Sequence[Message], form: AnswerForm) -> Cost:
        """Return the worst case of a request, with a repair request and a coercion by a second model."""
        if self._options is None:
            return Cost()
        asked, out = ceil(self._more * _tokens(messages, form)), self._options.max_tokens
        read, written = 2 * asked + out + _REPAIR_TOKENS, 2 * out
        money = self._options.cost(read, written) or 0.0
        if self._second is not None:
            coerced = out + _schema(form) + _REPAIR_TOKENS
            money += self._second.cost(coerced, out) or 0.0
            read, written = read + coerced, written + out
        return Cost(read + written, money)

    def lost_request_cost(self, messages: Sequence[Message], form: AnswerForm) -> Cost:
        """Return the worst case of a single HTTP request whose reply was lost."""
        if self._options is None:
            return Cost()
        asked, out = ceil(self._more * _tokens(messages, form)), self._options.max_tokens
        read = asked + out + _REPAIR_TOKENS
        money = max(
            model_options.cost(read, out) or 0.0
            for model_options in (self._options, self._second)
            if model_options is not None
        )
        return Cost(read + out, money)

    def learn(self, messages: Sequence[Message], form: AnswerForm, reply: Reply) -> None:
        """Learn from the token count of a reply, unless it was repaired, which took several requests."""
        if reply.tokens_in and reply.mended in (RepairLevel.NOTHING, RepairLevel.FOUND):
            self._more = max(self._more, reply.tokens_in / _tokens(messages, form))
            self.measured = True

    def actual_cost(self, reply: Reply, most: Cost) -> Cost:
        """Return the cost of a request; the worst case if the server did not count tokens.

        A server that reports 0 tokens read has not counted.
        """
        if self._options is None or reply.calls == 0:
            return Cost()
        counted = (reply.tokens_in or 0) + (reply.tokens_out or 0)
        unknown = reply.raw and (not reply.tokens_in or reply.tokens_out is None)
        money = most.money if unknown and self._options.has_prices else reply.cost or 0.0
        return Cost(max(counted, most.tokens) if unknown else counted, money)


def _tokens(messages: Sequence[Message], form: AnswerForm) -> int:
    total = _TOKENS_PER_CHAT + _schema(form)
    for message in messages:
        total += _TOKENS_PER_MESSAGE + len(message.text.encode("utf-8", "replace"))
        for picture in message.pictures:
            patches = ceil(picture.width / _PATCH_PIXELS) * ceil(picture.height / _PATCH_PIXELS)
            total += max(_MIN_TOKENS_PER_PICTURE, patches) + len(picture.time_label) + _TOKENS_PER_MESSAGE
        if message.clip is not None:
            total += ceil((message.clip.end_us - message.clip.start_us) / SECOND_US * _TOKENS_PER_CLIP_SECOND)
    return total


def _schema(form: AnswerForm) -> int:
    """Return the tokens of a schema, twice, because it may be sent as a parameter and in the prompt."""
    return 2 * len(to_json(dict(form.schema)).encode())


MINUTE_S = 60.0
SLOT_GRACE_S = 0.25
"""A request that starts later than this after its slot was acquired counts as a new start."""


class RateLimiter:
    """Limits the concurrency and the rate of requests to a judge, first come, first served.

    No window of a minute contains more than `per_minute` starts.

    Attributes:
        at_once: requests that may run at the same time.
        per_minute: requests that may start in a minute; 0 for no limit.
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
        # Separate from the slots, because a coercion judge is asked by requests that hold slots of their own.
        self._requests = asyncio.Semaphore(at_once)
        self._first: ContextVar[list[float]] = ContextVar("first")
        self._turn = asyncio.Lock()
        self._started: deque[float] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot for a question, and hold it until the block ends.

        The first request of the question counts as started here.
        """
        async with self._slots:
            await self._start_request()
            self._first.set([self._clock()])
            yield

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may start, inside a slot or not; it runs until the block ends."""
        async with self._requests:
            first = self._first.get([])
            if not first or self._clock() - first.pop() > SLOT_GRACE_S:
                await self._start_request()
            yield

    async def _start_request(self) -> None:
        if self.per_minute:
            async with self._turn:
                await self._wait_for_quota()
                self._started.append(self._clock())

    async def _wait_for_quota(self) -> None:
        while True:
            while self._started and self._started[0] <= self._clock() - MINUTE_S:
                self._started.popleft()
            if len(self._started) < self.per_minute:
                return
            due = self._started[len(self._started) - self.per_minute] + MINUTE_S
            await self._sleep(max(0.001, due - self._clock()))
