"""What holds for all that finds or recognises speech, also for what is yet to come."""

import json
import subprocess
import sys
from pathlib import Path

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
from tests.contract.documentation import ROOT, page


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_finds_speech_says_how_and_is_silent_in_silence(name: str) -> None:
    found = create_speech_detector(name)
    assert found.key == name
    assert json.loads(json.dumps(dict(found.parameters))) == found.parameters
    spans = found.detect([spoken()[: 6 * RATE]])
    assert spans.dtype == np.int64
    assert spans.shape[1] == 2
    assert len(spans)
    assert not len(found.detect([silence(2)]))


@pytest.mark.parametrize("name", RECOGNIZERS)
def test_a_recognizer_gives_words_with_times_and_says_how(name: str, tmp_path: Path) -> None:
    made = create_recognizer(write_tiny_whisper(tmp_path / "model"), name, "cpu")
    assert made.key == name
    assert made.batch >= 1
    assert json.loads(json.dumps(dict(made.parameters))) == made.parameters
    heard = made.recognize([Window(((0, 2_000_000),), spoken()[: 2 * RATE])], TranscriptionHints("en"))
    assert (heard.language, heard.certainty) == ("en", 1.0)
    assert all(0 <= piece.start_us <= piece.end_us <= 2_000_000 for piece in heard.words)


@pytest.mark.parametrize("name", [*DETECTORS, *RECOGNIZERS])
def test_the_documentation_mentions_it(name: str) -> None:
    assert f"`{name}`" in page("transcripts")


def test_the_registry_loads_nothing_heavy() -> None:
    heavy = "{'faster_whisper', 'ctranslate2', 'onnxruntime', 'tokenizers', 'huggingface_hub', 'av.audio.codeccontext'}"
    code = "import models.speech.speech_recognizers, models.speech.whisper_models, project.session.jobs, sys;"
    code += f"print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_languages_are_those_of_the_library() -> None:
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    assert set(LANGUAGES) == set(_LANGUAGE_CODES)
    assert find_language(" german ") == find_language("de") == "de"


def test_a_model_is_never_looked_for_elsewhere(tmp_path: Path) -> None:
    """A socket that is opened ends the process: recognition works without any."""
    folder = write_tiny_whisper(tmp_path / "model")
    code = f"""
import socket
def refuse(*arguments, **_):
    raise SystemExit("something calls out")
socket.create_connection = socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
from pathlib import Path
from models.speech.speech_recognizers import TranscriptionHints, Window
from models.speech.speech_recognizers import create_recognizer
from tests.builders.voices import spoken
window = Window(((0, 2_000_000),), spoken()[:32000])
heard = create_recognizer(Path({str(folder)!r})).recognize([window], TranscriptionHints())
print(len(heard.words) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr
