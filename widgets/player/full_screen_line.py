"""A line over the picture in full screen that fades when nothing happens."""

from PySide6.QtCore import QEasingCurve, QRectF, Qt, QTimer, QVariantAnimation
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role

_STAYS_MS = 4_000
_FADES_MS = 600
_HEIGHT = 32
_PLATE = QColor(13, 13, 13, 205)
_INK = QColor("#f2f2f2")


class FullScreenLine(QWidget):
    """Stands at the top of its parent; the mouse goes through it."""

    ROLE = Role.Indicator

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(tr("Time, track and label keys"))
        self._over = parent
        self._text = ""
        self._opacity = 1.0
        self._stay = QTimer(self, singleShot=True, interval=_STAYS_MS)
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=_FADES_MS)
        self._fade.setEasingCurve(QEasingCurve.Type.InQuad)
        self._stay.timeout.connect(self._fade.start)
        self._fade.valueChanged.connect(self._set_opacity)
        self._fade.finished.connect(self.hide)
        self.hide()

    def text(self) -> str:
        """Return what it says, or "" where it is not to be seen."""
        return "" if self.isHidden() else self._text

    def set_text(self, text: str) -> None:
        """Say something else, without staying longer for it."""
        if text != self._text:
            self._text = text
            self.setAccessibleDescription(text)
            self.update()

    def wake(self) -> None:
        """Be seen again for some seconds."""
        self._fade.stop()
        self._opacity = 1.0
        self.setGeometry(0, theme.GRID * 2, self._over.width(), _HEIGHT)
        self.show()
        self.raise_()
        self._stay.start()
        self.update()

    def end(self) -> None:
        """Be seen no longer."""
        self._fade.stop()
        self._stay.stop()
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._opacity)
        font = theme.font(theme.POINTS + 1)
        metrics = QFontMetricsF(font)
        room = self.width() - theme.GRID * 8
        text = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, room)
        width = metrics.horizontalAdvance(text) + theme.GRID * 3
        plate = QRectF((self.width() - width) / 2, 0, width, _HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_PLATE)
        painter.drawRoundedRect(plate, 6, 6)
        painter.setFont(font)
        painter.setPen(_INK)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)

    def _set_opacity(self, opacity: float) -> None:
        self._opacity = opacity
        self.update()
