"""The picture of the player, with face boxes and a subtitle line painted over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.form.controls import push_button
from widgets.player.picture_adjustment import STEP, Brightening, Magnification
from widgets.theme import paint_icon

_SHADOW = QColor(0, 0, 0, 150)
_CHIP = QColor(13, 13, 13, 205)
_CHIP_TEXT = QColor("#f2f2f2")
_DOUBTFUL_MARK = QColor("#9aa0a6")


class FaceState(StrEnum):
    """How sure a box is and what will happen to the face; each has a line style of its own."""

    DETECTED = "detected"
    INTERPOLATED = "interpolated"
    EXEMPT = "exempt"
    DISMISSED = "dismissed"
    AREA = "area"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class FaceBox:
    """One face to draw, in pixels of the picture.

    Attributes:
        label: a few words: a pseudonym or a number.
        selected: drawn with its whole outline.
        doubtful: the detector was never sure that it is a face: drawn dimmer, dashed, and named only when selected.
    """

    track_id: str
    label: str
    x: float
    y: float
    width: float
    height: float
    state: FaceState = FaceState.DETECTED
    selected: bool = False
    doubtful: bool = False

    def rect(self) -> QRectF:
        """Return the box."""
        return QRectF(self.x, self.y, self.width, self.height)


def paint_face(painter: QPainter, face: FaceBox, scale: float, picture: QRectF) -> None:
    """Draw corner marks and a label; `scale` is screen pixels a pixel of the picture."""
    box = QRectF(picture.x() + face.x * scale, picture.y() + face.y * scale, face.width * scale, face.height * scale)
    room = picture & QRectF(painter.window())
    path = QPainterPath()
    if face.selected or face.state in (FaceState.AREA, FaceState.NOTHING):
        path.addRoundedRect(box, 2, 2)
    else:
        _add_corners(path, box, max(4.0, min(16.0, box.width() / 4, box.height() / 4)))
    # The picture is dark or bright: a shadow under a light line shows on both.
    colour, style = _face_pen(face.state, face.doubtful)
    painter.save()
    painter.setClipRect(room)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_SHADOW, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPath(path)
    painter.setPen(QPen(colour, 2, style, Qt.PenCapStyle.FlatCap))
    painter.drawPath(path)
    if face.label and (face.selected or not face.doubtful):
        below = box.top() - 22 < room.top()
        paint_chip(painter, face.label, QPointF(box.left(), box.bottom() + 4 if below else box.top() - 22), dot=colour)
    painter.restore()


def paint_chip(
    painter: QPainter, text: str, corner: QPointF, *, from_right: bool = False, dot: QColor | None = None
) -> None:
    """Draw words on a small dark plate whose top left (or right) corner is given; it is moved where it would be cut."""
    font = theme.font(theme.POINTS - 1.5)
    metrics = QFontMetricsF(font)
    lead = 12.0 if dot else 0.0
    width = metrics.horizontalAdvance(text) + 12 + lead
    left = corner.x() - width if from_right else corner.x()
    room = painter.clipBoundingRect() if painter.hasClipping() else QRectF(painter.window())
    left = max(room.left(), min(left, room.right() - width))
    plate = QRectF(left, corner.y(), width, 18)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_CHIP)
    painter.drawRoundedRect(plate, 4, 4)
    if dot:
        painter.setBrush(dot)
        painter.drawEllipse(QPointF(plate.left() + 10, plate.center().y()), 3, 3)
    painter.setFont(font)
    painter.setPen(_CHIP_TEXT)
    painter.drawText(plate.adjusted(6 + lead, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, text)


def paint_subtitle(painter: QPainter, text: str, picture: QRectF, scale: float = 1.0) -> None:
    """Draw a line of speech centred at the foot of the picture, in letters of the usual size times `scale`."""
    font = theme.font(max(theme.POINTS, min(18.0, picture.height() / 36)) * scale)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
    room = picture.adjusted(picture.width() * 0.1, 0, -picture.width() * 0.1, -picture.height() * 0.05)
    needed = QFontMetricsF(font).boundingRect(room, flags | Qt.AlignmentFlag.AlignBottom, text)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_CHIP)
    painter.drawRoundedRect(needed.adjusted(-8, -4, 8, 4), 4, 4)
    painter.setFont(font)
    painter.setPen(_CHIP_TEXT)
    painter.drawText(room, flags | Qt.AlignmentFlag.AlignBottom, text)


def _face_pen(state: FaceState, doubtful: bool = False) -> tuple[QColor, Qt.PenStyle]:
    # Always the dark theme's colours: the picture stands on a dark stage in both.
    colours = theme.load("dark")
    if state == FaceState.INTERPOLATED and not doubtful:
        return colours.accent, Qt.PenStyle.DashLine
    if state == FaceState.EXEMPT:
        return colours.uncertain, Qt.PenStyle.DotLine
    if state == FaceState.AREA:
        return colours.uncertain, Qt.PenStyle.SolidLine
    if state in (FaceState.DISMISSED, FaceState.NOTHING):
        return colours.outline, Qt.PenStyle.DotLine
    if doubtful:
        return _DOUBTFUL_MARK, Qt.PenStyle.DashLine
    return colours.accent, Qt.PenStyle.SolidLine


def _add_corners(path: QPainterPath, box: QRectF, arm: float) -> None:
    for corner, inward in (
        (box.topLeft(), QPointF(1, 1)),
        (box.topRight(), QPointF(-1, 1)),
        (box.bottomRight(), QPointF(-1, -1)),
        (box.bottomLeft(), QPointF(1, -1)),
    ):
        path.moveTo(corner.x() + arm * inward.x(), corner.y())
        path.lineTo(corner)
        path.lineTo(corner.x(), corner.y() + arm * inward.y())


_WHEEL_NOTCH = 120
_NOTICE_WIDTH = 420
_ROOMY_HEIGHT = 190
"""From this height on a notice has its icon and its hint."""
_ACTION_BELOW = 56


class PlayerView(QWidget):
    """Shows one picture as large as fits, with its aspect kept, or a part of it magnified.

    The wheel magnifies at the mouse, dragging moves what is magnified, and a click of the middle button shows all of it
    again. The picture is painted as it is given: no copy is kept besides the caller's own `QImage` (implicitly shared).

    Signals:
        clicked: on the picture: play or pause. A double click sends it twice, which leaves playing as it was.
        double_clicked: full screen, or back.
        face_clicked (str): id of the face track under the mouse; only while faces can be picked.
        context_requested (QPoint): a context menu is wanted at this place on the screen.
        action_requested: the button of the notice was pressed.
        mouse_moved: over the picture.
    """

    ROLE = Role.Graphic

    clicked = Signal()
    double_clicked = Signal()
    face_clicked = Signal(str)
    context_requested = Signal(QPoint)
    action_requested = Signal()
    mouse_moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: QImage | None = None
        self._faces: tuple[FaceBox, ...] = ()
        self._overlays_visible = True
        self._faces_pickable = False
        self._subtitle = ""
        self._subtitle_scale = 1.0
        self._exact: bool | None = None
        self._subject = ""
        self._caption = ""
        self._framed = False
        self._magnification = Magnification()
        self._brightening = Brightening()
        self._brightened: tuple[object, QImage] | None = None
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._panned = False
        self._action: QPushButton | None = None
        self._notice = ("film", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.notifier.changed.connect(self.update)
        self._describe()

    def set_picture(self, picture: QImage | None) -> None:
        """Show a picture; None shows the notice instead."""
        had = self._picture is not None
        if self._action is not None:
            self._action.setVisible(picture is None or picture.isNull())
        self._picture = None if picture is None or picture.isNull() else picture
        if had != (self._picture is not None):
            self._describe()
        self.update()

    def picture(self) -> QImage | None:
        """Return what is shown."""
        return self._picture

    def set_overlays(self, faces: Sequence[FaceBox]) -> None:
        """Set the face boxes, in pixels of the picture."""
        if tuple(faces) != self._faces:
            self._faces = tuple(faces)
            self._describe()
            self.update()

    def set_overlays_visible(self, visible: bool) -> None:
        """Show or hide the face boxes."""
        self._overlays_visible = visible
        self._describe()
        self.update()

    def overlays_visible(self) -> bool:
        """Return whether face boxes are drawn."""
        return self._overlays_visible

    def set_faces_pickable(self, pickable: bool) -> None:
        """Let a click on a face send `face_clicked` instead of `clicked`."""
        self._faces_pickable = pickable

    def set_subtitle(self, text: str) -> None:
        """Show a line of speech at the foot of the picture; empty for none."""
        if text != self._subtitle:
            self._subtitle = text
            self.update()

    def set_subtitle_scale(self, scale: float) -> None:
        """Draw the letters of what is said larger or smaller than usual."""
        if scale != self._subtitle_scale:
            self._subtitle_scale = scale
            self.update()

    def subtitle(self) -> str:
        """Return the line of speech that is shown."""
        return self._subtitle

    def set_exact(self, exact: bool | None) -> None:
        """Say whether the picture is the very frame of the playhead's time.

        True when it is; False while that frame is being decoded; None while playing, when nobody asks.
        """
        if exact != self._exact:
            self._exact = exact
            self._describe()
            self.update()

    def set_subject(self, subject: str) -> None:
        """Say what is shown, for screen readers, such as a recording's name."""
        self._subject = subject
        self._describe()

    def set_caption(self, caption: str) -> None:
        """Name the picture in its corner; empty for none."""
        if caption != self._caption:
            self._caption = caption
            self.update()

    def set_framed(self, framed: bool) -> None:
        """Draw a line around, so that a small picture stands out from the large one under it."""
        if framed != self._framed:
            self._framed = framed
            self.update()

    def framed(self) -> bool:
        """Return whether it is a small picture over a large one."""
        return self._framed

    @property
    def magnification(self) -> Magnification:
        """Which part of the picture is shown."""
        return self._magnification

    def magnify(self, notches: float, at: QPointF | None = None) -> None:
        """Show the picture larger, or smaller with a negative number; a point of it stays, by default the middle."""
        where = QRectF(self.rect()).center() if at is None else at
        if self._picture is not None:
            room = QRectF(self.rect())
            self._set_magnification(self._magnification.zoom(STEP**notches, where, self._fitting_rect(), room))

    def pan(self, by: QPointF) -> None:
        """Move the magnified picture, in pixels of this widget."""
        if self._picture is not None:
            self._set_magnification(self._magnification.pan(by, self._fitting_rect(), QRectF(self.rect())))

    def reset_magnification(self) -> None:
        """Show the whole picture."""
        self._set_magnification(Magnification())

    def set_brightening(self, brightening: Brightening) -> None:
        """Show pictures with another brightness and contrast; they stay as they are."""
        self._brightening = brightening
        self._brightened = None
        self.update()

    def _set_magnification(self, magnification: Magnification) -> None:
        if magnification != self._magnification:
            self._magnification = magnification
            self._describe()
            self.update()

    def set_notice(self, icon: str, title: str, hint: str, action: str = "") -> None:
        """Set what is shown while there is no picture: why, what to do next, and a button that does it."""
        self._notice = (icon, title, hint)
        if self._action is not None:
            self._action.deleteLater()
            self._action = None
        if action:
            tip = tr("{action} what is missing").format(action=action.rstrip("…"))
            self._action = push_button(action, tip, self.action_requested, parent=self)
            self._action.setVisible(self._picture is None)
            self._place_action()
        self._describe()
        self.update()

    def picture_rect(self) -> QRectF:
        """Return where the whole picture is drawn, in this widget's own pixels; empty when there is none.

        Where it is magnified, it reaches beyond the widget.
        """
        if self._picture is None:
            return QRectF()
        return self._magnification.place(self._fitting_rect(), QRectF(self.rect()))

    def _fitting_rect(self) -> QRectF:
        assert self._picture is not None
        scale = min(self.width() / self._picture.width(), self.height() / self._picture.height())
        # A picture of one column stays visible.
        width, height = max(1.0, self._picture.width() * scale), max(1.0, self._picture.height() * scale)
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    def to_picture(self, point: QPointF) -> QPointF | None:
        """Return the pixel of the picture under a point of this widget, or None beside the picture."""
        rect = self.picture_rect()
        if self._picture is None or not rect.contains(point):
            return None
        scale = self._picture.width() / rect.width()
        return QPointF((point.x() - rect.x()) * scale, (point.y() - rect.y()) * scale)

    def face_at(self, point: QPointF) -> str | None:
        """Return the track whose box, the smallest one, lies under a point of this widget."""
        where = self.to_picture(point)
        if where is None or not self._overlays_visible:
            return None
        hits = [face for face in self._faces if face.rect().contains(where)]
        return min(hits, key=lambda face: face.width * face.height).track_id if hits else None

    def sizeHint(self) -> QSize:
        return QSize(800, 450)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 135)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.palette().stage)
        if self._picture is None:
            self._paint_notice(painter)
            if self._subtitle:
                paint_subtitle(painter, self._subtitle, QRectF(self.rect()), self._subtitle_scale)
            self._paint_caption(painter, QRectF(self.rect()))
            return
        rect = self.picture_rect()
        visible = rect & QRectF(self.rect())
        self._paint_picture(painter, rect, visible)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._overlays_visible:
            scale = rect.width() / self._picture.width()
            for face in self._faces:
                paint_face(painter, face, scale, rect)
        if self._subtitle:
            paint_subtitle(painter, self._subtitle, visible, self._subtitle_scale)
        facts = " · ".join(self._view_facts())
        if facts:
            corner = QPointF(visible.right() - theme.GRID, visible.top() + theme.GRID)
            paint_chip(painter, facts, corner, from_right=True)
        self._paint_caption(painter, visible)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_action()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._picture is None or not event.angleDelta().y():
            event.ignore()
            return
        self.magnify(event.angleDelta().y() / _WHEEL_NOTCH, event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = self._last = event.position()
            self._panned = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mouse_moved.emit()
        if self._pressed is None or self._magnification.factor <= 1:
            return
        far = (event.position() - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._panned or far:
            self._panned = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(event.position() - self._last)
            self._last = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        panned, self._pressed, self._panned = self._panned, None, False
        if panned:
            self.unsetCursor()
            return
        if event.button() == Qt.MouseButton.MiddleButton:
            self.reset_magnification()
        if event.button() != Qt.MouseButton.LeftButton or not self.rect().contains(event.position().toPoint()):
            return
        face = self.face_at(event.position()) if self._faces_pickable else None
        if face is not None:
            self.face_clicked.emit(face)
        elif self._picture is not None:
            self.clicked.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.context_requested.emit(event.globalPos())

    def _paint_picture(self, painter: QPainter, rect: QRectF, visible: QRectF) -> None:
        """Paint what lies in the widget; another brightness changes the pixels of the screen, not the picture."""
        assert self._picture is not None
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._brightening == Brightening():
            painter.drawImage(rect, self._picture, QRectF(self._picture.rect()))
            return
        area, scale = visible.toAlignedRect(), self.devicePixelRatioF()
        key = (self._picture.cacheKey(), rect.getRect(), area.getRect(), scale)
        if self._brightened is None or self._brightened[0] != key:
            drawn = QImage((area.size().toSizeF() * scale).toSize(), QImage.Format.Format_RGB32)
            drawn.setDevicePixelRatio(scale)
            # Beside the picture nothing may be brightened: what lies there is painted over.
            drawn.fill(Qt.GlobalColor.black)
            inner = QPainter(drawn)
            inner.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            inner.drawImage(rect.translated(-area.topLeft()), self._picture, QRectF(self._picture.rect()))
            inner.end()
            self._brightened = (key, self._brightening.apply(drawn))
        painter.save()
        painter.setClipRect(visible)
        painter.drawImage(area.topLeft(), self._brightened[1])
        painter.restore()

    def _view_facts(self) -> list[str]:
        """Return what the corner says about how the picture is shown."""
        facts = []
        # A small picture has no room for it; the large one's holds for both.
        if self._exact is not None and not self._framed:
            facts.append(tr("Exact frame") if self._exact else tr("Finding the exact frame…"))
        if self._magnification.factor > 1:
            facts.append(tr("{factor:.1f}x").format(factor=self._magnification.factor))
        if self._brightening != Brightening() and not self._framed:
            facts.append(tr("brightness changed"))
        return facts

    def _place_action(self) -> None:
        if self._action is not None:
            self._action.adjustSize()
            down = _ACTION_BELOW if self.height() >= _ROOMY_HEIGHT else _ACTION_BELOW // 4
            self._action.move((self.width() - self._action.width()) // 2, self.height() // 2 + down)

    def _paint_caption(self, painter: QPainter, rect: QRectF) -> None:
        """Draw what tells this picture from its neighbours."""
        if self._caption:
            paint_chip(painter, self._caption, rect.topLeft() + QPointF(theme.GRID, theme.GRID))
        if self._framed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.load("dark").outline)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _paint_notice(self, painter: QPainter) -> None:
        colours = theme.palette()
        icon, title, hint = self._notice
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        centre = QRectF(self.rect()).center()
        if self.height() < _ROOMY_HEIGHT:
            painter.setPen(colours.stage_text)
            painter.setFont(theme.font(semibold=True))
            painter.drawText(
                QRectF(theme.GRID, centre.y() - 20, self.width() - 2 * theme.GRID, 24),
                Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter,
                title,
            )
            return
        side = 40
        paint_icon(painter, icon, QRectF(centre.x() - side / 2, centre.y() - 64, side, side), colours.muted)
        width = min(_NOTICE_WIDTH, self.width() - 4 * theme.GRID)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.setPen(colours.stage_text)
        painter.setFont(theme.font(theme.POINTS + 2, semibold=True))
        painter.drawText(QRectF(centre.x() - width / 2, centre.y() - 8, width, 24), flags, title)
        painter.setFont(theme.font())
        painter.drawText(QRectF(centre.x() - width / 2, centre.y() + 20, width, 80), flags, hint)

    def _describe(self) -> None:
        subject = self._subject or tr("Picture")
        if self._picture is None:
            _, title, hint = self._notice
            self.setAccessibleName(f"{subject}: {title}. {hint}" if self._subject else f"{title}. {hint}")
            return
        facts = [subject]
        if self._exact:
            facts.append(tr("exact frame"))
        if self._magnification.factor > 1:
            facts.append(tr("magnified {factor:.1f} times").format(factor=self._magnification.factor))
        if self._faces and self._overlays_visible:
            facts.append(tr("faces: ") + ", ".join(face.label or face.track_id for face in self._faces))
        self.setAccessibleName("; ".join(facts))
