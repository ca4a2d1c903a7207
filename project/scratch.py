"""Where files lie that nobody is to keep: beside a study while something is made of it, or in a folder of one's own.

What a killed process left of them, the next removes.
"""

import contextlib
import fcntl
import glob
import os
import re
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

from project.sealing.memory import CACHE

_FOLDER = re.compile(r"\..*\.greenroom(\.bak-[0-9]+)?\.[a-z0-9_]{8}", re.DOTALL)
_OWN = "greenroom-scratch-"
_UNFINISHED = re.compile(r"\.[0-9]+\.(backup|bak|new)(-journal)?")


class OwnFolder:
    """A folder that nobody else may look into, for raw material that has to be in a file for a while.

    It lies among the temporary files, while a sealed study is open with its caches in memory. It goes with `remove`, or
    with the object. One of a killed process is removed when the next is made, or the program starts.

    Attributes:
        path: of the folder.
    """

    def __init__(self) -> None:
        """Make one.

        Raises:
            OSError: none can be made.
        """
        sweep_own_folders()
        self.path, lock = claim_folder(_OWN, _own_place())
        self._end = weakref.finalize(self, _remove, self.path, lock)

    def remove(self) -> None:
        """Remove it with all that is in it; safe to call twice."""
        self._end()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_about: object) -> None:
        self.remove()


def sweep_own_folders() -> None:
    """Remove such folders of killed processes."""
    for folder in left_folders():
        remove_abandoned(folder)


def left_folders() -> list[Path]:
    """Return such folders of this user that no process holds any more."""
    found = []
    with contextlib.suppress(OSError):
        for folder in _own_place().glob(f"{_OWN}*"):
            with contextlib.suppress(OSError):
                status = folder.lstat()
                if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and _is_free(folder):
                    found.append(folder)
    return found


def _own_place() -> Path:
    return Path(os.environ.get(CACHE) or tempfile.gettempdir())


@contextlib.contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Lend a folder of one's own beside a study that is or will be at `path`; it goes when the block ends.

    Raises:
        OSError: none can be made there.
    """
    sweep_scratch(path.parent)
    folder, descriptor = claim_folder(f".{path.name}.", path.parent)
    try:
        yield folder
    finally:
        _remove(folder, descriptor)


def sweep_scratch(parent: Path, name: str = "") -> None:
    """Remove such folders of killed processes, all or those about one study: nobody holds their locks any more."""
    for folder in parent.glob(f".{glob.escape(name) if name else '*.greenroom'}.*"):
        if not _FOLDER.fullmatch(folder.name) or folder.is_symlink():
            continue
        remove_abandoned(folder)


def sweep(path: Path) -> None:
    """Remove the unfinished files and folders beside a study that killed processes left. The caller holds its lock."""
    sweep_scratch(path.parent, path.name)
    for left in path.parent.glob(f"{glob.escape(f'.{path.name}.')}*"):
        if _UNFINISHED.fullmatch(left.name, len(path.name) + 1):
            with contextlib.suppress(OSError):
                left.unlink()


def claim_folder(prefix: str, parent: Path) -> tuple[Path, int]:
    """Make a folder that is locked for as long as its descriptor is open; return both.

    Raises:
        OSError: none can be made there.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        # Some network drives know no locks; nothing is swept there either.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another process may have taken it for abandoned before it was locked.
        if folder.exists():
            return folder, descriptor
        os.close(descriptor)


def _remove(folder: Path, descriptor: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(descriptor)


def remove_abandoned(folder: Path) -> None:
    """Remove a folder of `claim_folder` where nobody holds its lock."""
    with contextlib.suppress(OSError), _held(folder):
        shutil.rmtree(folder)


def is_abandoned(folder: Path) -> bool:
    """Tell whether nobody holds the lock of a folder, and its file system knows locks."""
    try:
        return _is_free(folder)
    except OSError:
        return False


def is_claimed(folder: Path) -> bool:
    """Tell whether somebody holds the lock of a folder; never where its file system knows no locks."""
    try:
        return not _is_free(folder)
    except BlockingIOError:
        return True
    except OSError:
        return False


def _is_free(folder: Path) -> bool:
    with _held(folder):
        return True


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder.

    Raises:
        OSError: somebody holds it, or it is no folder.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
