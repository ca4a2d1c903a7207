"""Reads files, which may be large, for their checksums, and copies them on the way; can be stopped at any time."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from project.progress import Progress

_BLOCK = 1 << 20


def copied(content: IO[bytes], target: Path, size: int, progress: Progress) -> str:
    """Write what an open file gives to another; return its sha256.

    Args:
        content: open at its start.
        target: is written anew.
        size: how many bytes are expected.
        progress: told in bytes.

    Raises:
        Cancelled: the user stopped it.
        OSError: it cannot be read or written.
    """
    digest = hashlib.sha256()
    with target.open("wb") as copy:
        for block in _blocks(content, size, progress, target.name):
            copy.write(block)
            digest.update(block)
    return digest.hexdigest()


def checksum(file: Path, progress: Progress) -> str:
    """Return the sha256 of a file.

    Raises:
        Cancelled: the user stopped it.
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with file.open("rb") as content:
        for block in _blocks(content, file.stat().st_size, progress, file.name):
            digest.update(block)
    return digest.hexdigest()


def _blocks(content: IO[bytes], size: int, progress: Progress, text: str) -> Iterator[bytes]:
    done = 0
    while block := content.read(_BLOCK):
        yield block
        done += len(block)
        progress.progress(done, size, text)
        progress.check_cancelled()
