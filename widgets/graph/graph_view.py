"""The graph view of a causal chain.

Time runs to the right, each person has a row, edges lead from reason to result; it exports SVG and PNG.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QRect, QRectF, QSaveFile, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from project.entities.causal_chains import ChainGraph
from project.errors import UserError
from project.text_format import escape_unprintable
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.form.controls import tool_button
from widgets.form.layouts import make_column, make_panel, make_row, make_stack
from widgets.graph.graph_canvas import ZOOM_STEP
from widgets.graph.graph_input import ChainEditorCanvas
from widgets.graph.graph_model import GraphModel, describe_selection
from widgets.graph.graph_painter import HEADER, RULER, GraphPainter, GraphViewport, paint_frame
from widgets.graph.node_painter import chain_colours, graph_font
from widgets.labels import NodePerson
from widgets.text_labels import PlainLabel

SUFFIXES = (".svg", ".png")
_TITLE_HEIGHT = 40
_SCALE = 2
_MAX_PIXELS = 16_000
"""Of a side of a PNG: beyond it the scale gets smaller."""


def write_picture(graph: ChainGraph | None, people: Mapping[str, NodePerson], path: Path, dark: bool = False) -> None:
    """Write the whole graph to a file, as it is laid out from the beginning.

    Args:
        graph: the chain; it has to have a node.
        people: id -> name and colour, in the order of the rows.
        path: ends in `.svg` or `.png`; replaced when the new file is whole.
        dark: light on dark instead of dark on white.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise UserError(
            tr("{name} is neither SVG nor PNG.").format(name=escape_unprintable(path.name)),
            tr("End the name in .svg or .png."),
        )
    model = GraphModel()
    model.set_graph(graph, people, {})
    if model.picture is None:
        raise UserError(tr("This chain has no nodes to draw."), tr("Add a node first."))
    file = QSaveFile(str(path))
    data = _as_svg(model, dark) if path.suffix.lower() == ".svg" else _as_png(model, dark)
    if not file.open(QIODevice.OpenModeFlag.WriteOnly) or file.write(data) != len(data) or not file.commit():
        raise UserError(
            tr("{name} cannot be written: {errorstring}.").format(
                name=escape_unprintable(path.name), errorstring=file.errorString()
            ),
            tr("Choose another folder."),
        )


def _as_svg(model: GraphModel, dark: bool) -> bytes:
    size = _picture_size(model).toSize()
    buffer = QBuffer()
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    made.setSize(size)
    made.setViewBox(QRect(QPoint(0, 0), size))
    made.setResolution(96)
    made.setTitle(escape_unprintable(_picture_title(model)))
    made.setDescription(escape_unprintable(describe_selection(model, editable=True)))
    _draw_picture(made, model, dark)
    family = f'font-family="{theme.FAMILY}"'.encode()
    others = f'font-family="{theme.FAMILY}, Helvetica, Arial, sans-serif"'.encode()
    return bytes(buffer.data().data()).replace(family, others)


def _as_png(model: GraphModel, dark: bool) -> bytes:
    """Return a PNG of two dots a pixel where that is not too large."""
    size = _picture_size(model)
    scale = min(_SCALE, _MAX_PIXELS / size.width(), _MAX_PIXELS / size.height())
    image = QImage((size * scale).toSize(), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    _draw_picture(image, model, dark)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _draw_picture(device: QPaintDevice, model: GraphModel, dark: bool) -> None:
    sight, size = _whole_viewport(model), _picture_size(model)
    colours = theme.load("dark") if dark else replace(theme.load("light"), field=QColor("white"))
    painter = QPainter(device)
    painter.fillRect(QRectF(QPointF(0, 0), size), colours.field)
    painter.setFont(graph_font(16, semibold=True))
    painter.setPen(colours.text)
    title = QRectF(12, 0, size.width() - 24, _TITLE_HEIGHT)
    painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, escape_unprintable(_picture_title(model)))
    painter.translate(0, _TITLE_HEIGHT)
    drawn = GraphPainter(painter, model, sight, chain_colours(colours), shade="dark" if dark else "light", exact=True)
    drawn.draw_rows()
    drawn.draw_edges()
    drawn.draw_nodes()
    paint_frame(painter, model, sight, colours)
    painter.end()


def _picture_title(model: GraphModel) -> str:
    assert model.picture is not None
    return model.picture.graph.chain.name or tr("Causal chain")


def _whole_viewport(model: GraphModel) -> GraphViewport:
    assert model.picture is not None
    left, top, right, bottom = model.picture.layout.area
    return GraphViewport(HEADER - left, RULER - top, 1.0, HEADER + right - left, RULER + bottom - top)


def _picture_size(model: GraphModel) -> QSizeF:
    sight = _whole_viewport(model)
    return QSizeF(sight.width, sight.height + _TITLE_HEIGHT)


class ChainGraphView(QWidget):
    """Shows one chain and emits what the user wants; it never changes the chain.

    Args:
        tools: whether there are buttons for zoom and layout; their keys work in any case.

    A node that is dragged changes its place inside its row as long as the program runs; its time is data and stays.

    Attributes:
        selection_changed: by the user; not by `select`. This and the other signals are those of `ChainEditorCanvas`.
    """

    def __init__(self, parent: QWidget | None = None, *, tools: bool = True) -> None:
        super().__init__(parent)
        self.model = GraphModel()
        self.board = board = ChainEditorCanvas(self.model)
        self.selection_changed, self.seek_requested = board.selection_changed, board.seek_requested
        self.edge_requested, self.edge_removal_requested = board.edge_requested, board.edge_removal_requested
        self.node_add_requested, self.node_edit_requested = board.node_add_requested, board.node_edit_requested
        self.node_removal_requested, self.menu_requested = board.node_removal_requested, board.menu_requested
        self._chain = ""
        self._graph: ChainGraph | None = None
        self._tools = tools
        hint = tr("Choose a chain, or add one, to draw what led to what.")
        self.empty = EmptyState("circle-dashed", tr("No chain is open"), hint)
        self._stack = make_stack(self.empty, self.board)
        self._foot = self._make_foot()
        self.setLayout(make_column(self._stack, 1, self._foot, spacing=0))
        self.setFocusProxy(self.board)
        self.board.view_changed.connect(lambda: self._told.setText(f"{100 * self.board.graph_viewport.zoom:.0f} %"))
        self._show_state(None)

    def show_graph(
        self, graph: ChainGraph | None, people: Mapping[str, NodePerson], problems: Mapping[str, str] | None = None
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
        self.board.keys.leave_mode()
        self.model.set_graph(graph, people, problems or {})
        self._show_state(graph)
        if another or empty:
            self.board.show_start()
        else:
            self.board.keep_in_view()
        self.board.refresh()

    def select(self, node_ids: Collection[str]) -> None:
        """Select these nodes, as far as they are there; nothing is emitted.

        The last one is brought into sight, with its reasons where there is room for them.
        """
        if self.model.select(node_ids):
            self.board.show_hint("")
            self.board.refresh()
            for node_id in sorted(self.model.members, key=self._reveal_order):
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

    def reveal_nodes(self, node_ids: Collection[str]) -> None:
        """Show the whole chain where its texts can be read then, else its part with these nodes."""
        self.board.show_start()
        if self._graph is not None:
            for node_id in self._graph.nodes_by_id.keys() & {*node_ids}:
                self.board.reveal(node_id)

    def set_editable(self, editable: bool) -> None:
        """Let edges be drawn and nodes be added, edited and removed, or not."""
        self.board.editable = editable
        self.board.pointer.cancel()
        self.board.keys.leave_mode()
        self._show_state(self._graph)
        self.board.refresh()

    def start_edge(self) -> None:
        """Draw an edge from the selected node with the keyboard."""
        if self.model.current is not None:
            self.board.setFocus()
            self.board.keys.start_edge(self.model.current)

    def export_picture(self, path: Path, dark: bool = False) -> None:
        """Write the whole graph as SVG or PNG, by the ending of the name."""
        write_picture(self._graph, self.model.people, path, dark)

    def _reveal_order(self, node_id: str) -> float:
        """Order reasons so that the nearest to their result are brought into sight last, and stay there."""
        assert self.model.current is not None
        return -abs(self.model.box(node_id).x - self.model.box(self.model.current).x)

    def _make_foot(self) -> QWidget:
        self._told = PlainLabel(look="muted")
        ways = (
            ("zoom-out", tr("Zoom out"), "-", lambda: self.board.zoom(1 / ZOOM_STEP)),
            ("zoom-in", tr("Zoom in"), "+", lambda: self.board.zoom(ZOOM_STEP)),
            ("maximize", tr("Show the whole chain"), "0", self.board.fit_all),
            ("columns-2", tr("Lay out again, also moved nodes"), "T", self.board.relayout),
        )
        buttons = (tool_button(name, text, do=do, keys=keys, autoRaise=True) for name, text, keys, do in ways)
        margin = (theme.GRID, 2, theme.GRID, 2)
        return make_panel(make_row(self._told, 1, *buttons, margin=margin, spacing=theme.GRID // 2))

    def _show_state(self, graph: ChainGraph | None) -> None:
        self._stack.setCurrentWidget(self.empty if graph is None else self.board)
        self._foot.setVisible(self._tools and self.model.picture is not None)
        mine = tr("Add one with N, or make one from a selected segment or utterance.")
        self.board.placeholder = (
            tr("No nodes yet"),
            mine if self.board.editable else tr("Its owner has not added any."),
        )
