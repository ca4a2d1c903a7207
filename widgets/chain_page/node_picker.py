"""Chooses a node of the chain by a few letters of what it says."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidgetItem, QVBoxLayout, QWidget

from project.chains import Node
from resources.translation import tr
from widgets import theme
from widgets.chain_page.neighbours import node_words
from widgets.chains.looks import KINDS
from widgets.label_paint import SIGN, sign_icon
from widgets.narrowing import Narrowing
from widgets.plain_label import PlainLabel
from widgets.short_list import ShortList

_SIZE = QSize(440, 260)
_AROUND = theme.GRID


class NodePicker(Narrowing):
    """Lies over its page: letters narrow the list down, Up and Down choose, Return takes, Esc gives up.

    Signals:
        picked (str): the id of a node.
        given_up: Esc was pressed.
    """

    picked = Signal(str)
    given_up = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._under = parent
        self.hide()
        self._nodes: Sequence[Node] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID] * 4)
        column.setSpacing(theme.GRID // 2)
        self._title = PlainLabel()
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Letters of what it says, or of its kind"))
        self.field.setAccessibleName(tr("Letters of the node"))
        self.field.textChanged.connect(self._narrow)
        self.list = ShortList()
        self.list.setAccessibleName(tr("Nodes to choose from"))
        self.list.setIconSize(QSize(SIGN, SIGN))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemClicked.connect(lambda _item: self.take())
        for part in (self._title, self.field, self.list):
            column.addWidget(part)
        self.narrow_by(self.field, self.list)
        self.resize(_SIZE)

    def offer(self, title: str, nodes: Sequence[Node], where: QPoint) -> None:
        """Open near a point of the page with these nodes, of which the first is chosen."""
        self._nodes = nodes
        self._title.setText(title)
        self.field.clear()
        self._narrow("")
        room = self._under.rect().adjusted(_AROUND, _AROUND, -_AROUND, -_AROUND)
        self.resize(_SIZE.boundedTo(room.size()))
        left, top = min(where.x(), room.right() - self.width()), min(where.y(), room.bottom() - self.height())
        self.move(max(room.left(), left), max(room.top(), top))
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        self.hide()

    def give_up(self) -> None:
        self.hide()
        self.given_up.emit()

    def _narrow(self, text: str) -> None:
        wanted = text.casefold().split()
        self.list.clear()
        for one in self._nodes:
            words = f"{KINDS[one.kind].name} {node_words(one)}"
            if all(part in words.casefold() for part in wanted):
                item = QListWidgetItem(sign_icon(KINDS[one.kind], self.devicePixelRatioF()), node_words(one))
                item.setData(Qt.ItemDataRole.UserRole, one.id)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def take(self) -> None:
        item = self.list.currentItem()
        self.hide()
        if item is not None:
            self.picked.emit(item.data(Qt.ItemDataRole.UserRole))
