"""What all plots have around them: a title, a note, a legend and axes."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF

from widgets.label_looks import LabelLook
from widgets.plots.canvas import MIDDLE, RIGHT, SMALL, TITLE, Canvas, Spot, text_width
from widgets.plots.ticks import Ticks

MARGIN = 16
HEAD = 48
"""Height of the title and the note."""
ROW = 20
AXIS = 44
"""Height of an axis with its texts and its title."""
_BUTTONS = 68
"""What the buttons of a plot on the screen take of its first line; kept free in files, too, so that both look alike."""
Entry = tuple[str, LabelLook | None]


def draw_head(canvas: Canvas, title: str, note: str, width: float) -> None:
    """Write the title and the note."""
    inner = width - 2 * MARGIN
    head = QRectF(MARGIN, MARGIN - 4, inner - _BUTTONS, 22)
    canvas.text(head, title, pixels=TITLE, semibold=True)
    if text_width(title, TITLE, semibold=True) > head.width():
        canvas.spots.append(Spot(head, title))
    canvas.text(QRectF(MARGIN, MARGIN + 18, inner, 18), note, colour=canvas.colours.muted)


def legend_rows(entries: Sequence[Entry], width: float) -> list[list[Entry]]:
    """Return which entries stand in which row; nothing for a single one."""
    rows: list[list[Entry]] = []
    x = width
    for entry in entries if len(entries) > 1 else ():
        need = 44 + text_width(entry[0])
        if x + need > width - MARGIN:
            rows.append([])
            x = MARGIN
        rows[-1].append(entry)
        x += need + 12
    return rows


def draw_legend(canvas: Canvas, entries: Sequence[Entry], width: float, top: float) -> float:
    """Draw a swatch, a sign and a name for each; returns where it ends."""
    for row in legend_rows(entries, width):
        x = float(MARGIN)
        for name, look in row:
            canvas.box(QRectF(x, top + 4, 22, 12), look)
            canvas.sign(look, x + 31, top + 10)
            canvas.text(QRectF(x + 42, top, text_width(name) + 4, ROW), name)
            x += 56 + text_width(name)
        top += ROW
    return top


def draw_across(canvas: Canvas, ticks: Ticks, area: QRectF, title: str) -> None:
    """Draw an axis under an area, with a line up at each tick."""
    for value, text in zip(ticks.values, ticks.texts, strict=True):
        x = ticks.place(value, area.left(), area.right())
        strong = value == 0
        canvas.line(x, area.top(), x, area.bottom() + 4, canvas.colours.outline if strong else canvas.colours.border)
        canvas.text(QRectF(x - 40, area.bottom() + 5, 80, 16), text, MIDDLE, SMALL, canvas.colours.muted)
    wide = QRectF(MARGIN, area.bottom() + 22, area.right() - MARGIN, 18)
    need = text_width(title)
    left = max(wide.left(), area.center().x() - need / 2)
    canvas.text(QRectF(left, wide.top(), wide.right() - left, 18), title)


def draw_up(canvas: Canvas, ticks: Ticks, area: QRectF) -> None:
    """Draw an axis at the left of an area, with a line across at each tick."""
    for value, text in zip(ticks.values, ticks.texts, strict=True):
        y = ticks.place(value, area.bottom(), area.top())
        strong = value == 0
        canvas.line(area.left(), y, area.right(), y, canvas.colours.outline if strong else canvas.colours.border)
        canvas.text(QRectF(area.left() - 66, y - 8, 60, 16), text, RIGHT, SMALL, canvas.colours.muted)
