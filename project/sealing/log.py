"""What was committed since a study was sealed, encrypted beside it, so that a kill loses nothing.

    16 bytes   greenroom-sealog
    32 bytes   SHA-256 of the header of the sealed file that it continues
    16 bytes   salt
    records    length (4 bytes), and what SQLite wrote to its write-ahead log in one transaction, encrypted

Room is taken ahead, as zeros: so a full disk is noticed before a transaction begins. A record that is cut off is one
that was not committed.
"""

import errno
import hashlib
import os
from pathlib import Path

from project.errors import UserError
from project.names import shown
from project.sealing.container import Cipher, Header
from project.sealing.keys import Key

_MAGIC = b"greenroom-sealog"
_SALT_BYTES = 16
_HEAD = len(_MAGIC) + 32 + _SALT_BYTES
_AHEAD = 8 << 20
_LEAST = 2 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)


def log_path(sealed: Path) -> Path:
    """Return where the log of a sealed study lies."""
    return sealed.with_name(sealed.name + ".sealed-log")


class SealedLog:
    """The log of a study that is being worked on."""

    def __init__(self, sealed: Path, key: Key, header: Header) -> None:
        """Begin one for a file that was just sealed; an older one is replaced.

        Raises:
            OSError: it cannot be written.
        """
        self._path = log_path(sealed)
        self._name = sealed.name
        salt = os.urandom(_SALT_BYTES)
        self._cipher = Cipher(key, header, b"log" + salt)
        self._count = 0
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        self._size = 0
        self._room = 0
        try:
            self._write(_MAGIC + _name(header) + salt)
        except BaseException:
            os.close(self._descriptor)
            raise

    def reserve(self) -> None:
        """Make sure that there is room for the next transaction.

        Raises:
            UserError: the disk is full.
        """
        if self._room - self._size >= _LEAST:
            return
        try:
            os.posix_fallocate(self._descriptor, self._size, _AHEAD)
            self._room = self._size + _AHEAD
        except OSError as error:
            if error.errno in _FULL:
                raise UserError(
                    f"There is no room left on the disk of “{shown(self._name)}”, so this was not saved.",
                    "Free some space and try again.",
                ) from None

    def append(self, content: bytes) -> None:
        """Add what one transaction wrote; it is on disk when this returns.

        Raises:
            OSError: it could not be written; it can be tried again.
        """
        sealed = self._cipher.encrypt(self._count, content)
        self._write(len(sealed).to_bytes(4) + sealed)
        self._count += 1

    def close(self) -> None:
        """Stop writing; the file stays. Safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Stop writing and remove the file: all of it is in the sealed file now."""
        self.close()
        self._path.unlink(missing_ok=True)

    def _write(self, content: bytes) -> None:
        written = 0
        while written < len(content):
            written += os.pwrite(self._descriptor, content[written:], self._size + written)
        os.fsync(self._descriptor)
        self._size += len(content)


def read_log(sealed: Path, key: Key, header: Header) -> bytes:
    """Return what was committed after a study was sealed, as SQLite's write-ahead log; b"" for nothing.

    A log that continues another state of the file is passed over: that state is in the file already.
    """
    from cryptography.exceptions import InvalidTag

    try:
        content = log_path(sealed).read_bytes()
    except OSError:
        return b""
    if content[: len(_MAGIC)] != _MAGIC or content[len(_MAGIC) : len(_MAGIC) + 32] != _name(header):
        return b""
    cipher = Cipher(key, header, b"log" + content[_HEAD - _SALT_BYTES : _HEAD])
    found, at = bytearray(), _HEAD
    for number in range(len(content)):
        length = int.from_bytes(content[at : at + 4])
        if not 0 < length <= len(content) - at - 4:
            break
        try:
            found += cipher.decrypt(number, content[at + 4 : at + 4 + length])
        except InvalidTag:
            break
        at += 4 + length
    return bytes(found)


def _name(header: Header) -> bytes:
    return hashlib.sha256(header.raw).digest()
