"""One work on a cluster: what of it is left, who does it, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.core.jobs import Work
from app.core.judging.runs import asking, splitting
from project.errors import UserError
from project.types import Changes, Json

TRIES = 3
"""How often a work is begun in all, where the worker that did it stopped."""


@dataclass
class Piece:
    """One work, or a part of one.

    Attributes:
        whole: position of what it is a part of.
        work: what is left of it.
        asks: judges at servers; two works that ask the same one are not done at once.
        tries: how often it was begun.
        token: names the try that counts; "" before the first and between two.
        crashed: the process that did it ended by itself.
        host: the machine that does it.
        share: how much of it is done, from 0 to 1.
        text: how far it is, in words.
        result: what came of it; None while it is not done.
        error: why nothing came of it.
        changes: what was stored of it.
    """

    whole: int
    work: Work
    asks: frozenset[str] = frozenset()
    tries: int = 0
    token: str = ""
    crashed: bool = False
    host: str = ""
    share: float = 0.0
    text: str = ""
    result: dict[str, Json] | None = None
    error: UserError | None = None
    changes: Changes = field(default_factory=Changes)
    _parts: list[Mapping[str, Json]] = field(default_factory=list)
    _before: list[dict[str, Json]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.result is not None or self.error is not None

    def kept(self, part: Mapping[str, Json], changes: Changes) -> None:
        """Take in that a part of it was stored."""
        self._parts.append(part)
        self.changes |= changes

    def begin(self, token: str, host: str) -> bool:
        """Take in that a worker wants to begin it; where one began it before, what was stored since is left out.

        Returns:
            Whether it may; otherwise it is over, with a result or an error.
        """
        if self.tries and self.work.kind == asking.KIND:
            try:
                left = splitting.rest(self.work, self._parts)
            except UserError as error:
                self.error = error
                return False
            self._before.append(splitting.asked_and_answered(self._parts))
            self._parts.clear()
            if left is None:
                self.end(splitting.together([]))
                return False
            self.work = left
        if self.tries and "overwrite" in self.work.parameters:
            # What a worker wrote just before it stopped.
            self.work = replace(self.work, parameters={**self.work.parameters, "overwrite": True})
        self.tries, self.token, self.host = self.tries + 1, token, host
        self.share, self.text, self.crashed = 0.0, "", False
        if self.tries > TRIES:
            self.error = self.lost()
        return self.error is None

    def end(self, result: dict[str, Json]) -> None:
        """Take in what came of it."""
        self.result = splitting.together([*self._before, result]) if self._before else result
        self.share = 1.0

    def lost(self) -> UserError:
        """Return what is said where nobody could do it."""
        on = f" (the last one on {self.host})" if self.host else ""
        return UserError(
            f"Its workers stopped {TRIES} times{on}: {self.work.title}.",
            "The log of that worker says why. Run it again.",
        )
