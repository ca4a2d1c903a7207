"""Spreads entries over rows without overlap, for formats whose tiers allow none."""

from collections.abc import Sequence

from app.core.interchange.document import Entry


def spread(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return rows of entries, each by start and without overlap, as few as possible; at least one row.

    An entry goes to the first row that is free at its start.
    """
    rows: list[list[Entry]] = [[]]
    ends: list[int] = [-1]
    for entry in sorted(entries, key=lambda one: (one.start_us, one.end_us)):
        row = next((i for i, end in enumerate(ends) if end <= entry.start_us), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row].append(entry)
        ends[row] = entry.end_us
    return rows
