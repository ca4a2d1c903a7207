"""The graph view of a causal chain: time runs to the right, each person has a row, edges lead from reason to result."""

from collections.abc import Collection, Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from project.chains import ChainGraph
from resources.translation import tr
from widgets import theme
from widgets.chains.board import Board
from widgets.chains.canvas import STEP
from widgets.chains.looks import Person
from widgets.chains.model import GraphModel
from widgets.chains.picture import write_picture
from widgets.empty_state import EmptyState
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


class ChainGraphView(QWidget):
    """Shows one chain and emits what the user wants; it never changes the chain.

    Args:
        tools: whether there are buttons for zoom and layout; their keys work in any case.

    A node that is dragged changes its place inside its row as long as the program runs; its time is data and stays.

    Signals:
        selection_changed(tuple[str, ...] ids): by the user; not by `select`.
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

    def __init__(self, parent: QWidget | None = None, *, tools: bool = True) -> None:
        super().__init__(parent)
        self.model = GraphModel()
        self.board = Board(self.model)
        self._chain = ""
        self._graph: ChainGraph | None = None
        self._tools = tools
        hint = tr("Choose a chain, or add one, to draw what led to what.")
        self.empty = EmptyState("circle-dashed", tr("No chain is open"), hint)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.board)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._stack, 1)
        self._foot = self._make_foot()
        column.addWidget(self._foot)
        self.setFocusProxy(self.board)
        for name in (
            "selection_changed",
            "edge_requested",
            "edge_removal_requested",
            "node_edit_requested",
            "node_removal_requested",
            "node_add_requested",
            "seek_requested",
            "menu_requested",
        ):
            getattr(self.board, name).connect(getattr(self, name))
        self.board.view_changed.connect(self._show_zoom)
        self._show_state(None)

    def show_graph(
        self, graph: ChainGraph | None, people: Mapping[str, Person], problems: Mapping[str, str] | None = None
    ) -> None:
        """Show a chain, or its new state; None for no chain.

        Args:
            graph: what is shown.
            people: id -> name and colour, in the order of the rows.
            problems: node id -> what has to be looked at.
        """
        another = graph is not None and graph.chain.id != self._chain
        self._chain, self._graph = graph.chain.id if graph is not None else "", graph
        empty = self.model.picture is None
        self.board.pointer.cancel()
        self.board.keys.leave()
        self.model.show(graph, people, problems or {})
        self._show_state(graph)
        if another or empty:
            self.board.begin()
        else:
            self.board.grow()
        self.board.refresh()

    def select(self, node_ids: Collection[str]) -> None:
        """Select these nodes, as far as they are there; nothing is emitted.

        The last one is brought into sight, with its reasons where there is room for them.
        """
        if self.model.select(node_ids):
            self.board.show_hint("")
            self.board.refresh()
            for node_id in sorted(self.model.members, key=self._from_afar):
                self.board.reveal(node_id)
            if self.model.current is not None:
                self.board.reveal(self.model.current)

    def selected(self) -> tuple[str, ...]:
        """Return the selected nodes, in the order in which they were selected."""
        return self.model.selected

    def highlight(self, node_ids: Collection[str]) -> None:
        """Fade everything but these nodes, such as what a question covers; nothing given fades nothing."""
        self.model.covered = frozenset(node_ids)
        self.board.refresh()

    def look_at(self, node_ids: Collection[str]) -> None:
        """Show the whole chain where its texts can be read then, else its part with these nodes."""
        self.board.begin()
        if self._graph is not None:
            for node_id in self._graph.by_id.keys() & {*node_ids}:
                self.board.reveal(node_id)

    def set_editable(self, editable: bool) -> None:
        """Let edges be drawn and nodes be added, edited and removed, or not."""
        self.board.editable = editable
        self.board.pointer.cancel()
        self.board.keys.leave()
        self._show_state(self._graph)
        self.board.refresh()

    def start_edge(self) -> None:
        """Draw an edge from the selected node with the keyboard."""
        if self.model.current is not None:
            self.board.setFocus()
            self.board.keys.start_edge(self.model.current)

    def name_kind(self) -> None:
        """Wait for the key of a kind of node to add."""
        self.board.setFocus()
        self.board.keys.name_kind()

    def picture(self, path: Path, dark: bool = False) -> None:
        """Write the whole graph as SVG or PNG, by the ending of the name.

        Raises:
            UserError: another ending, nothing to draw, or the file cannot be written.
        """
        write_picture(self._graph, self.model.people, path, dark)

    def _from_afar(self, node_id: str) -> float:
        """Order reasons so that the nearest to their result are brought into sight last, and stay there."""
        assert self.model.current is not None
        return -abs(self.model.box(node_id).x - self.model.box(self.model.current).x)

    def _make_foot(self) -> QWidget:
        foot = QWidget()
        row = QHBoxLayout(foot)
        row.setContentsMargins(theme.GRID, 2, theme.GRID, 2)
        row.setSpacing(theme.GRID // 2)
        self._told = PlainLabel()
        self._told.setProperty("muted", True)
        row.addWidget(self._told, 1)
        for name, text, tip, do in (
            ("zoom-out", tr("Zoom out"), "-", lambda: self.board.zoom(1 / STEP)),
            ("zoom-in", tr("Zoom in"), "+", lambda: self.board.zoom(STEP)),
            ("maximize", tr("Show the whole chain"), "0", self.board.fit),
            ("columns-2", tr("Lay out anew, also what was moved"), "T", self.board.tidy),
        ):
            button = QToolButton(autoRaise=True)
            button.setIcon(icon(name))
            button.setToolTip(plain_tip(f"{text} ({tip})"))
            button.setAccessibleName(text)
            button.clicked.connect(do)
            row.addWidget(button)
        return foot

    def _show_zoom(self) -> None:
        self._told.setText(f"{100 * self.board.sight.zoom:.0f} %")

    def _show_state(self, graph: ChainGraph | None) -> None:
        self._stack.setCurrentWidget(self.empty if graph is None else self.board)
        self._foot.setVisible(self._tools and self.model.picture is not None)
        mine = tr("Add one with N, or make one from a selected segment or utterance.")
        self.board.placeholder = (
            tr("No nodes yet"),
            mine if self.board.editable else tr("Its owner has not added any."),
        )
