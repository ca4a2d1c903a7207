"""A button whose text gives way: it loses its middle where there is no room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from widgets import theme

_LEAST = theme.GRID * 16


class ElidedButton(QPushButton):
    """Takes as much room as its text wants, or less; the begin and the end of a path say most.

    Args:
        text: whole and as it is: an ampersand is no mark of a key.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = text
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._fit(self._wanted())

    def sizeHint(self) -> QSize:
        shown = self.fontMetrics().horizontalAdvance(self.text().replace("&&", "&"))
        return super().sizeHint() + QSize(self._wanted() - shown, 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().boundedTo(QSize(_LEAST, super().sizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.width() - self.sizeHint().width() + self._wanted())

    def _wanted(self) -> int:
        # A text that has exactly its own width is cut by rounding.
        return self.fontMetrics().horizontalAdvance(self._whole) + 2

    def _fit(self, room: int) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, room)
        self.setText(shown.replace("&", "&&"))
