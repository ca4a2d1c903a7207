"""Times in integer microseconds: parsing, formatting, frame times, and the time of day in UTC."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from project.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECOND_US = 1_000_000
_SHORT_US = 10 * SECOND_US - SECOND_US // 20
"""Below it, tenths of a second are written; so is nothing that would be rounded to 10.0 s."""
_TENTH, _MILLISECOND = 0.1, 0.001
_CLOCK = re.compile(r"(?:(?:(\d+):)?(\d{1,2}):)?(\d+)(?:[.,](\d{1,6}))?")


def merge_spans(spans: Iterable[tuple[int, int]], gap: int = 0) -> list[tuple[int, int]]:
    """Return (start, end) by start, those that overlap or have at most `gap` between them as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


Interval = tuple[int, int]
"""Start and end in microseconds."""


def subtract_intervals(stretches: Iterable[Interval], without: Iterable[Interval]) -> list[Interval]:
    """Return what stretches cover and others do not."""
    found: list[Interval] = []
    gone = merge_spans(interval for interval in without if interval[1] > interval[0])
    for start, end in merge_spans(stretches):
        at = start
        for first, last in gone:
            if last <= at or first >= end:
                continue
            if first > at:
                found.append((at, first))
            at = max(at, last)
        if at < end:
            found.append((at, end))
    return found


def widen_intervals(stretches: Iterable[Interval], by_us: int) -> list[Interval]:
    """Return stretches with a margin on both sides, not before zero."""
    return [(max(0, start - by_us), end + by_us) for start, end in stretches]


def parse_time(text: str) -> int:
    """Read `83.456`, `1:23.456` or `0:01:23.456` as microseconds."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise UserError(f"“{text}” is not a time.", "Give seconds (83.456) or h:mm:ss.mmm (0:01:23.456).")
    hours, minutes, seconds, fraction = match.groups()
    if minutes is not None and (int(seconds) > 59 or (hours is not None and int(minutes) > 59)):
        raise UserError(f"“{text}” is not a time.", "Give minutes and seconds below 60.")
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds)
    return whole * SECOND_US + int((fraction or "").ljust(6, "0"))


def format_time(time_us: int) -> str:
    """Write microseconds as h:mm:ss.mmm, rounded to the nearest millisecond."""
    sign, milliseconds = ("-", -time_us) if time_us < 0 else ("", time_us)
    milliseconds = (milliseconds + 500) // 1000
    seconds, milliseconds = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{seconds:02}.{milliseconds:03}"


def format_seconds(duration_us: float) -> str:
    """Write a duration as `12.3 s`; what lasts less than 0.1 s gets as many decimals as it needs not to look like 0."""
    seconds = duration_us / SECOND_US
    if seconds == 0 or abs(seconds) >= _TENTH:
        return f"{seconds:.1f} s"
    return f"{seconds:.3f} s" if abs(seconds) >= _MILLISECOND else f"{seconds:.6f} s"


def format_duration(duration_us: int) -> str:
    """Write how long something is, for a list: `0.2 s` below ten seconds, from there on h:mm:ss, rounded."""
    if abs(duration_us) < _SHORT_US:
        return format_seconds(duration_us)
    return format_time((duration_us + SECOND_US // 2) // SECOND_US * SECOND_US)[:-4]


def format_minutes(duration_us: float) -> str:
    """Write how much footage there is: `12 min`, below a minute `45 s` or `0.2 s`."""
    if duration_us >= 60 * SECOND_US - SECOND_US // 2:
        return f"{duration_us / 60 / SECOND_US:.0f} min"
    return format_seconds(duration_us) if duration_us < _SHORT_US else f"{duration_us / SECOND_US:.0f} s"


@dataclass(frozen=True, slots=True, eq=False)
class FrameTimes:
    """The time stamps of a recording's frames, in the order they are shown.

    Attributes:
        times_us: (n,) int64, strictly ascending, on the recording's axis.
        end_us: when the last frame stops being shown.
    """

    times_us: "NDArray[np.int64]"
    end_us: int

    def __len__(self) -> int:
        return len(self.times_us)

    def sha256(self) -> str:
        """Return a checksum over all of it."""
        return hashlib.sha256(self.times_us.astype("<i8").tobytes() + str(int(self.end_us)).encode()).hexdigest()

    def frame_at(self, time_us: int) -> int:
        """Return the index of the frame that is on screen at `time_us`, clamped to the first and the last."""
        if not len(self.times_us):
            raise UserError("This recording has no picture.", "Give a time instead of a frame.")
        return max(0, bisect_right(self.times_us, time_us) - 1)

    def time_of(self, frame: int) -> int:
        """Return the time stamp of a frame, clamped to the first and the last."""
        return int(self.times_us[min(max(frame, 0), len(self.times_us) - 1)])

    def snap(self, time_us: int) -> int:
        """Return the frame boundary nearest to `time_us`; the end of the last frame is one too."""
        if not len(self.times_us):
            return time_us
        i = self.frame_at(time_us)
        after = self.time_of(i + 1) if i + 1 < len(self) else self.end_us
        before = self.time_of(i)
        return before if time_us - before <= after - time_us else after

    def step(self, time_us: int, frames: int) -> int:
        """Return the time stamp `frames` away from the frame on screen at `time_us`."""
        return self.time_of(self.frame_at(time_us) + frames)


_fixed_time: ContextVar[str | None] = ContextVar("stopped", default=None)


def utc_now() -> str:
    """Return the time as ISO 8601 in UTC, to the millisecond."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return _fixed_time.get() or now


@contextmanager
def fixed_clock(at: str) -> Iterator[None]:
    """Make `utc_now` return this time inside the block: files that must not tell when they were written."""
    token = _fixed_time.set(at)
    try:
        yield
    finally:
        _fixed_time.reset(token)
