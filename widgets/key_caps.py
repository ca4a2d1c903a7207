"""Keys drawn as the caps on a keyboard."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from widgets import theme
from widgets.accessible import Role

HEIGHT = 18
_GAP = 4.0
_STROKE = 10.0


def paint_key(painter: QPainter, key: str, where: QRectF) -> None:
    """Draw one cap with its letter."""
    colours = theme.palette()
    painter.setPen(colours.border)
    painter.setBrush(colours.raised)
    painter.drawRoundedRect(where.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setPen(colours.muted)
    painter.setFont(theme.font(theme.POINTS - 1.5))
    painter.drawText(where, Qt.AlignmentFlag.AlignCenter, key)


def key_width(key: str) -> float:
    """Return how wide a cap must be for its letter, in logical pixels."""
    return max(float(HEIGHT), QFontMetricsF(theme.font(theme.POINTS - 1.5)).horizontalAdvance(key) + 10)


class KeyCaps(QWidget):
    """Keys such as `Ctrl+Z` or `J, K, L`: one cap a key, alternatives parted by a stroke."""

    ROLE = Role.StaticText

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._alternatives = [caps(alternative) for alternative in keys.split(", ")]
        self.setAccessibleName(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        caps = sum(key_width(key) + _GAP for alternative in self._alternatives for key in alternative)
        return QSize(round(caps - _GAP + _STROKE * (len(self._alternatives) - 1)), HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0.0
        for number, alternative in enumerate(self._alternatives):
            if number:
                painter.setPen(theme.palette().muted)
                painter.drawText(QRectF(left, 0, _STROKE - _GAP, HEIGHT), Qt.AlignmentFlag.AlignCenter, "/")
                left += _STROKE
            for key in alternative:
                paint_key(painter, key, QRectF(left, 0, key_width(key), HEIGHT))
                left += key_width(key) + _GAP


def caps(keys: str) -> list[str]:
    """Split `Ctrl+Z` into its keys; the plus key itself is written `+`, as in `Ctrl++`."""
    if keys.endswith("+"):
        return [*(key for key in keys[:-1].split("+") if key), "+"]
    return keys.split("+")
