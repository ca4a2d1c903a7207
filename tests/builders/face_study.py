"""A session with one recording of six frames, and face tracks as a run would have found them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.faces import face_tracking_job as face_tracking
from models.faces.track_file import save_tracks
from project.files.fingerprints import file_sha256
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.face_tracks import track
from tests.builders.job_results import tracked

FRAMES = 6
SIZE = (160, 120)
Box = tuple[float, float, float, float]


def open_lab(folder: Path) -> Session:
    """Make a study with one recording and open it as Ada."""
    session = Session(Study.create(folder / "lab.greenroom"), "Ada")
    add_recordings(session, [probe_file(make_clip(folder / "walk.mp4", size=SIZE, frames=FRAMES, fps=25, sound=True))])
    return session


def only_recording(session: Session) -> str:
    """Return the id of the recording."""
    ((found,),) = session.study.rows("SELECT id FROM recording")
    return str(found)


def found_faces(session: Session, boxes: Sequence[Box], **parameters: Any) -> list[str]:
    """Store a run that found a face at rest at each of the boxes; returns the tracks' ids."""
    work = face_tracking.prepare(session, only_recording(session))
    tracks = [track([box] * FRAMES, name=new_id(), score=0.9) for box in boxes]
    asked = replace(work, parameters=replace(work.parameters, **parameters))
    whole = file_sha256(work.parameters.path)
    file = save_tracks(tracks, cache_folder() / "faces")
    face_tracking.store(session, asked, tracked(file, FRAMES, len(tracks), source_sha256=whole))
    return [track.id for track in tracks]
