"""The job that finds where somebody speaks in a recording."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from annotate.study.recording_files import require_usable_sound
from media.sound import stream_mono
from models.speech.speech_recognizers import DEFAULT_DETECTOR, SAMPLE_RATE, SpeechOptions, create_speech_detector
from project.entities.study_records import Changes, Json
from project.entities.transcript import AsrSegment
from project.files.fingerprints import hash_whole_file
from project.progress import Progress, SubtaskProgress
from project.queries.transcript_rows import SPEECH, insert_asr_segments
from project.session.jobs import JobKind, JobSpec, format_elapsed, record_run
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SpeechDetectionParameters:
    """What is listened to, and what counts as speech."""

    path: Path
    fingerprint: str
    track: int
    offset_us: int
    detector: str
    options: SpeechOptions


@dataclass(frozen=True, slots=True)
class SpeechDetectionResult:
    """Where somebody speaks, on the axis of the file."""

    speech: tuple[Span, ...]
    detector_parameters: Mapping[str, Json]
    source_sha256: str
    seconds: float


def prepare(
    session: Session, recording_id: str, options: SpeechOptions | None = None
) -> JobSpec[SpeechDetectionParameters]:
    """Make the job for one recording."""
    located = require_usable_sound(session, recording_id)
    medium = located.medium
    return JobSpec(
        SPEECH,
        f"Find speech in recording {session.recording(recording_id).number}",
        recording_id,
        SpeechDetectionParameters(
            located.path,
            medium.fingerprint,
            medium.sound_track,
            medium.offset_us,
            DEFAULT_DETECTOR,
            options or SpeechOptions(),
        ),
    )


def compute(parameters: SpeechDetectionParameters, progress: Progress) -> SpeechDetectionResult:
    """Listen to the whole recording."""
    began = time.monotonic()
    detector = create_speech_detector(parameters.detector, parameters.options)
    source = hash_whole_file(parameters.path, progress)
    part = SubtaskProgress(progress, 0, 1000, 1000, "Finding speech")
    found = detector.detect(stream_mono(source.path, SAMPLE_RATE, part, track=parameters.track), progress)
    source.require_unchanged()
    return SpeechDetectionResult(
        tuple((start, end) for start, end in found.tolist()),
        dict(detector.parameters),
        source.sha256,
        round(time.monotonic() - began, 3),
    )


def store(session: Session, work: JobSpec, result: SpeechDetectionResult) -> Changes:
    """Keep what was found as a run; the newest run is the one that is shown."""
    duration, offset = session.recording(work.recording_id).duration_us, work.parameters.offset_us
    inside = [(max(0, start + offset), min(end + offset, duration)) for start, end in result.speech]
    heard = [AsrSegment(start, end) for start, end in inside if end > start]
    spoken = sum(segment.end_us - segment.start_us for segment in heard) / SECOND_US
    facts: dict[str, Json] = {"stretches": len(heard), "speech_seconds": round(spoken, 3)}
    with session.study.run_transaction():
        run = record_run(session, work, work.parameters.detector, result, facts=facts)
        insert_asr_segments(session.study, run.id, heard)
    return Changes.from_pairs([("run", run.id), ("heard", work.recording_id)])


def summarize(_work: JobSpec, result: SpeechDetectionResult) -> str:
    """Say in how many places somebody speaks."""
    places = trn("{count} place", "{count} places", len(result.speech))
    return tr("{places} where somebody speaks, {duration}").format(
        places=places, duration=format_elapsed(result.seconds)
    )


JOB = JobKind(
    key=SPEECH,
    parameters=SpeechDetectionParameters,
    result=SpeechDetectionResult,
    compute=compute,
    store=store,
    summarize=summarize,
    resume=prepare,
    resume_fields=("options",),
    # Transcription stores a run of this kind too.
    unsaved=("path", "speech", "prompt", "folder"),
    single=True,
)
