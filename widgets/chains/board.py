"""The canvas with the hands of its user: what the mouse and the keys ask for becomes a signal."""

from collections.abc import Collection

from PySide6.QtCore import QEvent, QPointF, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from project.chains import Edge
from resources.translation import tr
from widgets.chains.canvas import Canvas
from widgets.chains.describe import describe, describe_node
from widgets.chains.keys import Keys
from widgets.chains.layout import HEIGHT, WIDTH
from widgets.chains.linking import why_not
from widgets.chains.model import GraphModel
from widgets.chains.pointer import Pointer


class Board(Canvas):
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
        self.pointer = Pointer(self)
        self.keys = Keys(self)
        self.setAccessibleName(tr("Graph of the chain"))
        self.tell()

    @property
    def picked(self) -> bool:
        """Whether a node or an edge is selected."""
        return bool(self.model.selected) or self.model.edge is not None

    def choose(self, node_ids: Collection[str]) -> None:
        """Select these nodes for the user."""
        if self.model.select(node_ids):
            self.redraw()
            self.tell()
            self.selection_changed.emit(self.model.selected)

    def choose_all(self) -> None:
        """Select every node."""
        if self.model.picture is not None:
            self.choose([one.id for one in self.model.picture.graph.nodes])

    def choose_edge(self, edge: Edge) -> None:
        """Select an edge instead of nodes."""
        self.choose(())
        self.model.edge = edge
        self.show_hint(tr("Delete removes this edge.") if self.editable else "")
        self.redraw()
        self.tell()

    def ask_edge(self, reason_id: str, result_id: str) -> bool:
        """Ask for an edge where it can be drawn; otherwise say why not."""
        assert self.model.picture is not None
        refused = why_not(self.model.picture.graph, reason_id, result_id)
        if refused:
            self.show_hint(refused)
            self.tell(refused)
        else:
            self.edge_requested.emit(reason_id, result_id)
        return not refused

    def ask_removal(self) -> None:
        """Ask for the selected edge or the selected nodes to be removed."""
        if not self.editable:
            return
        if self.model.edge is not None:
            self.edge_removal_requested.emit(self.model.edge.reason_id, self.model.edge.result_id)
        elif self.model.selected:
            self.node_removal_requested.emit(self.model.selected)

    def ask_edit(self, node_id: str) -> None:
        """Ask for a node to be edited."""
        if self.editable:
            self.choose([node_id])
            self.node_edit_requested.emit(node_id)

    def refresh(self) -> None:
        """Show what the model says now."""
        self._fit_bars()
        self.redraw()
        self.tell()

    def tidy(self) -> None:
        """Lay the graph out anew."""
        self.model.tidy()
        self.fit()
        self.redraw()

    def middle_of_current(self) -> QPointF | None:
        """Return where the selected node is, to zoom at it; None where it is out of sight or nothing is selected."""
        if self.model.current is None:
            return None
        box = self.model.box(self.model.current)
        x, y = self.sight.to_view(box.x + WIDTH / 2, box.y + HEIGHT / 2)
        return QPointF(x, y) if 0 <= x <= self.sight.width and 0 <= y <= self.sight.height else None

    def tell(self, text: str = "") -> None:
        """Tell screen readers what is selected, or something else; the name of a single node is its own."""
        single = self.model.picture is not None and len(self.model.selected) == 1
        name = tr("Graph of the chain")
        if single:
            assert self.model.picture is not None
            name = describe_node(self.model, self.model.picture.graph.by_id[self.model.selected[0]])
        self.viewport().setAccessibleName(name)
        self.setAccessibleDescription(text or describe(self.model, self.editable))

    def event(self, event: QEvent) -> bool:
        return (isinstance(event, QKeyEvent) and self.keys.intercept(event)) or super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self.pointer.leave()
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
            self.choose([node])
        self.menu_requested.emit(event.globalPos(), node or "")
