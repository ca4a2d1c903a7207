"""One picture before and after a change, with a line between them that can be moved."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessible import Role

_STEP = 0.02
_FAR = 0.1
_GRIP = 11
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}


class BeforeAfter(QWidget):
    """What was is left of the line, what comes of it is right.

    The line follows the mouse while a button is held. With the keyboard: the arrows move it, with Shift further; Home
    and End show one picture alone, and Space changes between the two.

    Signals:
        position_changed (float): where the line is, 0 at the left edge of the picture, 1 at the right.
    """

    ROLE = Role.Slider

    position_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pictures: tuple[QImage, QImage] | None = None
        self._scaled: tuple[QImage, QImage] | None = None
        self._text = ""
        self._position = 0.5
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Before and after"))
        theme.notifier.changed.connect(self.update)
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(480, 270)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 90)

    def set_pictures(self, before: NDArray[np.uint8] | None, after: NDArray[np.uint8] | None) -> None:
        """Show two (height, width, 3) RGB pictures of one size; None shows none."""
        self._pictures = None if before is None or after is None else (_image(before), _image(after))
        self._scaled = None
        self._text = ""
        self._describe()
        self.update()

    def set_text(self, text: str) -> None:
        """Say something over the pictures, such as that new ones are being made; "" says nothing."""
        self._text = text
        self._describe()
        self.update()

    def text(self) -> str:
        """Return what is said over the pictures."""
        return self._text

    def position(self) -> float:
        """Return where the line is, 0 to 1."""
        return self._position

    def set_position(self, position: float) -> None:
        """Move the line."""
        position = min(1.0, max(0.0, position))
        if position != self._position:
            self._position = position
            self._describe()
            self.update()
            self.position_changed.emit(position)

    def picture_rect(self) -> QRectF:
        """Return where the pictures are drawn, in pixels of the widget."""
        if self._pictures is None:
            return QRectF(self.rect())
        size = self._pictures[0].size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        return QRectF(QRect((self.width() - size.width()) // 2, (self.height() - size.height()) // 2, 0, 0)).adjusted(
            0, 0, size.width(), size.height()
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._follow(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS:
            far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.set_position(self._position + _STEPS[key] * (_FAR if far else _STEP))
        elif key == Qt.Key.Key_Home:
            self.set_position(0.0)
        elif key == Qt.Key.Key_End:
            self.set_position(1.0)
        elif key == Qt.Key.Key_Space:
            self.set_position(1.0 if self._position < 0.5 else 0.0)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), colours.stage)
        if self._pictures is not None:
            self._paint_pictures(painter)
        if self._text:
            self._paint_text(painter)
        if self.hasFocus():
            painter.setPen(QPen(colours.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_pictures(self, painter: QPainter) -> None:
        place = self.picture_rect()
        before, after = self._fitted(place)
        x = place.left() + self._position * place.width()
        painter.drawImage(place.topLeft(), after)
        painter.save()
        painter.setClipRect(QRectF(place.left(), place.top(), x - place.left(), place.height()))
        painter.drawImage(place.topLeft(), before)
        painter.restore()
        self._paint_name(painter, tr("Before"), QRectF(place.topLeft(), QPointF(x, place.bottom())), left=True)
        self._paint_name(painter, tr("After"), QRectF(QPointF(x, place.top()), place.bottomRight()), left=False)
        colours = theme.palette()
        painter.setPen(QPen(colours.accent, 2))
        painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()))
        middle = QPointF(x, place.center().y())
        painter.setBrush(colours.accent)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(middle, _GRIP, _GRIP)
        painter.setBrush(colours.on_accent)
        for side in (-1, 1):
            tip, foot = side * 7, side * 3
            painter.drawPolygon(
                QPolygonF([middle + QPointF(tip, 0), middle + QPointF(foot, -4), middle + QPointF(foot, 4)])
            )

    def _paint_name(self, painter: QPainter, name: str, side: QRectF, *, left: bool) -> None:
        room = QRectF(painter.fontMetrics().boundingRect(name)).size()
        width, height = room.width() + 2 * theme.GRID, room.height() + theme.GRID / 2
        if side.width() < width + theme.GRID:
            return
        x = side.left() + theme.GRID if left else side.right() - theme.GRID - width
        plate = QRectF(x, side.top() + theme.GRID, width, height)
        self._plate(painter, plate)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, name)

    def _paint_text(self, painter: QPainter) -> None:
        flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        room = self.rect().adjusted(3 * theme.GRID, theme.GRID, -3 * theme.GRID, -theme.GRID)
        needed = QRectF(painter.boundingRect(room, flags, self._text))
        if self._pictures is not None:
            self._plate(painter, needed.adjusted(-theme.GRID, -theme.GRID / 2, theme.GRID, theme.GRID / 2))
        painter.setPen(theme.palette().stage_text)
        painter.drawText(room, flags, self._text)

    def _plate(self, painter: QPainter, place: QRectF) -> None:
        colour = QColor(theme.palette().stage)
        colour.setAlpha(190)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(theme.palette().stage_text)

    def _fitted(self, place: QRectF) -> tuple[QImage, QImage]:
        """Return the pictures at the resolution of the screen; scaled once for each size."""
        assert self._pictures is not None
        ratio = self.devicePixelRatioF()
        size = (place.size() * ratio).toSize()
        if self._scaled is None or self._scaled[0].size() != size:
            mode = Qt.TransformationMode.SmoothTransformation
            fitted = [one.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, mode) for one in self._pictures]
            self._scaled = (fitted[0], fitted[1])
        for one in self._scaled:
            one.setDevicePixelRatio(ratio)
        return self._scaled

    def _follow(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._pictures is not None:
            place = self.picture_rect()
            self.set_position((event.position().x() - place.left()) / max(1.0, place.width()))

    def _describe(self) -> None:
        where = tr("The line is at {number} %.").format(number=round(100 * self._position))
        said = self._text or (where if self._pictures else tr("No picture yet."))
        self.setAccessibleDescription(
            tr("{said} The arrow keys move it, Space changes between before and after.").format(said=said)
        )


def _image(picture: NDArray[np.uint8]) -> QImage:
    height, width = picture.shape[:2]
    rows = np.ascontiguousarray(picture)
    return QImage(rows.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
