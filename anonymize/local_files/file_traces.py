"""Finds traces of a study on this machine outside it: caches, clips, footage, and paths that the program remembers.

File names may name participants. Leftovers of killed processes and old frame pictures are removed.
"""

import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import TypeVar

import platformdirs

from anonymize.export.export_queue import queue_path
from anonymize.local_files.folder_search import MEDIA_SUFFIXES, list_files
from media.probe import stream_digest
from models.connection.machine_policy import journal_file
from project.erasure.erasure import Footage, MadeFile, WithdrawalFacts, is_copy
from project.erasure.subject_terms import IdentifyingTerms
from project.errors import UserError
from project.files.fingerprints import file_sha256, fingerprint
from project.files.publication import is_abandoned_release, sweep_texts_folders
from project.files.temporary_files import abandoned_folders, cache_folder, sweep_caches, sweep_own_folders
from project.session import settings, trust_store
from project.session.job_notes import note_files, note_files_of_copies, place_digests
from project.session.settings import log_path, view_path
from project.session.trust_store import TrustKind, is_inside_allowed, read_trusted

_ANONYMOUS_FOLDERS = ("previews", "renderings", "releases", "release-texts")
"""Folders of the cache in which pictures, sound and texts lie under names that do not say whose they are."""
_FINGERPRINT = re.compile(r"[0-9a-f]{16,}")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClipFile:
    """A clip or a report about one, where it lies; `sure` where it is, bit for bit, what the study made."""

    path: Path
    recording: int
    sure: bool


@dataclass(frozen=True, slots=True)
class FootageFile:
    """A file of footage, where it lies.

    Attributes:
        exists: it is what was added; a file that is missing, another one, or outside the study's folder where nobody
            on this machine pointed to it, is never deleted.
    """

    path: Path
    about: Footage
    exists: bool


def list_cache_files(study_id: str, fingerprints: Iterable[str], study: Path) -> list[Path]:
    """Return what the cache holds about footage with these fingerprints, or may hold, and the queues of a study."""
    base = cache_folder()
    known = [fingerprint for fingerprint in fingerprints if _FINGERPRINT.fullmatch(fingerprint)]
    found: list[Path] = []
    queues = {base / "queues" / f"{place}.json" for place in place_digests(study_id)} | {queue_path(study)}
    for file in _files(base):
        inside = file.relative_to(base).parts[0]
        whole = inside in _ANONYMOUS_FOLDERS or file in queues or _has_anonymous_name(file, base)
        if whole or any(fingerprint in file.name for fingerprint in known):
            found.append(file)
    return sorted(found)


def list_program_notes(facts: WithdrawalFacts, study: Path) -> list[Path]:
    """Return files that the program keeps about a study for itself, and what a killed process left of it."""
    notes = dict.fromkeys((*note_files(study), *note_files_of_copies(facts.study_id)))
    found = [view_path(facts.study_id), *notes, *list_stale_copies(facts.study_id, study)]
    return [path for path in found if path.is_file()]


def list_stale_copies(study_id: str, study: Path) -> list[Path]:
    """Return copies of a study in the folder for temporary files that a process left which was killed while it read."""
    copies = [folder / "copy" for folder in abandoned_folders()]
    theirs = [copy.parent for copy in copies if copy.is_file() and copy != study and is_copy(copy, study_id)]
    return [path for folder in theirs for path in folder.iterdir() if path.is_file()]


def list_unfinished_outputs(folder: Path) -> list[Path]:
    """Return renderings and releases beside the study that a killed process left unfinished; nobody writes them."""
    left = [place for place in _temporary_outputs(folder) if _is_abandoned(place)]
    return [file for place in left for file in ([place] if place.is_file() else place.rglob("*")) if file.is_file()]


def list_outputs_in_progress(folder: Path) -> list[Path]:
    """Return renderings and releases beside the study that some process still writes."""
    return [place for place in _temporary_outputs(folder) if not _is_abandoned(place)]


def _temporary_outputs(folder: Path) -> list[Path]:
    places = sorted((*folder.glob(".greenroom-*"), *folder.glob("*/.greenroom-*")))
    return [
        place
        for place in places
        if not place.is_symlink()
        and ((place.is_file() and ".part" in place.name) or place.name.startswith(".greenroom-release-"))
    ]


def _is_abandoned(place: Path) -> bool:
    """Tell whether nobody writes a rendering or a release: who does holds its lock."""
    try:
        if not place.is_file():
            return is_abandoned_release(place)
        with place.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def log_files() -> tuple[Path, ...]:
    """Return the log of errors, which may quote what was worked on, and the journal of requests of no study."""
    return log_path(), journal_file()


def program_files() -> dict[Path, list[Path]]:
    """Return folder -> files in which the program keeps something on this machine: settings, caches, state, logs."""
    folders = (
        *(platformdirs.user_config_path("greenroom"), platformdirs.user_state_path("greenroom")),
        *(cache_folder(), platformdirs.user_log_path("greenroom")),
    )
    found = {folder: [*_files(folder)] for folder in dict.fromkeys(folders)}
    data = journal_file().parent
    found[data] = [path for path in (journal_file(),) if path.is_file()]
    return found


def find_clips(facts: WithdrawalFacts, folder: Path) -> list[ClipFile]:
    """Return clips of their recordings, and the reports about them, beside the study and in folders beside it."""
    found = []
    for made_file in facts.made_files:
        if made_file.kind != "anonymize":
            continue
        for place in _files_named(made_file, folder):
            sure = bool(made_file.sha256) and _try_read(file_sha256, place) == made_file.sha256
            found.append(ClipFile(place, made_file.recording, sure))
            report = place.with_name(f"{place.stem}.privacy.json")
            if sure and report.is_file():
                found.append(ClipFile(report, made_file.recording, True))
    return found


def find_footage(facts: WithdrawalFacts, folder: Path) -> list[FootageFile]:
    """Return the files of their recordings, those that were linked before among them; each place once.

    A study may come from a stranger, so a place that nobody on this machine pointed to is not looked at.
    """
    found: dict[Path, FootageFile] = {}
    allowed = read_trusted(facts.study_id, TrustKind.FOLDER)
    for footage in facts.footage:
        place = folder / footage.path
        if place not in found or not found[place].exists:
            there = is_inside_allowed(folder, allowed, place) and _has_fingerprint(place, footage.fingerprint)
            found[place] = FootageFile(place, footage, there)
    return [*found.values()]


def find_footage_copies(
    footed: Iterable[FootageFile], folder: Path, known: Collection[Path], others: Collection[str]
) -> list[Path]:
    """Return further files beside the study that are alike byte by byte, or begin with the same pictures or sound.

    Args:
        footed: the footage.
        folder: of the study.
        known: files that are not looked at.
        others: fingerprints of files of other recordings, many of which begin in the same way: black, or silent.
    """
    prints = {footage_file.about.fingerprint for footage_file in footed if footage_file.about.fingerprint}
    there = [footage_file.path for footage_file in footed if footage_file.exists]
    sizes = {_try_read(_size, path) for path in there}
    digests = {digest for path in there if (digest := _try_read(stream_digest, path))}
    found = []
    for file in list_files(folder):
        if file in known:
            continue
        is_media = file.suffix.lower() in MEDIA_SUFFIXES
        same = (is_media or _try_read(_size, file) in sizes) and _try_read(fingerprint, file) in prints
        alike = not same and is_media and digests and _try_read(stream_digest, file) in digests
        if same or (alike and _try_read(fingerprint, file) not in others):
            found.append(file)
    return found


def _size(path: Path) -> int:
    return path.stat().st_size


def _try_read(read: Callable[[Path], T], path: Path) -> T | None:
    """Return what is read of a file; None where it cannot be."""
    try:
        return read(path)
    except (OSError, UserError):
        return None


def _files_named(made_file: MadeFile, folder: Path) -> list[Path]:
    name = Path(made_file.name).name
    return [place for place in (folder / name, *sorted(folder.glob(f"*/{escape(name)}"))) if place.is_file()]


def _files(folder: Path) -> Iterator[Path]:
    for base, _, names in os.walk(folder):
        yield from (Path(base) / name for name in names)


def _has_anonymous_name(file: Path, base: Path) -> bool:
    """Tell whether a file holds face tracks or recognised words under a name that does not say of which footage."""
    parts = file.relative_to(base).parts
    return parts[0] in ("faces", "transcripts") and not _FINGERPRINT.search(file.name)


def _has_fingerprint(path: Path, known: str) -> bool:
    return bool(_try_read(lambda file: file.is_file() and not file.is_symlink() and fingerprint(file) == known, path))


def find_remembered_paths(study_id: str, wording: IdentifyingTerms) -> list[str]:
    """Return the remembered paths that name somebody: of a study, and of studies that were opened lately."""
    paths = (*settings.remembered_paths(study_id), *trust_store.trusted_paths(study_id))
    return [path for path in dict.fromkeys(paths) if names_person(path, wording)]


def names_person(path: str, wording: IdentifyingTerms) -> bool:
    """Tell whether a path names somebody; the name of the home folder, which is the user's, does not count."""
    with suppress(ValueError, RuntimeError):
        path = str(Path(path).relative_to(Path.home()))
    return wording.matches_text(path)


def forget_paths(study_id: str, paths: Collection[str]) -> None:
    """Forget paths; what the files of the program held is overwritten.

    Raises:
        OSError: a file cannot be written.
    """
    if paths:
        settings.forget_paths(study_id, paths)
        trust_store.forget_paths(study_id, paths)


def remove_leftovers() -> None:
    """Remove leftovers of killed processes; what work can be resumed from stays a while."""
    sweep_own_folders()
    sweep_texts_folders(cache_folder() / "release-texts")
    sweep_caches()
