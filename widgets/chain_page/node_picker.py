"""Chooses a node of the chain by a few letters of what it says."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from project.chains import Node
from widgets import theme
from widgets.chain_page.neighbours import node_words
from widgets.chains.looks import KINDS
from widgets.label_paint import SIGN, sign_icon

_SIZE = QSize(440, 260)
_AROUND = theme.GRID
_WALKS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


class NodePicker(QFrame):
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
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.hide()
        self._nodes: Sequence[Node] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID] * 4)
        column.setSpacing(theme.GRID // 2)
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.field = QLineEdit()
        self.field.installEventFilter(self)
        self.field.setPlaceholderText("Letters of what it says, or of its kind")
        self.field.setAccessibleName("Letters of the node")
        self.field.textChanged.connect(self._narrow)
        self.list = QListWidget()
        self.list.setAccessibleName("Nodes to choose from")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setIconSize(QSize(SIGN, SIGN))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(lambda _item: self._take())
        for part in (self._title, self.field, self.list):
            column.addWidget(part)
        self.setFocusProxy(self.field)
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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            # The window may use Esc itself; it is the list's as long as that is open.
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.hide()
                self.given_up.emit()
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _WALKS:
            self.list.keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        else:
            super().keyPressEvent(event)

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

    def _take(self) -> None:
        item = self.list.currentItem()
        self.hide()
        if item is not None:
            self.picked.emit(item.data(Qt.ItemDataRole.UserRole))
