"""A log of finished pieces of long work that a killed process leaves usable."""

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from project.entities.study_records import Json
from project.files.atomic_files import explain_os_errors

_OWNER_ONLY = 0o600
_DIGEST_BYTES = 32
_LENGTH_AND_SUM = struct.Struct("<II")


class ResumableLog:
    """Records in a file that only its owner can read, each with its length and CRC-32.

    A torn end is cut off when the file is opened again. A file about other work is started again.
    """

    def __init__(self, path: Path, work: Mapping[str, Json], accept: Callable[[bytes], bool], title: str) -> None:
        """Open or start the file, and hand over its records until one is not accepted; `title` names the work."""
        self.path = path
        self._title = title
        self._file: BinaryIO | None = None
        try:
            with self._explain_errors():
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY), "r+b")
                os.fchmod(self._file.fileno(), _OWNER_ONLY)
                self._load(hashlib.sha256(json.dumps(work, sort_keys=True).encode()).digest(), accept)
        except BaseException:
            self.close()
            raise

    def append(self, record: bytes) -> None:
        """Keep a record; it survives the end of this process from here on."""
        assert self._file is not None
        with self._explain_errors():
            self._file.write(_LENGTH_AND_SUM.pack(len(record), zlib.crc32(record)) + record)
            self._file.flush()

    def close(self) -> None:
        """Close the file and leave it where it is."""
        if self._file is not None:
            # What a full disk did not take was reported when it was added.
            with suppress(OSError):
                self._file.close()
            self._file = None

    def remove(self) -> None:
        """Delete the file after the work is complete."""
        self.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _load(self, digest: bytes, accept: Callable[[bytes], bool]) -> None:
        assert self._file is not None
        content = self._file.read()
        end = _DIGEST_BYTES
        if content.startswith(digest):
            for record in read_records(content):
                if not accept(record):
                    break
                end += _LENGTH_AND_SUM.size + len(record)
        else:
            self._file.seek(0)
            self._file.write(digest)
        self._file.seek(end)
        self._file.truncate()
        self._file.flush()

    def _explain_errors(self) -> AbstractContextManager[None]:
        return explain_os_errors(
            f"The progress of {self._title} cannot be kept in {self.path}",
            "Free some space, or name a writable cache folder in XDG_CACHE_HOME.",
        )


def read_records(content: bytes) -> Iterator[bytes]:
    """Yield the whole records of a log, up to a torn or damaged one."""
    at = _DIGEST_BYTES
    while at + _LENGTH_AND_SUM.size <= len(content):
        length, checksum = _LENGTH_AND_SUM.unpack_from(content, at)
        at += _LENGTH_AND_SUM.size
        record = content[at : at + length]
        if len(record) < length or zlib.crc32(record) != checksum:
            return
        yield record
        at += length
