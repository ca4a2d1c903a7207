"""Where several pictures go in one area: plain numbers, without Qt. Rectangles are x, y, width, height in pixels."""

from collections.abc import Sequence
from enum import StrEnum

Rect = tuple[float, float, float, float]

GAP = 2.0
MARGIN = 12.0
SMALLEST, LARGEST = 0.12, 0.5

_WORTH_STACKING = 1.25


class Layout(StrEnum):
    """How several pictures are shown."""

    SIDE = "side"
    INSET = "inset"
    SINGLE = "single"


class Corner(StrEnum):
    """Where insets stand, in the order in which a key goes through them."""

    BOTTOM_RIGHT = "bottom right"
    BOTTOM_LEFT = "bottom left"
    TOP_LEFT = "top left"
    TOP_RIGHT = "top right"


def side_by_side(width: float, height: float, aspects: Sequence[float]) -> list[Rect]:
    """Return a cell for each picture, in rows, such that all pictures together are about as large as can be.

    Where it makes little difference they stand in one row.

    Args:
        width: of the area.
        height: of the area.
        aspects: width over height of each picture.
    """
    count = len(aspects)
    best: list[Rect] = []
    most = 0.0
    for columns in range(count, 0, -1):
        rows = -(-count // columns)
        cell_width = max(1.0, (width - GAP * (columns - 1)) / columns)
        cell_height = max(1.0, (height - GAP * (rows - 1)) / rows)
        shown = sum(min(cell_width, cell_height * aspect) ** 2 / aspect for aspect in aspects)
        if shown <= most * _WORTH_STACKING:
            continue
        most, best = shown, []
        for place in range(count):
            row, column = divmod(place, columns)
            in_row = min(columns, count - row * columns)
            left = (columns - in_row) * (cell_width + GAP) / 2
            best.append((left + column * (cell_width + GAP), row * (cell_height + GAP), cell_width, cell_height))
    return best


def insets(width: float, height: float, aspects: Sequence[float], corner: Corner, share: float) -> list[Rect]:
    """Return the small pictures in a row that starts in a corner of the area.

    Args:
        width: of the area.
        height: of the area.
        aspects: width over height of each small picture.
        corner: where the row starts.
        share: height of the row over that of the area; less where the row would be wider than the area.
    """
    if not aspects:
        return []
    room = max(1.0, width - 2 * MARGIN - GAP * (len(aspects) - 1))
    tall = max(1.0, min(height * share, room / sum(aspects)))
    top = MARGIN if corner in (Corner.TOP_LEFT, Corner.TOP_RIGHT) else height - MARGIN - tall
    found: list[Rect] = []
    from_left = corner in (Corner.TOP_LEFT, Corner.BOTTOM_LEFT)
    edge = MARGIN if from_left else width - MARGIN
    for aspect in aspects:
        wide = tall * aspect
        found.append((edge if from_left else edge - wide, top, wide, tall))
        edge += (wide + GAP) if from_left else -(wide + GAP)
    return found


def nearest_corner(width: float, height: float, x: float, y: float) -> Corner:
    """Return the corner of the area that a point is nearest to."""
    if y < height / 2:
        return Corner.TOP_LEFT if x < width / 2 else Corner.TOP_RIGHT
    return Corner.BOTTOM_LEFT if x < width / 2 else Corner.BOTTOM_RIGHT
