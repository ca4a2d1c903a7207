"""The page of an inspector with something below it."""

from PySide6.QtWidgets import QVBoxLayout, QWidget


def page_of(inspector: QWidget, below: QWidget) -> QWidget:
    """Return a page in which the inspector takes the room that what stands below it leaves."""
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(inspector, 1)
    column.addWidget(below)
    return page
