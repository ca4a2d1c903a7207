"""The job that finds and tracks the faces of a recording."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import cast

from models.faces.face_detectors import default_detectors, require_installed
from models.faces.identity.face_embeddings import default_face_embedder
from models.faces.track_file import save_tracks, take_tracks
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import Changes, Json, Run
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Progress
from project.queries.face_rows import insert_tracks
from project.queries.history_rows import SOURCE_SHA256_KEY, insert_run
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, utc_now
from project.version import __version__


def prepare(
    session: Session,
    recording_id: str,
    options: FaceOptions | None = None,
    detectors: str | None = None,
    processor: str = "auto",
) -> JobSpec:
    """Make the job for one recording.

    Args:
        session: holds the study.
        recording_id: whose faces.
        options: every knob of tracking.
        detectors: names joined by `+`; all that are installed when not given.
        processor: what they run on, of `PROCESSORS`.
    """
    detectors = detectors or default_detectors()
    require_installed(detectors)
    located = session.require_picture(recording_id)
    recording = session.recording(recording_id)
    return JobSpec(
        "faces",
        f"Track faces in recording {recording.number}",
        recording_id,
        {
            "path": str(located.path),
            "medium": located.medium.id,
            "fingerprint": located.medium.fingerprint,
            "detector": detectors,
            "processor": processor,
            "embedder": default_face_embedder(),
            "options": cast(Json, asdict(options or FaceOptions())),
        },
    )


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Track; what was done before a crash is taken up again from the cache folder."""
    from media.frame_index import load_index
    from models.faces.face_detectors import create_detector
    from models.faces.face_tracking import track_faces
    from models.faces.identity.face_embeddings import create_face_embedder

    started = time.monotonic()
    folder = cache_folder() / "faces"
    path = Path(str(parameters["path"]))
    index = load_index(path)
    finder = create_detector(str(parameters["detector"]), processor=parameters["processor"])
    found = track_faces(
        path,
        finder,
        FaceOptions(**cast(dict[str, Json], parameters["options"])),  # type: ignore[arg-type]
        checkpoint=folder / f"{parameters['fingerprint']}.part",
        index=index,
        progress=progress,
        embedder=None if parameters["embedder"] is None else create_face_embedder(str(parameters["embedder"])),
    )
    return {
        "frames": found.frames,
        "frames_with_face": found.frames_with_face,
        "tracks": len(found.tracks),
        "detector_parameters": dict(finder.parameters),
        "damaged_frames": list(found.damaged),
        "cuts": list(found.cuts),
        "looked": found.looked,
        "suggested": [list(suggestion.tracks) for suggestion in found.suggested],
        "suggested_confidence": [suggestion.confidence for suggestion in found.suggested],
        "ends_early_s": index.missing_us / SECOND_US,
        "seconds": round(time.monotonic() - started, 3),
        SOURCE_SHA256_KEY: found.source_sha256,
        "file": str(save_tracks(found.tracks, folder)),
    }


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep the tracks as a run of their own; earlier runs stay in the study."""
    tracks = take_tracks(Path(str(result["file"])))
    facts = {key: value for key, value in result.items() if key != "file"}
    parameters = {key: value for key, value in work.parameters.items() if key != "path"}
    backend = str(work.parameters["detector"])
    run = Run(new_id(), work.recording_id, work.kind, backend, parameters, facts, utc_now(), __version__)
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_tracks(session.study, run.id, str(work.parameters["medium"]), tracks)
    return Changes.from_pairs([("run", run.id), ("face_track", work.recording_id)])
