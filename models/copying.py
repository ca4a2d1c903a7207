"""Copies a file and takes its checksum on the way."""

import hashlib
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
    digest, done = hashlib.sha256(), 0
    with target.open("wb") as copy:
        while block := content.read(_BLOCK):
            copy.write(block)
            digest.update(block)
            done += len(block)
            progress.progress(done, size, target.name)
            progress.check_cancelled()
    return digest.hexdigest()
