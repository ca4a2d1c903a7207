"""Makes the demo: a study of the sample recording with its annotations, and the jobs that track and hide its face."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.egress import weights_download_job
from anonymize.egress.egress_authority import policy_in_force
from anonymize.egress.policy_edits import change_policy, set_policy
from anonymize.export import export_job
from anonymize.faces import face_tracking_job
from anonymize.methods.face_methods import method_type, recommended_method
from models.weights.installed_weights import is_installed
from project.entities.study_records import Json, Run, Verdict
from project.files.atomic_files import explain_os_errors
from project.queries.history_rows import latest_run, runs_of
from project.queries.recording_rows import all_recordings
from project.session.jobs import JobSpec
from project.session.session import Session
from project.store.study import Study
from resources import resource
from resources.translation import later


def sample_video(folder: Path) -> Path:
    """Copy the sample recording to `folder` if it is not there, and return its path."""
    video = folder / "sample.mp4"
    with explain_os_errors(f"The folder {folder} cannot be written", "Choose another: --dir"):
        folder.mkdir(parents=True, exist_ok=True)
        if not video.exists():
            part = folder / "sample.part"
            try:
                shutil.copyfile(resource("sample", "sample.mp4"), part)
                part.replace(video)
            finally:
                part.unlink(missing_ok=True)
    return video


ANNOTATOR = "Demo"
WITHOUT_LANDMARKS = later("There is no landmark model, so no other face is drawn.")
_LANDMARKS = "face-landmarks"


@dataclass(frozen=True, slots=True)
class DemoStep:
    """A job of the demo that is still to be done.

    Attributes:
        text: what it does, in the imperative; the shell translates it.
        prepare: makes the job; raises a `UserError` where it cannot run.
        is_optional: whether the demo goes on where it fails; then `WITHOUT_LANDMARKS` holds.
    """

    text: str
    prepare: Callable[[], JobSpec]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo study holds once every step is done.

    Attributes:
        recording: its number in the study.
        recording_id: its id.
        zero_us: where the clip begins on the recording's axis.
        face_coverage: share of the frames that have a face, 0 to 1.
        is_drawn: whether another face was drawn in the place of the one that is hidden.
        faces_left: times in seconds at which a face is still visible in the clip.
    """

    study: Path
    recording: int
    recording_id: str
    clip: Path
    zero_us: int
    face_coverage: float
    is_drawn: bool
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


def make_demo_study(folder: Path, *, fetch: bool) -> Path:
    """Make the demo study in `folder` where it is not there yet, and return its path.

    Args:
        folder: of the study, the sample recording and the clip.
        fetch: allow the study to download the landmark model where that is not installed.
    """
    path = folder / "demo.greenroom"
    video = sample_video(folder)
    if not path.exists():
        Study.create(path, "Demo").close()
    with Session.open(path, ANNOTATOR) as session:
        if session.study.read_only:
            return path
        if not all_recordings(session.study):
            _add_sample(session, video)
        policy = policy_in_force(session)
        if fetch and not policy.downloads and not is_installed(_LANDMARKS):
            set_policy(session, change_policy(policy, downloads=True, proxies=True))
    return path


def pending_steps(session: Session, *, fetch: bool = True) -> list[DemoStep]:
    """Return the steps that the demo study lacks, in order; `fetch` is false once a download was tried."""
    recordings = all_recordings(session.study)
    if not recordings or _find_clip(session, recordings[0].id) is not None:
        return []
    recording_id, steps = recordings[0].id, []
    if fetch and policy_in_force(session).downloads and not is_installed(_LANDMARKS):
        text = weights_download_job.download_question(_LANDMARKS)
        steps.append(DemoStep(text, partial(weights_download_job.prepare, _LANDMARKS), is_optional=True))
    if latest_run(session.study, recording_id, "faces") is None:
        text = later("Track the face through the recording")
        steps.append(DemoStep(text, partial(face_tracking_job.prepare, session, recording_id)))
    text = later("Hide the face in a clip, and check that none is left")
    return [*steps, DemoStep(text, partial(_prepare_export, session, recording_id))]


def read_result(session: Session) -> DemoResult | None:
    """Return what the demo study holds; None where a step is missing."""
    recording = next(iter(all_recordings(session.study)), None)
    tracked = latest_run(session.study, recording.id, "faces") if recording else None
    exported = _find_clip(session, recording.id) if recording else None
    if recording is None or tracked is None or exported is None:
        return None
    frames, with_face = (cast(int, tracked.result[key]) for key in ("frames", "frames_with_face"))
    return DemoResult(
        session.study.path,
        recording.number,
        recording.id,
        _clip_path(session, exported),
        cast(int, exported.result["zero_us"]),
        with_face / max(frames, 1),
        method_type(exported.backend).kind == "face",
        tuple(cast(list[float], exported.result["faces_left"])),
    )


def _add_sample(session: Session, video: Path) -> None:
    (recording_id,), _ = add_recordings(session, [probe_file(video)])
    marked = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))["segments"]
    for segment in marked:
        values = {key: segment[key] for key in ("attributes", "channel", "rationale", "correction")}
        add_segment(session, recording_id, segment["start_us"], segment["end_us"], Verdict(segment["verdict"]), values)


def _prepare_export(session: Session, recording_id: str) -> JobSpec:
    return export_job.prepare(session, recording_id, recommended_method(), session.study.folder, overwrite=True)


def _find_clip(session: Session, recording_id: str) -> Run | None:
    """Return the newest export of the whole recording whose clip lies beside the study."""
    exports = runs_of(session.study, recording_id, "anonymize")
    whole = (run for run in exports if (run.parameters["start_us"], run.parameters["end_us"]) == (None, None))
    return next((run for run in whole if _clip_path(session, run).is_file()), None)


def _clip_path(session: Session, run: Run) -> Path:
    return session.study.folder / str(run.result["output"])
