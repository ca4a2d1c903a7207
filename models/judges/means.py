"""What a judge is given by whoever makes it, and must not look for itself: the way out, its key, a second model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from models.judges.base import Judge
from models.judges.turns import Turns

if TYPE_CHECKING:
    from models.connection.guard import Guard


@dataclass(frozen=True, slots=True)
class Means:
    """What a judge may use.

    Attributes:
        guard: the only way to open a connection; None where the judge may open none.
        key: for its server; "" where it needs none. Never printed, not even in a `repr`.
        coerce: brings an answer into form that could not be read, where a second model is wanted.
        turns: how fast it may make requests; None for as it likes.
    """

    guard: Guard | None = None
    key: str = field(default="", repr=False)
    coerce: Judge | None = None
    turns: Turns | None = None
