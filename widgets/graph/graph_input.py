"""Mouse and keyboard input of the graph view: every edit that the user wants is emitted as a signal."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from project.entities.causal_chains import Edge, NodeKind
from resources.translation import tr
from widgets.graph.graph_canvas import ZOOM_STEP, ChainCanvas, Link
from widgets.graph.graph_layout import HEIGHT, PADDING, WIDTH, GraphDirection, neighbour_in_time, neighbour_node
from widgets.graph.graph_model import GraphModel, describe_node, describe_selection, edge_refusal, edge_warning
from widgets.graph.graph_painter import HEADER, RULER

KIND_KEYS = {
    Qt.Key.Key_E: NodeKind.EVENT,
    Qt.Key.Key_B: NodeKind.BELIEF,
    Qt.Key.Key_I: NodeKind.INTENT,
    Qt.Key.Key_D: NodeKind.DESIRE,
    Qt.Key.Key_M: NodeKind.EMOTION,
}
"""What the key after N adds; emotion is M, because E is an event."""
_ARROWS = {
    Qt.Key.Key_Left: GraphDirection.LEFT,
    Qt.Key.Key_Right: GraphDirection.RIGHT,
    Qt.Key.Key_Up: GraphDirection.UP,
    Qt.Key.Key_Down: GraphDirection.DOWN,
}
_EDGE_ARROWS = {
    Qt.Key.Key_Left: GraphDirection.REASON,
    Qt.Key.Key_Right: GraphDirection.RESULT,
    Qt.Key.Key_Up: GraphDirection.SIBLING,
    Qt.Key.Key_Down: GraphDirection.SIBLING,
}
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DELETE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_PLAIN = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
_OWN_KEYS = {
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

    def __init__(self, board: ChainEditorCanvas) -> None:
        self._board = board
        self._mode = _Mode.WALKING

    def intercept(self, event: QKeyEvent) -> bool:
        """Handle what must be caught before shortcuts and the focus chain see it; return whether it was."""
        key = Qt.Key(event.key())
        if event.type() == QEvent.Type.ShortcutOverride and self._is_own_key(key, event.modifiers()):
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return self._step_in_time(1 if key == Qt.Key.Key_Tab else -1)
        return False

    def _is_own_key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        if self._mode is _Mode.NAMING and modifiers | _PLAIN == _PLAIN:
            return key in KIND_KEYS or key == Qt.Key.Key_Escape
        if key == Qt.Key.Key_Escape:
            return self._mode is not _Mode.WALKING or not self._board.pointer.is_idle or bool(self._board.has_selection)
        if key in _ARROWS and modifiers & _CONTROL:
            return True
        if key == Qt.Key.Key_A and modifiers == _CONTROL:
            return True
        return key in _OWN_KEYS and modifiers | _PLAIN | _SHIFT == _PLAIN | _SHIFT

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it meant something."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            return self._escape()
        if not self._is_own_key(key, event.modifiers()):
            return False
        if self._mode is _Mode.NAMING:
            self.leave_mode()
            self._board.node_add_requested.emit(str(KIND_KEYS[key]))
        elif key == Qt.Key.Key_N:
            self.start_naming()
        elif key == Qt.Key.Key_A:
            self._board.select_all()
        elif not self._handle_view_key(key):
            self._handle_edit_key(key, event.modifiers())
        return True

    def start_naming(self) -> None:
        """Wait for the key of a kind, and say which there are."""
        if self._board.editable:
            self.leave_mode()
            self._mode = _Mode.NAMING
            self._board.show_hint(tr("New node: E event, B belief, I intent, D desire, M emotion. Esc leaves."))

    def start_edge(self, source: str) -> None:
        """Draw an edge from a node; arrows choose where it leads."""
        board = self._board
        if not board.editable:
            return
        self._mode = _Mode.LINKING
        board.select_nodes([source])
        box = board.model.box(source)
        board.link = Link(source, None, (box.right + 60, box.y + HEIGHT / 2))
        board.show_hint(self.link_hint(board.link))
        board.redraw()

    def leave_mode(self) -> None:
        """Go back to walking."""
        if self._mode is not _Mode.WALKING:
            self._mode = _Mode.WALKING
            self._board.link = None
            self._board.show_hint("")
            self._board.redraw()

    def link_hint(self, link: Link) -> str:
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
        refused = edge_refusal(graph, link.source, link.target)
        return (
            refused
            or edge_warning(graph, link.source, link.target)
            or (tr("Enter draws the edge.") if by_key else tr("Drop to draw the edge."))
        )

    def _escape(self) -> bool:
        board = self._board
        if self._mode is not _Mode.WALKING:
            self.leave_mode()
        elif not board.pointer.is_idle:
            board.pointer.cancel()
        elif board.has_selection:
            board.select_nodes(())
        else:
            return False
        return True

    def _handle_view_key(self, key: Qt.Key) -> bool:
        """Zoom and lay out; these work in every mode."""
        board = self._board
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            board.zoom(ZOOM_STEP, board.current_node_center())
        elif key == Qt.Key.Key_Minus:
            board.zoom(1 / ZOOM_STEP, board.current_node_center())
        elif key == Qt.Key.Key_0:
            board.fit_all()
        elif key == Qt.Key.Key_T:
            board.relayout()
        else:
            return False
        return True

    def _handle_edit_key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        board = self._board
        if key in _ARROWS:
            self._walk((_EDGE_ARROWS if modifiers & _CONTROL else _ARROWS)[key], adding=bool(modifiers & _SHIFT))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go_to(self._neighbour_in_time(None, 1 if key == Qt.Key.Key_Home else -1))
        elif key in _RETURN and self._mode is _Mode.LINKING:
            self._finish_edge()
        elif key in _DELETE and self._mode is _Mode.LINKING:
            self._remove_edge()
        elif key in _DELETE:
            board.request_removal()
        elif key == Qt.Key.Key_E and board.model.current is not None:
            self.start_edge(board.model.current)
        elif key in (*_RETURN, Qt.Key.Key_F2) and board.model.current is not None:
            board.request_edit(board.model.current)

    def _finish_edge(self) -> None:
        link = self._board.link
        if link is None or link.target is None:
            return
        if self._board.request_edge(link.source, link.target):
            self.leave_mode()

    def _remove_edge(self) -> None:
        board, link = self._board, self._board.link
        if link is not None and link.target is not None and board.model.picture is not None:
            edge = Edge(link.source, link.target)
            if edge in board.model.picture.graph.edges:
                self.leave_mode()
                board.edge_removal_requested.emit(edge.reason_id, edge.result_id)

    def _step_in_time(self, step: int) -> bool:
        """Go to the next node in time; past the last one, Tab leaves the graph as anywhere else."""
        node = self._neighbour_in_time(self._current_node(), step)
        if node is None:
            return False
        self._go_to(node)
        return True

    def _walk(self, step: GraphDirection, *, adding: bool) -> None:
        picture = self._board.model.picture
        if picture is None:
            return
        node = neighbour_node(picture.graph, picture.layout, self._current_node(), step)
        if node is not None and adding and self._mode is _Mode.WALKING:
            chosen = [node_id for node_id in self._board.model.selected if node_id != node]
            self._board.select_nodes([*chosen, node])
            self._board.reveal(node)
        else:
            self._go_to(node)

    def _current_node(self) -> str | None:
        board = self._board
        if self._mode is _Mode.LINKING and board.link is not None:
            return board.link.target or board.link.source
        return board.model.current

    def _neighbour_in_time(self, node: str | None, step: int) -> str | None:
        picture = self._board.model.picture
        return neighbour_in_time(picture.graph.nodes, node, step) if picture is not None else None

    def _go_to(self, node: str | None) -> None:
        board = self._board
        if node is None:
            return
        if self._mode is _Mode.LINKING and board.link is not None:
            target = None if node == board.link.source else node
            box = board.model.box(node)
            board.link = Link(board.link.source, target, (box.right + 60, box.y + HEIGHT / 2))
            board.show_hint(self.link_hint(board.link))
            board.announce(self.link_hint(board.link))
        else:
            board.select_nodes([node])
        board.reveal(node)
        board.viewport().update()


_RIM_PX = 9.0
"""Pixels from a node's outline to its inside from which an edge is drawn."""
_REACH_PX = 6.0
_DRAG_PX = 4.0
_LEFT = Qt.MouseButton.LeftButton
_ADDING_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class _MouseAction(Enum):
    NOTHING = auto()
    SEEKING = auto()
    PRESSED_NODE = auto()
    MOVING = auto()
    LINKING = auto()
    PRESSED_GROUND = auto()
    PANNING = auto()
    FRAMING = auto()


class ChainMouseHandler:
    """Follows one press from its beginning to its end."""

    def __init__(self, board: ChainEditorCanvas) -> None:
        self._board = board
        self._doing = _MouseAction.NOTHING
        self._start = QPointF()
        self._last = QPointF()
        self._node: str | None = None
        self._grip = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way."""
        return self._doing is _MouseAction.NOTHING

    def press(self, event: QMouseEvent) -> None:
        """Begin something."""
        board, place = self._board, event.position()
        self._start = self._last = place
        if event.button() == Qt.MouseButton.MiddleButton:
            self._doing = _MouseAction.PANNING
            board.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if event.button() != _LEFT:
            return
        board.keys.leave_mode()
        if place.y() < RULER:
            self._doing = _MouseAction.SEEKING
            self._seek(place)
            return
        node = board.node_at(place, _REACH_PX)
        adding = bool(event.modifiers() & _ADDING_MODIFIERS)
        if node is not None and board.editable and not adding and board.is_on_rim(node, place, _RIM_PX):
            self._node, self._doing = node, _MouseAction.LINKING
            board.hovered = None
            self._draw_link(place)
        elif (node := board.node_at(place)) is not None:
            self._node, self._doing = node, _MouseAction.PRESSED_NODE
            self._grip = board.graph_viewport.to_graph(place.x(), place.y())[1] - board.model.box(node).y
            self._select_node(node, adding)
        elif place.x() >= HEADER:
            self._doing = (
                _MouseAction.FRAMING
                if event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                else _MouseAction.PRESSED_GROUND
            )

    def move(self, event: QMouseEvent) -> None:
        """Go on with it, or show what a press would begin."""
        board, place = self._board, event.position()
        far = (place - self._start).manhattanLength() > _DRAG_PX
        if self._doing is _MouseAction.NOTHING:
            self._hover(place)
        elif self._doing is _MouseAction.SEEKING:
            self._seek(place)
        elif self._doing is _MouseAction.LINKING:
            self._draw_link(place)
        elif self._doing is _MouseAction.FRAMING:
            board.band = QRectF(self._start, place).normalized()
            board.viewport().update()
        elif self._doing in (_MouseAction.PRESSED_NODE, _MouseAction.MOVING):
            if far or self._doing is _MouseAction.MOVING:
                self._doing = _MouseAction.MOVING
                self._drag(place)
        elif far or self._doing is _MouseAction.PANNING:
            self._doing = _MouseAction.PANNING
            board.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            board.pan(place.x() - self._last.x(), place.y() - self._last.y())
        self._last = place

    def release(self, event: QMouseEvent) -> None:
        """End it."""
        board, doing = self._board, self._doing
        self._doing = _MouseAction.NOTHING
        if doing is _MouseAction.LINKING and board.link is not None:
            link, board.link = board.link, None
            board.show_hint("")
            if link.target is not None:
                board.request_edge(link.source, link.target)
            elif (event.position() - self._start).manhattanLength() <= _DRAG_PX:
                board.select_nodes([link.source])
        elif doing is _MouseAction.MOVING and board.dragged is not None:
            (node, y), board.dragged = board.dragged, None
            board.model.move(node, y)
        elif doing is _MouseAction.PRESSED_GROUND:
            edge = board.edge_at(event.position())
            if edge is None:
                board.select_nodes(())
            else:
                board.select_edge(edge)
        elif doing is _MouseAction.FRAMING:
            self._select_in_band()
        self._hover(event.position())
        board.redraw()

    def double_click(self, event: QMouseEvent) -> None:
        """Edit the node that was clicked twice."""
        node = self._board.node_at(event.position())
        if node is not None and event.button() == _LEFT:
            self._doing = _MouseAction.NOTHING
            self._board.request_edit(node)

    def cancel(self) -> None:
        """Forget what is under way."""
        board = self._board
        self._doing = _MouseAction.NOTHING
        board.link, board.dragged, board.band, board.hovered = None, None, None, None
        board.show_hint("")
        board.redraw()

    def on_mouse_left(self) -> None:
        """The mouse left the view."""
        if self._board.hovered is not None:
            self._board.hovered = None
            self._board.viewport().update()

    def _select_node(self, node: str, adding: bool) -> None:
        board = self._board
        chosen = board.model.selected
        if adding:
            board.select_nodes(
                [node_id for node_id in chosen if node_id != node] if node in chosen else [*chosen, node]
            )
        elif chosen != (node,):
            board.select_nodes([node])

    def _drag(self, place: QPointF) -> None:
        board = self._board
        assert self._node is not None
        assert board.model.picture is not None
        row = board.model.picture.row_at(board.model.box(self._node).y)
        assert row is not None
        lowest = row.top + row.height + PADDING
        y = board.graph_viewport.to_graph(place.x(), place.y())[1] - self._grip
        board.dragged = (self._node, round(min(max(y, row.inner_top), lowest)))
        board.viewport().setCursor(Qt.CursorShape.SizeVerCursor)
        board.viewport().update()

    def _draw_link(self, place: QPointF) -> None:
        board = self._board
        assert self._node is not None
        target = board.node_at(place, _REACH_PX)
        board.link = Link(
            self._node, None if target == self._node else target, board.graph_viewport.to_graph(place.x(), place.y())
        )
        board.show_hint(board.keys.link_hint(board.link))
        board.viewport().update()

    def _select_in_band(self) -> None:
        board = self._board
        band, board.band = board.band, None
        if band is None or board.model.picture is None:
            return
        picture = board.model.picture
        corners = (
            board.graph_viewport.to_graph(band.left(), band.top()),
            board.graph_viewport.to_graph(band.right(), band.bottom()),
        )
        found = picture.nodes_in(*corners[0], *corners[1])
        board.select_nodes([picture.graph.nodes[place].id for place in found.tolist()])

    def _seek(self, place: QPointF) -> None:
        time = self._board.time_at(place)
        if time is not None and place.x() >= HEADER:
            self._board.seek_requested.emit(time)

    def _hover(self, place: QPointF) -> None:
        board = self._board
        node = board.node_at(place, _REACH_PX) if board.editable else None
        rim = node is not None and board.is_on_rim(node, place, _RIM_PX)
        inner = board.node_at(place)
        edge = None if node or inner else board.edge_at(place)
        shape = Qt.CursorShape.CrossCursor if rim else Qt.CursorShape.PointingHandCursor
        board.viewport().setCursor(shape if rim or inner or edge else Qt.CursorShape.ArrowCursor)
        if node != board.hovered:
            board.hovered = node
            board.viewport().update()


class ChainEditorCanvas(ChainCanvas):
    """Emits what the user wants and changes no chain.

    Signals:
        selection_changed(tuple[str, ...] ids): by the user.
        edge_requested(str reason_id, str result_id): draw an edge; one that cannot be drawn is never asked for.
        edge_removal_requested(str reason_id, str result_id): remove an edge.
        node_edit_requested(str id): edit a node.
        node_removal_requested(tuple[str, ...] ids): remove nodes.
        node_add_requested(str kind): add a node of a kind.
        seek_requested(int us): show this moment.
        menu_requested(QPoint global position, str id): the context menu of a node was asked for; "" for the ground.
    """

    selection_changed = Signal(tuple)
    edge_requested = Signal(str, str)
    edge_removal_requested = Signal(str, str)
    node_edit_requested = Signal(str)
    node_removal_requested = Signal(tuple)
    node_add_requested = Signal(str)
    seek_requested = Signal(object)
    menu_requested = Signal(object, str)

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.editable = True
        self.pointer = ChainMouseHandler(self)
        self.keys = Keys(self)
        self.setAccessibleName(tr("Graph of the chain"))
        self.announce()

    @property
    def has_selection(self) -> bool:
        """Whether a node or an edge is selected."""
        return bool(self.model.selected) or self.model.edge is not None

    def select_nodes(self, node_ids: Collection[str]) -> None:
        """Select these nodes for the user."""
        if self.model.select(node_ids):
            self.redraw()
            self.announce()
            self.selection_changed.emit(self.model.selected)

    def select_all(self) -> None:
        """Select every node."""
        if self.model.picture is not None:
            self.select_nodes([node.id for node in self.model.picture.graph.nodes])

    def select_edge(self, edge: Edge) -> None:
        """Select an edge instead of nodes."""
        self.select_nodes(())
        self.model.edge = edge
        self.show_hint(tr("Delete removes this edge.") if self.editable else "")
        self.redraw()
        self.announce()

    def request_edge(self, reason_id: str, result_id: str) -> bool:
        """Ask for an edge where it can be drawn; otherwise say why not."""
        assert self.model.picture is not None
        refused = edge_refusal(self.model.picture.graph, reason_id, result_id)
        if refused:
            self.show_hint(refused)
            self.announce(refused)
        else:
            self.edge_requested.emit(reason_id, result_id)
        return not refused

    def request_removal(self) -> None:
        """Ask for the selected edge or the selected nodes to be removed."""
        if not self.editable:
            return
        if self.model.edge is not None:
            self.edge_removal_requested.emit(self.model.edge.reason_id, self.model.edge.result_id)
        elif self.model.selected:
            self.node_removal_requested.emit(self.model.selected)

    def request_edit(self, node_id: str) -> None:
        """Ask for a node to be edited."""
        if self.editable:
            self.select_nodes([node_id])
            self.node_edit_requested.emit(node_id)

    def refresh(self) -> None:
        """Show what the model says now."""
        self._fit_bars()
        self.redraw()
        self.announce()

    def relayout(self) -> None:
        """Lay the graph out again."""
        self.model.relayout()
        self.fit_all()
        self.redraw()

    def current_node_center(self) -> QPointF | None:
        """Return where the selected node is, to zoom at it; None where it is out of sight or nothing is selected."""
        if self.model.current is None:
            return None
        box = self.model.box(self.model.current)
        x, y = self.graph_viewport.to_view(box.x + WIDTH / 2, box.y + HEIGHT / 2)
        return QPointF(x, y) if 0 <= x <= self.graph_viewport.width and 0 <= y <= self.graph_viewport.height else None

    def announce(self, text: str = "") -> None:
        """Tell screen readers what is selected, or something else; the name of a single node is its own."""
        single = self.model.picture is not None and len(self.model.selected) == 1
        name = tr("Graph of the chain")
        if single:
            assert self.model.picture is not None
            name = describe_node(self.model, self.model.picture.graph.nodes_by_id[self.model.selected[0]])
        self.viewport().setAccessibleName(name)
        self.setAccessibleDescription(text or describe_selection(self.model, self.editable))

    def event(self, event: QEvent) -> bool:
        return (isinstance(event, QKeyEvent) and self.keys.intercept(event)) or super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self.pointer.on_mouse_left()
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.keys.press(event):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.show_hint("")
        self.pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.pointer.double_click(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        node = self.node_at(QPointF(event.pos()))
        if node is not None and node not in self.model.selected:
            self.select_nodes([node])
        self.menu_requested.emit(event.globalPos(), node or "")
