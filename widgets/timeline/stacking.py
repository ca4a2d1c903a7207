"""Which sub-row a segment goes to when several overlap: the lowest one that is free.

Interval partitioning by start time (Kleinberg & Tardos, Algorithm Design, section 4.1), with a limit: what finds no
free row is counted as overflow instead, so that a lane's height and the cost of one step stay bounded.
"""

import numpy as np
from numpy.typing import NDArray

MAX_ROWS = 8
"""Sub-rows in a lane; the value itself stands for overflow."""

RESTACK_BUDGET = 128
"""How many segments one edit may move to other rows."""

FREE = -(2**62)


def place(state: list[int], start_us: int, end_us: int) -> int:
    """Put one segment into the lowest free row and return it; `MAX_ROWS` where none is free.

    `state` holds when each row is free again and is changed.
    """
    for row, free_from in enumerate(state):
        if free_from <= start_us:
            state[row] = end_us
            return row
    return MAX_ROWS


def stack(starts: NDArray[np.int64], ends: NDArray[np.int64], reach: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the row of every segment.

    Args:
        starts: (n,), ascending.
        ends: (n,), each after its start.
        reach: (n,), running maximum of `ends`.
    """
    rows = np.zeros(len(starts), np.uint8)
    if not len(starts):
        return rows
    breaks = np.flatnonzero(starts[1:] >= reach[:-1]) + 1
    bounds = np.concatenate(([0], breaks, [len(starts)]))
    for cluster in np.flatnonzero(np.diff(bounds) > 1).tolist():
        first, last = int(bounds[cluster]), int(bounds[cluster + 1])
        state = [FREE] * MAX_ROWS
        pairs = zip(starts[first:last].tolist(), ends[first:last].tolist(), strict=True)
        rows[first:last] = [place(state, start, end) for start, end in pairs]
    return rows


def restack(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    rows: NDArray[np.uint8],
    first: int,
    new: list[int],
    old: list[int],
) -> list[int] | None:
    """Return the new rows of the segments from `first` on, up to where the old ones hold again.

    Args:
        starts: (n,), ascending.
        ends: (n,).
        rows: (n,), the rows before the edit.
        first: index from which to go on.
        new: when each row is free again before `first`, after the edit; changed.
        old: the same before the edit; changed.

    Returns:
        The rows, or None where the edit would move more than `RESTACK_BUDGET` segments.
    """
    found: list[int] = []
    stop = min(first + RESTACK_BUDGET, len(starts))
    window = zip(starts[first:stop].tolist(), ends[first:stop].tolist(), rows[first:stop].tolist(), strict=True)
    for start, end, row in window:
        if all(a == b or (a <= start and b <= start) for a, b in zip(new, old, strict=True)):
            return found
        found.append(place(new, start, end))
        if row < MAX_ROWS:
            old[row] = end
    return found if stop == len(starts) or new == old else None
