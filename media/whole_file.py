"""A file of which every byte was read: what a review, a rendering and a release depend on.

`media.fingerprint` recognises a file by samples, in milliseconds. It does not notice a change between them.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from project.errors import UserError
from project.progress import Progress, Silent
from project.regular_file import read_regular

_CHUNK = 8 << 20
_READ: dict[tuple[object, ...], str] = {}
"""SHA-256 of files as they were, by place and identity, so that one that nobody touched is read once in a process."""
_MOST = 1000


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

    def require_same(self) -> None:
        """Return quietly where nobody touched the file since it was read; nothing of it is read again.

        Raises:
            UserError: somebody did, or it is gone.
        """
        if _identity_of(self.path) != self.identity:
            raise changed_meanwhile(" ".join(self.path.name.split()))


def read_whole(path: Path, progress: Progress | None = None, *, again: bool = False) -> WholeFile:
    """Read a file from its first byte to its last.

    Args:
        path: of the file.
        progress: told about it, in megabytes, and asked whether to stop.
        again: read it also where this process has read it and nobody touched it since.

    Raises:
        UserError: it cannot be read, or it was written to meanwhile.
        Cancelled: the user stopped it.
    """
    identity = _identity_of(path)
    key = (str(path), *identity)
    known = "" if again else _READ.get(key, "")
    found = WholeFile(path, known or _sha256(path, identity[2], progress or Silent()), identity)
    found.require_same()
    if len(_READ) >= _MOST:
        _READ.clear()
    _READ[key] = found.sha256
    return found


def was_read(path: Path) -> bool:
    """Tell whether this process has read a file whole, and nobody touched it since."""
    try:
        return (str(path), *_identity_of(path)) in _READ
    except UserError:
        return False


def _sha256(path: Path, size: int, progress: Progress) -> str:
    digest, done, total = hashlib.sha256(), 0, max(1, size >> 20)
    try:
        with read_regular(path) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                done += len(chunk)
                progress.progress(min(done >> 20, total), total, "Reading the whole file")
                progress.check_cancelled()
    except OSError as error:
        raise _unreadable(path, error) from None
    return digest.hexdigest()


def _identity_of(path: Path) -> tuple[int, ...]:
    try:
        stat, link = path.stat(), path.lstat()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    # A link that is turned elsewhere and back leaves the file that it leads to as it was.
    return (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, link.st_ino, link.st_ctime_ns)


def _unreadable(path: Path, error: OSError | ValueError) -> UserError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return UserError(f"{' '.join(path.name.split())} cannot be read: {reason}.", "Check the path and its rights.")


def changed_meanwhile(name: str) -> UserError:
    """Return what is said of a file that somebody wrote to while it was needed."""
    return UserError(
        f"{name} was changed or replaced while it was worked on.",
        "Leave the file alone, put the original back where it was replaced, then do it again.",
    )
