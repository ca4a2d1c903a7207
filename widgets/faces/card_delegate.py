"""Paints a card: three pictures of a face, and what was said about it."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from project.timebase import format_seconds
from resources.translation import tr
from widgets import theme
from widgets.faces.card import CardState, FaceCard
from widgets.faces.cards_model import CARD, CROPS
from widgets.icons import paint_icon
from widgets.label_looks import Sign
from widgets.label_paint import SIGN, paint_sign

HEIGHT = 76
LEAST_WIDTH = 268
PICTURE = 56
_GAP = 3
_SHORT = {CardState.DRAWN: tr("by hand"), CardState.AREA: "masked", CardState.NOTHING: tr("no face")}
_SIGNS = {
    CardState.UNDECIDED: Sign.QUESTION,
    CardState.DOUBTFUL: Sign.RING,
    CardState.ASSIGNED: Sign.TICK,
    CardState.DRAWN: Sign.SQUARE,
    CardState.AREA: Sign.SQUARE,
    CardState.NOTHING: Sign.CROSS,
    CardState.DISMISSED: Sign.CROSS,
}


class CardDelegate(QStyledItemDelegate):
    """Draws without a widget a card, so that hundreds of them scroll as easily as ten."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._size = QSize(LEAST_WIDTH, HEIGHT)

    def set_width(self, width: int) -> None:
        """Make cards this wide."""
        self._size = QSize(width, HEIGHT)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return self._size

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        card, crops = index.data(CARD), index.data(CROPS)
        if not isinstance(card, FaceCard):
            return
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        area: QRect = option.rect
        colours = theme.palette()
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        plate = QRectF(area).adjusted(2, 2, -2, -2)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(colours.accent if selected else colours.border)
        painter.setBrush(colours.selection if selected else colours.hover if hovered else colours.field)
        painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        gone = card.state is CardState.DISMISSED
        painter.setOpacity(0.45 if gone else 1.0)
        left = plate.left() + 6
        for place in range(3):
            where = QRectF(left + place * (PICTURE + _GAP), plate.top() + 6, PICTURE, PICTURE)
            crop = crops[place] if place < len(crops) else None
            _paint_crop(painter, where, crop, done=bool(crops))
        painter.setOpacity(1.0)
        text = QRectF(left + 3 * (PICTURE + _GAP) + 6, plate.top() + 5, 0, PICTURE + 2)
        text.setRight(plate.right() - 6)
        _paint_words(painter, text, card, gone)
        painter.restore()


def _paint_crop(painter: QPainter, where: QRectF, crop: QImage | None, *, done: bool) -> None:
    colours = theme.palette()
    path = QPainterPath()
    path.addRoundedRect(where, 3, 3)
    painter.save()
    painter.setClipPath(path)
    painter.fillRect(where, colours.stage)
    if crop is None or crop.isNull():
        paint_icon(painter, "video-off" if done else "loader", where.adjusted(22, 22, -22, -22), colours.muted)
    else:
        painter.drawImage(where, crop)
    painter.restore()


def _paint_words(painter: QPainter, where: QRectF, card: FaceCard, gone: bool) -> None:
    colours = theme.palette()
    bold, small = theme.font(semibold=True), theme.font(theme.POINTS - 1.5)
    ink = colours.muted if gone else colours.text
    line = where.height() / 4
    rows = [QRectF(where.left(), where.top() + line * row, where.width(), line) for row in range(4)]
    _write(painter, rows[0], card.who or card.title, bold, ink)
    _write(painter, rows[1], card.title if card.who else format_seconds(card.length_us), small, colours.muted)
    score = "" if card.score is None else tr("score {score:.2f}").format(score=card.score)
    lasting = f"{format_seconds(card.length_us)}  " if card.who else ""
    _write(painter, rows[2], f"{lasting}{score}", small, colours.muted)
    paint_sign(painter, _SIGNS[card.state], rows[3].topLeft() + _middle(line), _ink(card))
    words = _state_words(card)
    _write(painter, rows[3].adjusted(SIGN + 5, 0, 0, 0), words, small, _ink(card))


def _middle(line: float) -> QPointF:
    return QPointF(0, (line - SIGN) / 2)


def _state_words(card: FaceCard) -> str:
    return (
        tr("{places} to look at").format(places=card.places)
        if card.places
        else _SHORT.get(card.state, tr(card.state.value))
    )


def _ink(card: FaceCard) -> QColor:
    colours = theme.palette()
    if card.places or card.to_decide:
        return colours.uncertain
    return colours.muted if card.state in (CardState.DISMISSED, CardState.NOTHING) else colours.competence


def _write(painter: QPainter, where: QRectF, text: str, font: QFont, ink: QColor) -> None:
    painter.setFont(font)
    painter.setPen(ink)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(where.width()))
    painter.drawText(where, Qt.AlignmentFlag.AlignVCenter, shown)
