"""Makes a demo study from the shipped sample recording, with annotations, face tracks and an anonymized clip."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_job
from anonymize.faces import face_tracking_job
from anonymize.methods.face_methods import recommended_method
from project.entities.study_records import Json, Verdict
from project.errors import UserError
from project.progress import Progress
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_recordings
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from project.store.study import Study
from resources import resource


def sample_video(folder: Path) -> Path:
    """Copy the sample recording to `folder` if it is not there, and return its path.

    Raises:
        UserError: the folder cannot be written.
    """
    video = folder / "sample.mp4"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not video.exists():
            part = folder / "sample.part"
            try:
                shutil.copyfile(resource("sample", "sample.mp4"), part)
                part.replace(video)
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"The folder {folder} cannot be written: {error.strerror}.", "Choose another: --dir") from None
    return video


ANNOTATOR = "Demo"


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo study and its results.

    Attributes:
        recording: its number in the study.
        face_coverage: share of the frames that have a face, 0 to 1.
        faces_left: times in seconds at which a face is still visible in the clip.
    """

    study: Path
    recording: int
    clip: Path
    face_coverage: float
    faces_left: tuple[float, ...]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "study": str(self.study),
            "recording": self.recording,
            "clip": str(self.clip),
            "face_coverage": self.face_coverage,
            "faces_left": [*self.faces_left],
        }


def make_demo(folder: Path, progress: Callable[[JobSpec], Progress]) -> Demo:
    """Make the demo study in `folder`, or open an existing one; the clip is always exported again.

    Raises:
        UserError: the folder cannot be written.
    """
    study = folder / "demo.greenroom"
    sample_video(folder)
    if not study.exists():
        Study.create(study, "Demo").close()
    with Session.open(study, ANNOTATOR) as session:
        session.study.require_writable()
        recordings = all_recordings(session.study)
        recording_id = recordings[0].id if recordings else _fill(session, folder)
        tracked = latest_run(session.study, recording_id, "faces")
        if tracked is None:
            work = face_tracking_job.prepare(session, recording_id)
            run_inline(session, work, progress(work))
            tracked = latest_run(session.study, recording_id, "faces")
            assert tracked is not None
        export = export_job.prepare(session, recording_id, recommended_method(), folder, overwrite=True)
        result, _ = run_inline(session, export, progress(export))
        number = session.recording(recording_id).number
    frames = cast(int, tracked.result["frames"])
    return Demo(
        study,
        number,
        Path(str(result["output"])),
        cast(int, tracked.result["frames_with_face"]) / max(frames, 1),
        tuple(cast(list[float], result["faces_left"])),
    )


def _fill(session: Session, folder: Path) -> str:
    (recording_id,), _ = add_recordings(session, [probe_file(sample_video(folder))])
    marked = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))["segments"]
    for segment in marked:
        values = {key: segment[key] for key in ("attributes", "channel", "rationale", "correction")}
        add_segment(session, recording_id, segment["start_us"], segment["end_us"], Verdict(segment["verdict"]), values)
    return recording_id
