"""The grid of face cards: their model with filter and order, their texts, and how a card is painted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPainterPath, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from project.timebase import format_seconds, format_time
from resources.translation import later, tr
from widgets import theme
from widgets.labels import SIGN_PX, Sign, paint_sign
from widgets.text_labels import plain_tip
from widgets.theme import paint_icon


class CardState(StrEnum):
    """What was said about a face so far."""

    UNDECIDED = later("to decide")
    DOUBTFUL = later("doubtful")
    ASSIGNED = later("assigned")
    DRAWN = later("drawn by hand")
    AREA = later("always masked")
    NOTHING = later("no face in it")
    DISMISSED = later("not a face")


UNDECIDED_STATES = frozenset({CardState.UNDECIDED, CardState.DOUBTFUL})


@dataclass(frozen=True, slots=True)
class FaceCard:
    """One card.

    Attributes:
        key: id of the track or region.
        title: such as `Face 3`.
        person_name: pseudonym of the participant; "" for nobody.
        participant_id: of the participant.
        start_us: when it begins.
        length_us: for how long it lasts.
        score: the best confidence of the detector, 0 to 1; None where a person drew it.
        place_count: how many uncertain or uncovered places are about it.
        rank: where the first of those is in the queue; large for none.
        is_drawn: a person drew it.
    """

    key: str
    title: str
    state: CardState
    start_us: int
    length_us: int
    score: float | None = None
    person_name: str = ""
    participant_id: str | None = None
    place_count: int = 0
    rank: int = 1 << 30
    is_drawn: bool = False

    @property
    def is_undecided(self) -> bool:
        """Whether nobody said anything about it yet."""
        return self.state in UNDECIDED_STATES


Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
CARD_ROLE = Qt.ItemDataRole.UserRole
CROPS_ROLE = Qt.ItemDataRole.UserRole + 1
_MAX_CROPS = 600
"""Cards whose pictures are kept, three of 15 kB each; those that were asked for longest ago go first."""


class Order(IntEnum):
    """How cards are sorted."""

    UNCERTAIN = 0
    TIME = 1
    LENGTH = 2
    SCORE = 3


_ORDERS: dict[Order, Callable[[FaceCard], tuple[float, ...]]] = {
    Order.UNCERTAIN: lambda card: (not card.is_undecided, card.rank, card.score if card.score is not None else 1.0),
    Order.TIME: lambda card: (card.start_us,),
    Order.LENGTH: lambda card: (-card.length_us,),
    Order.SCORE: lambda card: (card.score if card.score is not None else 1.0,),
}


class CardsModel(QAbstractListModel):
    """Holds all cards and shows some of them.

    Signals:
        crops_needed (str): key of a card that is being drawn without its pictures.
    """

    crops_needed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[FaceCard] = []
        self.cards: list[FaceCard] = []
        self._rows: dict[str, int] = {}
        self._crops: dict[str, tuple[QImage, ...]] = {}
        self._asked: set[str] = set()
        self._wanted: Callable[[FaceCard], bool] = lambda _card: True
        self._order = Order.UNCERTAIN

    def set_cards(self, cards: Sequence[FaceCard]) -> None:
        """Show other cards, or the same ones changed: rows that stay keep their places until cards are sorted again."""
        same = [card.key for card in cards] == [face_card.key for face_card in self._all]
        self._all = list(cards)
        if not same:
            keys = {card.key for card in cards}
            self._crops = {key: crops for key, crops in self._crops.items() if key in keys}
            self._asked &= self._crops.keys()
            self._arrange()
            return
        fresh = {card.key: card for card in cards}
        changed = [fresh[card.key] for card in self.cards]
        if changed != self.cards:
            self.cards = changed
            self.dataChanged.emit(self.index(0), self.index(len(self.cards) - 1))

    def filter_and_sort(self, wanted: Callable[[FaceCard], bool] | None = None, order: Order | None = None) -> None:
        """Show the cards that are wanted, in an order."""
        self._wanted = wanted or self._wanted
        self._order = self._order if order is None else order
        self._arrange()

    def all_cards(self) -> list[FaceCard]:
        """Return every card, shown or not."""
        return list(self._all)

    def card(self, key: str) -> FaceCard | None:
        """Return a card by its key."""
        return next((face_card for face_card in self._all if face_card.key == key), None)

    def row(self, key: str) -> int | None:
        """Return in which row a card is shown; None where it is not."""
        return self._rows.get(key)

    def set_crops(self, key: str, crops: Sequence[QImage]) -> None:
        """Give a card its pictures."""
        self._crops[key] = tuple(crops)
        while len(self._crops) > _MAX_CROPS:
            oldest = next(iter(self._crops))
            del self._crops[oldest]
            self._asked.discard(oldest)
        row = self._rows.get(key)
        if row is not None:
            self.dataChanged.emit(self.index(row), self.index(row), [CROPS_ROLE])

    def drop_crops(self, keys: Sequence[str] | None = None) -> None:
        """Drop the pictures of some cards, or of all: they are asked for again when drawn."""
        for key in list(self._crops) if keys is None else keys:
            self._crops.pop(key, None)
            self._asked.discard(key)
        if keys is None:
            self._asked.clear()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.cards)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        card = self.cards[index.row()]
        if role == CARD_ROLE:
            return card
        if role == CROPS_ROLE:
            if card.key not in self._asked:
                self._asked.add(card.key)
                self.crops_needed.emit(card.key)
            return self._crops.get(card.key, ())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return describe_card(card)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_card_tooltip(card))
        return None

    def _arrange(self) -> None:
        self.beginResetModel()
        self.cards = sorted(filter(self._wanted, self._all), key=_ORDERS[self._order])
        self._rows = {face_card.key: row for row, face_card in enumerate(self.cards)}
        self.endResetModel()


def describe_card(card: FaceCard) -> str:
    """Return a card in words, for screen readers."""
    who = f", {card.person_name}" if card.person_name else ""
    places = tr(", {places} places to look at").format(places=card.place_count) if card.place_count else ""
    return tr("{title}{who}, {state}, from {start_us}{places}").format(
        title=card.title, who=who, state=tr(card.state.value), start_us=format_time(card.start_us), places=places
    )


def _card_tooltip(card: FaceCard) -> str:
    lines = [describe_card(card)]
    if card.state is CardState.DOUBTFUL:
        lines.append(tr("The detector was never sure of it. Look at it, and press X if it is not a face."))
    if card.score is not None:
        lines.append(
            tr("Best score {score:.2f}. The pictures are its best, its worst and its last frame.").format(
                score=card.score
            )
        )
    return "\n".join(lines)


CARD_HEIGHT = 76
MIN_CARD_WIDTH = 268
CROP_PX = 56
_GAP = 3
_SHORT_STATES = {CardState.DRAWN: tr("by hand"), CardState.AREA: "masked", CardState.NOTHING: tr("no face")}
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
        self._size = QSize(MIN_CARD_WIDTH, theme.scaled(CARD_HEIGHT))

    def set_width(self, width: int) -> None:
        """Make cards this wide."""
        self._size = QSize(width, theme.scaled(CARD_HEIGHT))

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return self._size

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        card, crops = index.data(CARD_ROLE), index.data(CROPS_ROLE)
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
            where = QRectF(left + place * (CROP_PX + _GAP), plate.top() + 6, CROP_PX, CROP_PX)
            crop = crops[place] if place < len(crops) else None
            _paint_crop(painter, where, crop, done=bool(crops))
        painter.setOpacity(1.0)
        text = QRectF(left + 3 * (CROP_PX + _GAP) + 6, plate.top() + 5, 0, plate.height() - 14)
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
    _draw_elided(painter, rows[0], card.person_name or card.title, bold, ink)
    _draw_elided(
        painter, rows[1], card.title if card.person_name else format_seconds(card.length_us), small, colours.muted
    )
    score = "" if card.score is None else tr("score {score:.2f}").format(score=card.score)
    lasting = f"{format_seconds(card.length_us)}  " if card.person_name else ""
    _draw_elided(painter, rows[2], f"{lasting}{score}", small, colours.muted)
    paint_sign(painter, _SIGNS[card.state], rows[3].topLeft() + QPointF(0, (line - SIGN_PX) / 2), _state_ink(card))
    words = _state_words(card)
    _draw_elided(painter, rows[3].adjusted(SIGN_PX + 5, 0, 0, 0), words, small, _state_ink(card))


def _state_words(card: FaceCard) -> str:
    return (
        tr("{places} to look at").format(places=card.place_count)
        if card.place_count
        else _SHORT_STATES.get(card.state, tr(card.state.value))
    )


def _state_ink(card: FaceCard) -> QColor:
    colours = theme.palette()
    if card.place_count or card.is_undecided:
        return colours.uncertain
    return colours.muted if card.state in (CardState.DISMISSED, CardState.NOTHING) else colours.competence


def _draw_elided(painter: QPainter, where: QRectF, text: str, font: QFont, ink: QColor) -> None:
    painter.setFont(font)
    painter.setPen(ink)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(where.width()))
    painter.drawText(where, Qt.AlignmentFlag.AlignVCenter, shown)


class CardsView(QListView):
    """Cards in as many columns as fit; several can be selected.

    Signals:
        selection_changed (list[str]): keys of the cards that are selected now, by the user.
        opened (str): key of a card that was clicked: go there.
    """

    selection_changed = Signal(object)
    opened = Signal(str)

    def __init__(self, model: CardsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = model
        self._kept: tuple[str, ...] = ()
        self._quiet = False
        self.setModel(model)
        self._delegate = CardDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Face tracks"))
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setMinimumHeight(2 * CARD_HEIGHT)
        theme.notifier.changed.connect(self._fit_columns)
        self.selectionModel().selectionChanged.connect(self._emit_selection)
        model.modelReset.connect(self._restore)
        self.clicked.connect(lambda index: self.opened.emit(model.cards[index.row()].key))
        self._fit_columns()

    def selected(self) -> list[FaceCard]:
        """Return the selected cards, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._cards.cards[row] for row in rows]

    def select(self, keys: Iterable[str]) -> None:
        """Select exactly these cards, without a signal; the last one comes into sight."""
        self._kept = tuple(keys)
        self._restore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()
        if event.size().height() < event.oldSize().height() and self.selectionModel().hasSelection():
            self.scrollTo(self.currentIndex())

    def _fit_columns(self) -> None:
        room = self.viewport().width()
        columns = max(1, room // theme.scaled(MIN_CARD_WIDTH))
        wanted = QSize(max(1, room // columns), theme.scaled(CARD_HEIGHT))
        if wanted != self.gridSize():
            self._delegate.set_width(wanted.width())
            self.setGridSize(wanted)

    def _restore(self) -> None:
        self._quiet = True
        model = self.selectionModel()
        model.clear()
        for key in self._kept:
            row = self._cards.row(key)
            if row is not None:
                index = self._cards.index(row)
                model.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.Select)
                self.scrollTo(index)
        self._quiet = False

    def _emit_selection(self) -> None:
        if self._quiet:
            return
        self._kept = tuple(card.key for card in self.selected())
        self.selection_changed.emit(list(self._kept))
