"""Whisper by faster-whisper: int8 on the processor, float16 on an NVIDIA GPU, several windows at once.

A model is a folder on this machine; nothing is looked up anywhere else. Radford et al., "Robust Speech Recognition via
Large-Scale Weak Supervision" (2022): sections 3.8 (a window that is silence, a repetition that does not end) and 4.5.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from faster_whisper import BatchedInferencePipeline, WhisperModel

from models.runtime import native_libraries
from models.speech.speech_recognizers import (
    SAMPLE_RATE,
    RecognitionResult,
    RecognizedWord,
    Samples,
    TranscriptionHints,
    Window,
)
from models.speech.speech_windows import place_words
from models.speech.whisper_languages import LANGUAGES
from models.speech.whisper_models import MODEL_FILE, damaged_model_error, inspect_folder
from project.entities.study_records import Json
from project.errors import UserError
from project.timebase import SECOND_US

_WINDOW_S = 30
_LARGE, _HUGE = 300_000_000, 1_200_000_000
"""Bytes of weights from which on a processor is given fewer windows at once, so that it tells how far it is in time."""
_BEAM = 5
_NO_SPEECH, _UNSURE = 0.6, -1.0
"""A window is silence where the model gives more for "no speech" and less for its words (mean log-probability)."""
_REPETITIVE = 2.4
"""Text that gzip makes smaller by more is one phrase over and over."""
_NO_REPEAT = 3
_COMPUTE = {"cpu": "int8", "cuda": "float16"}


class Whisper:
    """Writes down what is said, with the model of a folder on a processor, `auto`, `cpu` or `cuda`."""

    key = "whisper"

    def __init__(self, folder: Path, processor: str = "auto") -> None:
        self.found = inspect_folder(folder)
        self._device = _device(processor)
        if self._device == "cuda":
            native_libraries.load_libraries(native_libraries.CTRANSLATE2)
        problem = self._gpu_problem() if self._device == "cuda" else ""
        if problem and processor == "cuda":
            raise UserError(
                f"The GPU cannot be used for speech recognition: {problem}.",
                "Install nvidia-cublas-cu12, or set the processor to “auto”.",
            )
        if problem or self._device == "cpu":
            self._device = "cpu"
            try:
                self._model = self._load()
            # CTranslate2 and tokenizers raise errors of several kinds for files that they cannot read.
            except Exception as error:
                raise damaged_model_error(folder, self.found.sha256) from error
        self.batch = _batch(folder, self._device)
        self._pipeline = BatchedInferencePipeline(self._model)

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What its answers depend on."""
        return {
            "model": self.found.name,
            "sha256": self.found.sha256,
            "device": self._device,
            "compute_type": _COMPUTE[self._device],
            "beam": _BEAM,
            "library": f"ctranslate2 {ctranslate2.__version__}",
        }

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that it knows."""
        if not self._model.model.is_multilingual:
            return ("en",)
        tokens = self._model.hf_tokenizer
        return tuple(code for code in LANGUAGES if tokens.token_to_id(f"<|{code}|>") is not None)

    def recognize(self, windows: Sequence[Window], hearing: TranscriptionHints) -> RecognitionResult:
        """Return what is said in windows of one recording; see `Recognizer`."""
        if hearing.language is not None and hearing.language not in self.languages:
            raise UserError(
                f"The model {self.found.name or self.found.path.name} does not support {LANGUAGES[hearing.language]}.",
                "Choose a model without “.en” in its name."
                if self.languages == ("en",)
                else "Choose another language.",
            )
        segments, info = self._run([window.samples for window in windows], hearing)
        heard: list[list[Any]] = [[] for _ in windows]
        for segment in segments:
            heard[min(int(segment.seek // (100 * _WINDOW_S)), len(windows) - 1)].append(segment)
        pieces: list[RecognizedWord] = []
        for at, (window, found) in enumerate(zip(windows, heard, strict=True)):
            offset = at * _WINDOW_S
            if any(segment.compression_ratio > _REPETITIVE for segment in found):
                told = TranscriptionHints(info.language, hearing.prompt)
                found, offset = list(self._run([window.samples], told, no_repeat_ngram_size=_NO_REPEAT)[0]), 0
            said = [
                segment
                for segment in found
                if not (segment.no_speech_prob > _NO_SPEECH and segment.avg_logprob < _UNSURE)
            ]
            pieces += place_words(
                window.spans, [_piece(word, offset) for segment in said for word in segment.words or ()]
            )
        certainty = 1.0 if hearing.language is not None else float(info.language_probability)
        return RecognitionResult(tuple(pieces), str(info.language), certainty)

    def _load(self) -> WhisperModel:
        return WhisperModel(
            str(self.found.path),
            device=self._device,
            compute_type=_COMPUTE[self._device],
            cpu_threads=os.cpu_count() or 1,
            local_files_only=True,
        )

    def _gpu_problem(self) -> str:
        """Load the model onto a GPU and return why it cannot listen there; "" where it can."""
        try:
            self._model = self._load()
        except (RuntimeError, ValueError) as error:
            return _first_line(error)
        return _run_problem(self._model)

    def _run(self, sounds: Sequence[Samples], hearing: TranscriptionHints, **more: object) -> tuple[Iterable[Any], Any]:
        """Let the model listen to sounds of 30 seconds at most; its times count 30 seconds for each."""
        laid = np.zeros(len(sounds) * _WINDOW_S * SAMPLE_RATE, np.float32)
        clips = []
        for at, sound in enumerate(sounds):
            first = at * _WINDOW_S * SAMPLE_RATE
            sound = sound[: _WINDOW_S * SAMPLE_RATE]
            laid[first : first + len(sound)] = sound
            clips.append({"start": at * _WINDOW_S, "end": (first + len(sound)) / SAMPLE_RATE})
        segments, info = self._pipeline.transcribe(
            laid,
            language=hearing.language,
            initial_prompt=hearing.prompt or None,
            beam_size=_BEAM,
            temperature=0.0,
            word_timestamps=True,
            clip_timestamps=clips,
            batch_size=self.batch,
            language_detection_segments=4,
            **more,
        )
        return segments, info


def _piece(word: Any, offset_s: int) -> RecognizedWord:
    start, end = (round((float(time) - offset_s) * SECOND_US) for time in (word.start, word.end))
    return RecognizedWord(str(word.word), start, max(start, end), round(float(word.probability), 3))


def _batch(folder: Path, device: str) -> int:
    if device == "cuda":
        return 16
    size = (folder / MODEL_FILE).stat().st_size
    return 8 if size < _LARGE else 4 if size < _HUGE else 2


def _run_problem(model: WhisperModel) -> str:
    """Return why a model cannot listen where it is, "" where it can: libraries are missed at their first use."""
    silence = np.zeros((model.feature_extractor.mel_filters.shape[0], 100 * _WINDOW_S), np.float32)
    try:
        model.encode(silence)
    except RuntimeError as error:
        return _first_line(error)
    return ""


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _device(processor: str) -> str:
    there = ctranslate2.get_cuda_device_count() > 0
    if processor == "cuda" and not there:
        raise UserError("There is no NVIDIA GPU for speech recognition.", "Set the processor to “auto”.")
    return "cuda" if there and processor != "cpu" else "cpu"
