"""Opening a file that is a regular one, whatever somebody puts in its place meanwhile."""

import errno
import os
import stat
import time
from io import BufferedReader
from pathlib import Path

_LEASE_S = 5.0
"""How long another program may take to give back its lease on a file (fcntl(2), F_SETLEASE)."""
_PAUSE_S = 0.05


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
    handle = _open(path)
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


def _open(path: Path) -> int:
    end = time.monotonic() + _LEASE_S
    while True:
        try:
            return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE_S)


def _require_regular(facts: os.stat_result) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(facts.st_mode):
        raise SpecialFileError(errno.EINVAL, "it is a pipe, a socket or a device")
