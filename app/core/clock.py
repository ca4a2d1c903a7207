"""The time of day, as it is written into a study and into files."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_stopped: ContextVar[str | None] = ContextVar("stopped", default=None)


def utc_now() -> str:
    """Return the time as ISO 8601 in UTC, to the millisecond."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return _stopped.get() or now


@contextmanager
def stopped_clock(at: str) -> Iterator[None]:
    """Make `utc_now` return this time inside the block: files that must not tell when they were written."""
    token = _stopped.set(at)
    try:
        yield
    finally:
        _stopped.reset(token)
