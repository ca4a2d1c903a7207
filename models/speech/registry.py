"""What finds speech and what recognises it. A new one is one file and one line here."""

from importlib import import_module
from pathlib import Path
from typing import cast

from models.speech.base import Recognizer, SpeechDetector
from models.speech.options import SpeechOptions

DETECTORS = {"silero": "models.speech.silero:Silero"}
RECOGNIZERS = {"whisper": "models.speech.whisper:Whisper"}
ALWAYS = "silero"
"""The detector that is there in every installation."""
USUAL = "whisper"


def speech_detector(name: str = ALWAYS, options: SpeechOptions | None = None) -> SpeechDetector:
    """Make what finds speech; nothing heavy is imported before.

    Raises:
        UserError: what it needs is not installed.
    """
    return cast(SpeechDetector, _found(DETECTORS[name])(options))


def recognizer(folder: Path, name: str = USUAL, processor: str = "auto") -> Recognizer:
    """Make what recognises speech, with the model of a folder; nothing heavy is imported before.

    Raises:
        UserError: the folder is no model or is damaged, or there is no such processor.
    """
    return cast(Recognizer, _found(RECOGNIZERS[name])(folder, processor))


def _found(target: str) -> type:
    module, attribute = target.split(":")
    return cast(type, getattr(import_module(module), attribute))
