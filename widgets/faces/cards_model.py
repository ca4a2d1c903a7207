"""The cards of a recording's faces as a list, filtered and sorted."""

from collections.abc import Callable, Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QImage

from project.timebase import format_time
from resources.translation import tr
from widgets.faces.card import CardState, FaceCard
from widgets.plain_tip import plain_tip

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
CARD = Qt.ItemDataRole.UserRole
CROPS = Qt.ItemDataRole.UserRole + 1
_KEPT = 600
"""Cards whose pictures are kept, three of 15 kB each; those that were asked for longest ago go first."""


class Order(IntEnum):
    """How cards are sorted."""

    UNCERTAIN = 0
    TIME = 1
    LENGTH = 2
    SCORE = 3


_ORDERS: dict[Order, Callable[[FaceCard], tuple[float, ...]]] = {
    Order.UNCERTAIN: lambda card: (not card.to_decide, card.rank, card.score if card.score is not None else 1.0),
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
        """Show other cards, or the same ones changed: rows that stay keep their places while nothing is sorted anew."""
        same = [one.key for one in cards] == [one.key for one in self._all]
        self._all = list(cards)
        if not same:
            keys = {one.key for one in cards}
            self._crops = {key: crops for key, crops in self._crops.items() if key in keys}
            self._asked &= self._crops.keys()
            self._arrange()
            return
        fresh = {one.key: one for one in cards}
        changed = [fresh[one.key] for one in self.cards]
        if changed != self.cards:
            self.cards = changed
            self.dataChanged.emit(self.index(0), self.index(len(self.cards) - 1))

    def arrange(self, wanted: Callable[[FaceCard], bool] | None = None, order: Order | None = None) -> None:
        """Show the cards that are wanted, in an order."""
        self._wanted = wanted or self._wanted
        self._order = self._order if order is None else order
        self._arrange()

    def all_cards(self) -> list[FaceCard]:
        """Return every card, shown or not."""
        return list(self._all)

    def card(self, key: str) -> FaceCard | None:
        """Return a card by its key."""
        return next((one for one in self._all if one.key == key), None)

    def row(self, key: str) -> int | None:
        """Return in which row a card is shown; None where it is not."""
        return self._rows.get(key)

    def set_crops(self, key: str, crops: Sequence[QImage]) -> None:
        """Give a card its pictures."""
        self._crops[key] = tuple(crops)
        while len(self._crops) > _KEPT:
            oldest = next(iter(self._crops))
            del self._crops[oldest]
            self._asked.discard(oldest)
        row = self._rows.get(key)
        if row is not None:
            self.dataChanged.emit(self.index(row), self.index(row), [CROPS])

    def forget_crops(self, keys: Sequence[str] | None = None) -> None:
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
        if role == CARD:
            return card
        if role == CROPS:
            if card.key not in self._asked:
                self._asked.add(card.key)
                self.crops_needed.emit(card.key)
            return self._crops.get(card.key, ())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return described(card)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(_explained(card))
        return None

    def _arrange(self) -> None:
        self.beginResetModel()
        self.cards = sorted(filter(self._wanted, self._all), key=_ORDERS[self._order])
        self._rows = {one.key: row for row, one in enumerate(self.cards)}
        self.endResetModel()


def described(card: FaceCard) -> str:
    """Return a card in words, for screen readers."""
    who = f", {card.who}" if card.who else ""
    places = tr(", {places} places to look at").format(places=card.places) if card.places else ""
    return tr("{title}{who}, {state}, from {start_us}{places}").format(
        title=card.title, who=who, state=tr(card.state.value), start_us=format_time(card.start_us), places=places
    )


def _explained(card: FaceCard) -> str:
    lines = [described(card)]
    if card.state is CardState.DOUBTFUL:
        lines.append(tr("The detector was never sure of it. Look at it, and press X if it is not a face."))
    if card.score is not None:
        lines.append(
            tr("Best score {score:.2f}. The pictures are its best, its worst and its last frame.").format(
                score=card.score
            )
        )
    return "\n".join(lines)
