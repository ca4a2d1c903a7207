"""The job that writes down what is said in a recording."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

import numpy as np

from annotate.speech.recognition_log import SUFFIX, RecognitionLog, read_log, remove_abandoned_logs
from annotate.speech.voice_activity import store_speech
from annotate.study.recording_files import require_usable_sound
from annotate.transcript import utterance_drafts
from annotate.transcript.utterance_drafts import CuttingOptions, cut_utterances, read_vocabulary
from media.sound import stream_mono
from models.speech.speech_recognizers import (
    DEFAULT_DETECTOR,
    DEFAULT_RECOGNIZER,
    SAMPLE_RATE,
    RecognizedWord,
    Samples,
    SpeechOptions,
    TranscriptionHints,
    Window,
    create_recognizer,
    create_speech_detector,
)
from models.speech.speech_windows import clean_spans, plan_windows, read_windows
from models.speech.whisper_models import resolve_model
from project.entities.study_records import Changes, Json, Run
from project.files.fingerprints import hash_whole_file
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import SOURCE_SHA256_KEY, insert_run
from project.queries.transcript_rows import TRANSCRIBE, insert_asr_segments
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__

FINE_SPEECH_OPTIONS = SpeechOptions(pause_ms=100, shortest_ms=60, margin_ms=0)
"""Options for cutting at all but the shortest silences; the speech that is shown is joined from these pieces."""
_MAX_CACHED_SAMPLES = 30 * 60 * SAMPLE_RATE
"""Samples: the sound of so much, some hundred megabytes, is read once and not twice."""
_SPEECH_SHARE = 0.03
"""The share of the work that finding speech is taken for."""


def prepare(
    session: Session,
    recording_id: str,
    model: str | None = None,
    language: str | None = None,
    *,
    replace: bool = False,
    processor: str = "auto",
    options: CuttingOptions | None = None,
) -> JobSpec:
    """Make the job for one recording.

    Args:
        session: holds the study, and the vocabulary that the model is told.
        recording_id: what is listened to.
        model: name in the catalogue or a folder; the best that is installed when not given.
        language: code; the model finds out when not given.
        replace: whether drafts that nobody touched make room, where there is a transcript already.
        processor: `auto`, `cpu` or `cuda`.
        options: where an utterance ends.
    """
    utterance_drafts.require_empty_transcript(session, recording_id, replace)
    located = require_usable_sound(session, recording_id)
    name, folder = resolve_model(model, language)
    parameters: dict[str, Json] = {
        "path": str(located.path),
        "fingerprint": located.medium.fingerprint,
        "track": located.medium.sound_track,
        "offset_us": located.medium.offset_us,
        "detector": DEFAULT_DETECTOR,
        "recognizer": DEFAULT_RECOGNIZER,
        "model": name,
        "folder": str(folder),
        "language": language,
        "prompt": read_vocabulary(session),
        "processor": processor,
        "replace": replace,
        "options": cast(Json, asdict(options or CuttingOptions())),
    }
    number = session.recording(recording_id).number
    return JobSpec(TRANSCRIBE, f"Transcribe recording {number}", recording_id, parameters)


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Recognise; what was done before a crash is taken up again from the cache folder."""
    began = time.monotonic()
    cache = cache_folder() / "transcripts"
    remove_abandoned_logs(cache)
    path = Path(str(parameters["path"]))
    progress.progress(0, 0, "Loading the model")
    listener = create_recognizer(
        Path(str(parameters["folder"])), str(parameters["recognizer"]), str(parameters["processor"])
    )
    detector = create_speech_detector(str(parameters["detector"]), FINE_SPEECH_OPTIONS)
    language = None if parameters["language"] is None else str(parameters["language"])
    hearing = TranscriptionHints(language, str(parameters["prompt"]))
    source = hash_whole_file(path, progress)
    work: dict[str, Json] = {
        "source": source.sha256,
        "track": parameters["track"],
        "detector": dict(detector.parameters),
        "recognizer": dict(listener.parameters),
        "hearing": cast(Json, asdict(hearing)),
    }
    with RecognitionLog(cache / f"{parameters['fingerprint']}{SUFFIX}", work) as log:
        sound = _SoundReader(path, cast(int, parameters["track"]))
        if log.found.speech is None:
            log.add_speech(
                detector.detect(sound.read_first(_SpeechSearchProgress(progress)), progress).tolist(),
                sound.samples * SECOND_US // SAMPLE_RATE,
            )
        speech = np.array(log.found.speech, np.int64).reshape(-1, 2)
        windows = plan_windows(speech, log.found.end_us)
        left = windows[log.found.windows :]
        telling = _ChunkProgress(progress, len(windows))
        telling.report(log.found.windows)
        batch: list[Window] = []
        for number, window in enumerate(read_windows(sound.reread(), left), 1):
            batch.append(window)
            if len(batch) < listener.batch and number < len(left):
                continue
            progress.check_cancelled()
            known = TranscriptionHints(language or log.found.language or None, hearing.prompt)
            heard = listener.recognize(batch, known)
            certainty = heard.certainty if not log.found.language else log.found.certainty
            log.add_words(len(batch), heard.words, heard.language, certainty)
            batch = []
            telling.report(log.found.windows)
        found = log.found
        source.require_unchanged()
        return {
            "file": str(log.path),
            "chunks": len(windows),
            "words": len(found.pieces),
            "language": found.language,
            "language_certainty": round(found.certainty, 3),
            "detector_parameters": dict(detector.parameters),
            "recognizer_parameters": dict(listener.parameters),
            SOURCE_SHA256_KEY: source.sha256,
            "seconds": round(time.monotonic() - began, 3),
        }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep what was heard as runs, and as drafts in the transcript wherever nobody wrote anything yet."""
    path = Path(str(result["file"]))
    found = read_log(path)
    offset = int(str(work.parameters["offset_us"]))
    duration = session.recording(work.recording_id).duration_us
    facts = {key: value for key, value in result.items() if key != "file"}
    speech = clean_spans(np.array(found.speech, np.int64).reshape(-1, 2), found.end_us, SpeechOptions())
    spoken = {key: facts[key] for key in ("detector_parameters", SOURCE_SHA256_KEY, "seconds")}
    kept = utterance_drafts.list_kept_utterances(session, work.recording_id)
    options = CuttingOptions(**cast(dict[str, Json], work.parameters["options"]))  # type: ignore[arg-type]
    pieces = [
        RecognizedWord(piece.text, piece.start_us + offset, piece.end_us + offset, piece.confidence)
        for piece in found.pieces
    ]
    inside = [piece for piece in pieces if 0 <= piece.start_us < duration]
    heard = cut_utterances(inside, found.language, duration, options)
    facts["words"] = sum(len(asr_segment.words) for asr_segment in heard)
    parameters = {key: value for key, value in work.parameters.items() if key not in ("path", "folder")}
    backend = str(work.parameters["recognizer"])
    run = Run(new_id(), work.recording_id, TRANSCRIBE, backend, parameters, facts, utc_now(), __version__)
    new = (
        heard
        if not kept
        else cut_utterances(utterance_drafts.pieces_outside(inside, kept), found.language, duration, options)
    )
    changes = Changes()
    with session.study.atomic():
        speech_run = store_speech(
            session, work, spoken, [(start + offset, end + offset) for start, end in speech.tolist()]
        )
        with session.study.run_transaction():
            insert_run(session.study, run)
            insert_asr_segments(session.study, run.id, heard)
        if new or work.parameters["replace"]:
            changes = utterance_drafts.store_drafts(session, work.recording_id, new, kept)
    path.unlink(missing_ok=True)
    return changes | Changes.from_pairs([("run", speech_run), ("run", run.id), ("heard", work.recording_id)])


class _SpeechSearchProgress:
    """Finding speech as the first part of the work."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, _text: str = "") -> None:
        """Report milliseconds of sound."""
        self._progress.progress(round(1000 * _SPEECH_SHARE * done / max(total, 1)), 1000, "Finding speech")


class _ChunkProgress:
    """Says how many chunks are done."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total = progress, total

    def report(self, done: int) -> None:
        """Report that so many chunks are done."""
        share = _SPEECH_SHARE + (1 - _SPEECH_SHARE) * done / max(self._total, 1)
        self._progress.progress(round(1000 * share), 1000, f"Recognised {done} of {self._total} chunks")


class _SoundReader:
    """The sound of a file, which is read once where it is short enough to be kept.

    Attributes:
        samples: how many went by the first time.
    """

    def __init__(self, path: Path, track: int) -> None:
        self._path, self._track = path, track
        self._kept: list[Samples] | None = None
        self.samples = 0

    def read_first(self, progress: Progress) -> Iterator[Samples]:
        """Yield all blocks, and tell how far it is."""
        kept: list[Samples] = []
        for block in stream_mono(self._path, SAMPLE_RATE, progress, track=self._track):
            self.samples += len(block)
            kept.append(block)
            if self.samples > _MAX_CACHED_SAMPLES:
                kept.clear()
            yield block
        self._kept = kept if self.samples <= _MAX_CACHED_SAMPLES else None

    def reread(self) -> Iterable[Samples]:
        """Return all blocks from the beginning."""
        if self._kept is not None:
            return self._kept
        return stream_mono(self._path, SAMPLE_RATE, track=self._track)
