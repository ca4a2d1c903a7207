"""The job that measures how private an export is, and how useful.

Faces of people in other recordings tell how alike strangers are.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from anonymize.faces.masking_plan import (
    TRANSIENT_PARAMETERS,
    MaskingParameters,
    build_render_plan,
    delete_tracks_file,
    gather_parameters,
    verify_source,
)
from anonymize.measures.frame_measures import Stranger, Tools
from anonymize.measures.privacy_report import PrivacyReport
from anonymize.methods.face_methods import method_type
from anonymize.privacy.exported_clips import KIND, ExportedClip, list_exports
from models.faces.face_detectors import DEFAULT_DETECTOR, create_detector, find_independent
from models.faces.identity.face_embeddings import EMBEDDERS
from models.faces.landmarks.landmark_finders import LANDMARKS, LandmarkFinder
from models.flow.optical_flow import create_flow
from project.codec import dump
from project.entities.study_records import Changes, FaceTrack, Json, Origin, ParticipantRole
from project.errors import UserError, path_not_found
from project.files.atomic_files import explain_os_errors, write_atomically
from project.files.fingerprints import WholeFile, hash_whole_file
from project.files.temporary_files import cache_folder
from project.progress import Progress
from project.queries.face_rows import mask_state, tracks_of
from project.queries.recording_rows import all_participants, all_recordings
from project.session.jobs import JobKind, JobSpec, store_run
from project.session.session import Session
from project.text_format import escape_unprintable
from project.timebase import SECOND_US

if TYPE_CHECKING:
    from anonymize.measures.frame_observation import MeasureOptions
    from anonymize.rendering.face_renderer import RenderPlan
    from project.entities.face_regions import Region


MAX_STRANGERS = 20
_FRAMES = 6
_MIN_FACE_WIDTH = 40


@dataclass(frozen=True, kw_only=True)
class PrivacyMeasurementParameters(MaskingParameters):
    """An exported clip, how it was made, and people of other recordings.

    Attributes:
        export: id of the run that made the clip.
        blanked: times in seconds of frames that were painted over wholly.
        measure: fields of `MeasureOptions` that are not as usual.
        strangers: people of other recordings.
    """

    export: str
    blanked: tuple[float, ...]
    clip: Path
    clip_sha256: str
    measure: Mapping[str, Json]
    strangers: tuple[Stranger, ...]


@dataclass(frozen=True, slots=True)
class PrivacyMeasurementResult:
    """The report, and the file beside the clip that holds it too."""

    report: PrivacyReport
    file: Path


def choose_strangers(session: Session, recording_id: str) -> tuple[Stranger, ...]:
    """Return people who are named in other recordings and not in this one.

    Of each, a few frames in which their face is found and large. Robots are no people.
    """
    people = {p.id: p for p in all_participants(session.study) if p.role is not ParticipantRole.ROBOT}
    here = {track.participant_id for track in tracks_of(session.study, recording_id)}
    found: dict[str, Stranger] = {}
    for recording in all_recordings(session.study):
        if recording.id == recording_id or len(found) >= MAX_STRANGERS:
            continue
        named = [t for t in tracks_of(session.study, recording.id) if t.participant_id in people and not t.dismissed]
        path = _picture(session, recording.id) if named else None
        for track in named:
            who = cast(str, track.participant_id)
            frames = _choose_frames(track)
            if path is not None and who not in here and who not in found and frames and len(found) < MAX_STRANGERS:
                places = np.searchsorted(track.frames, frames)
                boxes = tuple(map(tuple, track.boxes[places].astype(float).round(2).tolist()))
                found[who] = Stranger(people[who].pseudonym, path, tuple(frames), boxes)
    return tuple(found.values())


def _picture(session: Session, recording_id: str) -> Path | None:
    try:
        return session.require_picture(recording_id).path
    except UserError:
        return None


def _choose_frames(track: FaceTrack) -> list[int]:
    """Choose frames in which the face is large, from different parts of the track."""
    chosen: list[int] = []
    for part in np.array_split(np.arange(len(track.frames)), _FRAMES):
        usable: Any = part[(track.origins[part] == Origin.DETECTED) & (track.boxes[part, 2] >= _MIN_FACE_WIDTH)]
        if len(usable):
            chosen.append(int(track.frames[usable[np.argmax(track.boxes[usable, 2])]]))
    return chosen


def prepare(
    session: Session, clip: Path, export: ExportedClip | None = None, options: Mapping[str, Json] | None = None
) -> JobSpec[PrivacyMeasurementParameters]:
    """Make the job for one clip.

    `export` is the newest of the clip's name when None; `options` are fields of `MeasureOptions` that are not as
    usual.
    """
    if not clip.is_file():
        raise path_not_found("clip", clip, "Choose a clip that was exported from this study.")
    found = export or next(
        (exported_clip for exported_clip in list_exports(session) if exported_clip.clip == clip.name), None
    )
    if found is None:
        raise UserError(f"{clip.name} was not exported from this study.", "Choose a clip of this study.")
    made, recording = found.run, found.recording
    state = mask_state(session.study, recording.id)
    if made.parameters.get("mask_state") != state or made.result.get("outdated"):
        raise UserError(
            f"The faces of recording {recording.number} have changed since this clip was exported.",
            "Export it again, then measure it.",
        )
    masking = replace(
        gather_parameters(session, recording.id, "solid"),
        method=made.backend,
        exempt=tuple(cast(list[str], made.parameters.get("exempt", []))),
        start_us=cast("int | None", made.parameters.get("start_us")),
    )
    parameters = PrivacyMeasurementParameters(
        **vars(masking),
        export=made.id,
        blanked=tuple(cast(list[float], made.result.get("blanked", []))),
        clip=clip.absolute(),
        clip_sha256=str(made.result.get("sha256", "")),
        measure=dict(options or {}),
        strangers=choose_strangers(session, recording.id),
    )
    return JobSpec(KIND, f"Measure recording {recording.number} ({made.backend})", recording.id, parameters)


def compute(parameters: PrivacyMeasurementParameters, progress: Progress) -> PrivacyMeasurementResult:
    """Measure, and write the report beside the clip; it holds no path and no name but the pseudonyms."""
    from anonymize.measures.frame_observation import MeasureOptions

    clip = parameters.clip
    source = verify_source(parameters, progress)
    measured = _verify_export(clip, parameters.clip_sha256, progress)
    plan = build_render_plan(replace(parameters, method="solid"), clip)
    report = measure_rendering(
        plan,
        clip,
        parameters.method,
        tracked_by=parameters.tracked_by,
        regions=parameters.regions,
        blanked_us=[round(seconds * SECOND_US) for seconds in parameters.blanked],
        strangers=parameters.strangers,
        options=MeasureOptions(**cast(dict[str, Any], parameters.measure)),
        progress=progress,
    )
    measured.require_unchanged()
    source.require_unchanged()
    target = report_path(clip)
    _write(target, dump(report))
    return PrivacyMeasurementResult(report, target)


def store(session: Session, work: JobSpec[PrivacyMeasurementParameters], result: PrivacyMeasurementResult) -> Changes:
    """Keep the report as a run beside the export that it is about."""
    clip: dict[str, Json] = {"clip": work.parameters.clip.name}
    return store_run(session, work, work.parameters.method, result, parameters=clip, facts=dump(result.report))


def _verify_export(clip: Path, sha256: str, progress: Progress) -> WholeFile:
    """Return the clip, read whole and found to be the one that was exported."""
    whole = hash_whole_file(clip, progress)
    if whole.sha256 != sha256:
        raise UserError(
            f"{escape_unprintable(clip.name)} is not the exported clip: it was changed or replaced.",
            "Restore the exported clip, or export it again.",
        )
    return whole


def report_path(clip: Path) -> Path:
    """Return where the report about a clip is written."""
    return clip.with_name(f"{clip.stem}.privacy.json")


def measure_rendering(
    plan: "RenderPlan",
    clip: Path,
    method: str,
    *,
    tracked_by: str,
    regions: "Sequence[Region]" = (),
    blanked_us: Sequence[int] = (),
    strangers: Sequence[Stranger] = (),
    options: "MeasureOptions | None" = None,
    progress: Progress | None = None,
) -> PrivacyReport:
    """Measure a clip that a plan was rendered to, with all models that are installed.

    Args:
        plan: what was rendered; its method is not looked at.
        clip: the rendering.
        method: key of the registry of methods.
        tracked_by: the detectors that found the tracks, joined by `+`.
        regions: areas, and what was marked as nothing.
        blanked_us: times of frames that were painted over wholly.
        strangers: people of other recordings.
        options: how closely.
        progress: told after every frame.
    """
    from anonymize.measures.frame_observation import MeasuredRendering
    from anonymize.measures.measurement import measure_privacy
    from media.frame_index import load_index

    source, shown = load_index(plan.source, cache_folder()), load_index(clip)
    first = 0 if plan.start_us is None else source.times.frame_at(plan.start_us)
    subject = MeasuredRendering(
        source=plan.source,
        clip=clip,
        start_us=source.times.time_of(first) - shown.times.time_of(0),
        tracks=plan.tracks,
        method=method,
        replaces=method_type(method).kind == "face",
        identities=plan.identities,
        named=frozenset(plan.identities),
        exempt=plan.exempt,
        regions=regions,
        blanked_us=frozenset(blanked_us),
        masks=plan.masks,
    )
    with load_tools(tracked_by) as tools:
        return measure_privacy(subject, tools, options, strangers, progress)


def _write(target: Path, found: Mapping[str, Json]) -> None:
    with (
        explain_os_errors("The report cannot be written beside the clip", "Make the folder writable."),
        write_atomically(target, private=False) as file,
    ):
        file.write(json.dumps(found, ensure_ascii=False, indent=1).encode())


_LANDMARK_FINDERS = ("pfld", "mediapipe")
"""Finders of landmarks, the one that measures first: a drawn face is driven by the other one."""
_DRIVING_FINDER = "mediapipe"


def missing_models() -> list[str]:
    """Return the weights to fetch, one of each kind, without which re-identification cannot be measured."""
    missing = [] if EMBEDDERS.default() else [next(iter(EMBEDDERS))]
    if not any(LANDMARKS.is_installed(name) for name in (*_LANDMARK_FINDERS, _DRIVING_FINDER)):
        missing.append(LANDMARKS.weights[_DRIVING_FINDER])
    return missing


@contextmanager
def load_tools(tracked_by: str) -> Iterator[Tools]:
    """Load what is installed, and free it when the block ends.

    Another detector than those that found the faces (`tracked_by`, joined by `+`) looks whether any is left.
    """
    witness = find_independent(tracked_by)
    with ExitStack() as stack:

        def finder(name: str) -> LandmarkFinder | None:
            if not LANDMARKS.is_installed(name):
                return None
            made = LANDMARKS.make(name)
            stack.callback(made.close)
            return made

        drives = finder(_DRIVING_FINDER)
        measures = finder(
            next((name for name in _LANDMARK_FINDERS if LANDMARKS.is_installed(name)), _LANDMARK_FINDERS[0])
        )
        yield Tools(
            detector=create_detector(witness or DEFAULT_DETECTOR),
            independent=witness is not None,
            embedders=tuple(EMBEDDERS.make(name) for name in EMBEDDERS if EMBEDDERS.is_installed(name)),
            landmarks=measures,
            driver=drives,
            flow=create_flow(),
        )


JOB = JobKind(
    key=KIND,
    parameters=PrivacyMeasurementParameters,
    result=PrivacyMeasurementResult,
    compute=compute,
    store=store,
    resume=lambda session, _recording_id, clip, measure: prepare(session, clip, options=measure),
    resume_fields=("clip", "measure"),
    unsaved=(*TRANSIENT_PARAMETERS, "clip", "clip_sha256", "strangers", "blanked", "report", "file"),
    discard=delete_tracks_file,
)
