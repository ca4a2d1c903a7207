"""The interfaces, registries and options of speech detectors and recognizers.

A new one is one file and one line here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.weights.model_plugins import InferenceModel, ModelPlugins
from project.plugins.option_limits import check_limits, limited_field
from project.progress import Progress

SAMPLE_RATE = 16_000
"""Samples a second of all sound that is given to these models."""

Samples = NDArray[np.float32]
Spans = NDArray[np.int64]


class SpeechDetector(InferenceModel, Protocol):
    """Finds where somebody speaks."""

    def detect(self, blocks: Iterable[Samples], progress: Progress | None = None) -> Spans:
        """Return the (n, 2) start and end of each stretch of speech in microseconds, ascending and apart.

        Blocks are (k,) float32 in -1..1 at `SAMPLE_RATE`, of any lengths, end to end from time zero.
        """


@dataclass(frozen=True, slots=True)
class RecognizedWord:
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
        spans: start and end of each stretch in microseconds on the axis of the recording's sound, ascending and apart.
        samples: (n,) float32 in -1..1 at `SAMPLE_RATE`, the stretches end to end; 30 seconds at most.
    """

    spans: tuple[tuple[int, int], ...]
    samples: Samples


@dataclass(frozen=True, slots=True)
class TranscriptionHints:
    """The language and likely words that a recognizer is given.

    Attributes:
        language: code of `whisper_languages.LANGUAGES`; None lets the model find out.
        prompt: words that are likely to be said, as they are spelled; "" for none.
    """

    language: str | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class RecognitionResult:
    """What was said in some windows.

    Attributes:
        words: by start, each inside a part of a window.
        language: code that was given or found.
        certainty: 0 to 1, that it is this language; 1 where it was given.
    """

    words: tuple[RecognizedWord, ...]
    language: str
    certainty: float


class Recognizer(InferenceModel, Protocol):
    """Writes down what is said."""

    @property
    def batch(self) -> int:
        """How many windows it is best given at once."""

    def recognize(self, windows: Sequence[Window], hearing: TranscriptionHints) -> RecognitionResult:
        """Return what is said in windows of one recording."""


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """What counts as speech.

    The margin of a stretch does not reach into another.
    """

    threshold: float = limited_field(
        0.5, 0.05, 0.95, "Threshold", "Speech begins where the network is surer than this."
    )
    release: float = limited_field(
        0.35, 0.01, 0.95, "Release", "Speech goes on until the network is less sure than this."
    )
    shortest_ms: int = limited_field(200, 0, 5_000, "Shortest", "Shorter stretches are no speech.")
    pause_ms: int = limited_field(300, 0, 10_000, "Pause", "A shorter silence does not end a stretch of speech.")
    margin_ms: int = limited_field(100, 0, 1_000, "Margin", "How much longer every stretch is at both ends.")

    def __post_init__(self) -> None:
        check_limits(self)


DETECTORS = ModelPlugins[SpeechDetector]("speech detector", {"silero": "models.speech.silero:Silero"})
RECOGNIZERS = ModelPlugins[Recognizer]("speech recognizer", {"whisper": "models.speech.whisper:Whisper"})
DEFAULT_DETECTOR = "silero"
"""The detector that is there in every installation."""
DEFAULT_RECOGNIZER = "whisper"


def create_speech_detector(name: str = DEFAULT_DETECTOR, options: SpeechOptions | None = None) -> SpeechDetector:
    """Make what finds speech; nothing heavy is imported before."""
    return DETECTORS.make(name, options)


def create_recognizer(folder: Path, name: str = DEFAULT_RECOGNIZER, processor: str = "auto") -> Recognizer:
    """Make what recognises speech, with the model of a folder; nothing heavy is imported before."""
    return RECOGNIZERS.make(name, folder, processor)
