"""Encrypts and decrypts a study, and clears the caches of its recordings that are not encrypted."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from anonymize.local_files.file_traces import list_cache_files, list_stale_copies
from project.encryption.encrypted_files import encrypt_file, shred_file
from project.encryption.encryption_key import is_encrypted
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.queries.recording_rows import all_media
from project.session.job_notes import note_files, note_files_of_copies
from project.session.session import Session
from project.store import encryption_change
from project.store.encryption_change import EncryptionResult
from project.text_format import escape_unprintable

NewPassphrase = Callable[[], str]


def encrypt_study(path: Path, passphrase: NewPassphrase) -> EncryptionResult:
    """Encrypt a study and its backups, and delete the caches of its recordings that are not encrypted.

    `passphrase` gives the new one; it is called once the study is known to be one that can be encrypted.
    """
    path = resolve_path(path)
    if is_encrypted(path):
        return encryption_change.encrypt_study(path, "")
    with Session.open(path) as session:
        session.study.require_writable()
        study_id = session.study.id
        known = [medium.fingerprint for medium in all_media(session.study)]
        left = [*list_stale_copies(study_id, path), *note_files_of_copies(study_id)]
    done = encryption_change.encrypt_study(path, passphrase())
    caches = [file for file in list_cache_files(study_id, known, path) if not file.is_symlink()]
    for file in (*left, *note_files(path), *caches):
        with suppress(FileNotFoundError):
            shred_file(file)
    return replace(done, caches=len(caches))


def change_passphrase(path: Path, passphrase: NewPassphrase) -> EncryptionResult:
    """Encrypt a study and its backups under another passphrase; the present one is asked for first."""
    with Session.open(resolve_path(path)) as session:
        session.study.require_writable()
    return encryption_change.change_passphrase(path, passphrase())


def encrypt_other_file(path: Path, passphrase: str) -> Path:
    """Encrypt another file, such as a rendering, and return where it is then."""
    if is_encrypted(path):
        raise UserError(
            f"“{escape_unprintable(path.name)}” is already encrypted.", "Decrypt it first: greenroom study decrypt FILE"
        )
    return encrypt_file(path, passphrase)
