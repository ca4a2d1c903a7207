"""One line over the timeline while segments are coded as the recording plays: what the keys do, what is open."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessible import Role
from widgets.elided_label import ElidedLabel


class CodingLine(QWidget):
    """Hidden while coding is off.

    Signals:
        end_requested: the button was pressed.
    """

    end_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Coding mode"))
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GRID, 2, theme.GRID, 2)
        row.setSpacing(theme.GRID)
        self._dot = _Dot()
        row.addWidget(self._dot)
        self._text = ElidedLabel()
        row.addWidget(self._text, 1)
        self.button = QPushButton(tr("End coding"))
        self.button.setToolTip(tr("Label keys make segments from marks again"))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self.end_requested)
        row.addWidget(self.button)
        self.hide()

    def text(self) -> str:
        """Return what it says, or "" while coding is off."""
        return "" if self.isHidden() else self._text.text()

    def show_state(self, text: str, running: bool) -> None:
        """Say what goes on; `running` fills the dot, because a segment is open. No text hides the line."""
        self._text.set_text(text)
        self._dot.running = running
        self._dot.update()
        self.setVisible(bool(text))


class _Dot(QWidget):
    """Filled while a segment is open, a ring otherwise."""

    ROLE = Role.Indicator

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.setAccessibleName(tr("A segment is open while this is filled"))
        self.setFixedSize(QSize(16, 16))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.palette().error if self.running else theme.palette().muted
        painter.setPen(ink)
        painter.setBrush(ink if self.running else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QRectF(3, 3, 10, 10))
