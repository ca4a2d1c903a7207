"""The job that exports a recording, or a part of it, with its faces hidden, and checks what came out."""

import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from annotate.interchange.document_export import exportable_recordings
from anonymize.faces.masking_plan import (
    TRANSIENT_PARAMETERS,
    MaskingParameters,
    build_render_plan,
    delete_tracks_file,
    gather_parameters,
    require_faces_run,
    require_method,
    verify_source,
    weights_digests,
    working_folder,
)
from anonymize.methods.face_methods import method_type
from anonymize.voice.sound_choice import (
    SoundChoice,
    SoundParameters,
    build_filter,
    gather_sound_parameters,
    require_choice,
    sound_checksum,
)
from project.entities.study_records import Changes, Json, Recording
from project.errors import UserError, require_utf8
from project.files.atomic_files import explain_os_errors
from project.progress import Progress
from project.queries.face_rows import mask_state
from project.session.jobs import JobKind, JobOutcome, JobSpec, format_elapsed, run_inline, store_run
from project.session.session import Session
from project.timebase import SECOND_US, format_time
from resources.translation import tr


@dataclass(frozen=True, kw_only=True)
class ClipExportParameters(MaskingParameters):
    """How faces and sound are hidden, and where the clip goes."""

    keep_robots: bool
    output: Path
    overwrite: bool
    sound: SoundParameters | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipExportResult:
    """The clip, and what a look at it found; lists are times in seconds on the recording's axis.

    Attributes:
        zero_us: where the clip's zero lies on the recording's axis.
        blanked: frames that were painted over wholly.
        undrawn: frames in which the method could not draw a face.
        bare: frames in which a face does not lie wholly under its mask.
        checked_by: detectors that looked, joined by `+`.
        independent: whether one of them had no part in finding the tracks.
        sound: how it was treated; None where there is none.
        options: of the method.
    """

    output: Path
    sha256: str
    zero_us: int
    frames: int
    blanked: tuple[float, ...]
    undrawn: tuple[float, ...]
    faces_left: tuple[float, ...]
    doubtful: tuple[float, ...]
    bare: tuple[float, ...]
    checked_by: str
    independent: bool
    ends_early_s: float
    sound: Mapping[str, Json] | None
    options: Mapping[str, Json]
    weights: Mapping[str, str]
    seconds: float


def prepare(
    session: Session,
    recording_id: str,
    method: str,
    folder: Path,
    *,
    options: Mapping[str, Json] | None = None,
    start_us: int | None = None,
    end_us: int | None = None,
    keep_robots: bool = False,
    overwrite: bool = False,
    sound: SoundChoice | None = None,
) -> JobSpec[ClipExportParameters]:
    """Make the job for one recording.

    A clip ends before `end_us`. Where no sound is chosen, voices are changed and personal information is muted.
    """
    require_method(method, options)
    located = session.require_picture(recording_id)
    recording = session.recording(recording_id)
    exportable_recordings(session, [recording_id])
    _check_range(recording, start_us, end_us)
    require_faces_run(session, recording_id, located)
    output = folder.absolute() / clip_name(recording, method, start_us, end_us)
    require_utf8(output)
    if os.path.lexists(output) and not overwrite:
        raise UserError(f"The clip {output} already exists.", "Choose another folder, or overwrite it.")
    with explain_os_errors(f"The folder {folder} cannot be created", "Choose another folder."):
        folder.mkdir(parents=True, exist_ok=True)
    treated = _sound(session, recording_id, sound or SoundChoice())
    found = gather_parameters(session, recording_id, method, options, keep_robots=keep_robots)
    parameters = ClipExportParameters(
        **vars(replace(found, start_us=start_us, end_us=end_us)),
        keep_robots=keep_robots,
        output=output,
        overwrite=overwrite,
        sound=treated,
    )
    return JobSpec("anonymize", f"Export recording {recording.number} ({method})", recording_id, parameters)


def renew(session: Session, work: JobSpec[ClipExportParameters]) -> JobSpec[ClipExportParameters]:
    """Return the job as it has to be now, when its turn comes: faces may have been edited while it waited."""
    if not is_outdated(session, work):
        return work
    old = work.parameters
    delete_tracks_file(old)
    found = gather_parameters(session, work.recording_id, old.method, old.options, keep_robots=old.keep_robots)
    sound = None if old.sound is None else gather_sound_parameters(session, work.recording_id, old.sound.choice)
    masking = vars(replace(found, start_us=old.start_us, end_us=old.end_us))
    return replace(work, parameters=replace(old, **masking, sound=sound))


def clip_name(recording: Recording, method: str, start_us: int | None, end_us: int | None) -> str:
    """Return the file name of an export. It holds nothing of the source's name, which may name a person."""
    span = ""
    if start_us is not None or end_us is not None:
        first, last = format_time(start_us or 0), format_time(end_us if end_us is not None else recording.duration_us)
        span = "-" + re.sub("[:.]", "", first) + "-" + re.sub("[:.]", "", last)
    return f"recording-{recording.number:04}-{method}{span}.mp4"


def compute(parameters: ClipExportParameters, progress: Progress) -> ClipExportResult:
    """Render, then look for faces in what was rendered. A clip that could not be looked at does not stay.

    The checksum that is kept is that of the clip that was looked at, whatever lies under its name afterwards.
    """
    from anonymize.rendering.face_renderer import find_uncovered_frames, render
    from anonymize.rendering.residual_faces import CheckResult, check_rendering
    from media.frame_index import load_index
    from models.faces.face_detectors import create_detector
    from project.files.fingerprints import WholeFile, file_changed_error, hash_whole_file
    from project.files.temporary_files import cache_folder

    started = time.monotonic()
    digests = weights_digests(parameters.method)
    checked: list[tuple[WholeFile, CheckResult]] = []

    def check(clip: Path, zero_us: int) -> None:
        whole = hash_whole_file(clip, progress)
        result = check_rendering(
            clip,
            plan.tracks,
            create_detector(parameters.detector),
            exempt=plan.exempt,
            replaced=plan.method.kind == "face",
            regions=parameters.regions,
            source=load_index(plan.source, cache_folder()).canvas,
            start_us=zero_us,
            progress=progress,
        )
        whole.require_unchanged()
        checked.append((whole, result))
        source.require_unchanged()

    source = verify_source(parameters, progress)
    with working_folder(parameters, digests) as folder:
        plan = build_render_plan(parameters, parameters.output, folder, overwrite=parameters.overwrite)
        if parameters.sound is not None:
            plan = replace(plan, sound=build_filter(parameters.sound, plan.source, progress, track=plan.track))
        done = render(plan, progress, check)
    ((whole, found),) = checked
    if whole.sha256 != done.sha256:
        done.output.unlink(missing_ok=True)
        raise file_changed_error(done.output.name)
    begin = 0 if plan.start_us is None else plan.start_us
    end = math.inf if plan.end_us is None else plan.end_us
    return ClipExportResult(
        output=done.output,
        sha256=whole.sha256,
        zero_us=done.start_us,
        frames=done.frames,
        blanked=_to_seconds(done.blanked_us),
        undrawn=_to_seconds(done.undrawn_us),
        faces_left=_to_seconds(found.faces_left),
        doubtful=_to_seconds(found.doubtful),
        bare=_to_seconds(t for t in find_uncovered_frames(plan) if begin <= t < end),
        checked_by=parameters.detector,
        independent=bool(parameters.witness),
        ends_early_s=parameters.ends_early_s,
        sound=None if parameters.sound is None else parameters.sound.stored(),
        options=asdict(plan.method.options),
        weights=digests,
        seconds=round(time.monotonic() - started, 3),
    )


def store(session: Session, work: JobSpec[ClipExportParameters], result: ClipExportResult) -> Changes:
    """Record that this clip was made, from which tracks and how; of paths only the clip's own name."""
    sound: dict[str, Json] = {"sound": None if result.sound is None else dict(result.sound)}
    facts: dict[str, Json] = {"output": result.output.name, "outdated": is_outdated(session, work), **sound}
    return store_run(session, work, work.parameters.method, result, parameters=sound, facts=facts)


def is_outdated(session: Session, work: JobSpec[ClipExportParameters]) -> bool:
    """Tell whether what hides the faces of the recording, or treats its sound, was changed since it was asked for."""
    sound = work.parameters.sound
    if sound is not None and sound.state != sound_checksum(session, work.recording_id, sound.choice):
        return True
    return mask_state(session.study, work.recording_id) != work.parameters.mask_state


def _sound(session: Session, recording_id: str, choice: SoundChoice) -> SoundParameters | None:
    """Return how the sound is treated; None where the recording has none."""
    medium = session.main_medium(recording_id)
    if medium is None or medium.facts.audio is None:
        require_choice(choice)
        return None
    return gather_sound_parameters(session, recording_id, choice)


def _check_range(recording: Recording, start_us: int | None, end_us: int | None) -> None:
    start, end = start_us or 0, recording.duration_us if end_us is None else end_us
    if not 0 <= start < end or start >= recording.duration_us:
        raise UserError(
            f"There is no footage from {format_time(start)} to {format_time(end)}.",
            f"Recording {recording.number} lasts {format_time(recording.duration_us)}.",
        )


def _to_seconds(times_us: Iterable[int]) -> tuple[float, ...]:
    return tuple(time_us / SECOND_US for time_us in times_us)


def run_jobs(
    session: Session,
    recordings: Iterable[Recording],
    prepare: Callable[[Recording], JobSpec],
    progress: Callable[[JobSpec], Progress],
) -> Iterator[tuple[Recording, Any]]:
    """Prepare all jobs first, so that a refusal comes before any work, then do them; yields each result."""
    prepared = [(recording, prepare(recording)) for recording in recordings]
    for recording, work in prepared:
        result, _ = run_inline(session, work, progress(work))
        yield recording, result


def summarize(work: JobSpec[ClipExportParameters], result: ClipExportResult) -> str:
    """Say whether a face is left in the clip."""
    clean = tr("Every face was replaced") if method_type(work.parameters.method).kind == "face" else tr("No face left")
    left = tr("{left} faces left").format(left=len(result.faces_left)) if result.faces_left else clean
    doubtful = tr(", {doubtful} doubtful").format(doubtful=len(result.doubtful)) if result.doubtful else ""
    return f"{left}{doubtful}, {format_elapsed(result.seconds)}"


# A clip belongs to an export, which is resumed as a whole.
JOB = JobKind(
    key="anonymize",
    parameters=ClipExportParameters,
    result=ClipExportResult,
    compute=compute,
    store=store,
    summarize=summarize,
    outcome=lambda result: JobOutcome.INCOMPLETE if result.faces_left else JobOutcome.DONE,
    renew=renew,
    unsaved=(*TRANSIENT_PARAMETERS, "output", "sound"),
    sent_files=("tracks",),
    discard=delete_tracks_file,
)
