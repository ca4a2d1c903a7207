"""The job that finds where a further file of a recording begins, by comparing what both microphones heard."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from project.entities.study_records import Changes, Json, Medium, MediumRole, Run
from project.errors import UserError
from project.ids import new_id
from project.progress import Progress
from project.queries.history_rows import insert_run, runs_of
from project.queries.recording_rows import media_of
from project.session.jobs import JobSpec
from project.session.session import LocatedMedium, MediaState, Session, outside_error
from project.text_format import escape_unprintable
from project.timebase import SECOND_US, utc_now
from project.version import __version__

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
            "Add its sound as a further file: greenroom add-view STUDY FILE",
        )
    located = session.locate(heard)
    name = Path(heard.path).name
    if located.state is MediaState.MISSING:
        raise UserError(
            f"The file {name} of recording {recording.number} is missing.",
            "Put it back, or relink the folder it was moved to.",
        )
    if located.state is MediaState.OUTSIDE:
        raise outside_error(located, f"recording {recording.number}")
    if located.state is MediaState.REPLACED:
        raise UserError(
            f"The file {name} of recording {recording.number} is not the one that was added.",
            "Put the original back, or add this file as a recording of its own.",
        )
    return located


def has_sound(session: Session, recording_id: str) -> bool:
    """Tell whether there is anything to hear."""
    return any(medium.facts.audio is not None for medium in media_of(session.study, recording_id))


KIND = "sync"
_BACKEND = "sound"
_NOTABLE_DRIFT_US = 40_000


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What the newest comparison of a medium's sound found out; see `media.synchronization.Alignment`."""

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


def prepare(session: Session, recording_id: str, medium_id: str) -> JobSpec:
    """Make the job for one further file of a recording."""
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
    there, other = locate_sound(session, main), locate_sound(session, medium)
    return JobSpec(
        KIND,
        f"Find where {escape_unprintable(Path(medium.path).name)} begins in recording {recording.number}",
        recording_id,
        {
            "reference_path": str(there.path),
            "path": str(other.path),
            "reference": main.id,
            "medium": medium.id,
            "fingerprints": [main.fingerprint, medium.fingerprint],
            "tracks": [main.sound_track, medium.sound_track],
        },
    )


def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
    """Compare the sounds."""
    from media.synchronization import synchronize

    started = time.monotonic()
    first, second = cast(list[int], parameters["tracks"])
    reference, other = Path(str(parameters["reference_path"])), Path(str(parameters["path"]))
    found = synchronize(reference, other, progress, tracks=(first, second))
    return {**asdict(found), "seconds": round(time.monotonic() - started, 3)}


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    """Keep what was found as a run; no file is moved by it."""
    parameters = {key: value for key, value in work.parameters.items() if key not in ("path", "reference_path")}
    run = Run(new_id(), work.recording_id, KIND, _BACKEND, parameters, dict(result), utc_now(), __version__)
    with session.study.run_transaction():
        insert_run(session.study, run)
    return Changes.from_pairs([("run", run.id)])


def latest_sync_result(session: Session, medium: Medium) -> SyncResult | None:
    """Return what the newest comparison said about a file, unless a file or its sound track was replaced since."""
    media = {m.id: (m.fingerprint, m.sound_track) for m in media_of(session.study, medium.recording_id)}
    for run in runs_of(session.study, medium.recording_id, KIND):
        if run.parameters["medium"] != medium.id:
            continue
        now = [media.get(str(run.parameters[key])) for key in ("reference", "medium")]
        fingerprints, tracks = (cast(list[Json], run.parameters[key]) for key in ("fingerprints", "tracks"))
        return parse_sync_result(run.result) if now == [*zip(fingerprints, tracks, strict=True)] else None
    return None


def parse_sync_result(result: Mapping[str, Json]) -> SyncResult:
    """Read a result of `compute`."""
    return SyncResult(**{name: result[name] for name in SyncResult.__dataclass_fields__})  # type: ignore[arg-type]


def locate_sound(session: Session, medium: Medium) -> LocatedMedium:
    """Return where the file of a medium is when it is there, unchanged, and has sound."""
    located = session.locate(medium)
    name = escape_unprintable(located.path.name)
    if located.state is MediaState.OUTSIDE:
        raise outside_error(located, "this recording")
    if located.state is not MediaState.PRESENT:
        raise UserError(f"The file {name} is {located.state.value}.", "Put it back, or locate the folder it is in now.")
    if medium.facts.audio is None:
        raise UserError(f"{name} has no sound.", "Choose a file with sound.")
    return located
