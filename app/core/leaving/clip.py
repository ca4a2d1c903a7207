"""Where a rendering lies, as long as it is the file that was made and checked."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from app.core.privacy.exports import places_of
from app.core.session import Session
from project.checksums import sha256_of
from project.types import Run

_State: TypeAlias = tuple[str, int, int, int, int, int]
_READ: dict[_State, str] = {}
"""Checksum of a file as it was, by place, device, inode, size and when content and inode were changed; "" while it is
read, and where it cannot be.
"""

AT_ONCE = 8 << 20
"""Bytes that also a window reads in its own thread."""


def clip_of(session: Session, run: Run) -> Path | None:
    """Return where the rendering lies that a run made, unchanged: beside the study, or in a folder beside it.

    A window (`Session.patient`) gets None for a large one as long as nobody read it: see `unread` and `read`.
    """
    digest = run.result.get("sha256")
    for place in _places(session, run):
        try:
            if not _later(session, place) and _sha256(place) == digest:
                return place
        except OSError:
            continue
    return None


def state_as(place: Path, sha256: str) -> tuple[object, ...] | None:
    """Return what changes with a file that has a checksum, bit for bit; None where it has another one or is gone."""
    try:
        state = _state(place)
        return state if _sha256(place) == sha256 and _state(place) == state else None
    except OSError:
        return None


def unread(session: Session, runs: Iterable[Run]) -> list[Path]:
    """Return the renderings of some runs that nobody began to read, where a window has to know them first."""
    places = [place for run in runs for place in _places(session, run) if _later(session, place)]
    return [place for place in places if _state(place) not in _READ]


def read(places: Iterable[Path]) -> None:
    """Read files whole, in any thread, so that their checksums are known; one that cannot be read has none."""
    for place in places:
        with suppress(OSError):
            state = _state(place)
            _READ.setdefault(state, "")
            _READ[state] = sha256_of(place)


def _places(session: Session, run: Run) -> list[Path]:
    name, digest = run.result.get("output"), run.result.get("sha256")
    return [*places_of(session, name)] if isinstance(name, str) and isinstance(digest, str) else []


def _later(session: Session, place: Path) -> bool:
    """Tell whether a file is too large for a window to read it now, and was not read as it is."""
    try:
        state = _state(place)
    except OSError:
        return False
    return not session.patient and state[3] > AT_ONCE and not _READ.get(state)


def _state(place: Path) -> _State:
    stat = place.stat()
    return (str(place), stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


def _sha256(place: Path) -> str:
    """Return the checksum of a file; one that was not touched since it was read is not read again.

    Raises:
        OSError: it cannot be read.
    """
    state = _state(place)
    if not _READ.get(state):
        _READ[state] = sha256_of(place)
    return _READ[state]
