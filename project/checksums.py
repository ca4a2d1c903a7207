"""The checksum that tells whether a file is the one that it should be."""

import hashlib
from pathlib import Path

from project.regular_file import read_regular


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    with read_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
