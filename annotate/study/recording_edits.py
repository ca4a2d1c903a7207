"""Edits of recordings, their files and their collections, and undo and redo across the history of the study."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from project.entities.study_records import Changes, Collection, MediaFacts, Medium, MediumRole, Recording
from project.errors import UserError, name_taken, path_not_found, require_name, require_utf8
from project.files.filesystem import is_folder, resolve_path
from project.files.fingerprints import fingerprint
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries import recording_rows
from project.session.session import MediaState, Session
from project.text_format import escape_unprintable
from project.timebase import SECOND_US, format_time


def describe_collection(session: Session, collection_id: str, name: str, agent_context: str) -> Changes:
    """Give a collection another name, or say what the agent in it is."""
    wanted = require_name(name, "A collection")
    present = recording_rows.all_collections(session.study)
    if any(collection.name == wanted and collection.id != collection_id for collection in present):
        raise name_taken("collection", wanted)
    with session.step("Describe collection") as step:
        recording_rows.update_collection(session.study, Collection(collection_id, wanted, agent_context.strip()))
    return step.changes


def move_recording(session: Session, recording_id: str, name: str) -> Changes:
    """Put a recording into the collection of a name, made if there is none; one left empty by this is removed."""
    wanted = require_name(name, "A collection")
    recording = session.recording(recording_id)
    home = next(
        (collection for collection in recording_rows.all_collections(session.study) if collection.name == wanted), None
    )
    with session.step(f"Move recording to {wanted}") as step:
        if home is None:
            home = Collection(new_id(), wanted)
            recording_rows.insert_collection(session.study, home)
        if home.id != recording.collection_id:
            recording_rows.update_recording(session.study, replace(recording, collection_id=home.id))
            if not any(
                r.collection_id == recording.collection_id for r in recording_rows.all_recordings(session.study)
            ):
                recording_rows.delete_collection(session.study, recording.collection_id)
    return step.changes


@dataclass(frozen=True, slots=True)
class RevertedStep:
    """The name of the step that was undone or redone, and what it touched."""

    name: str
    changes: Changes


def undo(session: Session) -> RevertedStep:
    """Take back the newest step that still stands."""
    name = session.study.undo_name or ""
    return _finish_revert(session, name, session.study.undo(_annotator_id(session)))


def redo(session: Session) -> RevertedStep:
    """Do again what was undone last."""
    name = session.study.redo_name or ""
    return _finish_revert(session, name, session.study.redo(_annotator_id(session)))


def _finish_revert(session: Session, name: str, changes: Changes) -> RevertedStep:
    if changes.ids("property") or changes.ids("scheme_version"):
        session.schemes.reload()
    return RevertedStep(name, changes)


def _annotator_id(session: Session) -> str | None:
    annotator = session.annotator()
    return annotator.id if annotator else None


DEFAULT_COLLECTION = "Recordings"
MIN_SPAN_US = 1_000
"""The shortest span that is marked in a recording."""


def require_span(session: Session, recording_id: str, start_us: int, end_us: int, noun: str) -> None:
    """Refuse a span of a segment, an utterance or a node that is too short or does not fit the recording."""
    if end_us - start_us < MIN_SPAN_US:
        raise UserError(f"The {noun} must end after it starts.", "Choose an end after the start.")
    require_inside(session, recording_id, start_us, end_us, noun)


def require_inside(session: Session, recording_id: str, start_us: int, end_us: int, noun: str) -> None:
    """Refuse a span or a point that does not fit the recording."""
    recording = session.recording(recording_id)
    if start_us < 0 or end_us > recording.duration_us:
        raise UserError(
            f"The {noun} must lie inside recording {recording.number}.",
            f"The recording lasts from 0:00:00.000 to {format_time(recording.duration_us)}.",
        )


@dataclass(frozen=True, slots=True)
class ProbedFile:
    """What reading a file found out about it; needs no study, so it can be made in another thread."""

    path: Path
    facts: MediaFacts
    fingerprint: str


@dataclass(frozen=True, slots=True)
class RelinkResult:
    """What a search for missing files found.

    Attributes:
        found: names of the files that are linked again.
        missing: names of the files that are still missing.
    """

    found: tuple[str, ...]
    missing: tuple[str, ...]
    changes: Changes


def probe_file(path: Path, progress: Progress | None = None, *, sound_track: int = 0) -> ProbedFile:
    """Read what a study keeps about a file, and cache the index of its pictures.

    Progress counts bytes. `sound_track` counts from 1; 0 is the container's default.

    Raises:
        Cancelled: the user stopped it.
    """
    from media.probe import probe

    require_utf8(path)
    return ProbedFile(path, probe(path, cache_folder(), progress, track=sound_track), fingerprint(path))


def sound_track_note(facts: MediaFacts) -> str | None:
    """Return which of several sound tracks of a file is used; None where there is no choice."""
    audio = facts.audio
    return None if audio is None or audio.tracks < 2 else f"Sound track {audio.track} of {audio.tracks}"


def truncation_warning(file: ProbedFile) -> str | None:
    """Return a line of warning about a file that was cut off or is damaged, so that its end is missing."""
    if not file.facts.missing_us:
        return None
    seconds = max(0.1, file.facts.missing_us / SECOND_US)
    name = escape_unprintable(file.path.name)
    return f"{name} ends early: at least {seconds:.1f} s are missing. Copy it again if you can."


def add_recordings(
    session: Session, files: Sequence[ProbedFile], collection: str | None = None
) -> tuple[list[str], Changes]:
    """Add one recording for each file, as one step; returns the new recordings' ids."""
    known = {medium.fingerprint: medium for medium in recording_rows.all_media(session.study)}
    given: dict[str, Path] = {}
    for file in files:
        if file.fingerprint in known:
            owner = session.recording(known[file.fingerprint].recording_id)
            raise UserError(f"{file.path.name} is already in the study, as recording {owner.number}.", "Leave it out.")
        same = given.setdefault(file.fingerprint, file.path)
        if same is not file.path:
            raise UserError(f"{file.path.name} has the same content as {same.name}.", "Leave one of them out.")
    made = []
    session.allow_folders_of(file.path for file in files)
    title = f"Add {files[0].path.name}" if len(files) == 1 else f"Add {len(files)} recordings"
    with session.step(title) as step:
        home = home_collection(session, collection)
        for file in files:
            recording = Recording(
                new_id(), home.id, recording_rows.next_number(session.study), file.path.stem, file.facts.duration_us
            )
            recording_rows.insert_recording(session.study, recording)
            recording_rows.insert_medium(session.study, _medium(session, recording.id, file, MediumRole.MAIN, 0))
            made.append(recording.id)
    return made, step.changes


def add_medium(session: Session, recording_id: str, file: ProbedFile, role: MediumRole, offset_us: int = 0) -> Changes:
    """Add a further file to a recording: another camera, a separate microphone, the next chapter.

    `offset_us` is where the file's own zero lies on the recording's axis.
    """
    recording = session.recording(recording_id)
    present = [m for m in recording_rows.media_of(session.study, recording_id) if m.role is role]
    if role is MediumRole.MAIN and present:
        raise UserError(f"Recording {recording.number} already has a main file.", "Choose another role.")
    medium = replace(_medium(session, recording_id, file, role, len(present)), offset_us=offset_us)
    session.allow_folders_of([file.path])
    with session.step(f"Add {file.path.name} to recording {recording.number}") as step:
        recording_rows.insert_medium(session.study, medium)
    return step.changes


def has_file(session: Session, recording_id: str, path: Path) -> bool:
    """Tell whether a file is one of a recording's, by its path."""
    return any(
        medium.path == _stored_path(session, path) for medium in recording_rows.media_of(session.study, recording_id)
    )


def find_medium(session: Session, recording_id: str, medium_id: str, content: str = "") -> Medium:
    """Return a file of a recording, of this fingerprint where one is given."""
    for medium in recording_rows.media_of(session.study, recording_id):
        if medium.id == medium_id and content in ("", medium.fingerprint):
            return medium
    raise UserError("This file is no longer in the recording.", "Choose another.")


def move_medium(session: Session, recording_id: str, medium_id: str, offset_us: int) -> Changes:
    """Say where a further file of a recording begins on the recording's axis, in microseconds; negative: before it."""
    medium = find_medium(session, recording_id, medium_id)
    if medium.role is MediumRole.MAIN:
        raise UserError("The main file sets the start of its recording.", "Move the other files instead.")
    with session.step(f"Move the start of {Path(medium.path).name}") as step:
        recording_rows.update_medium(session.study, replace(medium, offset_us=offset_us))
    return step.changes


def choose_sound_track(session: Session, recording_id: str, medium_id: str, file: ProbedFile) -> Changes:
    """Use another sound track of a file from now on, the one that it was probed with."""
    medium = find_medium(session, recording_id, medium_id, file.fingerprint)
    used = replace(medium, facts=replace(medium.facts, audio=file.facts.audio))
    with session.step(f"Use sound track {used.sound_track} of {Path(medium.path).name}") as step:
        recording_rows.update_medium(session.study, used)
    return step.changes


def rename_recording(session: Session, recording_id: str, name: str) -> Changes:
    """Give a recording another name."""
    wanted = require_name(name, "A recording")
    with session.step("Rename recording") as step:
        recording_rows.update_recording(session.study, replace(session.recording(recording_id), name=wanted))
    return step.changes


def relink(session: Session, folder: Path, progress: Progress | None = None) -> RelinkResult:
    """Find the study's missing files in a folder and below it by their content, whatever they are called now."""
    return relink_files(session, find_missing_files(session, folder, progress))


def find_missing_files(session: Session, folder: Path, progress: Progress | None = None) -> dict[str, Path]:
    """Return the fingerprints of missing files that are in a folder or below it, and where; this reads the files.

    Raises:
        Cancelled: the user stopped it.
    """
    told = progress or Silent()
    if not is_folder(folder):
        raise path_not_found("folder", folder, "Choose the folder that the files were moved to.")
    wanted = _missing_media(session)
    sizes = {medium.facts.size_bytes for medium in wanted}
    candidates = [path for path in _files_below(folder) if _size(path) in sizes] if wanted else []
    by_content: dict[str, Path] = {}
    for done, path in enumerate(candidates):
        told.progress(done, len(candidates), path.name)
        told.check_cancelled()
        # What cannot be read is not the file that is looked for.
        with suppress(UserError):
            by_content.setdefault(fingerprint(path), path)
    return by_content


def relink_files(session: Session, by_content: Mapping[str, Path]) -> RelinkResult:
    """Point missing files to where files with their fingerprints are."""
    wanted = _missing_media(session)
    found = [(medium, by_content[medium.fingerprint]) for medium in wanted if medium.fingerprint in by_content]
    missing = tuple(Path(m.path).name for m in wanted if m.fingerprint not in by_content)
    if not found:
        return RelinkResult((), missing, Changes())
    session.allow_folders_of(path for _, path in found)
    with session.step(f"Relink {len(found)} files" if len(found) > 1 else "Relink file") as step:
        for medium, path in found:
            recording_rows.update_medium(session.study, replace(medium, path=_stored_path(session, path)))
    return RelinkResult(tuple(path.name for _, path in found), missing, step.changes)


def _missing_media(session: Session) -> list[Medium]:
    return [
        medium
        for medium in recording_rows.all_media(session.study)
        if session.locate(medium).state is not MediaState.PRESENT
    ]


def home_collection(session: Session, name: str | None = None) -> Collection:
    """Return the collection of a name, by default the first one, made where it is missing; inside a step."""
    for collection in recording_rows.all_collections(session.study):
        if name in (None, collection.name):
            return collection
    made = Collection(new_id(), name or DEFAULT_COLLECTION)
    recording_rows.insert_collection(session.study, made)
    return made


def _medium(session: Session, recording_id: str, file: ProbedFile, role: MediumRole, position: int) -> Medium:
    path = _stored_path(session, file.path)
    return Medium(new_id(), recording_id, role, position, 0, path, file.fingerprint, file.facts)


def _stored_path(session: Session, path: Path) -> str:
    try:
        return Path(os.path.relpath(path.absolute(), session.study.folder.absolute())).as_posix()
    except ValueError:
        return path.absolute().as_posix()


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and below it; links out of it, which may be a stranger's, are left alone."""
    home = resolve_path(folder)
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            if resolve_path(Path(parent, name)).is_relative_to(home):
                yield Path(parent, name)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
