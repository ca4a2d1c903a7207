"""The job that finds and tracks the faces of a recording."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.faces.face_detectors import default_detectors, require_installed
from models.faces.identity.face_embeddings import default_face_embedder
from models.faces.track_file import save_tracks, take_tracks
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import Changes, Json
from project.files.temporary_files import cache_folder
from project.progress import Progress
from project.queries.face_rows import insert_tracks
from project.session.jobs import JobKind, JobSpec, format_elapsed, record_run
from project.session.session import Session
from project.timebase import SECOND_US
from resources.translation import tr, trn


@dataclass(frozen=True, slots=True)
class FaceTrackingParameters:
    """What decides how faces are tracked; `detector` joins names by `+`."""

    path: Path
    medium: str
    fingerprint: str
    detector: str
    processor: str
    embedder: str | None
    options: FaceOptions


@dataclass(frozen=True, slots=True)
class FaceTrackingResult:
    """What tracking gave; the tracks are in a file that `store` takes."""

    frames: int
    frames_with_face: int
    tracks: int
    detector_parameters: Mapping[str, Json]
    damaged_frames: tuple[int, ...]
    cuts: tuple[int, ...]
    looked: int
    suggested: tuple[tuple[str, ...], ...]
    suggested_confidence: tuple[float, ...]
    ends_early_s: float
    seconds: float
    source_sha256: str
    file: Path


def prepare(
    session: Session,
    recording_id: str,
    options: FaceOptions | None = None,
    detector: str | None = None,
    processor: str = "auto",
) -> JobSpec[FaceTrackingParameters]:
    """Make the job for one recording.

    All detectors that are installed look when none is named (joined by `+`), on one of `PROCESSORS`.
    """
    detector = detector or default_detectors()
    require_installed(detector)
    located = session.require_picture(recording_id)
    return JobSpec(
        "faces",
        f"Track faces in recording {session.recording(recording_id).number}",
        recording_id,
        FaceTrackingParameters(
            located.path,
            located.medium.id,
            located.medium.fingerprint,
            detector,
            processor,
            default_face_embedder(),
            options or FaceOptions(),
        ),
    )


def compute(parameters: FaceTrackingParameters, progress: Progress) -> FaceTrackingResult:
    """Track; what was done before a crash is taken up again from the cache folder."""
    from media.frame_index import load_index
    from models.faces.face_detectors import create_detector
    from models.faces.face_tracking import track_faces
    from models.faces.identity.face_embeddings import create_face_embedder

    started = time.monotonic()
    folder = cache_folder() / "faces"
    index = load_index(parameters.path)
    finder = create_detector(parameters.detector, processor=parameters.processor)
    found = track_faces(
        parameters.path,
        finder,
        parameters.options,
        checkpoint=folder / f"{parameters.fingerprint}.part",
        index=index,
        progress=progress,
        embedder=None if parameters.embedder is None else create_face_embedder(parameters.embedder),
    )
    return FaceTrackingResult(
        frames=found.frames,
        frames_with_face=found.frames_with_face,
        tracks=len(found.tracks),
        detector_parameters=dict(finder.parameters),
        damaged_frames=tuple(found.damaged),
        cuts=tuple(found.cuts),
        looked=found.looked,
        suggested=tuple(tuple(suggestion.tracks) for suggestion in found.suggested),
        suggested_confidence=tuple(suggestion.confidence for suggestion in found.suggested),
        ends_early_s=index.missing_us / SECOND_US,
        seconds=round(time.monotonic() - started, 3),
        source_sha256=found.source_sha256,
        file=save_tracks(found.tracks, folder),
    )


def store(session: Session, work: JobSpec[FaceTrackingParameters], result: FaceTrackingResult) -> Changes:
    """Keep the tracks as a run of their own; earlier runs stay in the study."""
    tracks = take_tracks(result.file)
    with session.study.run_transaction():
        run = record_run(session, work, work.parameters.detector, result)
        insert_tracks(session.study, run.id, work.parameters.medium, tracks)
    return Changes.from_pairs([("run", run.id), ("face_track", work.recording_id)])


def summarize(_work: JobSpec, result: FaceTrackingResult) -> str:
    """Say how many tracks were found in how many frames."""
    found = trn("{count} face track", "{count} face tracks", result.tracks) if result.tracks else tr("No face found")
    return tr("{found} in {frames} frames, {duration}").format(
        found=found, frames=result.frames, duration=format_elapsed(result.seconds)
    )


JOB = JobKind(
    key="faces",
    parameters=FaceTrackingParameters,
    result=FaceTrackingResult,
    compute=compute,
    store=store,
    summarize=summarize,
    resume=prepare,
    resume_fields=("detector", "processor", "options"),
    unsaved=("path", "file"),
    returned_files=("file",),
    single=True,
)
