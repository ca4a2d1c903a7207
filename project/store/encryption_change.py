"""Seals and unseals a study with its backups, and changes its passphrase."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from project.encryption.commit_log import log_path
from project.encryption.container import EncryptionKey, is_sealed, new_key, read_header, unseal
from project.encryption.encrypted_files import seal_stream, write_plaintext
from project.encryption.passphrases import cache_key, forget_key, obtain_key, read_file_header, unlock_key
from project.errors import UserError
from project.files.filesystem import resolve_path
from project.store.backups import backup_paths
from project.store.creation import upgrade_copies
from project.store.locking import exclusive_lock
from project.store.study import Study
from project.text_format import escape_unprintable


@dataclass(frozen=True, slots=True)
class EncryptionResult:
    """The files that were rewritten, and the backups that were skipped because they have another passphrase."""

    files: tuple[Path, ...]
    skipped: tuple[Path, ...] = ()


def seal_study(path: str | Path, passphrase: str) -> EncryptionResult:
    """Encrypt a study and its backups in place, and overwrite what was in the clear.

    A process that is killed in between leaves each file whole, and the study in the clear as long as one of its backups
    is; doing it again seals the rest.
    """
    path = resolve_path(Path(path))
    if is_sealed(path):
        key = obtain_key(path, read_file_header(path))
        rest = [file for file in _older_files(path) if not is_sealed(file)]
        if not rest:
            raise UserError(
                f"“{escape_unprintable(path.name)}” is sealed already.",
                "Change its passphrase: greenroom seal --change",
            )
    else:
        with Study.open(path) as study:
            study.require_writable()
        if os.path.lexists(log_path(path)):
            raise UserError(
                f"Beside “{escape_unprintable(path.name)}” lies the log of a sealed study: "
                f"{escape_unprintable(log_path(path).name)}.",
                "It may hold edits. Put it beside the sealed study that it belongs to, or move it away.",
            )
        older = _older_files(path)
        key = _find_resumed_key(older, passphrase) or new_key(passphrase)
        rest = [*(file for file in older if not is_sealed(file)), path]
    with _exclusive_access(path):
        for file in rest:
            _seal(file, key)
        cache_key(read_file_header(path), key)
    return EncryptionResult(tuple(rest))


def unseal_study(path: str | Path) -> EncryptionResult:
    """Decrypt a study and its backups in place; the passphrase is asked for where it is not known."""
    path = resolve_path(Path(path))
    read_file_header(path)
    # Takes up what a killed process left in the sealed log.
    with Study.open(path) as study:
        study.require_writable()
    done, left = [], []
    with _exclusive_access(path):
        for file in [other for other in [*_older_files(path), path] if is_sealed(other)]:
            key = _find_key(file, path)
            if key is None:
                left.append(file)
            else:
                write_plaintext(_content(file, key), file, file)
                done.append(file)
    return EncryptionResult(tuple(done), tuple(left))


def change_passphrase(path: str | Path, passphrase: str) -> EncryptionResult:
    """Encrypt a study and its backups under another key and passphrase; the old one opens none of them any more."""
    path = resolve_path(Path(path))
    before = read_file_header(path)
    with Study.open(path) as study:
        study.require_writable()
    new, done, left = new_key(passphrase), [], []
    with _exclusive_access(path):
        for file in [other for other in [*_older_files(path), path] if is_sealed(other)]:
            key = _find_key(file, path)
            if key is None:
                left.append(file)
            else:
                _seal(file, new, _content(file, key))
                done.append(file)
        forget_key(before)
        cache_key(read_file_header(path), new)
    return EncryptionResult(tuple(done), tuple(left))


def _older_files(path: Path) -> list[Path]:
    """Return the backups of a study, and the copies that were made before its format was upgraded."""
    return [*backup_paths(path), *upgrade_copies(path)]


def _find_resumed_key(older: list[Path], passphrase: str) -> EncryptionKey | None:
    """Return the key of backups that a killed process sealed with this passphrase before it came to the study."""
    for path in older:
        if is_sealed(path):
            with suppress(UserError):
                return unlock_key(read_file_header(path), passphrase, path)
    return None


def _find_key(path: Path, study: Path) -> EncryptionKey | None:
    """Return the key of a study or of one of its backups; None for a backup that has another passphrase."""
    try:
        return obtain_key(path, read_file_header(path), ask=path == study)
    except UserError:
        if path == study:
            raise
        return None


def _seal(path: Path, key: EncryptionKey, content: Iterator[bytes] | None = None) -> None:
    status = path.stat()
    with path.open("rb") as file:
        seal_stream(content or iter(lambda: file.read(1 << 20), b""), path, key, wipe_old=True)
    # A backup is as old as it was.
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _content(path: Path, key: EncryptionKey) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from unseal(file, key, read_header(file, path.name), path.name)


@contextmanager
def _exclusive_access(path: Path) -> Iterator[None]:
    try:
        with exclusive_lock(path):
            yield
    except OSError as error:
        raise _write_error(path, error) from None


def _write_error(path: Path, error: OSError) -> UserError:
    return UserError(
        f"“{escape_unprintable(path.name)}” cannot be written: {error.strerror}. It is as it was.",
        "See what is left free on its disk, and who may write to its folder.",
    )
