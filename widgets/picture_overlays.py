"""What is drawn over the picture: face boxes, chips of text, subtitles. Readable on any picture."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from widgets import theme

_SHADOW = QColor(0, 0, 0, 150)
_CHIP = QColor(13, 13, 13, 205)
_ON_CHIP = QColor("#f2f2f2")
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
        doubtful: the detector was never sure that it is a face: drawn dimmer and dashed.
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
    path = QPainterPath()
    if face.selected or face.state in (FaceState.AREA, FaceState.NOTHING):
        path.addRoundedRect(box, 2, 2)
    else:
        _add_corners(path, box, max(4.0, min(16.0, box.width() / 4, box.height() / 4)))
    # The picture is dark or bright: a shadow under a light line shows on both.
    colour, style = _pen_of(face.state, face.doubtful)
    painter.save()
    painter.setClipRect(picture)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_SHADOW, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPath(path)
    painter.setPen(QPen(colour, 2, style, Qt.PenCapStyle.FlatCap))
    painter.drawPath(path)
    if face.label:
        below = box.top() - 22 < picture.top()
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
    painter.setPen(_ON_CHIP)
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
    painter.setPen(_ON_CHIP)
    painter.drawText(room, flags | Qt.AlignmentFlag.AlignBottom, text)


def _pen_of(state: FaceState, doubtful: bool = False) -> tuple[QColor, Qt.PenStyle]:
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
