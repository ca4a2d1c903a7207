"""A private folder in memory, for what of a sealed study must be in the clear while it is open."""

import contextlib
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from project.errors import UserError
from project.filesystem import file_system
from project.sizes import size_text

FOLDER = "GREENROOM_SEALED_FOLDER"
"""Names a folder to use instead, such as one on an encrypted disk."""
CACHE = "GREENROOM_CACHE_FOLDER"
"""Names the folder of caches for this process and those that it starts (`media.cache`)."""
_OPEN = "GREENROOM_SEALED_OPEN"

_IN_MEMORY = ("tmpfs", "ramfs")
_SPARE = 32 << 20
_caches: list[str] = []


class PrivateFolder:
    """A folder that nobody else may look into. What a killed process left is removed when the next one is made.

    Attributes:
        path: of the folder.
        cache: of a folder in it for caches.
    """

    def __init__(self, need: int) -> None:
        """Make one with room for so many bytes.

        Raises:
            UserError: there is no file system in memory that has room.
        """
        root = _root(need)
        with _alone(root):
            _sweep(root)
            self.path = Path(tempfile.mkdtemp(dir=root))
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.cache = self.path / "cache"
        self.cache.mkdir(mode=0o700)

    def remove(self) -> None:
        """Remove it with all that is in it; safe to call twice."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def announce(sealed: Path, file: Path) -> None:
    """Let this process, and those that it starts, find a study that is open."""
    os.environ[_OPEN] = json.dumps({**_announced(), str(sealed): str(file)})


def use_cache(folder: PrivateFolder) -> None:
    """Let this process, and those that it starts, keep caches in a private folder, until `retract`."""
    _caches.append(str(folder.cache))
    os.environ[CACHE] = _caches[-1]


def retract(folder: PrivateFolder) -> None:
    """Take back what `announce` and `use_cache` did; a study that was opened before has its caches again."""
    left = {path: file for path, file in _announced().items() if Path(file).parent != folder.path}
    os.environ[_OPEN] = json.dumps(left)
    if not left:
        del os.environ[_OPEN]
    _caches[:] = [one for one in _caches if one != str(folder.cache)]
    if _caches:
        os.environ[CACHE] = _caches[-1]
    else:
        os.environ.pop(CACHE, None)


def open_here(sealed: Path) -> Path | None:
    """Return where a sealed study lies in the clear, if this process or the one that started it has it open."""
    found = _announced().get(str(sealed))
    return Path(found) if found is not None and Path(found).exists() else None


def _announced() -> dict[str, str]:
    try:
        found = json.loads(os.environ.get(_OPEN, "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _root(need: int) -> Path:
    chosen = os.environ.get(FOLDER, "")
    places = [Path(chosen)] if chosen else [Path(os.environ.get("XDG_RUNTIME_DIR", "/")), Path("/dev/shm")]
    usable = [place for place in places if place.is_dir() and (chosen or file_system(place) in _IN_MEMORY)]
    free = {place: _free(place) for place in usable if os.access(place, os.W_OK)}
    best = max(free, key=lambda place: free[place], default=None)
    if best is None or free[best] < need + _SPARE:
        room = f"has {size_text(free[best])} left" if best else "is not there"
        raise UserError(
            f"A sealed study is worked on in memory: {size_text(need + _SPARE)} are needed there, and it {room}.",
            f"Close other programs, or name a folder on an encrypted disk: {FOLDER}=FOLDER.",
        )
    root = best / f"greenroom-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        root.mkdir(mode=0o700)
    status = root.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise UserError(f"“{root}” is not a private folder of yours.", "Remove it, and open the study again.")
    return root


def _free(place: Path) -> int:
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    descriptor = os.open(root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sweep(root: Path) -> None:
    """Remove folders whose process is gone: their lock is free."""
    for place in root.iterdir():
        if place.is_symlink() or not place.is_dir():
            continue
        try:
            descriptor = os.open(place / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            shutil.rmtree(place, ignore_errors=True)
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(place, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(descriptor)
