"""Rows of a list as high as their texts, which are broken into lines."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

_PADDING = 4
"""What the style sheet leaves free on both sides of a row together, in pixels."""


class WrappingDelegate(QStyledItemDelegate):
    """Qt measures a text as if padding and spacing were room for it, and so leaves out its last line."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        room = QStyleOptionViewItem(option)
        room.rect.setWidth(self._view.viewport().width() - 2 * self._view.spacing() - _PADDING)
        return super().sizeHint(room, index)
