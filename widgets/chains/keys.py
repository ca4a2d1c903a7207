"""A graph without a mouse: going along edges and rows, drawing an edge, adding a node of a kind."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from project.chains import Edge, NodeKind
from resources.translation import tr
from widgets.chains.canvas import STEP, Link
from widgets.chains.layout import HEIGHT
from widgets.chains.linking import caution, why_not
from widgets.chains.walking import Step, beside, in_time

if TYPE_CHECKING:
    from widgets.chains.board import Board

KIND_KEYS = {
    Qt.Key.Key_E: NodeKind.EVENT,
    Qt.Key.Key_B: NodeKind.BELIEF,
    Qt.Key.Key_I: NodeKind.INTENT,
    Qt.Key.Key_D: NodeKind.DESIRE,
    Qt.Key.Key_M: NodeKind.EMOTION,
}
"""What the key after N adds; emotion is M, because E is an event."""
_ARROWS = {
    Qt.Key.Key_Left: Step.LEFT,
    Qt.Key.Key_Right: Step.RIGHT,
    Qt.Key.Key_Up: Step.UP,
    Qt.Key.Key_Down: Step.DOWN,
}
_ALONG = {
    Qt.Key.Key_Left: Step.REASON,
    Qt.Key.Key_Right: Step.RESULT,
    Qt.Key.Key_Up: Step.SIBLING,
    Qt.Key.Key_Down: Step.SIBLING,
}
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DELETE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_PLAIN = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
_OWN = {
    *_ARROWS,
    *_RETURN,
    *_DELETE,
    Qt.Key.Key_E,
    Qt.Key.Key_N,
    Qt.Key.Key_T,
    Qt.Key.Key_F2,
    Qt.Key.Key_Plus,
    Qt.Key.Key_Equal,
    Qt.Key.Key_Minus,
    Qt.Key.Key_0,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
}
"""Keys that the graph takes before the shortcuts of the window, while it has the focus."""


class _Mode(Enum):
    WALKING = auto()
    LINKING = auto()
    NAMING = auto()


class Keys:
    """What keys do while the graph has the focus."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._mode = _Mode.WALKING

    def intercept(self, event: QKeyEvent) -> bool:
        """Handle what must be caught before shortcuts and the focus chain see it; return whether it was."""
        key = Qt.Key(event.key())
        if event.type() == QEvent.Type.ShortcutOverride and self._means(key, event.modifiers()):
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return self._tab(1 if key == Qt.Key.Key_Tab else -1)
        return False

    def _means(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        if self._mode is _Mode.NAMING and modifiers | _PLAIN == _PLAIN:
            return key in KIND_KEYS or key == Qt.Key.Key_Escape
        if key == Qt.Key.Key_Escape:
            return self._mode is not _Mode.WALKING or not self._board.pointer.idle or bool(self._board.picked)
        if key in _ARROWS and modifiers & _CONTROL:
            return True
        if key == Qt.Key.Key_A and modifiers == _CONTROL:
            return True
        return key in _OWN and modifiers | _PLAIN | _SHIFT == _PLAIN | _SHIFT

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it meant something."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            return self._escape()
        if not self._means(key, event.modifiers()):
            return False
        if self._mode is _Mode.NAMING:
            self.leave()
            self._board.node_add_requested.emit(str(KIND_KEYS[key]))
        elif key == Qt.Key.Key_N:
            self.name_kind()
        elif key == Qt.Key.Key_A:
            self._board.choose_all()
        elif not self._look(key):
            self._edit(key, event.modifiers())
        return True

    def name_kind(self) -> None:
        """Wait for the key of a kind, and say which there are."""
        if self._board.editable:
            self.leave()
            self._mode = _Mode.NAMING
            self._board.show_hint(tr("New node: E event, B belief, I intent, D desire, M emotion. Esc leaves."))

    def start_edge(self, source: str) -> None:
        """Draw an edge from a node; arrows choose where it leads."""
        board = self._board
        if not board.editable:
            return
        self._mode = _Mode.LINKING
        board.choose([source])
        box = board.model.box(source)
        board.link = Link(source, None, (box.right + 60, box.y + HEIGHT / 2))
        board.show_hint(self.about(board.link))
        board.redraw()

    def leave(self) -> None:
        """Go back to walking."""
        if self._mode is not _Mode.WALKING:
            self._mode = _Mode.WALKING
            self._board.link = None
            self._board.show_hint("")
            self._board.redraw()

    def about(self, link: Link) -> str:
        """Return what to say while an edge is drawn."""
        by_key = self._mode is _Mode.LINKING
        if link.target is None:
            go = (
                tr("Arrows or Tab choose its result, Enter draws it, Esc leaves.")
                if by_key
                else tr("Drop it on its result.")
            )
            return tr("Edge from this reason. {go}").format(go=go)
        assert self._board.model.picture is not None
        graph = self._board.model.picture.graph
        if link.target in graph.results[link.source]:
            return tr("This edge is there already. Delete removes it.") if by_key else tr("This edge is there already.")
        refused = why_not(graph, link.source, link.target)
        return (
            refused
            or caution(graph, link.source, link.target)
            or (tr("Enter draws the edge.") if by_key else tr("Drop to draw the edge."))
        )

    def _escape(self) -> bool:
        board = self._board
        if self._mode is not _Mode.WALKING:
            self.leave()
        elif not board.pointer.idle:
            board.pointer.cancel()
        elif board.picked:
            board.choose(())
        else:
            return False
        return True

    def _look(self, key: Qt.Key) -> bool:
        """Zoom and lay out; these work in every mode."""
        board = self._board
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            board.zoom(STEP, board.middle_of_current())
        elif key == Qt.Key.Key_Minus:
            board.zoom(1 / STEP, board.middle_of_current())
        elif key == Qt.Key.Key_0:
            board.fit()
        elif key == Qt.Key.Key_T:
            board.tidy()
        else:
            return False
        return True

    def _edit(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        board = self._board
        if key in _ARROWS:
            self._walk((_ALONG if modifiers & _CONTROL else _ARROWS)[key], adding=bool(modifiers & _SHIFT))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go(self._in_time(None, 1 if key == Qt.Key.Key_Home else -1))
        elif key in _RETURN and self._mode is _Mode.LINKING:
            self._finish()
        elif key in _DELETE and self._mode is _Mode.LINKING:
            self._cut()
        elif key in _DELETE:
            board.ask_removal()
        elif key == Qt.Key.Key_E and board.model.current is not None:
            self.start_edge(board.model.current)
        elif key in (*_RETURN, Qt.Key.Key_F2) and board.model.current is not None:
            board.ask_edit(board.model.current)

    def _finish(self) -> None:
        link = self._board.link
        if link is None or link.target is None:
            return
        if self._board.ask_edge(link.source, link.target):
            self.leave()

    def _cut(self) -> None:
        board, link = self._board, self._board.link
        if link is not None and link.target is not None and board.model.picture is not None:
            edge = Edge(link.source, link.target)
            if edge in board.model.picture.graph.edges:
                self.leave()
                board.edge_removal_requested.emit(edge.reason_id, edge.result_id)

    def _tab(self, step: int) -> bool:
        """Go to the next node in time; past the last one, Tab leaves the graph as anywhere else."""
        node = self._in_time(self._here(), step)
        if node is None:
            return False
        self._go(node)
        return True

    def _walk(self, step: Step, *, adding: bool) -> None:
        picture = self._board.model.picture
        if picture is None:
            return
        node = beside(picture.graph, picture.layout, self._here(), step)
        if node is not None and adding and self._mode is _Mode.WALKING:
            chosen = [one for one in self._board.model.selected if one != node]
            self._board.choose([*chosen, node])
            self._board.reveal(node)
        else:
            self._go(node)

    def _here(self) -> str | None:
        board = self._board
        if self._mode is _Mode.LINKING and board.link is not None:
            return board.link.target or board.link.source
        return board.model.current

    def _in_time(self, node: str | None, step: int) -> str | None:
        picture = self._board.model.picture
        return in_time(picture.graph.nodes, node, step) if picture is not None else None

    def _go(self, node: str | None) -> None:
        board = self._board
        if node is None:
            return
        if self._mode is _Mode.LINKING and board.link is not None:
            target = None if node == board.link.source else node
            box = board.model.box(node)
            board.link = Link(board.link.source, target, (box.right + 60, box.y + HEIGHT / 2))
            board.show_hint(self.about(board.link))
            board.tell(self.about(board.link))
        else:
            board.choose([node])
        board.reveal(node)
        board.viewport().update()
