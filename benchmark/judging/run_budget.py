"""What a run may cost: the most that a request can take is set aside before it is sent, so no budget is passed.

The most that a request can take, in tokens and money, before it is sent. How fast a judge is asked: so many requests at
once, and so many a minute, all that is tried again included.
"""

import asyncio
import itertools
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
    """What requests took, or can take at most.

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
        """Return what is left of the budget once so much was spent.

        Raises:
            UserError: nothing is.
        """
        left = Limits(
            None if self.money is None else self.money - money, None if self.tokens is None else self.tokens - tokens
        )
        if (left.money is not None and left.money <= 0) or (left.tokens is not None and left.tokens <= 0):
            raise UserError("The budget of this run is spent.", "Ask again with another budget.")
        return left

    def allows(self, cost: Cost) -> bool:
        """Tell whether so much is within the budget."""
        return (self.money is None or cost.money <= self.money) and (self.tokens is None or cost.tokens <= self.tokens)


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is set aside for one request.

    Attributes:
        number: which request.
        max_cost: that it can take.
    """

    number: int
    max_cost: Cost


class BudgetTracker:
    """What was spent, what is set aside for requests under way, and whether another one fits.

    Attributes:
        limits: the budget.
        spent: by requests that came back.
    """

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self.spent = Cost()
        self._held: dict[int, Cost] = {}
        self._numbers = itertools.count()
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def reserved(self) -> Cost:
        """What is set aside for requests under way."""
        return sum(self._held.values(), Cost())

    async def reserve(self, most: Callable[[], Cost]) -> Reservation | None:
        """Set aside the most that a request can take; None where the budget has no room for it.

        While others are under way it waits: they may take less than was set aside for them.

        Args:
            most: gives what to set aside; asked again after each wait, since answers teach what requests take.

        Returns:
            What `settle` wants to be given when the request came back.
        """
        while not self.limits.allows(self.spent + self.reserved + (cost := most())):
            if not self._held:
                return None
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        held = Reservation(next(self._numbers), cost)
        self._held[held.number] = cost
        return held

    def extend(self, held: Reservation, more: Cost) -> bool:
        """Set aside more for a request that is under way; tell whether the budget has room for it now."""
        if not self.limits.allows(self.spent + self.reserved + more):
            return False
        self._held[held.number] += more
        return True

    def settle(self, held: Reservation, took: Cost) -> None:
        """Put what a request really took in the place of what was set aside for it."""
        del self._held[held.number]
        self.spent += took
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


_TOKENS_PER_MESSAGE = 16
_TOKENS_PER_CHAT = 64
_PATCH_PIXELS = 14
_MIN_TOKENS_PER_PICTURE = 1_600
_TOKENS_PER_CLIP_SECOND = 2_000
_MAX_SCHEMAS = 64
_SCHEMAS: dict[int, tuple[AnswerForm, int]] = {}
"""The forms of a run are few, and are met again with every request."""
_REPAIR_TOKENS = 512
"""What the program adds when it asks to mend an answer."""


class Estimate:
    """Of one judge; learns from its answers.

    Attributes:
        measured: whether an answer has shown what the judge counts.
    """

    def __init__(self, options: Any, second: Any = None) -> None:
        self._options = options if isinstance(options, ModelOptions) else None
        self._second = second if isinstance(second, ModelOptions) else None
        self._more = 1.0
        self.measured = self._options is None

    def max_cost(self, messages: Sequence[Message], form: AnswerForm) -> Cost:
        """Return what asking can take at most: the question, one that asks to mend its answer, and a second model."""
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
        """Return what one request can have taken at most whose answer never came, whichever it was of the question."""
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
        """Take in what an answer says that its question took; one that was mended took several questions."""
        if reply.tokens_in and reply.mended in (RepairLevel.NOTHING, RepairLevel.FOUND):
            self._more = max(self._more, reply.tokens_in / _tokens(messages, form))
            self.measured = True

    def actual_cost(self, reply: Reply, most: Cost) -> Cost:
        """Return what a request took, as far as it is known; of an answer that nobody counted, the most.

        A server that says that it read nothing has not counted.
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
    """Return the tokens of a schema that may be told twice: to the server, and in words."""
    known = _SCHEMAS.get(id(form))
    if known is None or known[0] is not form:
        known = _SCHEMAS[id(form)] = (form, 2 * len(to_json(dict(form.schema)).encode()))
        if len(_SCHEMAS) > _MAX_SCHEMAS:
            del _SCHEMAS[next(iter(_SCHEMAS))]
    return known[1]


MINUTE_S = 60.0
SLOT_GRACE_S = 0.25
"""A request that is made later than this after its slot was given counts when it is made."""


class RateLimiter:
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
            await self._start_request()
            self._first.set([self._clock()])
            yield

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may be made, whether in a slot or not; it is under way until the block ends."""
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
