"""The page of an inspector with something below it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget


def page_of(inspector: QWidget, below: QWidget) -> QWidget:
    """Return a page in which the inspector takes the room that what stands below it leaves."""
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(inspector, 1)
    column.addWidget(below)
    return page


def scrolling(page: QWidget) -> QWidget:
    """Return a page that a low window scrolls, where it would have to grow otherwise."""
    area = QScrollArea(widgetResizable=True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setMinimumWidth(page.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width())
    area.setWidget(page)
    page.setAutoFillBackground(False)
    return area
