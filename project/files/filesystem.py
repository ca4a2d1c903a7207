"""Tells what lies at a path and on which file system, and opens only regular files.

SQLite's write-ahead log is unsafe on a file system that is shared over a network.
"""

import errno
import os
import stat
import time
from io import BufferedReader
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")

# fmt: off
_NETWORK = frozenset((
    "9p", "acfs", "afs", "afpfs", "beegfs", "ceph", "cifs", "coda", "davfs", "davfs2", "gfs", "gfs2",
    "glusterfs", "gpfs", "lustre", "moosefs", "ncp", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs",
    "prl_fs", "pvfs2", "smb", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "webdav",
))
# fmt: on

_LOCAL_FUSE = frozenset(
    (
        "fuse.bindfs",
        "fuse.encfs",
        "fuse.gocryptfs",
        "fuse.mergerfs",
        "fuse.ntfs-3g",
        "fuse.portal",
        "fuse.fuse-overlayfs",
    )
)


def file_system_type(path: Path, mounts: Path = _MOUNTS) -> str:
    """Return the type of the file system that holds `path` (such as `ext4`), or "" where the system does not say."""
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return ""
    target = f"{path.resolve()}/"
    longest, found = 0, ""
    for line in lines:
        before, separator, after = line.partition(" - ")
        parts = before.split(" ")
        if not separator or len(parts) < 5:
            continue
        mount_point = f"{_unescape(parts[4]).rstrip('/')}/"
        # Of two mounts on one place the later one is on top.
        if len(mount_point) >= longest and target.startswith(mount_point):
            longest, found = len(mount_point), after.split(" ", 1)[0]
    return found


def is_on_network(path: Path, mounts: Path = _MOUNTS) -> bool:
    """Tell whether `path` lies on a file system that other machines may write to as well.

    An unknown user-space file system counts as one: the rollback journal is right everywhere, only less convenient.
    """
    kind = file_system_type(path, mounts)
    return kind in _NETWORK or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)


def is_folder(path: Path) -> bool:
    """Tell whether there is a folder; False too where the path cannot be looked at, such as a name that is too long."""
    try:
        return path.is_dir()
    except OSError:
        return False


def resolve_path(path: Path) -> Path:
    """Return an absolute path with links followed as far as they lead; links that go in a circle stay as they are."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def _unescape(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


_LEASE_S = 5.0
"""How long another program may take to give back its lease on a file (fcntl(2), F_SETLEASE)."""
_RETRY_INTERVAL_S = 0.05


class SpecialFileError(OSError):
    """What lies under a name is a pipe, a socket or a device."""


def open_regular(path: Path) -> int:
    """Return a new descriptor for reading of a regular file; the caller closes it.

    A pipe is not waited for, a device is not touched, and what is asked of the descriptor afterwards is asked of the
    file that was checked. Links are followed.

    Raises:
        IsADirectoryError: it is a folder.
        SpecialFileError: it is a pipe, a socket or a device.
        OSError: it cannot be opened.
    """
    # Opening some devices does something already.
    _require_regular(path.stat())
    handle = _open_when_unleased(path)
    try:
        _require_regular(os.fstat(handle))
        # A file system may take the flag for a wish not to wait for its bytes.
        os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_regular(path: Path) -> BufferedReader:
    """Open a regular file for reading, see `open_regular`; the caller closes it."""
    return os.fdopen(open_regular(path), "rb")


def _open_when_unleased(path: Path) -> int:
    end = time.monotonic() + _LEASE_S
    while True:
        try:
            return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(_RETRY_INTERVAL_S)


def _require_regular(facts: os.stat_result) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(facts.st_mode):
        raise SpecialFileError(errno.EINVAL, "it is a pipe, a socket or a device")
