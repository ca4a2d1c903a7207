"""Gathers from the study everything that decides how faces are hidden, and builds the render plan of a job from it."""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anonymize.methods.face_methods import create_method, method_type, missing_weights
from models.faces.face_detectors import DEFAULT_DETECTOR, find_independent, join_names
from models.faces.track_file import save_tracks, take_tracks
from models.weights import installed_weights
from models.weights.weights_catalogue import find_entry
from project.codec import dump
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import Json, ParticipantRole, Run
from project.errors import UserError
from project.files.fingerprints import WholeFile, file_sha256, hash_whole_file
from project.files.temporary_files import cache_folder, sweep_caches
from project.progress import Progress
from project.queries.face_rows import faces_to_hide, mask_state, regions_of, searched_frames
from project.queries.history_rows import latest_run, source_sha256
from project.queries.recording_rows import all_participants
from project.session.session import LocatedMedium, Session
from project.text_format import escape_unprintable
from project.version import __version__

if TYPE_CHECKING:
    from anonymize.rendering.face_renderer import RenderPlan

TRANSIENT_PARAMETERS = ("path", "tracks", "tracks_sha256", "times_sha256", "regions", "identities", "cuts")
"""Parameters that no run keeps: they lie in the study already, or are about this machine."""


@dataclass(frozen=True, kw_only=True)
class MaskingParameters:
    """Everything that decides how faces are hidden.

    Attributes:
        track: sound track of the file.
        tracks: a file that `build_render_plan` removes.
        times_sha256: checksum of when the frames of the source are shown.
        tracked_by: detectors that found the faces, joined by `+`.
        detector: that looks for faces in the rendering, likewise.
        witness: the one of these that had no part in finding the tracks; "" where there is none.
        identities: id of a track -> pseudonym.
        regions: areas, and what was marked as nothing.
        start_us: of the part that is rendered; None for the beginning.
        end_us: likewise; None for the end.
    """

    path: Path
    fingerprint: str
    track: int
    tracks: Path
    tracks_sha256: str
    times_sha256: str
    faces_run: str
    tracked_by: str
    detector: str
    witness: str
    mask_state: str
    source_sha256: str
    frames: int
    damaged_frames: tuple[int, ...]
    ends_early_s: float
    cuts: tuple[int, ...]
    method: str
    options: Mapping[str, Json] = field(default_factory=dict)
    exempt: tuple[str, ...] = ()
    identities: Mapping[str, str] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    start_us: int | None = None
    end_us: int | None = None


def require_method(name: str, options: Mapping[str, Json] | None = None) -> None:
    """Refuse a method that cannot run here."""
    create_method(name, **(options or {}))
    missing = missing_weights(name)
    if missing:
        which = " and ".join(f"“{name}”" for name in missing)
        raise UserError(
            f"{method_type(name).title} needs the weights {which}, which are not installed.",
            f"Get them: {download_command(missing)}",
        )


def download_command(missing: Sequence[str]) -> str:
    """Return the command that gets weights; of several kinds, one after the other."""
    return " && ".join(installed_weights.how_to_get(name) for name in missing)


def are_downloadable(missing: Sequence[str]) -> bool:
    """Tell whether weights come over the network, and not from the lab itself."""
    return not any(find_entry(name).is_own for name in missing)


def gather_parameters(
    session: Session,
    recording_id: str,
    method: str,
    options: Mapping[str, Json] | None = None,
    *,
    keep_robots: bool = False,
) -> MaskingParameters:
    """Return what `build_render_plan` makes a plan from."""
    from media.frame_index import load_index

    require_method(method, options)
    located = session.require_picture(recording_id)
    run = require_faces_run(session, recording_id, located)
    searched, witness = searched_frames(run), find_independent(run.backend)
    people = {participant.id: participant for participant in all_participants(session.study)}
    times = load_index(located.path, cache_folder()).times
    tracks = faces_to_hide(session.study, recording_id, times.times_us)
    kept = save_tracks(tracks, cache_folder() / "faces")
    whose = {track.id: people[track.participant_id] for track in tracks if track.participant_id in people}
    beside = [region for region in regions_of(session.study, recording_id) if region.kind is not RegionKind.FACE]
    exempt = [key for key, participant in whose.items() if keep_robots and participant.role is ParticipantRole.ROBOT]
    return MaskingParameters(
        path=located.path,
        fingerprint=located.medium.fingerprint,
        track=located.medium.sound_track,
        tracks=kept,
        tracks_sha256=file_sha256(kept),
        times_sha256=times.sha256(),
        faces_run=run.id,
        tracked_by=run.backend,
        detector=join_names((DEFAULT_DETECTOR, witness)) if witness else DEFAULT_DETECTOR,
        witness=witness or "",
        mask_state=mask_state(session.study, recording_id),
        source_sha256=source_sha256(run),
        frames=searched.count,
        damaged_frames=tuple(searched.damaged),
        ends_early_s=searched.ends_early_s,
        cuts=tuple(searched.cuts),
        method=method,
        options=dict(options or {}),
        exempt=tuple(exempt),
        identities={key: participant.pseudonym for key, participant in whose.items()},
        regions=tuple(beside),
    )


def require_faces_run(session: Session, recording_id: str, located: LocatedMedium) -> Run:
    """Return the run that found the faces of a recording."""
    run = latest_run(session.study, recording_id, "faces")
    if run is None or run.parameters.get("fingerprint") != located.medium.fingerprint:
        raise UserError(
            f"The faces of recording {session.recording(recording_id).number} have not been tracked yet.",
            "Track them first: greenroom faces track STUDY",
        )
    return run


def build_render_plan(
    parameters: MaskingParameters, destination: Path, cache: Path | None = None, *, overwrite: bool = False
) -> "RenderPlan":
    """Return what is to be rendered."""
    from anonymize.rendering.face_renderer import RenderPlan

    return RenderPlan(
        source=parameters.path,
        destination=destination,
        tracks=tuple(take_tracks(parameters.tracks, parameters.tracks_sha256)),
        tracked_frames=parameters.frames,
        method=create_method(parameters.method, **parameters.options),
        damaged_frames=frozenset(parameters.damaged_frames),
        start_us=parameters.start_us,
        end_us=parameters.end_us,
        exempt=frozenset(parameters.exempt),
        identities=dict(parameters.identities),
        areas=[region for region in parameters.regions if region.kind is RegionKind.AREA],
        cuts=[*parameters.cuts],
        cache=cache,
        overwrite=overwrite,
        track=parameters.track,
        times_sha256=parameters.times_sha256,
    )


def verify_source(parameters: MaskingParameters, progress: Progress) -> WholeFile:
    """Return the file that is to be rendered, read whole and found to be the one in which faces were looked for."""
    source = hash_whole_file(parameters.path, progress)
    if source.sha256 != parameters.source_sha256:
        raise source_changed_error(source.path.name)
    return source


def source_changed_error(what: str) -> UserError:
    """Return the error for a file that is not, byte by byte, the one in which faces were looked for."""
    return UserError(
        f"{escape_unprintable(what)} was changed since its faces were tracked.",
        "Restore the original file, or track its faces again: greenroom faces track STUDY --recording N",
    )


def delete_tracks_file(parameters: MaskingParameters) -> None:
    """Remove what `gather_parameters` made for a job that is not done."""
    parameters.tracks.unlink(missing_ok=True)


def weights_digests(method: str) -> dict[str, str]:
    """Return the sha256 of each of the weights that a method needs."""
    return {name: installed_weights.digest(name) for name in method_type(method).needs}


@contextmanager
def working_folder(parameters: MaskingParameters, digests: Mapping[str, str]) -> Iterator[Path | None]:
    """Lend a folder to a method that works ahead, the same whenever all that decides its result is the same.

    It is removed when the block ends well, and kept for the next time when it does not. Folders that were
    abandoned for a week are removed too: they may show faces. None where the method needs none, or none can be made.
    """
    renderings = cache_folder() / "renderings"
    sweep_caches("renderings")
    folder = None
    if method_type(parameters.method).kind == "face":
        folder = renderings / rendering_key(parameters, digests)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            folder = None
    try:
        yield folder
    except BaseException:
        if folder is not None:
            with suppress(OSError):
                folder.rmdir()
        raise
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def rendering_key(parameters: MaskingParameters, digests: Mapping[str, str]) -> str:
    """Return a checksum over all that decides how a rendering comes out."""
    plain = dump(parameters)
    decisive = {key: plain[key] for key in _KEY_PARAMETERS}
    content = json.dumps([__version__, decisive, dict(digests)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


_KEY_PARAMETERS = (
    "fingerprint",
    "source_sha256",
    "mask_state",
    "frames",
    "damaged_frames",
    "cuts",
    "method",
    "options",
    "exempt",
    "identities",
    "start_us",
    "end_us",
)
