"""What a search in the documentation found: the heading, and a line of the text around the words."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.empty_hint import EmptyHint

_LINES = 2
"""How many the piece of text has."""
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """One place: its key, the heading it stands under, its page where that is called otherwise, a piece of its text."""

    key: str
    heading: str
    page: str
    excerpt: str


class FoundList(QListWidget):
    """Places to go to.

    Signals:
        place_chosen (str): a place was clicked, or Return was pressed on it.
    """

    place_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Places that were found"))
        self.setItemDelegate(_PlaceDelegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.nothing = EmptyHint(self, "")
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)

    def show_places(self, places: Sequence[FoundPlace]) -> None:
        """List these, the best first."""
        self.clear()
        for place in places:
            item = QListWidgetItem(place.heading, self)
            item.setData(Qt.ItemDataRole.UserRole, place)
            said = ", ".join(part for part in (place.heading, place.page, place.excerpt) if part)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
        self.setCurrentRow(0 if places else -1)

    def places(self) -> list[FoundPlace]:
        """Return what is listed."""
        return [self.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.count())]

    def _choose(self, item: QListWidgetItem) -> None:
        self.place_chosen.emit(item.data(Qt.ItemDataRole.UserRole).key)


class _PlaceDelegate(QStyledItemDelegate):
    """Draws the heading over a muted piece of text."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        place: FoundPlace = index.data(Qt.ItemDataRole.UserRole)
        lines = 1 + bool(place.page) + _LINES
        return QSize(0, round(QFontMetricsF(theme.font()).lineSpacing() * lines + theme.GRID * 1.5))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        place: FoundPlace = index.data(Qt.ItemDataRole.UserRole)
        colours = theme.palette()
        area = QRectF(option.rect).adjusted(theme.GRID, theme.GRID / 2, -theme.GRID, -theme.GRID / 2)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, colours.selection)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, colours.hover)
        high = QFontMetricsF(theme.font()).lineSpacing()
        line = QRectF(area.left(), area.top(), area.width(), high)
        painter.setPen(colours.text)
        for text, font in ((place.heading, theme.font(semibold=True)), (place.page, theme.font())):
            if text:
                painter.setFont(font)
                painter.drawText(line, QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, line.width()))
                line.translate(0, high)
        painter.setPen(colours.text if option.state & QStyle.StateFlag.State_Selected else colours.muted)
        painter.setFont(theme.font())
        line.setHeight(high * _LINES)
        painter.setClipRect(line)
        painter.drawText(line, Qt.TextFlag.TextWordWrap, place.excerpt)
        painter.restore()
