"""When a request that failed is made again: never without end, neither in tries nor in time."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

_FIRST_S = 0.5
_LONGEST_S = 30.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one request is tried.

    Attributes:
        tries: requests in all.
        total_s: seconds from the first request to the last answer, waits included.
        first_s: the wait after the first failure, in seconds; it doubles with each further one.
        longest_s: the longest wait that is chosen here; a server may ask for a longer one.
    """

    tries: int = 5
    total_s: float = 300.0
    first_s: float = _FIRST_S
    longest_s: float = _LONGEST_S

    def wait(self, failures: int, left_s: float, hint_s: float | None, draw: Callable[[], float]) -> float | None:
        """Return how many seconds to wait before the next request; None where there is to be no other.

        Without a hint it is exponential backoff with full jitter, but never below half of it, so that servers get rest.

        Args:
            failures: requests that failed so far, at least one.
            left_s: of `total_s`.
            hint_s: what the server asked for.
            draw: a number from 0 to 1.
        """
        if failures >= self.tries:
            return None
        backoff = min(self.first_s * 2.0 ** (failures - 1), self.longest_s) * (1 + draw()) / 2
        wait = backoff if hint_s is None else hint_s + self.first_s * draw() / 2
        return wait if wait < left_s else None


def hinted(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return after how many seconds a server wants to be asked again; None where it does not say so.

    Args:
        headers: of its answer, names in any case: `retry-after-ms`, then `Retry-After` in seconds or as an HTTP date
            (RFC 9110, section 10.2.3).
        now: the time, with its zone.
    """
    found = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(found.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = found.get("retry-after")
    seconds = _number(said)
    if seconds is not None or not said:
        return seconds
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max((when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds(), 0.0)


def _number(said: str | None) -> float | None:
    try:
        value = float(said or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def jitter() -> float:
    """Return a number from 0 to 1; nothing that is measured or stored depends on it."""
    return random.random()
