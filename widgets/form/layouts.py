"""Fits windows to the screen and to their texts, and lays widgets out in rows, columns and wrapping rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from widgets import theme
from widgets.text_labels import PlainLabel, describe


@dataclass(frozen=True, slots=True)
class Gap:
    """So many pixels of space between two parts."""

    pixels: int


Box = TypeVar("Box", bound=QBoxLayout)
LayoutPart = QWidget | QLayout | Gap | tuple[QWidget, Qt.AlignmentFlag] | int | None
Margin = int | tuple[int, int, int, int]
"""Pixels on each side, or at the left, the top, the right and the bottom."""
WIDE_MARGIN = theme.GRID * 3 // 2
"""Pixels around the content of a page or window."""

_FRAME_SIZE = QSize(16, 48)
"""What the desktop may put around a window."""


def bounded_to_screen(wanted: QSize, window: QWidget) -> QSize:
    """Return the size that a window gets of the one that it would like, on the screen that it is on."""
    return wanted.boundedTo(window.screen().availableSize() - _FRAME_SIZE)


def fit_width(dialog: QDialog, layout: QLayout, width: int) -> None:
    """Give a dialog, whose layout is filled, a width and the height of its wrapped texts at it.

    Left alone, Qt takes the height from a narrower dialog, whose texts have more lines.
    """
    dialog.setMinimumWidth(width)
    dialog.resize(width, layout.totalHeightForWidth(width))


def make_row(*parts: LayoutPart, margin: Margin = 0, spacing: int = theme.GRID) -> QHBoxLayout:
    """Lay parts out from left to right, with a margin around them and a space between them.

    A number is the stretch of the part before it, None is space that grows, and a widget may stand with its alignment.
    """
    return _fill(QHBoxLayout(), parts, margin, spacing)


def make_column(*parts: LayoutPart, margin: Margin = 0, spacing: int = theme.GRID) -> QVBoxLayout:
    """Lay parts out below one another, given as to `make_row`."""
    return _fill(QVBoxLayout(), parts, margin, spacing)


def make_form(*rows: tuple[str, QWidget | QLayout], margin: Margin = 0, spacing: int = theme.GRID) -> QFormLayout:
    """Lay fields out below one another, each beside its name; see `add_form_row`."""
    form = QFormLayout()
    form.setContentsMargins(*_sides(margin))
    form.setSpacing(spacing)
    for name, field in rows:
        add_form_row(form, name, field)
    return form


def add_form_row(form: QFormLayout, name: str, field: QWidget | QLayout) -> None:
    """Add a field under its name, or under none; `&` in the name gives a key to it, or to the first of several."""
    label = PlainLabel(name)
    if isinstance(field, QWidget):
        label.setBuddy(field)
        form.addRow(label, field)
    else:
        item = field.itemAt(0)
        first = None if item is None else item.widget()
        if first is not None:
            label.setBuddy(first)
        form.addRow(label, field)


def make_splitter(orientation: Qt.Orientation, *parts: QWidget | int, sizes: Sequence[int] = ()) -> QSplitter:
    """Put parts beside or below each other, none of which can be dragged away; numbers are as to `make_row`."""
    splitter = QSplitter(orientation, childrenCollapsible=False)
    for part in parts:
        if isinstance(part, QWidget):
            splitter.addWidget(part)
        else:
            splitter.setStretchFactor(splitter.count() - 1, part)
    if sizes:
        splitter.setSizes([*sizes])
    return splitter


def make_panel(layout: QLayout) -> QWidget:
    """Return a widget with a layout."""
    panel = QWidget()
    panel.setLayout(layout)
    return panel


def make_scroll_area(inside: QWidget, *, frame: bool = False, sideways: bool = False) -> QScrollArea:
    """Return an area that scrolls a widget, which is as wide as the area unless it scrolls `sideways` too."""
    area = QScrollArea(widgetResizable=True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if not frame:
        area.setFrameShape(QScrollArea.Shape.NoFrame)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area


def wrap_in_scroll_area(page: QWidget) -> QScrollArea:
    """Return a page that a low window scrolls, where it would have to grow otherwise."""
    area = make_scroll_area(page, frame=True)
    area.setMinimumWidth(page.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width())
    page.setAutoFillBackground(False)
    return area


def bring_up(stack: QStackedWidget, place: int) -> None:
    """Show a page of a stack; only the one that is shown counts for how small the stack can be."""
    for number in range(stack.count()):
        policy = QSizePolicy.Policy.Preferred if number == place else QSizePolicy.Policy.Ignored
        if (page := stack.widget(number)) is not None:
            page.setSizePolicy(policy, policy)
    stack.setCurrentIndex(place)


def make_stack(*pages: QWidget) -> QStackedWidget:
    """Put pages in one place, of which the first is shown."""
    stack = QStackedWidget()
    for page in pages:
        stack.addWidget(page)
    return stack


def make_tab_page(*parts: LayoutPart) -> QWidget:
    """Return the page of a tab with parts below one another, given as to `make_row`."""
    return make_panel(make_column(*parts, margin=(0, theme.GRID, 0, 0)))


def _sides(margin: Margin) -> tuple[int, int, int, int]:
    return (margin,) * 4 if isinstance(margin, int) else margin


def _fill(box: Box, parts: tuple[LayoutPart, ...], margin: Margin, spacing: int) -> Box:
    box.setContentsMargins(*_sides(margin))
    box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, QWidget):
            box.addWidget(part)
        elif isinstance(part, QLayout):
            box.addLayout(part)
        elif isinstance(part, Gap):
            box.addSpacing(part.pixels)
        elif isinstance(part, tuple):
            box.addWidget(part[0], 0, part[1])
        elif part is None:
            box.addStretch(1)
        else:
            box.setStretch(box.count() - 1, part)
    return box


def label_control(name: str, control: QWidget, tip: str = "") -> QWidget:
    """Return a control with its name before it, for a row that breaks; without a tip, the control keeps its own."""
    label = PlainLabel(name)
    label.setBuddy(control)
    if tip:
        describe(control, name, tip)
    return make_panel(make_row(label, control, margin=(0, 0, theme.GRID, 0), spacing=theme.GRID // 2))


class FlowLayout(QLayout):
    """From left to right, then the next row; hidden widgets take no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}
        self._least: QSize | None = None

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        self._heights.clear()
        self._least = None
        super().invalidate()

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._arrange(area, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        if self._least is None:
            least = QSize()
            for item in self._items:
                least = least.expandedTo(item.minimumSize())
            self._least = least
        return QSize(self._least)

    def _arrange(self, area: QRect, *, move: bool) -> int:
        x, y, tallest, gap = area.x(), area.y(), 0, theme.GRID // 2
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if x > area.x() and x + size.width() > area.right() + 1:
                x, y, tallest = area.x(), y + tallest + gap, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x, tallest = x + size.width() + gap, max(tallest, size.height())
        return y + tallest - area.y()
