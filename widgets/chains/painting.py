"""Draws a graph: rows, the outline of the subchain, edges and nodes; the same for the screen and for files."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF

from project.chains import Edge
from widgets import theme
from widgets.chains.edges import Curve
from widgets.chains.ink import MARGIN, Inks, State, head_pixmap, paint_head, paint_shape, shape_pixmap
from widgets.chains.layout import WIDTH, Box
from widgets.chains.model import GraphModel, Picture
from widgets.chains.node_text import paint_text

NEAR = 0.55
"""Zoom from which on texts are drawn."""
_FADED = 0.22
_MANY = 160
"""Edges in sight beyond which lines are one device pixel wide: wider soft lines cost ten times as much to draw."""
_HULL = 16.0


@dataclass(frozen=True, slots=True)
class Sight:
    """Which part of the graph is drawn, and where: a point of the graph times `zoom` plus `x`, `y` is its place."""

    x: float
    y: float
    zoom: float
    width: float
    height: float

    @property
    def area(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of what is in sight, in the graph's pixels."""
        left, top = -self.x / self.zoom, -self.y / self.zoom
        return left, top, left + self.width / self.zoom, top + self.height / self.zoom

    def to_graph(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the graph at a place."""
        return (x - self.x) / self.zoom, (y - self.y) / self.zoom

    def to_view(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point of the graph."""
        return x * self.zoom + self.x, y * self.zoom + self.y


class GraphPainter:
    """Draws one picture with one painter.

    Args:
        painter: on the screen, or on a file.
        exact: draw lines and shapes instead of ready pictures of them; for files.
        shade: the theme that ready pictures are drawn in.
    """

    def __init__(
        self, painter: QPainter, model: GraphModel, sight: Sight, look: Inks, *, shade: theme.Shade, exact: bool = False
    ) -> None:
        assert model.picture is not None
        self._painter = painter
        self._model = model
        self._picture: Picture = model.picture
        self._sight = sight
        self._look = look
        self._shade = shade
        self._exact = exact
        self._scale = 1.0 if exact else painter.device().devicePixelRatioF()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def rows(self) -> None:
        """Draw the ground of each row."""
        colours, sight = self._look.colours, self._sight
        for place, row in enumerate(self._picture.layout.rows):
            top, bottom = sight.to_view(0, row.top)[1], sight.to_view(0, row.top + row.height)[1]
            self._painter.fillRect(
                QRectF(0, top, sight.width, bottom - top), colours.field if place % 2 else colours.lane
            )
            self._painter.fillRect(QRectF(0, bottom - 1, sight.width, 1), colours.border)

    def hull(self) -> None:
        """Draw the soft outline of the selected subchain."""
        members = self._model.members
        if not members:
            return
        corners = [
            point
            for one in members
            for box in [self._model.box(one)]
            for point in ((box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom))
        ]
        shape = QPolygonF([QPointF(*self._sight.to_view(x, y)) for x, y in around(corners)])
        wide = 2 * _HULL * self._sight.zoom
        path = QPainterPath()
        path.addPolygon(shape)
        path.closeSubpath()
        join, cap = Qt.PenJoinStyle.RoundJoin, Qt.PenCapStyle.RoundCap
        stroked = _stroke(path, wide, join, cap).united(path).simplified()
        rim = QColor(self._look.colours.accent)
        rim.setAlphaF(0.55)
        self._painter.setPen(QPen(rim, 1, Qt.PenStyle.DashLine))
        self._painter.setBrush(self._look.hull)
        self._painter.drawPath(stroked)

    def edges(self, without: Collection[str] = ()) -> None:
        """Draw the edges in sight, but for those of some nodes."""
        graph, curves = self._picture.graph, self._picture.curves
        seen = self._picture.edges_in(*self._sight.area).tolist()
        self._draw_edges([(graph.edges[one], curves[one]) for one in seen], without)

    def edges_of(self, node_ids: Collection[str], curve_of: Callable[[Edge], Curve]) -> None:
        """Draw the edges of some nodes alone, along curves of their own."""
        touching = (one for one in self._picture.graph.edges if one.reason_id in node_ids or one.result_id in node_ids)
        self._draw_edges([(one, curve_of(one)) for one in touching], ())

    def _draw_edges(self, shown: Iterable[tuple[Edge, Curve]], without: Collection[str]) -> None:
        model, look = self._model, self._look
        by_id, members, covered = self._picture.graph.by_id, model.members, model.covered
        result = model.selected[0] if members else None
        groups: dict[str, list[Curve]] = {"faded": [], "plain": [], "late": [], "strong": []}
        for edge, curve in shown:
            if edge.reason_id in without or edge.result_id in without:
                continue
            if edge == model.edge or edge.result_id == result:
                kind = "strong"
            elif covered and not (edge.reason_id in covered and edge.result_id in covered):
                kind = "faded"
            elif by_id[edge.reason_id].start_us > by_id[edge.result_id].start_us:
                kind = "late"
            else:
                kind = "plain"
            groups[kind].append(curve)
        many = sum(len(curves) for curves in groups.values()) > _MANY
        for kind, ink in (("faded", look.edge), ("plain", look.edge), ("late", look.late), ("strong", look.strong)):
            self._painter.setOpacity(_FADED if kind == "faded" else 1)
            self._lines(groups[kind], ink, 2.2 if kind == "strong" else 1.4, many, dashed=kind == "late")
        self._painter.setOpacity(1)

    def _lines(self, curves: list[Curve], ink: QColor, width: float, many: bool, *, dashed: bool) -> None:
        painter, sight = self._painter, self._sight
        if not curves:
            return
        pen = QPen(ink, 1 if many and len(curves) > 20 else width * min(1.0, max(0.55, sight.zoom)))
        pen.setCosmetic(many and not self._exact)
        if dashed:
            pen.setDashPattern([5, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        whole = QPainterPath()
        for curve in curves:
            path = whole if many else QPainterPath()
            (x1, y1), (x2, y2), (x3, y3), (x4, y4) = (sight.to_view(*point) for point in curve.points)
            path.moveTo(x1, y1)
            path.cubicTo(x2, y2, x3, y3, x4, y4)
            if not many:
                painter.drawPath(path)
        if many:
            painter.drawPath(whole)
        self._heads(curves, ink)

    def _heads(self, curves: list[Curve], ink: QColor) -> None:
        painter, size = self._painter, max(0.45, min(1.4, self._sight.zoom))
        for curve in curves:
            x, y = self._sight.to_view(*curve.points[3])
            if self._exact:
                painter.save()
                painter.translate(x, y)
                paint_head(painter, curve.way, ink, size)
                painter.restore()
            else:
                head = head_pixmap(curve.way, ink.rgba(), size, self._scale)
                half = head.width() / self._scale / 2
                painter.drawPixmap(QPointF(x - half, y - half), head)

    def nodes(self, without: Collection[str] = ()) -> None:
        """Draw the nodes in sight, but for some."""
        graph, boxes = self._picture.graph, self._picture.layout.boxes
        for place in self._picture.nodes_in(*self._sight.area).tolist():
            node_id = graph.nodes[place].id
            if node_id not in without:
                self.node(node_id, boxes[node_id])

    def node(self, node_id: str, box: Box, state: State | None = None) -> None:
        """Draw one node somewhere."""
        model, painter, sight = self._model, self._painter, self._sight
        node = self._picture.graph.by_id[node_id]
        if state is None:
            selected = node_id in model.selected
            state = State.SELECTED if selected else State.MEMBER if node_id in model.members else State.PLAIN
        x, y = sight.to_view(box.x, box.y)
        painter.setOpacity(_FADED if model.covered and node_id not in model.covered else 1)
        if self._exact:
            painter.save()
            painter.translate(x, y)
            paint_shape(painter, node.kind, state, self._look, sight.zoom)
            painter.restore()
        else:
            x, y = round(x * self._scale) / self._scale, round(y * self._scale) / self._scale
            made = shape_pixmap(node.kind, state, self._shade, sight.zoom, self._scale)
            painter.drawPixmap(QPointF(x - MARGIN, y - MARGIN), made)
        if sight.zoom >= NEAR:
            painter.save()
            painter.translate(x, y)
            painter.scale(sight.zoom, sight.zoom)
            paint_text(painter, node, model, self._look)
            painter.restore()
        if node_id in model.problems:
            self._badge(x + WIDTH * sight.zoom, y)
        painter.setOpacity(1)

    def _badge(self, x: float, y: float) -> None:
        """Draw a triangle with an exclamation mark around an upper right corner."""
        painter, colours = self._painter, self._look.colours
        side = max(5.0, min(9.0, 9 * self._sight.zoom))
        x -= side
        painter.setPen(
            QPen(colours.field, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)
        )
        painter.setBrush(colours.uncertain)
        painter.drawPolygon(
            [QPointF(x, y - side), QPointF(x + side, y + side * 0.8), QPointF(x - side, y + side * 0.8)]
        )
        painter.setPen(QPen(colours.field, side / 5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(x, y - side * 0.35), QPointF(x, y + side * 0.2))
        painter.drawPoint(QPointF(x, y + side * 0.55))


def around(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the convex hull of some points (Andrew's monotone chain, 1979)."""
    ranked = sorted(set(points))
    if len(ranked) < 3:
        return ranked

    def half(ordered: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        found: list[tuple[float, float]] = []
        for x, y in ordered:
            while len(found) > 1:
                (ax, ay), (bx, by) = found[-2], found[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                    break
                found.pop()
            found.append((x, y))
        return found[:-1]

    return half(ranked) + half(reversed(ranked))


def _stroke(path: QPainterPath, width: float, join: Qt.PenJoinStyle, cap: Qt.PenCapStyle) -> QPainterPath:
    stroker = QPainterPathStroker()
    stroker.setWidth(width)
    stroker.setJoinStyle(join)
    stroker.setCapStyle(cap)
    return stroker.createStroke(path)
