"""Encrypts and decrypts a study, and clears the caches of its recordings that are not encrypted."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from anonymize.export.export_queue import queue_path
from anonymize.local_files.file_traces import list_stale_copies
from project.encryption.encrypted_files import encrypt_file, shred_file
from project.encryption.encryption_key import is_encrypted
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.files.temporary_files import cache_folder
from project.queries.recording_rows import all_media
from project.session.job_notes import note_files, note_files_of_copies
from project.session.session import Session
from project.store import encryption_change
from project.text_format import escape_unprintable

_ANONYMOUS_FOLDERS = ("previews", "renderings", "releases", "release-texts", "faces", "transcripts")
"""Folders of the cache whose files do not all say in their names of which recording they are."""
_FINGERPRINT = re.compile(r"[0-9a-f]{16,}")
NewPassphrase = Callable[[], str]


@dataclass(frozen=True, slots=True)
class EncryptedFiles:
    """Which files were rewritten, which backups were skipped, and how many cache files were deleted."""

    files: tuple[Path, ...]
    skipped_backups: tuple[Path, ...] = ()
    caches: int = 0


def encrypt_study(path: Path, passphrase: NewPassphrase) -> EncryptedFiles:
    """Encrypt a study and its backups, and delete the caches of its recordings that are not encrypted.

    Args:
        path: of the study.
        passphrase: gives the new one; called once the study is known to be one that can be encrypted.
    """
    path = resolve_path(path)
    if is_encrypted(path):
        return EncryptedFiles(encryption_change.encrypt_study(path, "").files)
    with Session.open(path) as session:
        session.study.require_writable()
        known = {medium.fingerprint for medium in all_media(session.study)}
        left = [*list_stale_copies(session.study.id, path), *note_files_of_copies(session.study.id)]
    done = encryption_change.encrypt_study(path, passphrase())
    for file in (*left, *note_files(path)):
        with suppress(FileNotFoundError):
            shred_file(file)
    return EncryptedFiles(done.files, done.skipped, _clear_caches(known, path))


def decrypt_study(path: Path) -> EncryptedFiles:
    """Decrypt a study and its backups."""
    done = encryption_change.decrypt_study(path)
    return EncryptedFiles(done.files, done.skipped)


def change_passphrase(path: Path, passphrase: NewPassphrase) -> EncryptedFiles:
    """Encrypt a study and its backups under another passphrase; the present one is asked for first."""
    with Session.open(resolve_path(path)) as session:
        session.study.require_writable()
    done = encryption_change.change_passphrase(path, passphrase())
    return EncryptedFiles(done.files, done.skipped)


def encrypt_other_file(path: Path, passphrase: str) -> Path:
    """Encrypt another file, such as a rendering, and return where it is then."""
    if is_encrypted(path):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is encrypted already.", "Decrypt it first: greenroom decrypt FILE"
        )
    return encrypt_file(path, passphrase)


def _clear_caches(fingerprints: set[str], study: Path) -> int:
    base, count = cache_folder(), 0
    known = {fingerprint for fingerprint in fingerprints if _FINGERPRINT.fullmatch(fingerprint)}
    for file in [*base.rglob("*")]:
        if file.is_symlink() or not file.is_file():
            continue
        folder = file.relative_to(base).parts[0]
        nameless = folder in _ANONYMOUS_FOLDERS and not _FINGERPRINT.search(file.name)
        if nameless or file == queue_path(study) or any(fingerprint in file.name for fingerprint in known):
            shred_file(file)
            count += 1
    return count
