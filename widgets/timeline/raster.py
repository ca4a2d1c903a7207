"""Many small segments as one picture: the cost is bounded by pixels, not by segments. All sizes are device pixels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widgets.timeline.stacking import MAX_ROWS

VERDICT_COUNT = 3


@dataclass(frozen=True, slots=True)
class Inks:
    """Premultiplied ARGB values.

    Attributes:
        fills: (3, 2) uint32 for each verdict code: ground and pattern.
        selected: of the lines above and below what is selected.
        hatch: distance of the lines of the error hatch; the dots of the third verdict lie a little closer.
        stroke: thickness of those lines.
    """

    fills: NDArray[np.uint32]
    selected: int
    hatch: int
    stroke: int


def columns(times_us: NDArray[np.int64], start_us: float, us_per_px: float, width: int) -> NDArray[np.int32]:
    """Return the pixel columns in which times lie, clamped to 0..width."""
    scaled = (times_us - start_us) * (1.0 / us_per_px)
    return np.clip(np.rint(scaled), 0, width).astype(np.int32)


def coverage(
    left: NDArray[np.int32], right: NDArray[np.int32], group: NDArray[np.intp], groups: int, width: int
) -> NDArray[np.int32]:
    """Return (groups, width) how many spans of each group lie over each column."""
    size = groups * (width + 1)
    base = group * (width + 1)
    change = np.bincount(base + left, minlength=size) - np.bincount(base + right, minlength=size)
    return np.cumsum(change.reshape(groups, width + 1)[:, :width], axis=1, dtype=np.int32)


def patterns(height: int, width: int, phase: int, inks: Inks) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return where the error hatch and the dots of the third verdict are inked.

    Args:
        height: of a row.
        width: of the picture.
        phase: column at which the patterns start, so that they move with the segments.
        inks: distance and thickness.

    Returns:
        Two (height, width) masks.
    """
    pitch, dot = max(3, round(inks.hatch * 0.6)), max(1, inks.stroke - 1)
    x, y = np.arange(phase, phase + width), np.arange(height)
    # One period of rows is worked out, the others are copies of it.
    hatched = (x[None, :] + np.arange(inks.hatch)[:, None]) % inks.hatch < inks.stroke
    dotted = ((x % pitch < dot)[None, :]) & (np.arange(pitch) < dot)[:, None]
    return hatched[y % inks.hatch], dotted[y % pitch]


def row_picture(
    counts: NDArray[np.int32], hatched: NDArray[np.bool_], dotted: NDArray[np.bool_], inks: Inks
) -> NDArray[np.uint32]:
    """Draw one sub-row.

    Where several verdicts share a column, each gets the part of its height that its share of the segments is.

    Args:
        counts: (3, width) segments of each verdict over each column.
        hatched: (height, width) see `patterns`.
        dotted: (height, width) see `patterns`.
        inks: what to draw with.

    Returns:
        (height, width) ARGB.
    """
    height = len(hatched)
    total = counts.sum(axis=0)
    used = np.maximum(total, 1)
    first = np.rint(counts[0] * height / used).astype(np.int16)
    second = np.rint((counts[0] + counts[1]) * height / used).astype(np.int16)
    y = np.arange(height, dtype=np.int16)[:, None]
    below_first, below_second = y >= first, y >= second
    pattern = (hatched & ~below_first) | (dotted & below_second)
    ink = ((below_first.view(np.uint8) + below_second.view(np.uint8)) << 1) | pattern.view(np.uint8)
    ink[:, total == 0] = 2 * VERDICT_COUNT
    return np.append(inks.fills.ravel(), np.uint32(0)).take(ink)


def segments_picture(
    spans: tuple[NDArray[np.int32], NDArray[np.int32]],
    verdicts: NDArray[np.uint8],
    rows: NDArray[np.uint8],
    selected: NDArray[np.bool_],
    places: list[tuple[int, int]],
    size: tuple[int, int],
    phase: int,
    inks: Inks,
) -> NDArray[np.uint32]:
    """Draw segments into their sub-rows.

    Args:
        spans: (n,) first column and (n,) column after the last.
        verdicts: (n,) codes.
        rows: (n,) sub-rows, `MAX_ROWS` left out.
        selected: (n,) which to mark.
        places: top and height of each sub-row.
        size: height and width of the picture.
        phase: see `patterns`.
        inks: what to draw with.

    Returns:
        (height, width) ARGB, transparent where nothing is.
    """
    height, width = size
    left, right = spans
    picture = np.zeros(size, np.uint32)
    drawn = rows < MAX_ROWS
    group = rows[drawn].astype(np.intp)
    counts = coverage(
        left[drawn], right[drawn], group * VERDICT_COUNT + verdicts[drawn], len(places) * VERDICT_COUNT, width
    ).reshape(len(places), VERDICT_COUNT, width)
    marked = drawn & selected
    marks = None
    if marked.any():
        marks = coverage(left[marked], right[marked], rows[marked].astype(np.intp), len(places), width)
    hatched, dotted = patterns(max(tall for _, tall in places), width, phase, inks)
    for row, (top, tall) in enumerate(places):
        if not counts[row].any():
            continue
        tall = min(tall, height - top)
        part = row_picture(counts[row], hatched[:tall], dotted[:tall], inks)
        if marks is not None:
            line = max(2, inks.stroke)
            part[:line, marks[row] > 0] = inks.selected
            part[-line:, marks[row] > 0] = inks.selected
        picture[top : top + tall] = part
    return picture


def waveform_picture(peaks: NDArray[np.float32], height: int, loud: int, soft: int) -> NDArray[np.uint32]:
    """Draw (columns, 2) lowest and highest samples as a band around the middle; (height, columns) ARGB.

    The outer part is drawn with `soft`, the inner 60 % with `loud`, so that bursts stand out of a dense band.
    """
    middle = (height - 1) / 2
    low, high = np.clip(peaks[:, 0], -1, 1), np.clip(peaks[:, 1], -1, 1)
    top, bottom = middle - high * middle, middle - low * middle
    y = np.arange(height)[:, None]
    outer = (y >= np.floor(top)) & (y <= np.ceil(bottom))
    inner = (y >= middle - high * middle * 0.6) & (y <= middle - low * middle * 0.6)
    return np.where(inner, np.uint32(loud), np.where(outer, np.uint32(soft), np.uint32(0)))


def runs(counts: NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Return (first column, column after the last, highest count) of each stretch of (width,) counts over zero."""
    present = np.concatenate(([False], counts > 0, [False]))
    edges = np.flatnonzero(present[1:] != present[:-1])
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(a, b, int(counts[a:b].max())) for a, b in pairs]
