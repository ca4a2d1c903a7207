"""What all baselines share: they answer at once, cost nothing and open no connection."""

import time
from collections.abc import Mapping
from typing import Any, ClassVar

from models.judges.base import Question, Reply
from models.judges.means import Means
from models.judges.options import NoOptions
from project.judging import JudgmentStatus
from project.types import Json


class Baseline:
    """A judge without a model; a subclass says what it answers.

    Attributes:
        version: goes up when it answers otherwise, so that no old answer is taken for a new one.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    options_type: ClassVar[type[Any]] = NoOptions
    needs_model: ClassVar[bool] = False
    leaves: ClassVar[bool] = False
    version: ClassVar[int] = 1

    def __init__(self, model: str = "", options: Any = None, means: Means | None = None) -> None:  # noqa: ARG002
        self.options = options if options is not None else self.options_type()

    @property
    def fingerprint(self) -> str:
        """Name, version and options."""
        return f"{self.key} {self.version} {self.options!r}"

    async def ask(self, question: Question) -> Reply:
        """Answer at once."""
        started = time.monotonic()
        found = self.answer(question)
        ms = round(1000 * (time.monotonic() - started))
        if found is None:
            return Reply(JudgmentStatus.ERROR, ms=ms, error=self.silent)
        try:
            answer = question.form.read(dict(found))
        except ValueError as error:
            # The mean of what several people said is right, and no form for one of them has it.
            if question.truth and all(found.get(key) == value for key, value in question.truth.items()):
                return Reply(JudgmentStatus.OK, dict(found), ms=ms)
            return Reply(JudgmentStatus.UNPARSED, ms=ms, error=" ".join(str(error).split()))
        return Reply(JudgmentStatus.OK, answer, ms=ms)

    async def close(self) -> None:
        """Hold nothing."""

    silent: ClassVar[str] = "There is nothing to answer by."

    def answer(self, question: Question) -> Mapping[str, Json] | None:
        """Return an answer as the form reads it; None where there is none."""
        raise NotImplementedError
