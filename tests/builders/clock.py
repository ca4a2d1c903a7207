"""A clock that shows what it is set to."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class Clock(Generic[T]):
    now: T

    def __call__(self) -> T:
        return self.now
