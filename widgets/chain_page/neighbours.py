"""The reasons, or the results, of the selected node as a list."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QToolButton, QVBoxLayout, QWidget

from project.chains import Node
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.chains.looks import KINDS
from widgets.icons import icon
from widgets.label_paint import SIGN, sign_icon
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_ROWS = 3


def node_words(node: Node) -> str:
    """Return a node on one line: when, and what it says."""
    return (
        f"{format_time(node.start_us).removeprefix('0:')}  {node.text or KINDS[node.kind].name + tr(' without words')}"
    )


class NodeList(QListWidget):
    """Nodes that are gone to with Return or a double click, and taken out with Del.

    Signals:
        removal_requested (str): a node's id.
        opened (str): a node's id.
    """

    removal_requested = Signal(str)
    opened = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setIconSize(QSize(SIGN, SIGN))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setFixedHeight(_ROWS * 22 + 6)
        self.itemDoubleClicked.connect(lambda item: self.opened.emit(item.data(Qt.ItemDataRole.UserRole)))

    def show_nodes(self, nodes: Sequence[Node]) -> None:
        """Show these; the one that was current stays so."""
        before = self.current()
        self.clear()
        for one in nodes:
            item = QListWidgetItem(sign_icon(KINDS[one.kind], self.devicePixelRatioF()), node_words(one))
            item.setData(Qt.ItemDataRole.UserRole, one.id)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{KINDS[one.kind].name}, {node_words(one)}")
            item.setToolTip(plain_tip(node_words(one)))
            self.addItem(item)
            if one.id == before:
                self.setCurrentItem(item)

    def current(self) -> str:
        """Return the id of the current node, or ""."""
        item = self.currentItem()
        return str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current:
            self.opened.emit(current)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and current:
            self.removal_requested.emit(current)
        else:
            super().keyPressEvent(event)


class Neighbours(QWidget):
    """The list under its title, with buttons to add and to take out.

    Signals:
        add_requested: choose a node to add.
        removal_requested (str): take this node out.
        opened (str): go to this node.
    """

    add_requested = Signal()
    removal_requested = Signal(str)
    opened = Signal(str)

    def __init__(self, title: str, add: str, remove: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.list = NodeList(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(2)
        self._head = PlainLabel(title)
        self._head.setProperty("quiet", True)
        head.addWidget(self._head, 1)
        self.add = _tool("plus", add)
        self.add.clicked.connect(self.add_requested)
        self.remove = _tool("x", remove)
        self.remove.clicked.connect(lambda: self.removal_requested.emit(self.list.current()))
        head.addWidget(self.add)
        head.addWidget(self.remove)
        column.addLayout(head)
        self.list.removal_requested.connect(self.removal_requested)
        self.list.opened.connect(self.opened)
        self.list.currentRowChanged.connect(lambda _row: self._enable())
        column.addWidget(self.list)
        self._editable = True
        self._enable()

    def show_nodes(self, nodes: Sequence[Node], editable: bool) -> None:
        """Show these nodes."""
        self._editable = editable
        self._head.setText(f"{self._title} {len(nodes)}" if nodes else self._title)
        self.list.show_nodes(nodes)
        self._enable()

    def _enable(self) -> None:
        self.add.setEnabled(self._editable)
        self.remove.setEnabled(self._editable and bool(self.list.current()))


def _tool(picture: str, text: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(picture))
    button.setIconSize(QSize(14, 14))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(plain_tip(text))
    button.setAccessibleName(text)
    button.setFixedSize(theme.GRID * 3, theme.GRID * 3)
    return button
