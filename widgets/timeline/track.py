"""The segments of one lane as sorted arrays: quick to draw, to search and to change one at a time."""

from bisect import bisect_left
from collections.abc import Iterable
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from project.types import Segment
from widgets.timeline.stacking import FREE, MAX_ROWS, place, restack, stack

MANY = 255
"""Code of every label beyond so many different ones in one lane."""

SELECTED = 1
HIDDEN = 2


def order(segment: Segment) -> tuple[int, int, str]:
    """Sort key: by start, the longer first."""
    return (segment.start_us, -segment.end_us, segment.id)


def _end(segment: Segment) -> int:
    return max(segment.end_us, segment.start_us + 1)


class SegmentTrack:
    """Segments ordered by start, the longer first, with the sub-row of each.

    Loading is O(n log n). An edit finds its place in O(log n), shifts the arrays, and stacks anew only as far as
    rows change; where more than a bounded number of segments would change rows, the others stay where they are and the
    edited one takes any free row, so `tidy` says whether the rows are those that loading would give.

    Attributes:
        items: the segments in order.
        tidy: whether the rows are what loading the same segments would give.
        labels: the labels that its segments have or had, in the order they came; `codes` are positions in it.
    """

    def __init__(self, segments: Iterable[Segment] = ()) -> None:
        self.items: list[Segment] = sorted(segments, key=order)
        self.tidy = True
        n = self._n = len(self.items)
        self._starts = np.fromiter((s.start_us for s in self.items), np.int64, n)
        self._ends = np.fromiter((_end(s) for s in self.items), np.int64, n)
        self._reach = np.maximum.accumulate(self._ends)
        self.labels: list[str] = []
        self._places: dict[str, int] = {}
        self._codes = np.fromiter((self._code(s.label) for s in self.items), np.uint8, n)
        self._flags = np.zeros(n, np.uint8)
        self._rows = stack(self._starts, self._ends, self._reach)
        self._row_counts: list[int] = np.bincount(self._rows, minlength=MAX_ROWS + 1).tolist()

    def __len__(self) -> int:
        return self._n

    @property
    def starts(self) -> NDArray[np.int64]:
        """(n,) start times, ascending."""
        return self._starts[: self._n]

    @property
    def ends(self) -> NDArray[np.int64]:
        """(n,) end times, each after its start."""
        return self._ends[: self._n]

    @property
    def reach(self) -> NDArray[np.int64]:
        """(n,) running maximum of the end times."""
        return self._reach[: self._n]

    @property
    def codes(self) -> NDArray[np.uint8]:
        """(n,) positions in `labels`; `MANY` for all beyond."""
        return self._codes[: self._n]

    @property
    def rows(self) -> NDArray[np.uint8]:
        """(n,) sub-rows; `MAX_ROWS` is overflow."""
        return self._rows[: self._n]

    @property
    def flags(self) -> NDArray[np.uint8]:
        """(n,) bits `SELECTED` and `HIDDEN`."""
        return self._flags[: self._n]

    @property
    def row_count(self) -> int:
        """Sub-rows in use, at least one."""
        return max((row + 1 for row in range(MAX_ROWS) if self._row_counts[row]), default=1)

    @property
    def overflows(self) -> bool:
        """Whether some segments found no row."""
        return self._row_counts[MAX_ROWS] > 0

    def index(self, segment: Segment) -> int:
        """Return where a segment is, or would be put."""
        lo = int(np.searchsorted(self.starts, segment.start_us, "left"))
        hi = int(np.searchsorted(self.starts, segment.start_us, "right"))
        return bisect_left(self.items, order(segment), lo, hi, key=order)

    def between(self, start_us: float, end_us: float) -> tuple[int, int]:
        """Return the slice outside which no segment touches [start, end]; some within it may not either."""
        # A float here would have numpy turn the whole array into floats first.
        lo = int(np.searchsorted(self.reach, floor(start_us), "left"))
        hi = int(np.searchsorted(self.starts, ceil(end_us), "right"))
        return lo, max(lo, hi)

    def touching(self, start_us: float, end_us: float) -> NDArray[np.intp]:
        """Return the indices of the segments that touch [start, end]."""
        lo, hi = self.between(start_us, end_us)
        return np.flatnonzero(self.ends[lo:hi] >= start_us) + lo

    def insert(self, segment: Segment) -> tuple[int, int]:
        """Add a segment; return the span of time in which the drawing changes."""
        at = self.index(segment)
        self._reserve()
        n = self._n
        for column in (self._starts, self._ends, self._reach, self._codes, self._flags, self._rows):
            column[at + 1 : n + 1] = column[at:n]
        self.items.insert(at, segment)
        self._n = n + 1
        start, end = segment.start_us, _end(segment)
        self._starts[at], self._ends[at] = start, end
        self._codes[at], self._flags[at] = self._code(segment.label), 0
        self._mend_reach(at)
        old = self._row_state(at)
        new = list(old)
        row = place(new, start, end)
        moved = restack(self.starts, self.ends, self.rows, at + 1, new, old)
        if moved is None:
            self.tidy = False
            row, moved = self._any_free_row(at), []
        self._rows[at] = row
        self._row_counts[row] += 1
        changed_until = self._set_rows(at + 1, moved)
        return start, max(end, changed_until)

    def remove(self, segment: Segment) -> tuple[int, int]:
        """Take a segment out; return the span of time in which the drawing changes."""
        at = self.index(segment)
        row, start, end = int(self._rows[at]), int(self._starts[at]), int(self._ends[at])
        n = self._n
        for column in (self._starts, self._ends, self._reach, self._codes, self._flags, self._rows):
            column[at : n - 1] = column[at + 1 : n]
        del self.items[at]
        self._n = n - 1
        self._row_counts[row] -= 1
        self._mend_reach(at)
        if at == n - 1:
            return start, end
        new = self._row_state(at)
        old = list(new)
        if row < MAX_ROWS:
            old[row] = end
        moved = restack(self.starts, self.ends, self.rows, at, new, old)
        if moved is None:
            self.tidy = False
            moved = []
        return start, max(end, self._set_rows(at, moved))

    def _code(self, label: str) -> int:
        place = self._places.get(label)
        if place is None:
            place = self._places[label] = min(len(self.labels), MANY)
            self.labels.append(label)
        return place

    def _reserve(self) -> None:
        if self._n < len(self._starts):
            return
        extra = max(16, self._n // 8)
        for name in ("_starts", "_ends", "_reach", "_codes", "_flags", "_rows"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate((column, np.zeros(extra, column.dtype))))

    def _mend_reach(self, first: int) -> None:
        before = int(self._reach[first - 1]) if first else FREE
        size = 64
        while first < self._n:
            last = min(first + size, self._n)
            part = np.maximum(np.maximum.accumulate(self._ends[first:last]), before)
            settled = last - first > 1 and self._reach[last - 1] == part[-1]
            self._reach[first:last] = part
            if settled:
                return
            first, before, size = last, int(part[-1]), size * 4

    def _row_state(self, at: int) -> list[int]:
        """When each row is free again, just before the segment at `at`."""
        start = int(self._starts[at])
        state = [FREE] * MAX_ROWS
        lo = int(np.searchsorted(self._reach[:at], start, "right"))
        for i in (np.flatnonzero(self._ends[lo:at] > start) + lo).tolist():
            row = int(self._rows[i])
            if row < MAX_ROWS:
                state[row] = int(self._ends[i])
        return state

    def _any_free_row(self, at: int) -> int:
        start, end = self._starts[at], self._ends[at]
        near = self.touching(int(start), int(end))
        near = near[(near != at) & (self._starts[near] < end) & (self._ends[near] > start)]
        taken = set(self._rows[near].tolist())
        return next((row for row in range(MAX_ROWS) if row not in taken), MAX_ROWS)

    def _set_rows(self, first: int, rows: list[int]) -> int:
        """Write rows from `first` on and return until when segments changed theirs."""
        until = FREE
        for i, row in enumerate(rows, first):
            before = int(self._rows[i])
            if before != row:
                self._row_counts[before] -= 1
                self._row_counts[row] += 1
                self._rows[i] = row
                until = max(until, int(self._ends[i]))
        return until
