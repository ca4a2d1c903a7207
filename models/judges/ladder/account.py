"""What asking has taken so far, and the reply that comes of it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from models.judges.base import Mended, Reply
from models.judges.ladder.completion import Completion, Unanswered
from models.judges.ladder.reading import Reading, kept
from project.judging import JudgmentStatus
from project.types import Json

Price = Callable[[int, int], float | None]
"""From tokens read and written to what they cost; None where that cannot be told."""


@dataclass
class Account:
    """Everything that was written and paid for one question, over all requests.

    Attributes:
        price: of the tokens of the model that is asked.
        raw: every text that came back, with a heading each but for the first.
    """

    price: Price
    raw: list[str] = field(default_factory=list)
    _started: float = field(default_factory=time.monotonic)
    _calls: int = 0
    _tokens: tuple[int, int] | None = (0, 0)
    _cost: float | None = 0.0
    _model_id: str = ""

    def wrote(self, completion: Completion, heading: str = "") -> None:
        """Add what the model wrote, and what it took."""
        self._model_id = completion.model_id or self._model_id
        tokens = _both(completion.tokens_in, completion.tokens_out)
        self._add(tokens, self.price(*tokens) if tokens else None, completion.calls)
        self._keep("\n".join(text for text in (completion.text, completion.refusal) if text), heading)

    def coerced(self, reply: Reply) -> None:
        """Add what a second model replied, and what it took."""
        self._add(_both(reply.tokens_in, reply.tokens_out), reply.cost, reply.calls)
        self._keep(reply.raw, f"brought into form by {reply.model_id or 'a second model'}")

    def failed(self, failure: Unanswered) -> None:
        """Add a request that gave nothing."""
        self._calls += failure.calls
        if failure.raw:
            self._keep(failure.raw, "could not be asked" if self.raw else "")

    def answered(self, answer: Mapping[str, Json], thinking: str, mended: Mended) -> Reply:
        """Return the reply that holds an answer."""
        return self._reply(JudgmentStatus.OK, answer=answer, thinking=thinking, mended=mended)

    def nothing(self, status: JudgmentStatus, error: str, reading: Reading | None = None) -> Reply:
        """Return the reply that holds none."""
        return self._reply(status, thinking=reading.thinking if reading else "", error=error)

    def unanswered(self, failure: Unanswered) -> Reply:
        """Return the reply to a question that could not be asked."""
        self.failed(failure)
        self._tokens, self._cost = None, None
        return self._reply(failure.status, error=failure.line, failure=failure)

    def _add(self, tokens: tuple[int, int] | None, cost: float | None, calls: int) -> None:
        self._calls += calls
        before = self._tokens
        self._tokens = (before[0] + tokens[0], before[1] + tokens[1]) if before and tokens else None
        self._cost = self._cost + cost if self._cost is not None and cost is not None else None

    def _keep(self, text: str, heading: str) -> None:
        self.raw.append(f"--- {heading} ---\n{kept(text)}" if heading else kept(text))

    def _reply(
        self,
        status: JudgmentStatus,
        answer: Mapping[str, Json] | None = None,
        thinking: str = "",
        mended: Mended = Mended.NOTHING,
        error: str = "",
        failure: Unanswered | None = None,
    ) -> Reply:
        tokens_in, tokens_out = self._tokens or (None, None)
        return Reply(
            status,
            answer=answer or {},
            raw="\n\n".join(self.raw),
            thinking=thinking,
            mended=mended,
            model_id=self._model_id,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=self._cost,
            ms=round((time.monotonic() - self._started) * 1000),
            calls=self._calls,
            error=error,
            too_long=failure.too_long if failure else None,
        )


def _both(tokens_in: int | None, tokens_out: int | None) -> tuple[int, int] | None:
    return None if tokens_in is None or tokens_out is None else (tokens_in, tokens_out)
