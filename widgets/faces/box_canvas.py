"""Lies over the picture in the mode Faces: boxes are drawn on it, and the selected one is moved and resized."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessible import Role
from widgets.faces.box_drag import HANDLE, LEAST, Grip, dragged, grip_at, handles
from widgets.picture_overlays import paint_chip
from widgets.player_view import PlayerView

Box = tuple[int, int, int, int]
_CURSORS = {
    Grip.TOP_LEFT: Qt.CursorShape.SizeFDiagCursor,
    Grip.BOTTOM_RIGHT: Qt.CursorShape.SizeFDiagCursor,
    Grip.TOP_RIGHT: Qt.CursorShape.SizeBDiagCursor,
    Grip.BOTTOM_LEFT: Qt.CursorShape.SizeBDiagCursor,
    Grip.TOP: Qt.CursorShape.SizeVerCursor,
    Grip.BOTTOM: Qt.CursorShape.SizeVerCursor,
    Grip.LEFT: Qt.CursorShape.SizeHorCursor,
    Grip.RIGHT: Qt.CursorShape.SizeHorCursor,
    Grip.INSIDE: Qt.CursorShape.SizeAllCursor,
}
_SHADOW = QColor(0, 0, 0, 150)


class BoxCanvas(QWidget):
    """Transparent; a click that is no drag goes through to the picture. Boxes are in pixels of the recording's picture.

    Signals:
        grabbed: a drag begins: what plays should stand still.
        draw_requested (tuple, bool): x, y, width, height of a new box; whether Shift was held.
        box_requested (tuple): where the selected box should be in the frame that is shown.
    """

    ROLE = Role.Graphic

    grabbed = Signal()
    draw_requested = Signal(object, bool)
    box_requested = Signal(object)

    def __init__(self, view: PlayerView) -> None:
        super().__init__(view)
        self._view = view
        self._size = (0, 0)
        self._box: QRectF | None = None
        self._ghosts: tuple[QRectF, ...] = ()
        self._suspect: QRectF | None = None
        self._suspected = ""
        self._keyed = False
        self._words = ""
        self._editable = True
        self._pressed: QPointF | None = None
        self._grip: Grip | None = None
        self._now: QRectF | None = None
        self._area = False
        self.setAccessibleName(tr("Boxes that are drawn by hand"))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.installEventFilter(self)
        self.hide()

    def set_frame_size(self, width: int, height: int) -> None:
        """Say how large the recording's picture is, in pixels."""
        self._size = (width, height)
        self.update()

    def set_editable(self, editable: bool) -> None:
        """Let boxes be drawn and moved, or not."""
        self._editable = editable
        self.update()

    def show_box(self, box: Box | None, ghosts: Sequence[Box] = (), *, keyed: bool = False, words: str = "") -> None:
        """Show the selected box with its handles.

        Args:
            box: where it is in the frame that is shown; None where none is selected or it is not there.
            ghosts: where it is at the keyframes around.
            keyed: whether it has a keyframe in this frame.
            words: a few about it.
        """
        self._box = None if box is None else QRectF(*box)
        self._ghosts = tuple(QRectF(*one) for one in ghosts)
        self._keyed, self._words = keyed, words
        if self._grip is not None and self._box is None:
            self._grip = self._now = self._pressed = None
        self.update()

    def show_suspect(self, box: Box | None, words: str = "") -> None:
        """Show where a face may be bare; None for nowhere."""
        self._suspect = None if box is None else QRectF(*box)
        self._suspected = words
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._view and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._view.rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(self._view.picture_rect())
        colours = theme.load("dark")
        if self._suspect is not None:
            self._paint_suspect(painter, self._to_screen(self._suspect))
        shown = self._now if self._now is not None else self._box
        if shown is not None and (self._box is not None or self._grip is None):
            self._paint_ghosts(painter, shown)
        if shown is None:
            return
        where = self._to_screen(shown)
        drawing = self._now is not None and self._grip is None
        ink = colours.uncertain if drawing and self._area else colours.accent
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(_SHADOW, 4), QPen(ink, 2)):
            painter.setPen(pen)
            painter.drawRect(where)
        if drawing:
            paint_chip(
                painter, tr("Area, always masked") if self._area else tr("Face (Shift: area)"), where.bottomLeft()
            )
        elif self._editable:
            painter.setPen(QPen(_SHADOW, 1))
            painter.setBrush(ink if self._keyed else QColor("#f2f2f2"))
            for place in handles(where).values():
                painter.drawRect(QRectF(place.x() - HANDLE / 2, place.y() - HANDLE / 2, HANDLE, HANDLE))
        if self._words and not drawing:
            paint_chip(painter, self._words, where.bottomLeft() + QPointF(0, HANDLE))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()
        if event.button() != Qt.MouseButton.LeftButton or not self._may_draw(event.position()):
            return
        self._pressed = event.position()
        self._area = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._grip = None if self._box is None else grip_at(self._to_screen(self._box), event.position())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._hover(event.position())
            event.ignore()
            return
        far = (event.position() - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._now is None and not far:
            return
        if self._now is None:
            self.grabbed.emit()
        self._area = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        start, end = self._to_picture(self._pressed), self._to_picture(event.position())
        if self._grip is not None and self._box is not None:
            self._now = dragged(self._box, self._grip, end - start, LEAST)
        else:
            picture = QRectF(0, 0, *self._size)
            self._now = QRectF(start, end).normalized().intersected(picture)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        now, grip = self._now, self._grip
        self._pressed = self._now = self._grip = None
        self.update()
        if now is None or event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        box = (round(now.x()), round(now.y()), max(1, round(now.width())), max(1, round(now.height())))
        if grip is not None:
            self.box_requested.emit(box)
        elif min(now.width(), now.height()) >= LEAST:
            self.draw_requested.emit(box, self._area)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def _may_draw(self, point: QPointF) -> bool:
        # A small picture is moved by dragging it.
        there = min(self._size) > 0 and self._view.picture_rect().contains(point)
        return self._editable and there and not self._view.framed()

    def _hover(self, point: QPointF) -> None:
        grip = None
        if self._editable and self._box is not None:
            grip = grip_at(self._to_screen(self._box), point)
        if grip is not None:
            self.setCursor(_CURSORS[grip])
        elif self._may_draw(point):
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.unsetCursor()

    def _paint_ghosts(self, painter: QPainter, shown: QRectF) -> None:
        colours = theme.load("dark")
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ghost in self._ghosts:
            where = self._to_screen(ghost)
            for pen in (QPen(_SHADOW, 3), QPen(colours.accent, 1, Qt.PenStyle.DashLine)):
                painter.setPen(pen)
                painter.drawRect(where)
            painter.setPen(QPen(colours.accent, 1, Qt.PenStyle.DotLine))
            painter.drawLine(where.center(), self._to_screen(shown).center())

    def _paint_suspect(self, painter: QPainter, where: QRectF) -> None:
        ink = theme.load("dark").error
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(_SHADOW, 4), QPen(ink, 2, Qt.PenStyle.DashLine)):
            painter.setPen(pen)
            painter.drawEllipse(where)
        paint_chip(painter, self._suspected, where.bottomLeft() + QPointF(0, 4), dot=ink)

    def _scale(self) -> float:
        rect = self._view.picture_rect()
        return rect.width() / self._size[0] if self._size[0] and rect.width() else 1.0

    def _to_screen(self, box: QRectF) -> QRectF:
        rect, scale = self._view.picture_rect(), self._scale()
        return QRectF(rect.x() + box.x() * scale, rect.y() + box.y() * scale, box.width() * scale, box.height() * scale)

    def _to_picture(self, point: QPointF) -> QPointF:
        return (point - self._view.picture_rect().topLeft()) / self._scale()
