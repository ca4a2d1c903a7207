"""The judge interface: request, reply, options, request limiter, and the resources that a judge is given.

Nothing heavy is imported here: the window shows the options. A judge looks for no resource itself, neither the network
nor its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.plugins.option_limits import check_limits, choice_field, limited_field, text_field

if TYPE_CHECKING:
    from models.connection.guard import Guard


@dataclass(frozen=True)
class JudgeFrame:
    """One frame as a judge gets it.

    Attributes:
        time_us: on the recording's axis.
        time_label: the time that the judge is told, such as `3.2 s`.
        jpeg: the bytes that are sent.
        width: in pixels.
        height: in pixels.
    """

    time_us: int
    time_label: str
    jpeg: bytes
    width: int
    height: int

    @cached_property
    def sha256(self) -> str:
        """Of the bytes that are sent."""
        return hashlib.sha256(self.jpeg).hexdigest()


@dataclass(frozen=True)
class JudgeVideo:
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
    pictures: tuple[JudgeFrame, ...] = ()
    clip: JudgeVideo | None = None


@dataclass(frozen=True, slots=True)
class SamplingParameters:
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
        parse: turns the parsed object into the answer that is kept; raises ValueError with a line that says what is
            wrong.
        thinks: the judge is asked to write thoughts first; they are kept apart from the answer.
    """

    name: str
    schema: Mapping[str, Json]
    parse: Callable[[Json], dict[str, Json]]
    thinks: bool = False


OnLost = Callable[[], bool]
"""Takes in that a request was sent and no whole answer came, which its server may count all the same; returns whether
there is budget to send it again.
"""


def send_again() -> bool:
    """Let every lost request be sent again."""
    return True


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Everything that one request consists of.

    Attributes:
        messages: system and user messages, in order.
        sampling: how tokens are drawn.
        truth: what people said, for the baselines that know it; {} where nobody did. It never leaves this machine.
        answer_counts: how often each answer was given by people in this study, as (answer, count), for `majority`.
        item: names the item, for what is drawn at random by item.
        on_lost: called for every request that gets lost.
    """

    messages: tuple[Message, ...]
    form: AnswerForm
    sampling: SamplingParameters = SamplingParameters()
    truth: Mapping[str, Json] = field(default_factory=dict)
    answer_counts: Sequence[tuple[Mapping[str, Json], int]] = ()
    item: str = ""
    on_lost: OnLost = send_again


class RepairLevel(StrEnum):
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
        requested_tokens: tokens of the question, with the room for its answer where that is counted; None where
            unknown.
        context_tokens: tokens that the model can hold; None where unknown.
    """

    requested_tokens: int | None = None
    context_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a judge, or why there is none, with what it cost.

    Attributes:
        status: whether there is an answer, and if not, why.
        answer: as `AnswerForm.parse` gave it; {} where there is none.
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
    mended: RepairLevel = RepairLevel.NOTHING
    model_id: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    ms: int = 0
    calls: int = 0
    error: str = ""
    too_long: TooLong | None = None


TRIAL_QUESTION = "Which colour does a ripe tomato have? Answer in the form that is asked for."
_COLOURS = ("red", "green", "blue")


def trial_request(message: Message) -> JudgeRequest:
    """Return a request that asks for a colour, to try a judge with nothing of a study."""

    def parse(found: Json) -> dict[str, Json]:
        if not isinstance(found, dict) or found.get("colour") not in _COLOURS:
            raise ValueError("colour is missing")
        return {"colour": found["colour"]}

    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": [*_COLOURS]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    sampling = SamplingParameters(max_tokens=256)
    return JudgeRequest((message,), AnswerForm("colour", schema, parse), sampling, item="trial")


@dataclass(frozen=True, slots=True)
class JudgeTrial:
    """What came of trying a judge, with nothing of a study.

    Attributes:
        lines: findings, a sentence each.
        model_id: the model that it reports.
    """

    ok: bool
    lines: tuple[str, ...]
    model_id: str = ""

    def as_text(self) -> str:
        """Return the findings, a line each."""
        return "\n".join(self.lines)


class Judge(Protocol):
    """A model, or something that stands for one, that answers questions.

    Cancelling the task that awaits `ask` stops the request.
    """

    @property
    def fingerprint(self) -> str:
        """What makes two judges the same to the cache: sha256 of the model's files, or address and model."""

    async def ask(self, question: JudgeRequest) -> Reply:
        """Answer a question. What can go wrong is a status of the reply; nothing is raised but cancellation."""

    async def close(self) -> None:
        """Release processes and connections."""


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

    async def complete(self, question: JudgeRequest) -> Completion:
        """Complete the messages of a question, held to the schema of its answer as well as the backend can.

        Raises:
            CompletionError: there is none.
            project.entities.egress_policy.Forbidden: the policy does not let the request leave this machine.
        """

    def weaken_constraint(self, held: str) -> None:
        """Weaken the constraint: an answer missed its shape, although `Completion.held` claims it was held to it."""


INPUT_KINDS = ("text", "frames", "clip")


@dataclass(frozen=True)
class ModelOptions:
    """How a model is asked; backends add their own fields in a subclass."""

    sees: str = choice_field("frames", INPUT_KINDS, "Sees", "The transcript alone, or frames or a clip with it.")
    frames: int = limited_field(15, 1, 64, "Frames", "Frames of a segment that it gets, evenly spaced.")
    temperature: float = limited_field(
        0.0, 0.0, 2.0, "Temperature", "How freely words are drawn; 0 takes the likeliest."
    )
    max_tokens: int = limited_field(
        2048, 16, 65536, "Longest answer", "Tokens that an answer may have, thoughts included.", "tokens", rare=True
    )
    timeout_s: float = limited_field(
        120.0, 1.0, 3600.0, "Time limit", "Seconds that one request may take.", "s", rare=True
    )
    concurrency: int = limited_field(
        4, 1, 64, "Requests at once", "Requests that may be under way at the same time.", rare=True
    )
    per_minute: int = limited_field(
        0, 0, 100000, "Requests a minute", "Requests that may be started in a minute; 0 for no limit.", rare=True
    )
    price_in: float = limited_field(0.0, 0.0, 10000.0, "Price in", "Of a million tokens that it reads.", rare=True)
    price_out: float = limited_field(0.0, 0.0, 10000.0, "Price out", "Of a million tokens that it writes.", rare=True)
    currency: str = text_field("USD", 8, "Currency", "Of the prices.", rare=True)
    coerce: str = text_field(
        "", 60, "Second model", "Another judge that brings into form what could not be read.", rare=True
    )

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    def has_prices(self) -> bool:
        """Whether what it costs can be told."""
        return bool(self.price_in or self.price_out)

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return what so many tokens cost, in `currency`; None where it has no prices."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6 if self.has_prices else None


@dataclass(frozen=True)
class NoOptions:
    """Of a judge with nothing to set."""


class RequestLimiter(Protocol):
    """Limits how fast one judge is asked, over all callers."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until a request may be made; it counts as running until the block ends."""


@dataclass(frozen=True, slots=True)
class JudgeResources:
    """The resources that a judge may use.

    Attributes:
        guard: the only way to open a connection; None where the judge may open none.
        key: for its server; "" where it needs none. Never printed, not even in a `repr`.
        coerce: brings an answer into form that could not be read, where a second model is wanted.
        limiter: how fast it may make requests; None for as it likes.
    """

    guard: Guard | None = None
    key: str = field(default="", repr=False)
    coerce: Judge | None = None
    limiter: RequestLimiter | None = None

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until a request may be made."""
        return nullcontext() if self.limiter is None else self.limiter.turn()
