"""What a judge is asked and what it says, whatever is behind it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from project.judging import JudgmentStatus
from project.types import Json


@dataclass(frozen=True)
class Picture:
    """One frame as a judge gets it.

    Attributes:
        time_us: on the recording's axis.
        shown: the time that the judge is told, such as `3.2 s`.
        jpeg: the bytes that are sent.
        width: in pixels.
        height: in pixels.
    """

    time_us: int
    shown: str
    jpeg: bytes
    width: int
    height: int

    @cached_property
    def sha256(self) -> str:
        """Of the bytes that are sent."""
        return hashlib.sha256(self.jpeg).hexdigest()


@dataclass(frozen=True)
class Clip:
    """A segment as a video, for judges that take one; without sound.

    Attributes:
        mp4: the bytes that are sent.
        start_us: on the recording's axis.
        end_us: on the recording's axis.
    """

    mp4: bytes
    start_us: int
    end_us: int

    @cached_property
    def sha256(self) -> str:
        """Of the bytes that are sent."""
        return hashlib.sha256(self.mp4).hexdigest()


class Role(StrEnum):
    """Who says a message of a conversation with a model."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model; `pictures` and `clip` come before its text."""

    role: Role
    text: str
    pictures: tuple[Picture, ...] = ()
    clip: Clip | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn.

    Attributes:
        temperature: 0 takes the likeliest token.
        seed: where the backend knows one.
        max_tokens: that an answer may have, thoughts included.
    """

    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 1024


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What an answer has to look like.

    Attributes:
        name: short, of letters, digits and `_`, as JSON schemas are named.
        schema: JSON Schema (2020-12) of the answer, an object; strings in it have a `maxLength`.
        read: turns the parsed object into the answer that is kept; raises ValueError with a line that says what is
            wrong.
        thinks: the judge is asked to write thoughts first; they are kept apart from the answer.
    """

    name: str
    schema: Mapping[str, Json]
    read: Callable[[Json], dict[str, Json]]
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that one request consists of.

    Attributes:
        messages: system and user messages, in order.
        form: of the answer.
        sampling: how tokens are drawn.
        truth: what people said, for the baselines that know it; {} where nobody did. It never leaves this machine.
        shares: how often each answer was given by people in this study, as (answer, count), for `majority`.
        item: names the item, for what is drawn at random by item.
    """

    messages: tuple[Message, ...]
    form: AnswerForm
    sampling: Sampling = Sampling()
    truth: Mapping[str, Json] = field(default_factory=dict)
    shares: Sequence[tuple[Mapping[str, Json], int]] = ()
    item: str = ""


class Mended(StrEnum):
    """What was needed before an answer could be read, cheapest first."""

    NOTHING = "nothing"
    FOUND = "found"
    REPAIRED = "repaired"
    COERCED = "coerced"


@dataclass(frozen=True, slots=True)
class TooLong:
    """That a question does not fit into what a model can hold at once, and what is known of it.

    Whoever built the question may shorten it by stated rules and ask again; a judge leaves nothing out by itself.

    Attributes:
        asked: tokens of the question, with the room for its answer where that is counted; None where unknown.
        room: tokens that the model can hold; None where unknown.
    """

    asked: int | None = None
    room: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        status: whether there is an answer, and if not, why.
        answer: as `AnswerForm.read` gave it; {} where there is none.
        raw: every character that the model wrote, its answer to a repair after a line of its own.
        thinking: what it wrote before its answer, where it was asked to, or sends it apart.
        mended: what was needed to read the answer.
        model_id: what the server says that it runs, or the sha256 of the model's file.
        tokens_in: of all calls together; None where the backend does not count.
        tokens_out: of all calls together.
        cost: in the currency of the judge's prices; None where it has none.
        ms: from the first request to the last byte, waiting between tries included.
        calls: requests that were made.
        error: one line, without keys or addresses with passwords; "" where nothing failed.
        too_long: the status is `ERROR` because the question does not fit into the model; None otherwise.
    """

    status: JudgmentStatus
    answer: Mapping[str, Json] = field(default_factory=dict)
    raw: str = ""
    thinking: str = ""
    mended: Mended = Mended.NOTHING
    model_id: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    ms: int = 0
    calls: int = 0
    error: str = ""
    too_long: TooLong | None = None


class Judge(Protocol):
    """A model, or something that stands for one, that answers questions.

    Cancelling the task that awaits `ask` stops the request.
    """

    @property
    def fingerprint(self) -> str:
        """What makes two judges the same to the cache: sha256 of the model's files, or address and model."""

    async def ask(self, question: Question) -> Reply:
        """Answer a question. What can go wrong is a status of the reply; nothing is raised but cancellation.

        Raises:
            project.policy.Forbidden: the policy does not let the request leave this machine.
        """

    async def close(self) -> None:
        """Give back what it holds: processes, connections."""
