"""The job that finds where a further file of a recording begins, by comparing what both microphones heard."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from app.core.clock import utc_now
from app.core.jobs import Work
from app.core.session import LocatedMedium, MediaState, Session, outside
from project.errors import UserError
from project.ids import new_id
from project.names import shown
from project.progress import Progress
from project.queries.media import media_of
from project.queries.runs import insert_run, runs_of
from project.timebase import SECOND
from project.types import Changes, Json, Medium, MediumRole, Run
from project.version import __version__

KIND = "sync"
_BACKEND = "sound"
_NOTABLE_DRIFT_US = 40_000


@dataclass(frozen=True, slots=True)
class Found:
    """What the newest comparison of a medium's sound found out; see `media.synchronize.Alignment`."""

    offset_us: int
    confidence: float
    sure: bool
    drift_ppm: float | None
    spread_us: int | None
    overlap_us: int

    def as_text(self) -> str:
        """Say it in a line."""
        if not self.sure:
            return "No offset was found that stands out. Nothing was changed."
        begins = f"begins at {self.offset_us / SECOND:.3f} s, {self.confidence:.1f} times clearer than any other place"
        if self.spread_us is None:
            begins += ", right to about 10 ms"
        if self.drift_ppm is not None:
            apart_us = abs(self.drift_ppm) * 1e-6 * self.overlap_us
            if apart_us > _NOTABLE_DRIFT_US:
                begins += f"; its clock runs {abs(self.drift_ppm):.0f} ppm {'fast' if self.drift_ppm > 0 else 'slow'}"
                begins += f", {apart_us / SECOND:.2f} s from end to end"
        return begins[:1].upper() + begins[1:] + "."


def prepare(session: Session, recording_id: str, medium_id: str) -> Work:
    """Make the job for one further file of a recording.

    Raises:
        UserError: it is the main file; a file is missing or was replaced; or one of both has no sound.
    """
    recording = session.recording(recording_id)
    media = media_of(session.study, recording_id)
    medium = next((m for m in media if m.id == medium_id), None)
    if medium is None:
        raise UserError("This file is no longer part of the recording.", "Choose another one.")
    if medium.role is MediumRole.MAIN:
        raise UserError("The main file begins where its recording begins.", "Choose a further file.")
    main = next((m for m in media if m.role is MediumRole.MAIN), None)
    if main is None:
        raise UserError(f"Recording {recording.number} has no main file.", "Add its video first.")
    there, other = _with_sound(session, main), _with_sound(session, medium)
    return Work(
        KIND,
        f"Find where {shown(Path(medium.path).name)} begins in recording {recording.number}",
        recording_id,
        {
            "reference_path": str(there.path),
            "path": str(other.path),
            "reference": main.id,
            "medium": medium.id,
            "fingerprints": [main.fingerprint, medium.fingerprint],
        },
    )


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Compare the sounds."""
    from media.synchronize import synchronize

    started = time.monotonic()
    found = synchronize(Path(str(parameters["reference_path"])), Path(str(parameters["path"])), progress)
    return {**asdict(found), "seconds": round(time.monotonic() - started, 3)}


def store(session: Session, work: Work, result: Mapping[str, Json]) -> Changes:
    """Keep what was found as a run; no file is moved by it."""
    parameters = {key: value for key, value in work.parameters.items() if key not in ("path", "reference_path")}
    run = Run(new_id(), work.recording_id, KIND, _BACKEND, parameters, dict(result), utc_now(), __version__)
    with session.study.recording_run():
        insert_run(session.study, run)
    return Changes.of([("run", run.id)])


def found_for(session: Session, medium: Medium) -> Found | None:
    """Return what the newest comparison said about a file, unless a file has been replaced since."""
    media = {m.id: m.fingerprint for m in media_of(session.study, medium.recording_id)}
    for run in runs_of(session.study, medium.recording_id, KIND):
        if run.parameters["medium"] != medium.id:
            continue
        compared = [media.get(str(run.parameters[key])) for key in ("reference", "medium")]
        return found_in(run.result) if compared == run.parameters["fingerprints"] else None
    return None


def found_in(result: Mapping[str, Json]) -> Found:
    """Read a result of `compute`."""
    return Found(**{name: result[name] for name in Found.__dataclass_fields__})  # type: ignore[arg-type]


def _with_sound(session: Session, medium: Medium) -> LocatedMedium:
    located = session.locate(medium)
    name = shown(located.path.name)
    if located.state is MediaState.OUTSIDE:
        raise outside(located, "this recording")
    if located.state is not MediaState.PRESENT:
        raise UserError(f"The file {name} is {located.state.value}.", "Put it back, or locate the folder it is in now.")
    if medium.facts.audio is None:
        raise UserError(f"{name} has no sound to compare.", "Type where the file begins instead.")
    return located
