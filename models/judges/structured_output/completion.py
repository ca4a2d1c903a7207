"""The completion interface that structured output needs of a backend: messages in, one text out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.judges.judge_interface import Message, SamplingParameters, TooLong
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json


@dataclass(frozen=True, slots=True)
class ResponseSchema:
    """The form that a backend holds an answer to, if it can.

    Attributes:
        name: short, of letters, digits and `_`.
        schema: JSON Schema of an object; where the judge thinks first, the thoughts are part of it.
    """

    name: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Completion:
    """One text that a model wrote.

    Attributes:
        text: what it wrote, thoughts left out that its server sends apart.
        thinking: the thoughts that its server sends apart.
        truncated: it ended because there was no room for more.
        refusal: why the model or its server gives no answer; "" where it gave one.
        held: how the backend was told to let nothing through but the shape; "" where it was not.
        model_id: what the server says that it runs, or the sha256 of the model's file.
        tokens_in: None where they are not counted.
        tokens_out: None where they are not counted.
        calls: requests that it took.
    """

    text: str
    thinking: str = ""
    truncated: bool = False
    refusal: str = ""
    held: str = ""
    model_id: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    calls: int = 1


class CompletionError(Exception):
    """A model could not be asked, or gave nothing back.

    Attributes:
        line: one line for people; no key is in it.
        status: `ERROR`, or `REFUSED` where its server refuses to answer.
        raw: what came back, if anything.
        calls: requests that were made.
        too_long: where the messages do not fit into the model.
    """

    def __init__(
        self,
        line: str,
        *,
        status: JudgmentStatus = JudgmentStatus.ERROR,
        raw: str = "",
        calls: int = 1,
        too_long: TooLong | None = None,
    ) -> None:
        super().__init__(line)
        self.line = line
        self.status = status
        self.raw = raw
        self.calls = calls
        self.too_long = too_long


class Completer(Protocol):
    """A model that writes texts."""

    async def complete(
        self, messages: Sequence[Message], shape: ResponseSchema, sampling: SamplingParameters
    ) -> Completion:
        """Complete the messages, held to the shape as well as the backend can.

        Raises:
            CompletionError: there is none.
            project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
        """

    def weaken_constraint(self, held: str) -> None:
        """Weaken the constraint: an answer missed its shape, although `Completion.held` claims it was held to it."""

    def approve_text(self, text: str) -> None:
        """Approve a text of a repair or coercion: what a model answered, or was asked about its answer."""
