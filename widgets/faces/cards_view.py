"""The grid of cards."""

from collections.abc import Iterable

from PySide6.QtCore import QItemSelectionModel, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from resources.translation import tr
from widgets.faces.card import FaceCard
from widgets.faces.card_delegate import HEIGHT, LEAST_WIDTH, CardDelegate
from widgets.faces.cards_model import CardsModel


class CardsView(QListView):
    """Cards in as many columns as fit; several can be selected.

    Signals:
        chosen (list[str]): keys of the cards that are selected now, by the user.
        opened (str): key of a card that was clicked: go there.
    """

    chosen = Signal(object)
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
        self.setMinimumHeight(2 * HEIGHT)
        self.selectionModel().selectionChanged.connect(self._tell)
        model.modelReset.connect(self._restore)
        self.clicked.connect(lambda index: self.opened.emit(model.cards[index.row()].key))
        self._fit()

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
        self._fit()
        if event.size().height() < event.oldSize().height() and self.selectionModel().hasSelection():
            self.scrollTo(self.currentIndex())

    def _fit(self) -> None:
        room = self.viewport().width()
        columns = max(1, room // LEAST_WIDTH)
        wanted = QSize(max(1, room // columns), HEIGHT)
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

    def _tell(self) -> None:
        if self._quiet:
            return
        self._kept = tuple(card.key for card in self.selected())
        self.chosen.emit(list(self._kept))
