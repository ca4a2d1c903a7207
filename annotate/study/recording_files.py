"""The job that finds where a further file of a recording begins, by comparing what both microphones heard."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path

from annotate.study.recording_edits import find_medium
from project.codec import load
from project.entities.study_records import Changes, Medium, MediumRole
from project.errors import UserError
from project.progress import Progress
from project.queries.history_rows import runs_of
from project.queries.recording_rows import media_of
from project.session.jobs import JobKind, JobSpec, store_run
from project.session.session import LocatedMedium, Session
from project.text_format import escape_unprintable
from project.timebase import SECOND_US

_SOUND_ROLES = (MediumRole.MAIN, MediumRole.MICROPHONE, MediumRole.CAMERA)
"""Whose sound is taken: the first that has one."""


def require_usable_sound(session: Session, recording_id: str) -> LocatedMedium:
    """Return the file whose sound stands for a recording when it is there, unchanged."""
    recording = session.recording(recording_id)
    media = [medium for medium in media_of(session.study, recording_id) if medium.facts.audio is not None]
    heard = next((medium for role in _SOUND_ROLES for medium in media if medium.role is role), None)
    if heard is None:
        raise UserError(
            f"Recording {recording.number} ({recording.name}) has no sound.",
            "Add its sound file: greenroom recording add-view STUDY FILE",
        )
    return session.require_present(heard)


def has_sound(session: Session, recording_id: str) -> bool:
    """Tell whether there is anything to hear."""
    return any(medium.facts.audio is not None for medium in media_of(session.study, recording_id))


KIND = "sync"
_BACKEND = "sound"
_NOTABLE_DRIFT_US = 40_000


@dataclass(frozen=True, slots=True)
class SynchronizationParameters:
    """The two files that are compared, the main one first."""

    reference_path: Path
    path: Path
    reference: str
    medium: str
    fingerprints: tuple[str, str]
    tracks: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What the newest comparison of a medium's sound found out; see `media.synchronization.Alignment`."""

    offset_us: int
    confidence: float
    sure: bool
    drift_ppm: float | None
    spread_us: int | None
    overlap_us: int
    windows: int = 0
    agreeing: int = 0
    seconds: float = 0.0

    def as_text(self) -> str:
        """Say it in a line."""
        if not self.sure:
            return "No offset was found that stands out. Nothing was changed."
        begins = (
            f"begins at {self.offset_us / SECOND_US:.3f} s, {self.confidence:.1f} times clearer than any other place"
        )
        if self.spread_us is None:
            begins += ", right to about 10 ms"
        if self.drift_ppm is not None:
            apart_us = abs(self.drift_ppm) * 1e-6 * self.overlap_us
            if apart_us > _NOTABLE_DRIFT_US:
                begins += f"; its clock runs {abs(self.drift_ppm):.0f} ppm {'fast' if self.drift_ppm > 0 else 'slow'}"
                begins += f", {apart_us / SECOND_US:.2f} s from end to end"
        return begins[:1].upper() + begins[1:] + "."


def prepare(session: Session, recording_id: str, medium: str) -> JobSpec[SynchronizationParameters]:
    """Make the job for one further file of a recording."""
    recording = session.recording(recording_id)
    further = find_medium(session, recording_id, medium)
    if further.role is MediumRole.MAIN:
        raise UserError("The main file sets the start of its recording.", "Choose another file.")
    main = session.main_medium(recording_id)
    if main is None:
        raise UserError(f"Recording {recording.number} has no main file.", "Add its video first.")
    there, other = locate_sound(session, main), locate_sound(session, further)
    return JobSpec(
        KIND,
        f"Find where {escape_unprintable(Path(further.path).name)} begins in recording {recording.number}",
        recording_id,
        SynchronizationParameters(
            there.path,
            other.path,
            main.id,
            further.id,
            (main.fingerprint, further.fingerprint),
            (main.sound_track, further.sound_track),
        ),
    )


def compute(parameters: SynchronizationParameters, progress: Progress) -> SyncResult:
    """Compare the sounds."""
    from media.synchronization import synchronize

    started = time.monotonic()
    found = synchronize(parameters.reference_path, parameters.path, progress, tracks=parameters.tracks)
    return SyncResult(**asdict(found), seconds=round(time.monotonic() - started, 3))


def store(session: Session, work: JobSpec[SynchronizationParameters], result: SyncResult) -> Changes:
    """Keep what was found as a run; no file is moved by it."""
    return store_run(session, work, _BACKEND, result)


def latest_sync_result(session: Session, medium: Medium) -> SyncResult | None:
    """Return what the newest comparison said about a file, unless a file or its sound track was replaced since."""
    media = {m.id: (m.fingerprint, m.sound_track) for m in media_of(session.study, medium.recording_id)}
    for run in runs_of(session.study, medium.recording_id, KIND):
        parameters = run.parameters
        if parameters["medium"] != medium.id:
            continue
        now = [media.get(str(parameters[key])) for key in ("reference", "medium")]
        then = [*zip(parameters["fingerprints"], parameters["tracks"], strict=True)]  # type: ignore[arg-type]
        return load(SyncResult, run.result, KIND) if now == then else None
    return None


def locate_sound(session: Session, medium: Medium) -> LocatedMedium:
    """Return where the file of a medium is when it is there, unchanged, and has sound."""
    if medium.facts.audio is None:
        raise UserError(f"{escape_unprintable(Path(medium.path).name)} has no sound.", "Choose a file with sound.")
    return session.require_present(medium)


JOB = JobKind(
    key=KIND,
    parameters=SynchronizationParameters,
    result=SyncResult,
    compute=compute,
    store=store,
    summarize=lambda _work, result: result.as_text(),
    resume=prepare,
    resume_fields=("medium",),
    unsaved=("path", "reference_path"),
)
