"""What holds for all that finds or recognises speech, also for what is yet to come."""

import json
import socket
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from models.speech.speech_recognizers import (
    DETECTORS,
    RECOGNIZERS,
    TranscriptionHints,
    Window,
    create_recognizer,
    create_speech_detector,
)
from models.speech.whisper_languages import LANGUAGES, find_language
from tests.builders.tiny_whisper import write_tiny_whisper
from tests.builders.voices import RATE, silence, spoken


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_finds_speech_says_how_and_is_silent_in_silence(name: str) -> None:
    detector = create_speech_detector(name)
    assert detector.key == name
    assert json.loads(json.dumps(dict(detector.parameters))) == detector.parameters
    spans = detector.detect([spoken()[: 6 * RATE]])
    assert (spans.dtype, spans.shape[1]) == (np.int64, 2)
    assert len(spans)
    assert not len(detector.detect([silence(2)]))


@pytest.mark.parametrize("name", RECOGNIZERS)
def test_a_recognizer_gives_words_with_times_says_how_and_looks_for_its_model_nowhere_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("something calls out")

    for place, opening in ((socket, "create_connection"), (socket, "getaddrinfo"), (socket.socket, "connect")):
        monkeypatch.setattr(place, opening, refuse)
    recognizer = create_recognizer(write_tiny_whisper(tmp_path / "model"), name, "cpu")
    assert recognizer.key == name
    assert recognizer.batch >= 1
    assert json.loads(json.dumps(dict(recognizer.parameters))) == recognizer.parameters
    heard = recognizer.recognize([Window(((0, 2_000_000),), spoken()[: 2 * RATE])], TranscriptionHints("en"))
    assert (heard.language, heard.certainty) == ("en", 1.0)
    assert heard.words
    assert all(0 <= piece.start_us <= piece.end_us <= 2_000_000 for piece in heard.words)


def test_the_languages_are_those_of_the_library() -> None:
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    assert set(LANGUAGES) == set(_LANGUAGE_CODES)
    assert find_language(" german ") == find_language("de") == "de"
