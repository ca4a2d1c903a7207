"""Where a release is put together: beside its place, under another name, until it is whole and verified."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from media.cache import cache_folder
from project.errors import UserError
from project.names import require_text
from project.scratch import claim_folder, is_abandoned, is_claimed, remove_abandoned

_PREFIX = ".greenroom-release-"
_ABANDONED_AFTER_S = 24 * 3600
_KEPT = 8
"""Releases of one process that may wait side by side."""


def require_free(folder: Path) -> None:
    """Refuse a place that holds anything: a release never mixes with other files.

    Raises:
        UserError: something is there, or the folder above it is not.
    """
    require_text(folder)
    if not folder.absolute().parent.is_dir():
        raise UserError(f"The folder {folder.absolute().parent} does not exist.", "Make it first.")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UserError(f"{folder.name} is no folder.", "Name a new folder.")
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise UserError(f"The folder {folder.name} is not empty.", "Name a new folder.")
    except OSError as error:
        raise UserError(f"The folder {folder.name} cannot be read: {error.strerror}.", "Name a new folder.") from None


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Lend a temporary folder that takes the place of `folder` when the block ends well; otherwise it is removed.

    Raises:
        UserError: something is in the folder by then, or it cannot be written to.
    """
    require_free(folder)
    _sweep(folder.absolute().parent)
    try:
        temporary, lock = claim_folder(_PREFIX, folder.absolute().parent)
    except OSError as error:
        raise UserError(
            f"Nothing can be written beside {folder.name}: {error.strerror}.", "Choose a folder you may write to."
        ) from None
    try:
        yield temporary
        temporary.chmod(0o755)
        require_free(folder)
        times = temporary.stat()
        if folder.is_dir():
            folder.rmdir()
        temporary.rename(folder)
        os.utime(folder, (times.st_atime, times.st_mtime))
    except OSError as error:
        raise UserError(
            f"The release cannot be written to {folder.name}: {error.strerror or error}.",
            "Make room, or choose another.",
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        os.close(lock)


def _sweep(parent: Path) -> None:
    """Remove what killed releases left."""
    for old in parent.glob(f"{_PREFIX}*"):
        remove_abandoned(old)
        with suppress(OSError):
            if is_left(old):
                shutil.rmtree(old)


def is_left(folder: Path) -> bool:
    """Tell whether a folder is of a release that was killed: nobody holds its lock.

    Some network drives know no locks; what is a day old counts as left there.

    Raises:
        OSError: it is gone.
    """
    if is_abandoned(folder):
        return True
    return not is_claimed(folder) and time.time() - folder.stat().st_ctime > _ABANDONED_AFTER_S


@contextmanager
def prepared(path: Path) -> Iterator[Path]:
    """Lend the folder of texts that was prepared for a job, and remove it when the block ends, whatever happens."""
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def new_prepared() -> Path:
    """Make a folder for texts on their way to a job, and remove what processes left that are gone.

    Raises:
        UserError: it cannot be made.
    """
    base = cache_folder() / "release-texts"
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep_prepared(base)
        own = _own(base)
        if not own.is_dir():
            _own.cache_clear()
            own = _own(base)
        made = Path(tempfile.mkdtemp(dir=own))
    except OSError as error:
        raise UserError(
            f"The texts cannot be kept in {base}: {error.strerror}.", "Name another cache folder: XDG_CACHE_HOME."
        ) from None
    newest = sorted(own.iterdir(), key=lambda one: one.stat().st_mtime)
    for old in newest[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return made


@cache
def _own(base: Path) -> Path:
    """Make the folder of this process; the kernel's lock on it lasts as long as the process, however that ends."""
    while True:
        own = Path(tempfile.mkdtemp(dir=base))
        with suppress(FileNotFoundError):
            descriptor = os.open(own, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Whoever swept between the two calls took the folder for an abandoned one.
            if own.is_dir():
                return own
            os.close(descriptor)


def sweep_prepared(base: Path) -> None:
    """Remove the folders that no living process holds: they have the private words in them."""
    for old in base.glob("*"):
        with suppress(OSError):
            descriptor = os.open(old, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(old)
            finally:
                os.close(descriptor)
