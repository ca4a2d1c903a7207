"""The job that finds where somebody speaks in a recording."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

from annotate.study.recording_files import require_usable_sound
from media.sound import stream_mono
from models.speech.speech_recognizers import DEFAULT_DETECTOR, SAMPLE_RATE, SpeechOptions, create_speech_detector
from project.entities.study_records import Changes, Json, Run
from project.entities.transcript import AsrSegment
from project.files.fingerprints import hash_whole_file
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import SOURCE_SHA256_KEY, insert_run
from project.queries.transcript_rows import SPEECH, insert_asr_segments
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__

Span = tuple[int, int]


def prepare(session: Session, recording_id: str, options: SpeechOptions | None = None) -> JobSpec:
    """Make the job for one recording."""
    located = require_usable_sound(session, recording_id)
    parameters: dict[str, Json] = {
        "path": str(located.path),
        "fingerprint": located.medium.fingerprint,
        "track": located.medium.sound_track,
        "offset_us": located.medium.offset_us,
        "detector": DEFAULT_DETECTOR,
        "options": cast(Json, asdict(options or SpeechOptions())),
    }
    return JobSpec(
        SPEECH, f"Find speech in recording {session.recording(recording_id).number}", recording_id, parameters
    )


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Listen to the whole recording."""
    began = time.monotonic()
    options = SpeechOptions(**cast(dict[str, Json], parameters["options"]))  # type: ignore[arg-type]
    detector = create_speech_detector(str(parameters["detector"]), options)
    source = hash_whole_file(Path(str(parameters["path"])), progress)
    track = cast(int, parameters["track"])
    blocks = stream_mono(source.path, SAMPLE_RATE, _VoiceActivityProgress(progress), track=track)
    found = detector.detect(blocks, progress)
    source.require_unchanged()
    return {
        "speech": found.tolist(),
        "detector_parameters": dict(detector.parameters),
        SOURCE_SHA256_KEY: source.sha256,
        "seconds": round(time.monotonic() - began, 3),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep what was found as a run; the newest run is the one that is shown."""
    offset = int(str(work.parameters["offset_us"]))
    found = cast(list[list[int]], result["speech"])
    facts = {key: value for key, value in result.items() if key != "speech"}
    run_id = store_speech(session, work, facts, [(start + offset, end + offset) for start, end in found])
    return Changes.from_pairs([("run", run_id), ("heard", work.recording_id)])


def store_speech(session: Session, work: JobSpec, facts: Mapping[str, Json], spans: Iterable[Span]) -> str:
    """Store a run of voice activity from spans on the recording's axis; returns its id."""
    duration = session.recording(work.recording_id).duration_us
    inside = [(max(0, start), min(end, duration)) for start, end in spans]
    heard = [AsrSegment(start, end) for start, end in inside if end > start]
    spoken = sum(asr_segment.end_us - asr_segment.start_us for asr_segment in heard) / SECOND_US
    told: dict[str, Json] = {**facts, "stretches": len(heard), "speech_seconds": round(spoken, 3)}
    parameters = {key: value for key, value in work.parameters.items() if key not in ("path", "prompt", "folder")}
    backend = str(work.parameters["detector"])
    run = Run(new_id(), work.recording_id, SPEECH, backend, parameters, told, utc_now(), __version__)
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_asr_segments(session.study, run.id, heard)
    return run.id


class _VoiceActivityProgress:
    """Says what the sound is read for."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.check_cancelled = progress.check_cancelled

    def progress(self, done: int, total: int, _text: str = "") -> None:
        """Report milliseconds of sound."""
        self._progress.progress(done, total, "Finding speech")
