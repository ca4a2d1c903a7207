"""What finds speech takes and gives, and what recognises it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from project.progress import Progress
from project.types import Json

RATE = 16_000
"""Samples a second of all sound that is given to these models."""

Samples = NDArray[np.float32]
Spans = NDArray[np.int64]


class SpeechDetector(Protocol):
    """Finds where somebody speaks."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""

    def speech(self, blocks: Iterable[Samples], progress: Progress | None = None) -> Spans:
        """Return the (n, 2) start and end of each stretch of speech in microseconds, ascending and apart.

        Args:
            blocks: (k,) float32 in -1..1 at `RATE`, of any lengths, end to end from time zero.
            progress: asked whether to stop; whoever reads the sound tells it how far that is.

        Raises:
            Cancelled: the user stopped the work.
        """


@dataclass(frozen=True, slots=True)
class Piece:
    """A word as a model heard it.

    Attributes:
        text: with a blank before it where a new word begins; without one it belongs to the word before.
        start_us: on the axis of the recording's sound.
        end_us: not before `start_us`.
        confidence: 0 to 1.
    """

    text: str
    start_us: int
    end_us: int
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Sound that is listened to at once: stretches of a recording with the silence between them left out.

    Attributes:
        parts: start and end of each stretch in microseconds on the axis of the recording's sound, ascending and apart.
        samples: (n,) float32 in -1..1 at `RATE`, the stretches end to end; 30 seconds at most.
    """

    parts: tuple[tuple[int, int], ...]
    samples: Samples


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a model is told before it listens.

    Attributes:
        language: code of `languages.LANGUAGES`; None lets the model find out.
        prompt: words that are likely to be said, as they are spelled; "" for none.
    """

    language: str | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Recognized:
    """What was said in some windows.

    Attributes:
        pieces: by start, each inside a part of a window.
        language: code that was given or found.
        certainty: 0 to 1, that it is this language; 1 where it was given.
    """

    pieces: tuple[Piece, ...]
    language: str
    certainty: float


class Recognizer(Protocol):
    """Writes down what is said."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""

    @property
    def batch(self) -> int:
        """How many windows it is best given at once."""

    def recognize(self, windows: Sequence[Window], hearing: Hearing) -> Recognized:
        """Return what is said in windows of one recording.

        Raises:
            UserError: it does not know the language.
        """
