"""The canvas of a graph: zooms and pans, and caches a picture of what does not move."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QNativeGestureEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from project.entities.causal_chains import Edge
from widgets import theme
from widgets.accessibility import Role
from widgets.graph.graph_layout import HEIGHT, WIDTH, Box
from widgets.graph.graph_model import Curve, GraphModel, edge_curve, edge_refusal, free_curve, node_tooltip
from widgets.graph.graph_painter import HEADER, RULER, CachedGraphPainter, GraphPainter, GraphViewport, paint_frame
from widgets.graph.node_painter import NodeHighlight, chain_colours, paint_arrowhead

ZOOM_STEP = 1.25
"""Of one notch of the wheel."""
_MAX_ZOOM = 2.5
_MIN_ZOOM = 0.04
_READABLE_ZOOM = 0.65
"""Zoom that a graph is shown at first, where it does not fit at a larger one: texts are 8 pixels high."""
_FIT_MARGIN = 8.0
_SETTLE_MS = 90


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that is being drawn.

    Attributes:
        source: the reason.
        target: the node it leads to now.
        position: where its end is, in the graph's pixels; used where it leads to no node.
    """

    source: str
    target: str | None = None
    position: tuple[float, float] = (0.0, 0.0)


class ChainCanvas(QAbstractScrollArea):
    """Shows a model and what the pointer is about to do; it changes neither.

    Signals:
        view_changed(): another part is in sight, or at another zoom.
    """

    ROLE = Role.Graphic

    view_changed = Signal()

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.link: Link | None = None
        self.dragged: tuple[str, float] | None = None
        self.band: QRectF | None = None
        self.hovered: str | None = None
        self.hint = ""
        self.placeholder = ("", "")
        self._sight = GraphViewport(HEADER + _FIT_MARGIN, RULER + _FIT_MARGIN, 1.0, 100, 100)
        self._still = CachedGraphPainter()
        self._settling = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settling.timeout.connect(self.redraw)
        self._fitted = True
        self._began = False
        self._revealed: str | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setMinimumSize(HEADER + 160, RULER + 96)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.notifier.changed.connect(self.redraw)

    # What is in sight

    @property
    def graph_viewport(self) -> GraphViewport:
        """What is in sight."""
        return self._sight

    def fit_all(self) -> None:
        """Show the whole graph, at most at its own size."""
        self._show_from_start(_MIN_ZOOM)

    def show_start(self) -> None:
        """Show the beginning, so that texts can be read; the whole graph where that is possible."""
        self._show_from_start(_READABLE_ZOOM * theme.text_size() / 100)
        self._began = True

    def keep_in_view(self) -> None:
        """Keep the whole of a changed graph in sight, unless the user looks at some of it or it cannot be read so."""
        if self._began and self._fit_zoom() >= _READABLE_ZOOM:
            self.show_start()

    def _show_from_start(self, least: float) -> None:
        self._fitted = True
        if self.model.picture is None:
            return
        left, top, right, _ = self.model.picture.layout.area
        zoom = max(least, self._fit_zoom())
        free = self._sight.width - HEADER - 2 * _FIT_MARGIN - (right - left) * zoom
        x = HEADER + _FIT_MARGIN - left * zoom + max(0.0, free / 2)
        self._set_viewport(replace(self._sight, zoom=zoom, x=x, y=RULER + _FIT_MARGIN - top * zoom), fitted=True)

    def _fit_zoom(self) -> float:
        """Return the zoom at which all of the graph is in sight, at most its own size."""
        if self.model.picture is None:
            return 1.0
        left, top, right, bottom = self.model.picture.layout.area
        wide, high = self._sight.width - HEADER - 2 * _FIT_MARGIN, self._sight.height - RULER - 2 * _FIT_MARGIN
        return min(1.0, wide / (right - left), high / (bottom - top))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom in (`factor` over 1) or out, at a pixel of the view or in its middle."""
        sight = self._sight
        x, y = (at.x(), at.y()) if at is not None else ((sight.width + HEADER) / 2, (sight.height + RULER) / 2)
        zoom = min(_MAX_ZOOM, max(_MIN_ZOOM, sight.zoom * factor))
        self._settling.start()
        graph_x, graph_y = sight.to_graph(x, y)
        self._set_viewport(replace(sight, zoom=zoom, x=x - graph_x * zoom, y=y - graph_y * zoom))

    def pan(self, dx: float, dy: float) -> None:
        """Move the graph to the right and down by whole pixels, as far as some of it stays in sight."""
        self._set_viewport(replace(self._sight, x=self._sight.x + round(dx), y=self._sight.y + round(dy)))

    def reveal(self, node_id: str) -> None:
        """Move the view by as little as brings a node into sight."""
        untouched = self._began or self._revealed is not None
        if self._fitted and self._sight.zoom <= self._fit_zoom():
            return
        box, sight = self.model.box(node_id), self._sight
        left, top = sight.to_view(box.x, box.y)
        right, bottom = sight.to_view(box.right, box.bottom)
        dx = max(0.0, HEADER + 12 - left) or min(0.0, sight.width - 24 - right)
        dy = max(0.0, RULER + 12 - top) or min(0.0, sight.height - 36 - bottom)
        if dx or dy:
            self.pan(dx, dy)
            self._revealed = node_id if untouched else None

    def _set_viewport(self, sight: GraphViewport, *, fitted: bool = False) -> None:
        self._fitted, self._began, self._revealed = fitted, False, None
        if self.model.picture is not None:
            left, top, right, bottom = (value * sight.zoom for value in self.model.picture.layout.area)
            x = min(max(sight.x, HEADER + 80 - right), sight.width - 80 - left)
            y = min(max(sight.y, RULER + 40 - bottom), sight.height - 40 - top)
            sight = replace(sight, x=x, y=y)
        if sight != self._sight:
            self._sight = sight
            self._fit_bars()
            self.viewport().update()
            self.view_changed.emit()

    def _fit_bars(self) -> None:
        if self.model.picture is None:
            return
        sight, area = self._sight, self.model.picture.layout.area
        for bar, start, low, high, room, before in (
            (self.horizontalScrollBar(), sight.x, area[0], area[2], sight.width, HEADER),
            (self.verticalScrollBar(), sight.y, area[1], area[3], sight.height, RULER),
        ):
            here = round(before - start)
            first, last = (
                round(low * sight.zoom - _FIT_MARGIN),
                round(high * sight.zoom + _FIT_MARGIN - (room - before)),
            )
            all_of_it = last <= here <= first
            bar.blockSignals(True)
            bar.setRange(here if all_of_it else min(first, here), here if all_of_it else max(last, here, first))
            bar.setPageStep(max(1, round(room - before)))
            bar.setSingleStep(24)
            bar.setValue(here)
            bar.blockSignals(False)

    def _on_scrolled(self) -> None:
        x, y = HEADER - self.horizontalScrollBar().value(), RULER - self.verticalScrollBar().value()
        self._set_viewport(replace(self._sight, x=float(x), y=float(y)))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        pass

    # What is at a place

    def node_at(self, place: QPointF, reach: float = 0) -> str | None:
        """Return the node at a pixel of the view; `reach` pixels around it count too."""
        if self.model.picture is None or place.x() < HEADER or place.y() < RULER:
            return None
        return self.model.picture.node_at(*self._sight.to_graph(place.x(), place.y()), reach / self._sight.zoom)

    def is_on_rim(self, node_id: str, place: QPointF, reach: float) -> bool:
        """Tell whether a pixel lies on the rim of a node, `reach` pixels wide to the inside."""
        box = self.model.box(node_id)
        x, y = self._sight.to_graph(place.x(), place.y())
        inner = min(reach / self._sight.zoom, HEIGHT / 4)
        return not (box.x + inner < x < box.right - inner and box.y + inner < y < box.bottom - inner)

    def edge_at(self, place: QPointF) -> Edge | None:
        """Return the edge under a pixel of the view."""
        if self.model.picture is None or place.x() < HEADER or place.y() < RULER:
            return None
        x, y = self._sight.to_graph(place.x(), place.y())
        return self.model.picture.edge_at(x, y, 6 / self._sight.zoom)

    def time_at(self, place: QPointF) -> int | None:
        """Return the time under a pixel of the view."""
        if self.model.picture is None:
            return None
        return max(0, self.model.picture.layout.axis.time_us(self._sight.to_graph(place.x(), 0)[0]))

    # Drawing

    def redraw(self) -> None:
        """Draw everything again."""
        self._still.invalidate()
        self.viewport().update()

    def show_hint(self, hint: str) -> None:
        """Say something at the lower edge; "" for nothing."""
        if hint != self.hint:
            self.hint = hint
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        if self.model.picture is None:
            painter.fillRect(event.rect(), theme.palette().field)
            self._paint_placeholder(painter)
            self._paint_hint(painter)
            painter.end()
            return
        without = frozenset({self.dragged[0]} if self.dragged is not None else ())
        self._still.draw(painter, self.model, self._sight, without, stretch=self._settling.isActive())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_moving(painter)
        paint_frame(painter, self.model, self._sight, theme.palette())
        self._paint_hint(painter)
        painter.end()

    def _paint_moving(self, painter: QPainter) -> None:
        look = chain_colours(theme.palette())
        drawn = GraphPainter(painter, self.model, self._sight, look, shade=theme.shade())
        if self.dragged is not None:
            node_id, y = self.dragged
            moved = Box(self.model.box(node_id).x, y)

            def between(edge: Edge) -> Curve:
                ends = [
                    moved if end_id == node_id else self.model.box(end_id)
                    for end_id in (edge.reason_id, edge.result_id)
                ]
                return edge_curve(ends[0], ends[1])

            drawn.draw_edges_of({node_id}, between)
            drawn.draw_node(node_id, moved, NodeHighlight.SELECTED)
        elif self.link is not None:
            self._paint_link(painter, drawn, self.link)
        elif self.hovered is not None:
            self._paint_handle(painter, self.hovered)
        if self.hasFocus() and self.model.current is not None and self.dragged is None:
            self._paint_focus(painter, self.model.current)
        if self.band is not None:
            painter.setPen(QPen(look.colours.accent, 1, Qt.PenStyle.DashLine))
            painter.setBrush(look.hull)
            painter.drawRect(self.band)

    def _paint_link(self, painter: QPainter, drawn: GraphPainter, link: Link) -> None:
        assert self.model.picture is not None
        colours = theme.palette()
        start = self.model.box(link.source)
        ink = colours.accent
        line = free_curve((start.right, start.y + HEIGHT / 2), link.position)
        if link.target is not None:
            box = self.model.box(link.target)
            refused = edge_refusal(self.model.picture.graph, link.source, link.target)
            ink = colours.error if refused else colours.competence
            line = edge_curve(start, box)
            drawn.draw_node(link.target, box, NodeHighlight.REFUSED if refused else NodeHighlight.TARGET)
        drawn.draw_node(link.source, start, NodeHighlight.SELECTED)
        points = [QPointF(*self._sight.to_view(*point)) for point in line.points]
        path = QPainterPath(points[0])
        path.cubicTo(*points[1:])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        dashed = ink == colours.error
        painter.setPen(QPen(ink, 2, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine))
        painter.drawPath(path)
        painter.save()
        painter.translate(points[3])
        paint_arrowhead(painter, line.direction, ink, 1.1)
        painter.restore()

    def _paint_handle(self, painter: QPainter, node_id: str) -> None:
        """Draw a dot at the right rim: an edge can be drawn from here."""
        box, colours = self.model.box(node_id), theme.palette()
        x, y = self._sight.to_view(box.right, box.y + HEIGHT / 2)
        painter.setPen(QPen(colours.field, 1.5))
        painter.setBrush(colours.accent)
        painter.drawEllipse(QPointF(x, y), 5, 5)

    def _paint_focus(self, painter: QPainter, node_id: str) -> None:
        box = self.model.box(node_id)
        x, y = self._sight.to_view(box.x, box.y)
        painter.setPen(QPen(theme.palette().text, 1, Qt.PenStyle.DotLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(x - 5, y - 5, WIDTH * self._sight.zoom + 10, HEIGHT * self._sight.zoom + 10))

    def _paint_placeholder(self, painter: QPainter) -> None:
        colours, area = theme.palette(), QRectF(self.viewport().rect())
        painter.setFont(theme.font(theme.POINTS + 2, semibold=True))
        painter.setPen(colours.text)
        painter.drawText(area.adjusted(0, 0, 0, -28), Qt.AlignmentFlag.AlignCenter, self.placeholder[0])
        painter.setFont(theme.font())
        painter.setPen(colours.muted)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(area.adjusted(24, 28, -24, 0), flags, self.placeholder[1])

    def _paint_hint(self, painter: QPainter) -> None:
        if not self.hint:
            return
        colours = theme.palette()
        painter.setFont(theme.font())
        room = QRectF(HEADER + 22, 0, self._sight.width - HEADER - 44, self._sight.height)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        area = painter.boundingRect(room, flags, self.hint).adjusted(-10, -5, 10, 5)
        area.moveBottomLeft(QPointF(HEADER + 12, self._sight.height - 10))
        painter.setPen(QPen(colours.border, 1))
        painter.setBrush(colours.raised)
        painter.drawRoundedRect(area, 4, 4)
        painter.setPen(colours.text)
        painter.drawText(area, flags, self.hint)

    # Events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        port = self.viewport()
        self._sight = replace(self._sight, width=float(port.width()), height=float(port.height()))
        # While nobody has moved it, a view that gets larger shows more, and still what it had to show.
        revealed, picture = self._revealed, self.model.picture
        if self._began:
            self.show_start()
        elif picture is not None and revealed is not None and revealed in picture.layout.boxes:
            self.show_start()
            self.reveal(revealed)
        elif self._fitted:
            self.fit_all()
        self._fit_bars()
        self.redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta, exact = event.angleDelta(), event.pixelDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP ** ((delta.y() or delta.x()) / 120), event.position())
        else:
            moved = QPointF(exact) if not exact.isNull() else QPointF(delta) * 0.8
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                moved = QPointF(moved.y() or moved.x(), 0)
            self.pan(moved.x(), moved.y())
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom(1 + event.value(), event.position())
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tooltip(event.pos(), event.globalPos())
            return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def _show_tooltip(self, place: QPoint, where: QPoint) -> None:
        node_id = self.node_at(QPointF(place))
        if node_id is None or self.model.picture is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(
                where, node_tooltip(self.model, self.model.picture.graph.nodes_by_id[node_id]), self.viewport()
            )
