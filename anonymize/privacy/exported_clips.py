"""Exported clips of a study with their privacy reports, and whether their files are unchanged."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from anonymize.measures.privacy_report import PrivacyReport
from project.codec import load
from project.entities.study_records import Recording, Run
from project.errors import UserError
from project.files.fingerprints import WholeFile, hash_whole_file, is_hash_cached
from project.queries.history_rows import runs_of
from project.queries.recording_rows import all_recordings
from project.session.session import Session, resolve_recording

KIND = "privacy"


@dataclass(frozen=True, slots=True, eq=False)
class ExportedClip:
    """One clip that was exported.

    Attributes:
        recording: what it shows.
        run: that made it.
        report: what was measured about it last; None where nothing was.
        measured_at: when; "" where it was not.
    """

    recording: Recording
    run: Run
    report: PrivacyReport | None
    measured_at: str = ""

    @property
    def clip(self) -> str:
        """The name of the clip's file."""
        return str(self.run.result["output"])


def list_exports(session: Session) -> list[ExportedClip]:
    """Return every export of the study, the newest first."""
    found = [
        export for recording in all_recordings(session.study) for export in list_recording_exports(session, recording)
    ]
    return sorted(found, key=lambda exported_clip: exported_clip.run.finished_at, reverse=True)


def list_recording_exports(session: Session, recording: Recording) -> list[ExportedClip]:
    """Return every export of a recording, the newest first."""
    measured: dict[str, tuple[PrivacyReport, str]] = {}
    for run in runs_of(session.study, recording.id, KIND):
        report = _report(run)
        if report is not None:
            measured.setdefault(str(run.parameters.get("export")), (report, run.finished_at))
    made: Sequence[Run] = runs_of(session.study, recording.id, "anonymize")
    return [
        ExportedClip(recording, run, *measured.get(run.id, (None, "")))
        for run in made
        if isinstance(run.result.get("output"), str)
    ]


def find_export(session: Session, text: str | None) -> tuple[ExportedClip, Path | None]:
    """Return the export that a person means, and the clip's path where they gave one.

    `text` is the path of a clip, the id of an export's run, a recording (number, id, name), or RECORDING:METHOD; None
    is the newest.
    """
    every = list_exports(session)
    if not every:
        raise UserError("This study has no exported clips yet.", "Export a clip: greenroom anonymize export --help")
    if text is None:
        return every[0], None
    path = Path(text)
    if path.suffix and path.is_file():
        named = [exported_clip for exported_clip in every if exported_clip.clip == path.name]
        if not named:
            raise UserError(f"{path.name} was not exported from this study.", "Choose a clip of this study.")
        return named[0], path.absolute()
    fits = [exported_clip for exported_clip in every if text in (exported_clip.run.id, exported_clip.clip)]
    if not fits:
        name, _, method = text.partition(":")
        wanted = resolve_recording(session, name).id
        fits = [
            exported_clip
            for exported_clip in every
            if exported_clip.recording.id == wanted and method in ("", exported_clip.run.backend)
        ]
    if not fits:
        raise UserError(
            f"There is no export “{text}” in this study.", "Give a clip, RECORDING:METHOD, or the id of its run."
        )
    return fits[0], None


def find_clip(session: Session, export: ExportedClip) -> Path:
    """Return where a clip lies: beside the study, or in a folder beside it."""
    for place in find_clip_files(session, export.clip):
        return place
    raise UserError(
        f"The clip {export.clip} was not found beside the study.",
        "Give its path: greenroom anonymize measure STUDY --export CLIP",
    )


def find_clip_files(session: Session, clip: str) -> list[Path]:
    """Return the files of a clip's name beside the study, then those in folders beside it."""
    folder, clip = session.study.folder, Path(clip).name
    try:
        there = (folder / clip, *sorted(folder.glob(f"*/{escape(clip)}")))
        return [place for place in there if session.may_read(place) and place.is_file()]
    except OSError:
        # No file can have such a name.
        return []


def _report(run: Run) -> PrivacyReport | None:
    try:
        return load(PrivacyReport, run.result, "The privacy report")
    except UserError:
        return None


_STARTED: set[tuple[Path, int, int]] = set()
"""Path, size and time of change of files that somebody began to read, also of those that cannot be read."""

MAX_FOREGROUND_BYTES = 8 << 20
"""Bytes that also a window reads in its own thread."""


def find_unchanged_clip(session: Session, run: Run) -> Path | None:
    """Return where the rendering lies that a run made, unchanged: beside the study, or in a folder beside it.

    A window (`Session.patient`) gets None for a large one as long as nobody read it: see `list_unread_renderings` and
    `read_checksums`.
    """
    digest = str(run.result.get("sha256"))
    for place in _rendering_files(session, run):
        if not _must_defer(session, place) and file_version(place, digest) is not None:
            return place
    return None


def file_version(place: Path, sha256: str) -> WholeFile | None:
    """Return what changes with a file that has a checksum, bit for bit; None where it has another one or is gone."""
    try:
        found = hash_whole_file(place)
    except UserError:
        return None
    return found if found.sha256 == sha256 else None


def list_unread_renderings(session: Session, runs: Iterable[Run]) -> list[Path]:
    """Return the renderings of some runs that nobody began to read, where a window has to know them first."""
    places = (place for run in runs for place in _rendering_files(session, run))
    return [place for place in places if _must_defer(session, place) and _reading_key(place) not in _STARTED]


def read_checksums(places: Iterable[Path]) -> None:
    """Read files whole, in any thread, so that their checksums are known; one that cannot be read has none."""
    for place in places:
        with suppress(OSError, UserError):
            _STARTED.add(_reading_key(place))
            hash_whole_file(place)


def _rendering_files(session: Session, run: Run) -> list[Path]:
    name, digest = run.result.get("output"), run.result.get("sha256")
    return [*find_clip_files(session, name)] if isinstance(name, str) and isinstance(digest, str) else []


def _must_defer(session: Session, place: Path) -> bool:
    """Tell whether a file is too large for a window to read it now, and was not read as it is."""
    try:
        return not session.patient and place.stat().st_size > MAX_FOREGROUND_BYTES and not is_hash_cached(place)
    except OSError:
        return False


def _reading_key(place: Path) -> tuple[Path, int, int]:
    status = place.stat()
    return place, status.st_size, status.st_mtime_ns
