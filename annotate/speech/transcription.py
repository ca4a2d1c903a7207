"""The job that writes down what is said in a recording."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from annotate.speech import voice_activity
from annotate.speech.recognition_log import SUFFIX, RecognitionLog, read_log
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
from project.entities.study_records import Changes, Json
from project.files.fingerprints import hash_whole_file
from project.files.temporary_files import cache_folder, sweep_caches
from project.progress import Progress, SubtaskProgress
from project.queries.transcript_rows import SPEECH, TRANSCRIBE, insert_asr_segments
from project.session.jobs import JobKind, JobSpec, format_elapsed, record_run
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn

FINE_SPEECH_OPTIONS = SpeechOptions(pause_ms=100, shortest_ms=60, margin_ms=0)
"""Options for cutting at all but the shortest silences; the speech that is shown is joined from these pieces."""
_MAX_CACHED_SAMPLES = 30 * 60 * SAMPLE_RATE
"""Samples: the sound of so much, some hundred megabytes, is read once and not twice."""
_SPEECH_PERCENT = 3
"""The part of the work that finding speech is taken for."""


@dataclass(frozen=True, slots=True)
class TranscriptionParameters:
    """What is listened to, by which model, and where an utterance ends."""

    path: Path
    fingerprint: str
    track: int
    offset_us: int
    detector: str
    recognizer: str
    model: str
    folder: Path
    language: str | None
    prompt: str
    processor: str
    replace: bool
    options: CuttingOptions


@dataclass(frozen=True, slots=True)
class TranscriptionResult:
    """What was recognised; the words are in a file that `store` takes."""

    file: Path
    chunks: int
    words: int
    language: str
    language_certainty: float
    detector_parameters: Mapping[str, Json]
    recognizer_parameters: Mapping[str, Json]
    source_sha256: str
    seconds: float


def prepare(
    session: Session,
    recording_id: str,
    model: str | None = None,
    language: str | None = None,
    *,
    replace: bool = False,
    processor: str = "auto",
    options: CuttingOptions | None = None,
) -> JobSpec[TranscriptionParameters]:
    """Make the job for one recording.

    `model` is a name in the catalogue or a folder, by default the best that is installed; `language` a code, which the
    model finds out where None; `processor` is `auto`, `cpu` or `cuda`. With `replace`, drafts that nobody touched make
    room.
    """
    utterance_drafts.require_empty_transcript(session, recording_id, replace)
    located = require_usable_sound(session, recording_id)
    name, folder = resolve_model(model, language)
    parameters = TranscriptionParameters(
        path=located.path,
        fingerprint=located.medium.fingerprint,
        track=located.medium.sound_track,
        offset_us=located.medium.offset_us,
        detector=DEFAULT_DETECTOR,
        recognizer=DEFAULT_RECOGNIZER,
        model=name,
        folder=folder,
        language=language,
        prompt=read_vocabulary(session),
        processor=processor,
        replace=replace,
        options=options or CuttingOptions(),
    )
    number = session.recording(recording_id).number
    return JobSpec(TRANSCRIBE, f"Transcribe recording {number}", recording_id, parameters)


def compute(parameters: TranscriptionParameters, progress: Progress) -> TranscriptionResult:
    """Recognise; what was done before a crash is taken up again from the cache folder."""
    began = time.monotonic()
    cache = cache_folder() / "transcripts"
    sweep_caches("transcripts")
    progress.progress(0, 0, "Loading the model")
    listener = create_recognizer(parameters.folder, parameters.recognizer, parameters.processor)
    detector = create_speech_detector(parameters.detector, FINE_SPEECH_OPTIONS)
    hearing = TranscriptionHints(parameters.language, parameters.prompt)
    source = hash_whole_file(parameters.path, progress)
    work: dict[str, Json] = {
        "source": source.sha256,
        "track": parameters.track,
        "detector": dict(detector.parameters),
        "recognizer": dict(listener.parameters),
        "hearing": asdict(hearing),
    }
    with RecognitionLog(cache / f"{parameters.fingerprint}{SUFFIX}", work) as log:
        sound = _SoundReader(parameters.path, parameters.track)
        if log.found.speech is None:
            searching = SubtaskProgress(progress, 0, _SPEECH_PERCENT, 100, "Finding speech")
            log.add_speech(
                detector.detect(sound.read_first(searching), progress).tolist(),
                sound.samples * SECOND_US // SAMPLE_RATE,
            )
        speech = np.array(log.found.speech, np.int64).reshape(-1, 2)
        windows = plan_windows(speech, log.found.end_us)
        left = windows[log.found.windows :]
        recognizing = SubtaskProgress(progress, _SPEECH_PERCENT, 100 - _SPEECH_PERCENT, 100)

        def report_chunks() -> None:
            done = log.found.windows
            recognizing.progress(done, len(windows), f"Recognised {done} of {len(windows)} chunks")

        report_chunks()
        batch: list[Window] = []
        for number, window in enumerate(read_windows(sound.reread(), left), 1):
            batch.append(window)
            if len(batch) < listener.batch and number < len(left):
                continue
            progress.check_cancelled()
            known = TranscriptionHints(parameters.language or log.found.language or None, hearing.prompt)
            heard = listener.recognize(batch, known)
            certainty = heard.certainty if not log.found.language else log.found.certainty
            log.add_words(len(batch), heard.words, heard.language, certainty)
            batch = []
            report_chunks()
        found = log.found
        source.require_unchanged()
        return TranscriptionResult(
            file=log.path,
            chunks=len(windows),
            words=len(found.pieces),
            language=found.language,
            language_certainty=round(found.certainty, 3),
            detector_parameters=dict(detector.parameters),
            recognizer_parameters=dict(listener.parameters),
            source_sha256=source.sha256,
            seconds=round(time.monotonic() - began, 3),
        )


def store(session: Session, work: JobSpec[TranscriptionParameters], result: TranscriptionResult) -> Changes:
    """Keep what was heard as runs, and as drafts in the transcript wherever nobody wrote anything yet."""
    found = read_log(result.file)
    offset, options = work.parameters.offset_us, work.parameters.options
    duration = session.recording(work.recording_id).duration_us
    speech = clean_spans(np.array(found.speech, np.int64).reshape(-1, 2), found.end_us, SpeechOptions())
    spoken = voice_activity.SpeechDetectionResult(
        tuple((start, end) for start, end in speech.tolist()),
        result.detector_parameters,
        result.source_sha256,
        result.seconds,
    )
    kept = utterance_drafts.list_kept_utterances(session, work.recording_id)
    pieces = [
        RecognizedWord(piece.text, piece.start_us + offset, piece.end_us + offset, piece.confidence)
        for piece in found.pieces
    ]
    inside = [piece for piece in pieces if 0 <= piece.start_us < duration]
    heard = cut_utterances(inside, found.language, duration, options)
    kept_words: dict[str, Json] = {"words": sum(len(segment.words) for segment in heard)}
    new = (
        heard
        if not kept
        else cut_utterances(utterance_drafts.pieces_outside(inside, kept), found.language, duration, options)
    )
    with session.study.atomic():
        changes = voice_activity.store(session, replace(work, kind=SPEECH), spoken)
        with session.study.run_transaction():
            run = record_run(session, work, work.parameters.recognizer, result, facts=kept_words)
            insert_asr_segments(session.study, run.id, heard)
        if new or work.parameters.replace:
            changes |= utterance_drafts.store_drafts(session, work.recording_id, new, kept)
    result.file.unlink(missing_ok=True)
    return changes | Changes.from_pairs([("run", run.id)])


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


def summarize(_work: JobSpec, result: TranscriptionResult) -> str:
    """Say how many words were recognised."""
    words = trn("{count} word", "{count} words", result.words)
    return tr("{words} recognised, {duration}").format(words=words, duration=format_elapsed(result.seconds))


JOB = JobKind(
    key=TRANSCRIBE,
    parameters=TranscriptionParameters,
    result=TranscriptionResult,
    compute=compute,
    store=store,
    summarize=summarize,
    resume=prepare,
    resume_fields=("model", "language", "replace", "processor", "options"),
    unsaved=("path", "folder", "file"),
    single=True,
)
