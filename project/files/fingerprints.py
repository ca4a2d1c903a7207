"""Identifies files: by SHA-256, by a fingerprint that survives moving and renaming, and by inode.

`FileIdentity` notices that the file of an open study was moved, deleted or replaced: edits would be lost. A review, a
rendering and a release depend on `WholeFile`, of which every byte was read.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from project.errors import UserError
from project.files.filesystem import read_regular
from project.progress import Progress, Silent
from project.text_format import escape_unprintable

_READ_BYTES = 8 << 20


def file_sha256(path: Path, progress: Progress | None = None) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Args:
        path: of the file.
        progress: told in megabytes.

    Raises:
        Cancelled: the user stopped it.
        OSError: it cannot be read, or is no regular file.
    """
    progress = progress or Silent()
    digest, done = hashlib.sha256(), 0
    with read_regular(path) as file:
        total = max(1, os.fstat(file.fileno()).st_size >> 20)
        while chunk := file.read(_READ_BYTES):
            digest.update(chunk)
            done += len(chunk)
            progress.progress(min(done >> 20, total), total, "Reading the whole file")
            progress.check_cancelled()
    return digest.hexdigest()


class FileIdentity:
    """The identity of the file at a path."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        with suppress(OSError):
            self._file = self._current_identity()

    def require_unchanged(self) -> None:
        """Raise where it is not the same file any more."""
        try:
            there = self._current_identity()
        except FileNotFoundError:
            raise UserError(
                f"The file of the study “{escape_unprintable(self._path.name)}” was moved or deleted; "
                "nothing is saved.",
                "Put it back. If it was deleted, list its backups: greenroom study recover STUDY",
            ) from None
        except OSError as error:
            raise UserError(
                f"“{escape_unprintable(self._path.name)}” cannot be reached ({error.strerror}); nothing is saved.",
                "Check that its drive is connected, and try again.",
            ) from None
        if there != self._file:
            raise UserError(
                f"Another file has replaced the study “{escape_unprintable(self._path.name)}”; nothing is saved.",
                "Close the study, check the file that is there now, and open it again.",
            )

    def _current_identity(self) -> tuple[int, int]:
        status = self._path.stat()
        return status.st_dev, status.st_ino


_SAMPLE_BYTES = 1 << 20
_SAMPLES = 8


def fingerprint(path: Path) -> str:
    """Return 32 hexadecimal digits that stay the same when a file is moved, renamed or touched.

    BLAKE2b over the size and up to `_SAMPLES` stretches of one megabyte spread evenly from the first byte to the
    last: a file of any size takes milliseconds. Two recordings of equal size that differ nowhere in the samples are
    not told apart.
    """
    with _explain_unreadable(path):
        size = path.stat().st_size
        digest = hashlib.blake2b(str(size).encode(), digest_size=16)
        with read_regular(path) as file:
            for start in sorted({max(0, size - _SAMPLE_BYTES) * i // (_SAMPLES - 1) for i in range(_SAMPLES)}):
                file.seek(start)
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


_SHA256_CACHE: dict[tuple[object, ...], str] = {}
"""SHA-256 of files as they were, by place and identity, so that one that nobody touched is read once in a process."""
_MAX_CACHED = 1000


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file as it was when all of it was read.

    Attributes:
        sha256: of its content.
        identity: what changes when somebody writes to it, replaces it, or moves it away and back: device, inode, size,
            and when content and inode were changed last.
    """

    path: Path
    sha256: str
    identity: tuple[int, ...]

    def require_unchanged(self) -> None:
        """Raise where the file was changed since it was read; nothing of it is read again."""
        if _identity_of(self.path) != self.identity:
            raise file_changed_error(" ".join(self.path.name.split()))


def hash_whole_file(path: Path, progress: Progress | None = None, *, again: bool = False) -> WholeFile:
    """Read a file from its first byte to its last.

    Args:
        path: of the file.
        progress: told about it, in megabytes, and asked whether to stop.
        again: read it also where this process has read it and nobody touched it since.

    Raises:
        Cancelled: the user stopped it.
    """
    identity = _identity_of(path)
    key = (str(path), *identity)
    known = "" if again else _SHA256_CACHE.get(key, "")
    with _explain_unreadable(path):
        found = WholeFile(path, known or file_sha256(path, progress), identity)
    found.require_unchanged()
    if len(_SHA256_CACHE) >= _MAX_CACHED:
        _SHA256_CACHE.clear()
    _SHA256_CACHE[key] = found.sha256
    return found


def is_hash_cached(path: Path) -> bool:
    """Tell whether this process has read a file whole, and nobody touched it since."""
    try:
        return (str(path), *_identity_of(path)) in _SHA256_CACHE
    except UserError:
        return False


def _identity_of(path: Path) -> tuple[int, ...]:
    with _explain_unreadable(path):
        stat, link = path.stat(), path.lstat()
    # A link that is turned elsewhere and back leaves the file that it leads to as it was.
    return (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, link.st_ino, link.st_ctime_ns)


@contextmanager
def _explain_unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise UserError(
            f"“{' '.join(path.name.split())}” cannot be read: {reason}.", "Check its path and its permissions."
        ) from None


def file_changed_error(name: str) -> UserError:
    """Return what is said of a file that somebody wrote to while it was needed."""
    return UserError(
        f"{name} was changed or replaced while it was in use.",
        "If it was replaced, put the original back. Then try again, and leave the file alone meanwhile.",
    )
