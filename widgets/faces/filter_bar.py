"""Which cards are shown, and in which order."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from project.types import Participant
from resources.translation import tr
from widgets import theme
from widgets.faces.card import CardState, FaceCard
from widgets.faces.cards_model import Order
from widgets.plain_label import PlainLabel

_SHOWN: dict[str, tuple[str, Callable[[FaceCard], bool]]] = {
    "decide": (tr("To decide"), lambda card: card.to_decide),
    "all": (tr("All"), lambda _card: True),
    "places": (tr("With places to look at"), lambda card: card.places > 0),
    "drawn": (tr("Drawn by hand"), lambda card: card.drawn),
    "dismissed": (tr("Not a face"), lambda card: card.state is CardState.DISMISSED),
}
_ORDERS = {
    Order.UNCERTAIN: tr("Uncertain first"),
    Order.TIME: tr("By time"),
    Order.LENGTH: tr("Longest first"),
    Order.SCORE: tr("Lowest score first"),
}


class FilterBar(QWidget):
    """Two lists.

    Signals:
        changed: other cards are wanted, or another order.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID // 2)
        self.shown = QComboBox()
        self.shown.setAccessibleName(tr("Which faces are listed"))
        self.shown.setToolTip(tr("Which faces are listed"))
        self.order = QComboBox()
        self.order.setAccessibleName(tr("How faces are sorted"))
        self.order.setToolTip(tr("How faces are sorted"))
        for order, name in _ORDERS.items():
            self.order.addItem(name, order)
        self._count = PlainLabel()
        self._count.setProperty("quiet", True)
        for box in (self.shown, self.order):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
        self.shown.activated.connect(lambda _at: self.changed.emit())
        self.order.activated.connect(lambda _at: self.changed.emit())
        row.addWidget(self.shown, 1)
        row.addWidget(self.order, 1)
        row.addWidget(self._count)
        self._people: list[Participant] = []
        self._fill()
        self.choose("all")

    def set_people(self, people: Sequence[Participant]) -> None:
        """Offer to list one participant's faces only."""
        if list(people) != self._people:
            before = self.shown.currentData()
            self._people = list(people)
            self._fill()
            self.choose(before)

    def set_count(self, shown: int, total: int) -> None:
        """Say how many of the cards are listed."""
        self._count.setText(tr("{shown} of {total}").format(shown=shown, total=total) if shown != total else f"{total}")

    def choose(self, key: str) -> None:
        """List what a key stands for: `all`, `decide`, ... or the id of a participant."""
        self.shown.setCurrentIndex(max(0, self.shown.findData(key)))

    def wanted(self) -> Callable[[FaceCard], bool]:
        """Return which cards are to be listed."""
        key = self.shown.currentData()
        return _SHOWN[key][1] if key in _SHOWN else lambda card: card.participant_id == key

    def chosen_order(self) -> Order:
        """Return how they are to be sorted."""
        return Order(self.order.currentData())

    def _fill(self) -> None:
        self.shown.clear()
        for key, (name, _) in _SHOWN.items():
            self.shown.addItem(name, key)
        for person in self._people:
            self.shown.addItem(person.pseudonym, person.id)
