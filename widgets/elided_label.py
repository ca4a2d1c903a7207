"""A text that gives way: where there is no room it ends in an ellipsis, and all is in its tooltip, or it wraps."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


class ElidedLabel(PlainLabel):
    """Use `set_text` and `text`; what the label draws may be shorter."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._whole = ""

    def set_wrapped(self, wrapped: bool) -> None:
        """Break the text into lines, or keep to one line and elide it."""
        self.setWordWrap(wrapped)
        self.updateGeometry()
        self._fit()

    def set_text(self, text: str) -> None:
        """Show a text; line breaks become spaces."""
        self._whole = " ".join(text.split())
        self.setAccessibleName(self._whole)
        self.updateGeometry()
        self._fit()

    def text(self) -> str:
        """Return the whole text."""
        return self._whole

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height() if self.wordWrap() else super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self.wordWrap():
            self.setText(self._whole)
            self.setToolTip("")
            return
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip(plain_tip(self._whole) if shown != self._whole else "")
