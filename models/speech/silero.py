"""Silero's voice activity detector, whose network the faster-whisper wheel carries: nothing has to be fetched.

The network (version 6, MIT) is told 512 samples at a time with the 64 before them, and keeps a state between calls
(https://github.com/snakers4/silero-vad). The state is carried over from block to block here, so a recording of any
length takes the memory of one block.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime

from models.runtime.onnx_session import open_session
from models.speech.speech_recognizers import SAMPLE_RATE, Samples, Spans, SpeechOptions
from models.speech.speech_windows import likelihood_to_spans
from project.entities.study_records import Json
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_FILE = Path("assets", "silero_vad_v6.onnx")
_STEP, _CONTEXT, _STATE = 512, 64, (1, 1, 128)
_AT_ONCE = 1024
"""Steps that are looked at in one call: half a minute."""


class Silero:
    """Finds speech, without any download."""

    key = "silero"

    def __init__(self, options: SpeechOptions | None = None) -> None:
        self._options = options or SpeechOptions()
        path = network_path()
        self._session = open_session(path)
        self.parameters: Mapping[str, Json] = {"network": file_sha256(path), **asdict(self._options)}

    def detect(self, blocks: Iterable[Samples], progress: Progress | None = None) -> Spans:
        """Return the (n, 2) stretches of speech in microseconds; see `SpeechDetector`."""
        told = progress or Silent()
        listening = _Listening(self._session)
        for block in blocks:
            told.check_cancelled()
            listening.feed(block)
        likely = listening.finish()
        end_us = listening.samples * SECOND_US // SAMPLE_RATE
        return likelihood_to_spans(likely, _STEP * SECOND_US // SAMPLE_RATE, end_us, self._options)


def network_path() -> Path:
    """Return where the network's file is; faster-whisper itself is not imported."""
    found = find_spec("faster_whisper")
    path = Path(found.origin).parent / _FILE if found is not None and found.origin else None
    if path is None or not path.is_file():
        raise UserError("The model that finds speech is missing; it is part of faster-whisper.", "Reinstall Greenroom.")
    return path


class _Listening:
    """What the network has heard so far."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self._h = self._c = np.zeros(_STATE, np.float32)
        self._context = np.zeros(_CONTEXT, np.float32)
        self._waiting: list[Samples] = []
        self._held = 0
        self._likely: list[Samples] = []
        self.samples = 0

    def feed(self, block: Samples) -> None:
        """Take samples that follow those before."""
        self.samples += len(block)
        self._held += len(block)
        self._waiting.append(block)
        if self._held >= _AT_ONCE * _STEP:
            self._run(np.concatenate(self._waiting))

    def finish(self) -> Samples:
        """Return how likely speech is in each step; the last one is filled up with silence."""
        rest = np.concatenate([*self._waiting, np.zeros(-self.samples % _STEP, np.float32)])
        self._run(rest)
        return np.concatenate(self._likely) if self._likely else np.zeros(0, np.float32)

    def _run(self, samples: Samples) -> None:
        whole = len(samples) // _STEP * _STEP
        self._waiting, self._held = [samples[whole:].copy()], len(samples) - whole
        for begin in range(0, whole, _AT_ONCE * _STEP):
            steps = samples[begin : min(begin + _AT_ONCE * _STEP, whole)].reshape(-1, _STEP)
            before = np.concatenate([self._context[None], steps[:-1, -_CONTEXT:]])
            self._context = steps[-1, -_CONTEXT:].copy()
            given = np.ascontiguousarray(np.concatenate([before, steps], axis=1), np.float32)
            likely, self._h, self._c = self._session.run(None, {"input": given, "h": self._h, "c": self._c})
            self._likely.append(np.asarray(likely, np.float32).reshape(-1))
