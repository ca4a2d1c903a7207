"""What is said between the process that asks and the one that holds the model."""

from collections.abc import Mapping
from dataclasses import dataclass

from project.types import Json


@dataclass(frozen=True, slots=True)
class Loading:
    """What a process loads; equal ones share a process.

    Attributes:
        model: path of the GGUF file.
        projector: path of its projector; "" for none.
        context: in tokens.
        gpu_layers: -1 for all.
        threads: 0 leaves it to the library.
    """

    model: str
    projector: str
    context: int
    gpu_layers: int
    threads: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One message: its role, then what it consists of in order, text or the bytes of a JPEG."""

    role: str
    parts: tuple[str | bytes, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """Write a text.

    Attributes:
        number: of the request; none is given out twice.
        turns: the conversation so far.
        schema: JSON Schema that the text is held to.
        temperature: 0 takes the likeliest token.
        seed: 31 bits.
        max_tokens: that the text may have.
    """

    number: int
    turns: tuple[Turn, ...]
    schema: Mapping[str, Json]
    temperature: float
    seed: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Write no further, if it is still this request."""

    number: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The model is loaded."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A request is taken up."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the model wrote.

    Attributes:
        text: whole.
        cut: it ended because it had as many tokens as it may.
        tokens_in: of the question, pictures included.
        tokens_out: of the text.
    """

    text: str
    cut: bool
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Full:
    """The question does not fit.

    Attributes:
        asked: tokens of the question and of the longest answer together.
        room: tokens of the context.
        pictures: that are part of the question.
    """

    asked: int
    room: int
    pictures: int


@dataclass(frozen=True, slots=True)
class Failed:
    """It could not be done; one line."""

    line: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """It was stopped on request."""
