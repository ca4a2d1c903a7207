"""Encrypts and decrypts a study with its backups, and changes its passphrase."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from project.encryption.encrypted_files import remove_unfinished, rewrite_database
from project.encryption.encryption_key import EncryptionKey, is_encrypted, new_key
from project.encryption.passphrases import cache_key, forget_key, obtain_key, unlock_key
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.store.backups import backup_paths
from project.store.creation import upgrade_copies
from project.store.locking import exclusive_lock
from project.store.opening import Snapshot, check_pages, inspect_file, translate_errors
from project.store.study import Study
from project.text_format import escape_unprintable


@dataclass(frozen=True, slots=True)
class EncryptionResult:
    """What was done.

    Attributes:
        files: that were rewritten.
        skipped_backups: that have another passphrase.
        caches: how many files in the clear were deleted from the cache.
    """

    files: tuple[Path, ...]
    skipped_backups: tuple[Path, ...] = ()
    caches: int = 0


def encrypt_study(path: str | Path, passphrase: str) -> EncryptionResult:
    """Encrypt a study and its backups in place, and overwrite what was in the clear.

    A process that is killed in between leaves each file whole, and the study in the clear as long as one of its backups
    is; doing it again encrypts the rest.
    """
    path = resolve_path(Path(path))
    if is_encrypted(path):
        key = obtain_key(path)
        plain = [file for file in _older_files(path) if not is_encrypted(file)]
        if not plain:
            raise UserError(
                f"“{escape_unprintable(path.name)}” is already encrypted.",
                "Change its passphrase: greenroom study encrypt --change",
            )
    else:
        _require_writable(path)
        older = _older_files(path)
        key = _find_resumed_key(older, passphrase) or new_key(passphrase)
        plain = [*(file for file in older if not is_encrypted(file)), path]
    with _exclusive_access(path):
        for file in plain:
            _require_sound(file)
        for file in plain:
            _rewrite(file, None, key)
        cache_key(key)
    return EncryptionResult(tuple(plain))


def decrypt_study(path: str | Path) -> EncryptionResult:
    """Decrypt a study and its backups in place; the passphrase is asked for where it is not known."""
    path = resolve_path(Path(path))
    obtain_key(path)
    return _rewrite_encrypted(path, None)


def change_passphrase(path: str | Path, passphrase: str) -> EncryptionResult:
    """Encrypt a study and its backups under another key and passphrase; the old one opens none of them any more."""
    path = resolve_path(Path(path))
    before = obtain_key(path)
    new = new_key(passphrase)
    done = _rewrite_encrypted(path, new)
    forget_key(before)
    cache_key(new)
    return done


def _rewrite_encrypted(path: Path, new: EncryptionKey | None) -> EncryptionResult:
    _require_writable(path)
    done, left = [], []
    with _exclusive_access(path):
        keys = {file: _find_key(file, path) for file in [*_older_files(path), path] if is_encrypted(file)}
        for file, key in keys.items():
            if key is not None:
                _require_sound(file)
        for file, key in keys.items():
            if key is None:
                left.append(file)
            else:
                _rewrite(file, key, new)
                done.append(file)
    return EncryptionResult(tuple(done), tuple(left))


def _require_writable(path: Path) -> None:
    """Refuse a study that is damaged or open elsewhere; what a killed process left beside it is moved into it."""
    with Study.open(path) as study:
        study.require_writable()


def _older_files(path: Path) -> list[Path]:
    """Return the backups of a study, and the copies that were made before its format was upgraded."""
    return [*backup_paths(path), *upgrade_copies(path)]


def _find_resumed_key(older: list[Path], passphrase: str) -> EncryptionKey | None:
    """Return the key of backups that a killed process encrypted with this passphrase before it came to the study."""
    for path in older:
        if is_encrypted(path):
            with suppress(UserError):
                return unlock_key(path, passphrase)
    return None


def _find_key(path: Path, study: Path) -> EncryptionKey | None:
    """Return the key of a study or of one of its backups; None for a backup that has another passphrase."""
    try:
        return obtain_key(path, ask=path == study)
    except UserError:
        if path == study:
            raise
        return None


def _require_sound(path: Path) -> None:
    """Refuse a damaged backup before anything is changed: it could be copied in part only."""
    try:
        with Snapshot(path, inspect_file(path)) as snapshot:
            check_pages(snapshot.connection, path.name)
    except UserError as error:
        raise UserError(
            f"“{escape_unprintable(path.name)}” cannot be read completely, so nothing was changed. {error.message}",
            "Save what can be read, and move the file away: greenroom study recover STUDY",
        ) from None


def _rewrite(path: Path, old: EncryptionKey | None, new: EncryptionKey | None) -> None:
    remove_unfinished(path)
    with translate_errors(path.name):
        rewrite_database(path, old, new)


@contextmanager
def _exclusive_access(path: Path) -> Iterator[None]:
    try:
        with exclusive_lock(path):
            yield
    except OSError as error:
        raise UserError(
            f"“{escape_unprintable(path.name)}” cannot be written: {error.strerror}. It was not changed.",
            "Check the permissions of its folder and the free space on its disk.",
        ) from None
