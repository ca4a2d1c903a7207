"""The patterns of labels as lines and dots in a rectangle, so that every device draws the same, sharp at any size."""

from collections.abc import Iterator

from widgets.label_looks import Pattern

Stroke = tuple[float, float, float, float]
"""x and y of both ends."""


def strokes(pattern: Pattern, x: float, y: float, width: float, height: float, gap: float = 6) -> list[Stroke]:
    """Return the lines of a pattern, cut at the edges of a rectangle; a dot is a line without length.

    Lines lie on a lattice of the whole plot, so that rectangles side by side go together.
    """
    if width <= 0 or height <= 0 or pattern is Pattern.SOLID:
        return []
    right, bottom = x + width, y + height
    found: list[Stroke] = []
    if pattern in (Pattern.BARS, Pattern.GRID):
        found += [(x, at, right, at) for at in _lattice(y, bottom, gap)]
    if pattern in (Pattern.POSTS, Pattern.GRID):
        found += [(at, y, at, bottom) for at in _lattice(x, right, gap)]
    if pattern is Pattern.DOTS:
        found += [(at, row, at, row) for row in _lattice(y, bottom, gap) for at in _lattice(x, right, gap)]
    if pattern is Pattern.HATCH:
        for total in _lattice(x + y, right + bottom, gap * 1.4):
            left, stop = max(x, total - bottom), min(right, total - y)
            found.append((left, total - left, stop, total - stop))
    if pattern is Pattern.BACK_HATCH:
        for offset in _lattice(x - bottom, right - y, gap * 1.4):
            left, stop = max(x, offset + y), min(right, offset + bottom)
            found.append((left, left - offset, stop, stop - offset))
    return found


def _lattice(first: float, last: float, gap: float) -> Iterator[float]:
    at = (first // gap + 1) * gap
    while at < last:
        yield at
        at += gap
