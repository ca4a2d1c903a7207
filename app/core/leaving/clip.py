"""Where a rendering lies, as long as it is the file that was made and checked."""

from pathlib import Path

from app.core.privacy.exports import places_of
from app.core.session import Session
from project.checksums import sha256_of
from project.types import Run

_READ: dict[tuple[str, int, int, int, int, int], str] = {}
"""Checksum of a file as it was: by place, device, inode, size and when content and inode were changed."""


def clip_of(session: Session, run: Run) -> Path | None:
    """Return where the rendering lies that a run made, unchanged: beside the study, or in a folder beside it."""
    name, digest = run.result.get("output"), run.result.get("sha256")
    if not isinstance(name, str) or not isinstance(digest, str):
        return None
    for place in places_of(session, name):
        try:
            if _sha256(place) == digest:
                return place
        except OSError:
            continue
    return None


def _sha256(place: Path) -> str:
    """Return the checksum of a file; one that was not touched since it was read is not read again.

    Raises:
        OSError: it cannot be read.
    """
    stat = place.stat()
    key = (str(place), stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    if key not in _READ:
        _READ[key] = sha256_of(place)
    return _READ[key]
