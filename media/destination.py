"""A file that appears under its name only when it is whole, and holds what was written into it."""

import fcntl
import glob
import hashlib
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import av

from media.source import UNNAMED, write_error
from media.whole_file import changed_meanwhile
from project.errors import UserError

_PIECE = 8 << 20


class UnnamedFile:
    """A file that nobody else can open by a name, so that what is read of it is what this program wrote.

    Attributes:
        path: where this process reaches it, for reading and for writing.
    """

    def __init__(self, handle: int, path: Path) -> None:
        self._handle = handle
        self.path = path

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Refuse what was made in the block where somebody reached the file meanwhile, and wrote to it.

        Raises:
            UserError: somebody did.
        """
        before = self._state()
        yield
        if self._state() != before:
            raise changed_meanwhile("The file")

    def copy_to(self, target: Path, *, overwrite: bool = False) -> str:
        """Write its content to a file with a name and return the SHA-256 of the very bytes that were written.

        Args:
            target: the file; a link in its place is not followed.
            overwrite: whether it may be there already.

        Raises:
            UserError: it cannot be written.
        """
        digest, at = hashlib.sha256(), 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if overwrite else os.O_EXCL)
        try:
            with os.fdopen(os.open(target, flags, 0o644), "wb") as written:
                while piece := os.pread(self._handle, _PIECE, at):
                    digest.update(piece)
                    written.write(piece)
                    at += len(piece)
        except OSError as error:
            raise write_error(target, error) from None
        return digest.hexdigest()

    def _state(self) -> tuple[int, ...]:
        facts = os.fstat(self._handle)
        return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


@contextmanager
def unnamed_file(folder: Path) -> Iterator[UnnamedFile]:
    """Lend a file on the disk of a folder that has no name, and is gone when the block ends.

    Where the system offers no way to write to one, it has a name that nobody knows.

    Raises:
        UserError: it cannot be made.
    """
    try:
        number, path = _claim_nameless(folder)
    except OSError as error:
        raise write_error(folder, error) from None
    try:
        yield UnnamedFile(number, path)
    finally:
        if path.parent != UNNAMED:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        os.close(number)


def _claim_nameless(folder: Path) -> tuple[int, Path]:
    """Make a file without a name and return where it is reached; one with a name where there is no other way."""
    number, named = _claim(folder, ".part")
    try:
        path = UNNAMED / str(number)
        if not _opens(path):
            return number, named
        named.unlink(missing_ok=True)
        if _opens(path):
            return number, path
    except BaseException:
        os.close(number)
        raise
    # A network drive may not open a file again whose name is gone.
    os.close(number)
    return _claim(folder, ".part")


def _opens(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


@contextmanager
def replaced_when_whole(destination: Path, sources: tuple[Path, ...], *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path in the destination's folder; what is written there takes the name when the block ends well.

    Whatever goes wrong, the temporary file is removed and an existing destination stays as it was. What a killed
    process left is removed by the next one that writes into the folder.

    Raises:
        UserError: the destination is a source (also through a link), exists already, or cannot be written.
    """
    _refuse(destination, sources, overwrite)
    try:
        _sweep(destination.parent)
        number, temporary = _claim(destination.parent, f".part{destination.suffix}")
    except OSError as error:
        raise write_error(destination, error) from None
    try:
        # Memory cards and some network drives keep no rights and refuse this.
        with suppress(OSError):
            temporary.chmod(0o666 & ~_umask())
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        _refuse(destination, sources, overwrite)
        if overwrite:
            temporary.replace(destination)
        else:
            _move_to_new(temporary, destination)
        _sync_folder(destination.parent)
    except (OSError, av.FFmpegError) as error:
        raise write_error(destination, error) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        os.close(number)


def _claim(folder: Path, suffix: str) -> tuple[int, Path]:
    """Make a temporary file that is locked for as long as its descriptor is open: the sign that it is being written."""
    while True:
        number, name = tempfile.mkstemp(prefix=_prefix(), suffix=suffix, dir=folder)
        temporary = Path(name)
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        # Another export may have taken it for abandoned before it was locked.
        if temporary.exists():
            return number, temporary
        os.close(number)


def _sweep(folder: Path) -> None:
    """Remove what killed exports left in a folder: temporary files of this machine that nobody holds locked."""
    for path in folder.glob(f"{glob.escape(_prefix())}*.part*"):
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _prefix() -> str:
    return f".greenroom-{socket.gethostname()}-"


def _refuse(destination: Path, sources: tuple[Path, ...], overwrite: bool) -> None:
    name = " ".join(destination.name.split())
    if not destination.parent.is_dir():
        raise UserError(f"The folder {destination.parent.name or destination.parent} does not exist.", "Make it first.")
    if not os.path.lexists(destination):
        return
    if destination.is_dir():
        raise UserError(f"{name} is a folder.", "Choose another name.")
    if any(destination.exists() and source.exists() and destination.samefile(source) for source in sources):
        raise UserError(f"{name} is the source itself, which is never overwritten.", "Choose another name or folder.")
    if not overwrite:
        raise _exists(destination)


def _exists(destination: Path) -> UserError:
    name = " ".join(destination.name.split())
    return UserError(f"{name} exists already.", "Choose another name, or allow it to be replaced.")


def _move_to_new(temporary: Path, destination: Path) -> None:
    """Rename without ever replacing a file that appeared meanwhile; plainly where links cannot be made."""
    try:
        os.link(temporary, destination)
    except FileExistsError:
        raise UserError(
            f"{destination.name} exists already.", "Choose another name, or allow it to be replaced."
        ) from None
    except OSError:
        temporary.replace(destination)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
