"""One line over the timeline that says why this recording cannot be annotated yet."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import pixmap
from widgets.plain_label import PlainLabel


class GateLine(QWidget):
    """Hidden where the work is open.

    Signals:
        open_requested: the button was pressed.
    """

    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Why this recording is closed"))
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GRID, 2, theme.GRID, 2)
        row.setSpacing(theme.GRID)
        self._sign = PlainLabel()
        row.addWidget(self._sign)
        self._text = PlainLabel(wordWrap=True)
        row.addWidget(self._text, 1)
        self.button = QPushButton(tr("Training…"))
        self.button.setToolTip(tr("Show how far your training is"))
        self.button.clicked.connect(self.open_requested)
        row.addWidget(self.button)
        theme.notifier.changed.connect(self._tint)
        self._tint()
        self.hide()

    def text(self) -> str:
        """Return why, or "" where the work is open."""
        return self._text.text() if not self.isHidden() else ""

    def show_reason(self, text: str) -> None:
        """Say why; "" hides the line."""
        self._text.setText(text)
        self.setVisible(bool(text))

    def _tint(self) -> None:
        self._sign.setPixmap(pixmap("lock", 16, theme.palette().uncertain, self.devicePixelRatioF()))
