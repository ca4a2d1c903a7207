"""Reads what SQLite notes beside a write-ahead log, and so tells damage to the log from an edit that was never saved.

SQLite ends a log at the first page whose checksum is wrong, and says nothing. The index of the log (`-shm`) outlives
a killed process: it counts the pages of transactions that are on the disk, and is written once they are. So a log in
which fewer are found was changed, cut off or taken away.

The format: https://www.sqlite.org/walformat.html, section 2.1.
"""

from dataclasses import dataclass
from pathlib import Path
from sys import byteorder

_HEADER_BYTES = 48
_VERSION = 3_007_000
_MAX_GENERATIONS = 1 << 16


@dataclass(frozen=True, slots=True)
class WalIndex:
    """What an index says of its log.

    Attributes:
        frames: how many pages of whole transactions the log has.
        generation: a number that grows by one each time that the log begins anew.
        nonce: a random number that is another each time.
        moved: how many of the pages are in the study's file already.
    """

    frames: int
    generation: int
    nonce: bytes
    moved: int


def read_wal_index(path: Path) -> WalIndex | None:
    """Return what an index says; None where there is none, or it was not whole when the process was killed."""
    try:
        with path.open("rb") as file:
            start = file.read(2 * _HEADER_BYTES + 4)
    except OSError:
        return None
    header = start[:_HEADER_BYTES]
    if header != start[_HEADER_BYTES : 2 * _HEADER_BYTES] or int.from_bytes(header[:4], byteorder) != _VERSION:
        return None
    return WalIndex(
        frames=int.from_bytes(header[16:20], byteorder),
        generation=int.from_bytes(header[32:36]),
        nonce=header[36:40],
        moved=int.from_bytes(start[2 * _HEADER_BYTES :], byteorder),
    )


def is_log_shortened(noted: WalIndex | None, found: WalIndex | None) -> bool:
    """Tell whether a log holds less than was noted beside it.

    Args:
        noted: what the process that wrote the log noted.
        found: what SQLite notes of the log as it is now; None where there is none.
    """
    if noted is None or noted.frames == 0:
        return False
    if found is None or found.frames == 0:
        # An index that reached the disk before a power cut may be of a log that began anew meanwhile.
        return noted.moved < noted.frames and not (found is not None and _is_later(found, noted))
    if (found.generation, found.nonce) == (noted.generation, noted.nonce):
        return found.frames < noted.frames
    return not _is_later(found, noted)


def _is_later(found: WalIndex, noted: WalIndex) -> bool:
    return found.nonce != noted.nonce and 0 < (found.generation - noted.generation) % (1 << 32) < _MAX_GENERATIONS
