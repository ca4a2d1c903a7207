"""Temporary files: scratch folders beside a study, private folders, and caches.

Scratch and private folders are locked, so that folders of killed processes are found and removed. Caches are arrays on
disk under the fingerprint of the file that they were computed from.
"""

import contextlib
import fcntl
import glob
import os
import re
import shutil
import stat
import tempfile
import threading
import time
import weakref
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from platformdirs import user_cache_path

from project.errors import UserError
from project.files.atomic_files import write_atomically
from project.files.filesystem import file_system_type
from project.text_format import format_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRIVATE_FOLDER_VARIABLE = "GREENROOM_PRIVATE_FOLDER"
"""Names a folder to use instead of one in memory, such as one on an encrypted disk."""
CACHE_FOLDER_VARIABLE = "GREENROOM_CACHE_FOLDER"
"""Names the folder of caches for this process and those that it starts (`project.files.temporary_files`)."""

_MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
_RESERVED_BYTES = 32 << 20
_KEY_NAME, _CACHE_NAME = "key", "cache"


class MemoryCache:
    """The caches of an open encrypted study, and its key, for this process and those that it starts.

    They lie in a folder in memory that nobody else may look into, one for all openers of the study. That of a killed
    process is removed when the next one is made.
    """

    def __init__(self, salt: bytes, secret: bytes) -> None:
        """Make the folder, or use the one that is there; `salt` says which files the secret opens."""
        with _cache_lock:
            shared = next((cache for cache in _caches if cache.salt == salt), None)
            if shared is None and read_announced_key(salt) is None:
                shared = _make_cache(salt, secret)
            if shared is not None:
                shared.users += 1
        self._end = weakref.finalize(self, _leave_cache, shared)

    def remove(self) -> None:
        """Remove it with all that is in it once nobody uses it any more; safe to call twice."""
        self._end()


@dataclass(slots=True, eq=False)
class _SharedCache:
    salt: bytes
    folder: Path
    lock: int
    users: int = 0


_cache_lock = threading.RLock()
_caches: list[_SharedCache] = []


def _make_cache(salt: bytes, secret: bytes) -> _SharedCache:
    root = _memory_root()
    for folder in root.iterdir():
        remove_abandoned(folder)
    made = _SharedCache(salt, *claim_folder("", root))
    (made.folder / _KEY_NAME).touch(0o600)
    (made.folder / _KEY_NAME).write_bytes(salt + secret)
    (made.folder / _CACHE_NAME).mkdir(mode=0o700)
    _caches.append(made)
    _announce_cache()
    return made


def _leave_cache(shared: _SharedCache | None) -> None:
    with _cache_lock:
        if shared is None:
            return
        shared.users -= 1
        if not shared.users:
            _caches.remove(shared)
            _announce_cache()
            _remove_folder(shared.folder, shared.lock)


def _announce_cache() -> None:
    """Name the caches of the study that was opened last and is still open."""
    if _caches:
        os.environ[CACHE_FOLDER_VARIABLE] = str(_caches[-1].folder / _CACHE_NAME)
    else:
        os.environ.pop(CACHE_FOLDER_VARIABLE, None)


def read_announced_key(salt: bytes) -> bytes | None:
    """Return the key of a study that the process which started this one has open."""
    named = os.environ.get(CACHE_FOLDER_VARIABLE, "")
    try:
        known = (Path(named).parent / _KEY_NAME).read_bytes() if named else b""
    except OSError:
        return None
    return known[len(salt) :] if known.startswith(salt) else None


def _memory_root() -> Path:
    chosen = os.environ.get(PRIVATE_FOLDER_VARIABLE, "")
    places = [Path(chosen)] if chosen else [Path(os.environ.get("XDG_RUNTIME_DIR", "/")), Path("/dev/shm")]
    usable = [
        place for place in places if place.is_dir() and (chosen or file_system_type(place) in _MEMORY_FILE_SYSTEMS)
    ]
    free = {place: _free_bytes(place) for place in usable if os.access(place, os.W_OK)}
    best = max(free, key=lambda place: free[place], default=None)
    if best is None or free[best] < _RESERVED_BYTES:
        room = f"has {format_size(free[best])} left" if best else "is not there"
        raise UserError(
            f"The caches of an encrypted study are kept in memory: they need {format_size(_RESERVED_BYTES)}, "
            f"and it {room}.",
            f"Close other programs, or name a folder on an encrypted disk: {PRIVATE_FOLDER_VARIABLE}=FOLDER.",
        )
    root = best / f"greenroom-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        root.mkdir(mode=0o700)
    status = root.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise UserError(f"“{root}” is not a private folder of yours.", "Remove it, and open the study again.")
    return root


def _free_bytes(place: Path) -> int:
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0


_SCRATCH_FOLDER = re.compile(r"\..*\.greenroom(\.bak-[0-9]+)?\.[a-z0-9_]{8}", re.DOTALL)
_OWN_PREFIX = "greenroom-scratch-"
_UNFINISHED = re.compile(r"\.[0-9]+\.(backup|bak|new)(-journal)?")


class OwnFolder:
    """A folder that nobody else may look into, for raw material that has to be in a file for a while.

    It lies among the temporary files, with the caches in memory while an encrypted study is open. It goes with
    `remove`, or with the object. One of a killed process is removed when the next is made, or the program starts.

    Attributes:
        path: of the folder.
    """

    def __init__(self) -> None:
        """Make one.

        Raises:
            OSError: none can be made.
        """
        sweep_own_folders()
        self.path, lock = claim_folder(_OWN_PREFIX, _own_parent())
        self._end = weakref.finalize(self, _remove_folder, self.path, lock)

    def remove(self) -> None:
        """Remove it with all that is in it; safe to call twice."""
        self._end()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_about: object) -> None:
        self.remove()


def sweep_own_folders() -> None:
    """Delete the private folders of killed processes."""
    for folder in abandoned_folders():
        remove_abandoned(folder)


def abandoned_folders() -> list[Path]:
    """Return the private folders of this user that no process holds any more."""
    found = []
    with contextlib.suppress(OSError):
        for folder in _own_parent().glob(f"{_OWN_PREFIX}*"):
            with contextlib.suppress(OSError):
                status = folder.lstat()
                if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and _is_free(folder):
                    found.append(folder)
    return found


def _own_parent() -> Path:
    return Path(os.environ.get(CACHE_FOLDER_VARIABLE) or tempfile.gettempdir())


@contextlib.contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Yield a private folder beside a study that is or will be at `path`; it is deleted when the block ends.

    Raises:
        OSError: none can be made there.
    """
    sweep_scratch(path.parent)
    folder, descriptor = claim_folder(f".{path.name}.", path.parent)
    try:
        yield folder
    finally:
        _remove_folder(folder, descriptor)


def sweep_scratch(parent: Path, name: str = "") -> None:
    """Delete the scratch folders of killed processes, all or those of one study: nobody holds their locks any more."""
    for folder in parent.glob(f".{glob.escape(name) if name else '*.greenroom'}.*"):
        if not _SCRATCH_FOLDER.fullmatch(folder.name) or folder.is_symlink():
            continue
        remove_abandoned(folder)


def sweep_unfinished(path: Path) -> None:
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
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        # Some network drives know no locks; nothing is swept there either.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another process may have taken it for abandoned before it was locked.
        if folder.exists():
            return folder, descriptor
        os.close(descriptor)


def _remove_folder(folder: Path, descriptor: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(descriptor)


def remove_abandoned(folder: Path) -> None:
    """Remove a folder of `claim_folder` where nobody holds its lock."""
    with contextlib.suppress(OSError), _folder_lock(folder):
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
    with _folder_lock(folder):
        return True


@contextlib.contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
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


Arrays: TypeAlias = dict[str, "NDArray[Any]"]


def cache_folder() -> Path:
    """Return the user's own cache folder for this program, which nobody else may look into.

    While an encrypted study is open it is one in memory, which the environment names, also to workers. Where it cannot
    be made, it does not exist.
    """
    named = os.environ.get(CACHE_FOLDER_VARIABLE, "")
    folder = Path(named) if named else user_cache_path("greenroom", appauthor=False)
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    return folder


_HOUR_S, _DAY_S = 3600, 24 * 3600
_CACHE_AGES_S = {
    ("previews", "*.preview.npz"): 600,
    ("previews", "*.preview.wav"): _HOUR_S,
    ("faces", "*.tracks.npz"): 7 * _DAY_S,
    ("transcripts", "*.heard"): 7 * _DAY_S,
    ("renderings", "*"): 7 * _DAY_S,
    ("releases", "*"): 14 * _DAY_S,
    ("thumbnails", "*.png"): 90 * _DAY_S,
}
"""Folder of the cache and name of what shows or quotes somebody there -> seconds after which it counts as abandoned."""


def sweep_caches(kind: str = "") -> None:
    """Remove what was abandoned in one folder of the cache, or in all of them."""
    for (name, pattern), age_s in _CACHE_AGES_S.items():
        for path in (cache_folder() / name).glob(pattern) if kind in ("", name) else ():
            with suppress(OSError):
                newest = max(inside.stat().st_mtime for inside in (path, *path.rglob("*")))
                if time.time() - newest > age_s:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def load_arrays(folder: Path | None, name: str) -> Arrays | None:
    """Return the arrays cached by `save_arrays`, or None where there are none or they cannot be read."""
    import numpy as np

    if folder is None:
        return None
    try:
        with (folder / f"{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
            return {key: kept[key] for key in kept.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def save_arrays(folder: Path | None, name: str, arrays: "Mapping[str, NDArray[Any]]") -> None:
    """Cache arrays under a name, atomically. Errors are ignored: a cache is optional."""
    import numpy as np

    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with write_atomically(folder / f"{name}.npz") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
