"""What a judge asks before each of its requests: whether its turn has come, and whether another try can be paid for."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from typing import Protocol


class Turns(Protocol):
    """How fast one judge may be asked, whoever asks it."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until a request may be made; it is under way until the block ends."""


_after_loss: ContextVar[Callable[[], bool] | None] = ContextVar("after_loss", default=None)


@contextmanager
def paying(after_loss: Callable[[], bool]) -> Iterator[None]:
    """Have every request in this block that gets lost counted.

    Args:
        after_loss: takes in that a request was sent and no whole answer came, which its server may count all the same;
            returns whether there is budget to send it again.
    """
    token = _after_loss.set(after_loss)
    try:
        yield
    finally:
        _after_loss.reset(token)


def lost() -> bool:
    """Say that a request was sent and no whole answer came; return whether it may be sent again."""
    after_loss = _after_loss.get()
    return after_loss is None or after_loss()
