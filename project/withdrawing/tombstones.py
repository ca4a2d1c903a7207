"""What is not to come back: checksums over ids, which say nothing to anybody who does not have the ids."""

import hashlib
from enum import StrEnum


class Gone(StrEnum):
    """What a tombstone is about."""

    PARTICIPANT = "participant"
    RECORDING = "recording"
    """The whole recording."""
    FOOTAGE = "footage"
    """The files of a recording, and what was worked out from them."""


def tombstone(identifier: str) -> str:
    """Return the checksum that stands for an id; ids are random, so it cannot be guessed back."""
    return hashlib.sha256(f"greenroom withdrawal {identifier}".encode("utf-8", "surrogatepass")).hexdigest()
