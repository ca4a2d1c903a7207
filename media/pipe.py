"""A bounded queue between two threads that ends cleanly, whichever of them stops first."""

from collections import deque
from collections.abc import Iterator
from threading import Condition
from typing import Generic, TypeVar

T = TypeVar("T")


class Closed(Exception):
    """The other side has stopped."""


class Pipe(Generic[T]):
    """Hands items from one thread to another, at most `size` waiting.

    The giver ends with `finish`; the taker then sees the rest and an end. Whoever fails calls `stop`: the rest is
    dropped, waiting and later calls raise `Closed`.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[T] = deque()
        self._finished = False
        self._stopped = False
        self._changed = Condition()

    def put(self, item: T) -> None:
        """Wait for room and hand an item over."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or len(self._items) < self._size)
            if self._stopped:
                raise Closed
            self._items.append(item)
            self._changed.notify_all()

    def finish(self) -> None:
        """Say that nothing more comes."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Drop everything and let the other side go."""
        with self._changed:
            self._stopped = True
            self._items.clear()
            self._changed.notify_all()

    def __iter__(self) -> Iterator[T]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._finished or bool(self._items))
                if self._stopped:
                    raise Closed
                if not self._items:
                    return
                item = self._items.popleft()
                self._changed.notify_all()
            yield item
