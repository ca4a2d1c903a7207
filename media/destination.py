"""A file that appears under its name only when it is whole."""

import fcntl
import glob
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import av

from media.source import write_error
from project.errors import UserError


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
        number, temporary = _claim(destination)
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


def _claim(destination: Path) -> tuple[int, Path]:
    """Make a temporary file that is locked for as long as its descriptor is open: the sign that it is being written."""
    while True:
        number, name = tempfile.mkstemp(prefix=_prefix(), suffix=f".part{destination.suffix}", dir=destination.parent)
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
