"""What a run may cost: the most that a request can take is set aside before it is sent, so no budget is passed."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from project.errors import UserError


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

    def less(self, money: float, tokens: int) -> "Limits":
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

    def allow(self, cost: Cost) -> bool:
        """Tell whether so much is within the budget."""
        return (self.money is None or cost.money <= self.money) and (self.tokens is None or cost.tokens <= self.tokens)


@dataclass(frozen=True, slots=True)
class Held:
    """What is set aside for one request.

    Attributes:
        number: which request.
        most: that it can take.
    """

    number: int
    most: Cost


class Purse:
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
    def held(self) -> Cost:
        """What is set aside for requests under way."""
        return sum(self._held.values(), Cost())

    async def hold(self, most: Callable[[], Cost]) -> Held | None:
        """Set aside the most that a request can take; None where the budget has no room for it.

        While others are under way it waits: they may take less than was set aside for them.

        Args:
            most: gives what to set aside; asked again after each wait, since answers teach what requests take.

        Returns:
            What `settle` wants to be given when the request came back.
        """
        while not self.limits.allow(self.spent + self.held + (cost := most())):
            if not self._held:
                return None
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        held = Held(next(self._numbers), cost)
        self._held[held.number] = cost
        return held

    def hold_more(self, held: Held, more: Cost) -> bool:
        """Set aside more for a request that is under way; tell whether the budget has room for it now."""
        if not self.limits.allow(self.spent + self.held + more):
            return False
        self._held[held.number] += more
        return True

    def settle(self, held: Held, took: Cost) -> None:
        """Put what a request really took in the place of what was set aside for it."""
        del self._held[held.number]
        self.spent += took
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)
