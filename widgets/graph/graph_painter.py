"""Paints a graph with its row names and time ruler, on the screen and in files.

A cached picture is shifted and patched where possible.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import monotonic

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPixmap, QPolygonF, QTransform

from project.entities.causal_chains import ChainNode, Edge
from project.text_format import escape_unprintable
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.graph.graph_layout import HEIGHT, NOBODY, WIDTH, Box, ChainLayout, PersonBand, TimeAxis
from widgets.graph.graph_model import ArrowDirection, Curve, GraphGeometry, GraphModel
from widgets.graph.node_painter import (
    PIXMAP_MARGIN,
    ChainColours,
    NodeHighlight,
    arrowhead_pixmap,
    chain_colours,
    paint_arrowhead,
    paint_shape,
    paint_texts,
    shape_pixmap,
)
from widgets.labels import NodePerson, mix, participant_ink
from widgets.theme import Palette

NEAR = 0.55
"""Zoom from which on texts are drawn."""
_FADED_OPACITY = 0.22
_MAX_SOFT_EDGES = 160
"""Edges in sight beyond which lines are one device pixel wide: wider soft lines cost ten times as much to draw."""
_MAX_FEW_EDGES = 40
_HULL_RADIUS = 16.0


@dataclass(frozen=True, slots=True)
class GraphViewport:
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
        part: the rectangle that is drawn, in pixels of the view; all of it by default.
        exact: draw lines and shapes instead of ready pictures of them; for files.
        shade: the theme that ready pictures are drawn in.
    """

    def __init__(
        self,
        painter: QPainter,
        model: GraphModel,
        sight: GraphViewport,
        look: ChainColours,
        *,
        shade: theme.Shade,
        part: QRectF | None = None,
        exact: bool = False,
    ) -> None:
        assert model.picture is not None
        self._painter = painter
        self._model = model
        self._picture: GraphGeometry = model.picture
        self._sight = sight
        self._look = look
        self._shade = shade
        self._exact = exact
        self._scale = 1.0 if exact else painter.device().devicePixelRatioF()
        whole = QRectF(0, 0, sight.width, sight.height) if part is None else part
        corners = sight.to_graph(whole.left(), whole.top()), sight.to_graph(whole.right(), whole.bottom())
        self._area = (*corners[0], *corners[1])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def draw_rows(self) -> None:
        """Draw the ground of each row."""
        colours, sight = self._look.colours, self._sight
        for place, row in enumerate(self._picture.layout.rows):
            top, bottom = sight.to_view(0, row.top)[1], sight.to_view(0, row.top + row.height)[1]
            # The first one reaches up to the times, with no strip of another shade between.
            start = top if place else min(top, 0.0)
            self._painter.fillRect(
                QRectF(0, start, sight.width, bottom - start), colours.field if place % 2 else colours.lane
            )
            self._painter.fillRect(QRectF(0, bottom - 1, sight.width, 1), colours.border)

    def draw_hull(self) -> None:
        """Draw the soft outline of the selected subchain."""
        members = self._model.members
        if not members or self._model.covered:
            return
        boxes = [self._model.box(member) for member in members]
        path = hull_path(tuple(sorted((box.x, box.y) for box in boxes)))
        to_view = QTransform(self._sight.zoom, 0, 0, self._sight.zoom, self._sight.x, self._sight.y)
        rim = QColor(self._look.colours.accent)
        rim.setAlphaF(0.55)
        self._painter.setPen(QPen(rim, 1, Qt.PenStyle.DashLine))
        self._painter.setBrush(self._look.hull)
        self._painter.drawPath(to_view.map(path))

    def draw_edges(self, without: Collection[str] = ()) -> None:
        """Draw the edges in sight, but for those of some nodes."""
        graph, curves = self._picture.graph, self._picture.curves
        seen = self._picture.edges_in(*self._area).tolist()
        self._draw_edges([(graph.edges[place], curves[place]) for place in seen], without)

    def draw_edges_of(self, node_ids: Collection[str], curve_of: Callable[[Edge], Curve]) -> None:
        """Draw the edges of some nodes alone, along curves of their own."""
        touching = (
            edge for edge in self._picture.graph.edges if edge.reason_id in node_ids or edge.result_id in node_ids
        )
        self._draw_edges([(edge, curve_of(edge)) for edge in touching], ())

    def _draw_edges(self, shown: Iterable[tuple[Edge, Curve]], without: Collection[str]) -> None:
        model, look = self._model, self._look
        by_id, members, covered = self._picture.graph.nodes_by_id, model.members, model.covered
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
        many = sum(len(curves) for curves in groups.values()) > _MAX_SOFT_EDGES
        for kind, ink in (("faded", look.edge), ("plain", look.edge), ("late", look.late), ("strong", look.strong)):
            self._painter.setOpacity(_FADED_OPACITY if kind == "faded" else 1)
            self._draw_lines(groups[kind], ink, 2.2 if kind == "strong" else 1.4, many, dashed=kind == "late")
        self._painter.setOpacity(1)

    def _draw_lines(self, curves: list[Curve], ink: QColor, width: float, many: bool, *, dashed: bool) -> None:
        painter, sight = self._painter, self._sight
        if not curves:
            return
        fine = many and len(curves) > _MAX_FEW_EDGES
        pen = QPen(ink, 1 if fine else width * min(1.0, max(0.55, sight.zoom)))
        pen.setCosmetic(fine and not self._exact)
        if dashed:
            pen.setDashPattern([5, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        placed = (np.array([curve.points for curve in curves]) * sight.zoom + (sight.x, sight.y)).tolist()
        whole = QPainterPath()
        for (x1, y1), (x2, y2), (x3, y3), (x4, y4) in placed:
            path = whole if fine else QPainterPath()
            path.moveTo(x1, y1)
            path.cubicTo(x2, y2, x3, y3, x4, y4)
            if not fine:
                painter.drawPath(path)
        if fine:
            painter.drawPath(whole)
        for way in ArrowDirection:
            tips = [points[3] for curve, points in zip(curves, placed, strict=True) if curve.direction is way]
            self._draw_heads(way, tips, ink)

    def _draw_heads(self, way: ArrowDirection, tips: list[list[float]], ink: QColor) -> None:
        painter, size = self._painter, max(0.45, min(1.4, self._sight.zoom))
        if self._exact:
            for x, y in tips:
                painter.save()
                painter.translate(x, y)
                paint_arrowhead(painter, way, ink, size)
                painter.restore()
            return
        head = arrowhead_pixmap(way, ink.rgba(), size, self._scale)
        half = head.width() / self._scale / 2
        for x, y in tips:
            painter.drawPixmap(QPointF(x - half, y - half), head)

    def draw_nodes(self, without: Collection[str] = ()) -> None:
        """Draw the nodes in sight, but for some."""
        nodes, boxes = self._picture.graph.nodes, self._picture.layout.boxes
        seen = (nodes[place] for place in self._picture.nodes_in(*self._area).tolist())
        self._draw_nodes([(node, boxes[node.id]) for node in seen if node.id not in without])

    def draw_node(self, node_id: str, box: Box, state: NodeHighlight | None = None) -> None:
        """Draw one node somewhere."""
        self._draw_nodes([(self._picture.graph.nodes_by_id[node_id], box)], state)

    def _draw_nodes(self, placed: Sequence[tuple[ChainNode, Box]], state: NodeHighlight | None = None) -> None:
        covered = self._model.covered
        if covered:
            faded = [pair for pair in placed if pair[0].id not in covered]
            self._painter.setOpacity(_FADED_OPACITY)
            self._draw_alike(faded, state)
            self._painter.setOpacity(1)
            placed = [pair for pair in placed if pair[0].id in covered]
        self._draw_alike(placed, state)

    def _draw_alike(self, placed: Sequence[tuple[ChainNode, Box]], state: NodeHighlight | None) -> None:
        painter, sight, problems = self._painter, self._sight, self._model.problems
        members, selected = self._model.members, frozenset(self._model.selected)
        for node, box in placed:
            own = (
                NodeHighlight.SELECTED
                if node.id in selected
                else NodeHighlight.MEMBER
                if node.id in members
                else NodeHighlight.PLAIN
            )
            x, y = sight.to_view(box.x, box.y)
            if self._exact:
                painter.save()
                painter.translate(x, y)
                paint_shape(painter, node.kind, state or own, self._look, sight.zoom)
                painter.restore()
            else:
                x, y = round(x * self._scale) / self._scale, round(y * self._scale) / self._scale
                made = shape_pixmap(node.kind, state or own, self._shade, sight.zoom, self._scale)
                painter.drawPixmap(QPointF(x - PIXMAP_MARGIN, y - PIXMAP_MARGIN), made)
        if sight.zoom >= NEAR:
            painter.save()
            painter.translate(sight.x, sight.y)
            painter.scale(sight.zoom, sight.zoom)
            paint_texts(painter, placed, self._model, self._look)
            painter.restore()
        for node, box in placed:
            if node.id in problems:
                self._draw_badge(*sight.to_view(box.right, box.y))

    def _draw_badge(self, x: float, y: float) -> None:
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


def convex_hull(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
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


@lru_cache(maxsize=16)
def hull_path(corners: tuple[tuple[float, float], ...]) -> QPainterPath:
    """Return the soft outline around nodes, in the graph's pixels; given are their upper left corners."""
    points = [(x + dx, y + dy) for x, y in corners for dx in (0, WIDTH) for dy in (0, HEIGHT)]
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in convex_hull(points)]))
    path.closeSubpath()
    stroker = QPainterPathStroker()
    stroker.setWidth(2 * _HULL_RADIUS)
    stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return stroker.createStroke(path).united(path).simplified()


HEADER, RULER = 112, 24
"""Width of the names and height of the times, in pixels; the same at every zoom."""
_TICK_STEPS_US = (
    100_000,
    200_000,
    500_000,
    *(n * 1_000_000 for n in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)),
)
_MIN_TICK_DISTANCE = 84.0
_UNKNOWN = NodePerson(tr("Somebody unknown"))


def paint_frame(painter: QPainter, model: GraphModel, sight: GraphViewport, colours: Palette) -> None:
    """Draw both over the graph."""
    assert model.picture is not None
    layout = model.picture.layout
    _paint_names(painter, layout, model, sight, colours)
    painter.fillRect(QRectF(0, 0, sight.width, RULER), colours.panel)
    painter.save()
    painter.setClipRect(QRectF(HEADER, 0, sight.width - HEADER, RULER))
    _paint_times(painter, layout.axis, sight, colours)
    painter.restore()
    painter.fillRect(QRectF(0, RULER - 1, sight.width, 1), colours.border)
    painter.fillRect(QRectF(HEADER - 1, 0, 1, sight.height), colours.border)


def _paint_names(
    painter: QPainter, layout: ChainLayout, model: GraphModel, sight: GraphViewport, colours: Palette
) -> None:
    painter.save()
    painter.setClipRect(QRectF(0, RULER, HEADER, sight.height - RULER))
    painter.fillRect(QRectF(0, RULER, HEADER, sight.height - RULER), colours.panel)
    for row in layout.rows:
        top, bottom = sight.to_view(0, row.top)[1], sight.to_view(0, row.top + row.height)[1]
        painter.fillRect(QRectF(0, bottom - 1, HEADER, 1), colours.border)
        seen_top, seen_bottom = max(top, RULER), min(bottom, sight.height)
        if seen_bottom - seen_top >= 10:
            _paint_name(painter, row, model, (seen_top + seen_bottom) / 2, colours)
    painter.restore()


def _paint_name(painter: QPainter, row: PersonBand, model: GraphModel, middle: float, colours: Palette) -> None:
    x = 10.0
    if row.person != NOBODY:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(participant_ink(model.people.get(row.person, _UNKNOWN).colour, colours))
        painter.drawEllipse(QPointF(x + 5, middle), 5, 5)
        x += 17
    painter.setFont(theme.font(9))
    painter.setPen(colours.muted if row.person == NOBODY else colours.text)
    room = QRectF(x, middle - theme.scaled(9), HEADER - x - 6, theme.scaled(18))
    text = painter.fontMetrics().elidedText(row_name(row, model), Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def row_name(row: PersonBand, model: GraphModel) -> str:
    """Return what a row is called."""
    return tr("Nobody") if row.person == NOBODY else escape_unprintable(model.people.get(row.person, _UNKNOWN).name)


def _paint_times(painter: QPainter, axis: TimeAxis, sight: GraphViewport, colours: Palette) -> None:
    painter.setFont(theme.font(8))
    last = -_MIN_TICK_DISTANCE
    for time, waited in time_ticks(axis, sight):
        x = sight.to_view(axis.x(time), 0)[0]
        if waited and x - last < _MIN_TICK_DISTANCE * 0.9:
            continue
        if waited:
            painter.setPen(QPen(mix(colours.uncertain, colours.panel, 0.8), 1.2))
            painter.drawPolyline([QPointF(x + dx, 12 + dy) for dx, dy in ((-4, -6), (0, -2), (-4, 2), (0, 6))])
        elif x - last >= _MIN_TICK_DISTANCE:
            painter.setPen(colours.outline)
            painter.drawLine(QPointF(x, RULER - 7), QPointF(x, RULER - 1))
            painter.setPen(colours.muted)
            painter.drawText(QPointF(x + 3, RULER - 9), _tick_text(time))
            last = x


def _tick_text(time_us: int) -> str:
    return format_time(time_us)[: -2 if time_us % 1_000_000 else -4]


def time_ticks(axis: TimeAxis, sight: GraphViewport) -> list[tuple[int, bool]]:
    """Return the times to mark in sight, rising; True where time is shortened there, in the middle of the wait.

    None lies before the recording.
    """
    left, _, right, _ = sight.area
    left += HEADER / sight.zoom
    step = next(
        (step_us for step_us in _TICK_STEPS_US if step_us * axis.scale * sight.zoom >= _MIN_TICK_DISTANCE),
        _TICK_STEPS_US[-1],
    )
    first, last = max(0, axis.time_us(left)), axis.time_us(right)
    found: list[tuple[int, bool]] = []
    pieces = [(first, axis.times[0], False), *axis.pieces(), (axis.times[-1], last, False)]
    for start, end, shortened in pieces:
        if end <= first or start >= last:
            continue
        if shortened and (axis.x(end) - axis.x(start)) * sight.zoom > 24:
            found += [((start + end) // 2, True), (end, False)]
        elif not shortened:
            begin = -(-max(start, first) // step) * step
            found += [(time, False) for time in range(begin, min(end, last), step)]
    return found


_FRESH_S = 0.1
"""How long a stretched picture may stand for a sharp one while the zoom changes."""


class CachedGraphPainter:
    """Draws a model, and draws as little of it again as it can."""

    def __init__(self) -> None:
        self._kept = QPixmap()
        self._sight: GraphViewport | None = None
        self._without: frozenset[str] = frozenset()
        self._drawn_at = 0.0

    def invalidate(self) -> None:
        """Draw everything again at the next chance."""
        self._sight = None

    def draw(
        self, painter: QPainter, model: GraphModel, sight: GraphViewport, without: Collection[str], *, stretch: bool
    ) -> None:
        """Draw what is in sight.

        Args:
            painter: of the view.
            model: what is shown.
            sight: what is in sight.
            without: nodes to leave out, with their edges: they are being moved.
            stretch: the zoom is changing: a stretched picture will do for a moment.
        """
        scale = painter.device().devicePixelRatioF()
        before = self._sight
        same = before is not None and (before.width, before.height) == (sight.width, sight.height)
        if before is None or not same or self._without != frozenset(without):
            self._redraw(model, sight, without, scale)
        elif before.zoom != sight.zoom:
            if stretch and monotonic() - self._drawn_at < _FRESH_S:
                self._draw_stretched(painter, before, sight)
                return
            self._redraw(model, sight, without, scale)
        elif before != sight:
            self._shift(model, before, sight, without, scale)
        painter.drawPixmap(0, 0, self._kept)

    def _redraw(self, model: GraphModel, sight: GraphViewport, without: Collection[str], scale: float) -> None:
        wide, high = round(sight.width * scale), round(sight.height * scale)
        if (self._kept.width(), self._kept.height()) != (wide, high):
            self._kept = QPixmap(wide, high)
        self._kept.setDevicePixelRatio(scale)
        self._repaint_part(model, sight, without, QRectF(0, 0, sight.width, sight.height))
        self._sight, self._without, self._drawn_at = sight, frozenset(without), monotonic()

    def _draw_stretched(self, painter: QPainter, before: GraphViewport, sight: GraphViewport) -> None:
        ratio = sight.zoom / before.zoom
        corner = QPointF(sight.x - before.x * ratio, sight.y - before.y * ratio)
        painter.fillRect(QRectF(0, 0, sight.width, sight.height), theme.palette().field)
        area = QRectF(corner.x(), corner.y(), sight.width * ratio, sight.height * ratio)
        painter.drawPixmap(area, self._kept, QRectF(self._kept.rect()))

    def _shift(
        self, model: GraphModel, before: GraphViewport, sight: GraphViewport, without: Collection[str], scale: float
    ) -> None:
        across, down = (sight.x - before.x) * scale, (sight.y - before.y) * scale
        if across != round(across) or down != round(down) or abs(across) + abs(down) > self._kept.width() / 2:
            self._redraw(model, sight, without, scale)
            return
        self._kept.scroll(round(across), round(down), QRect(0, 0, self._kept.width(), self._kept.height()))
        across, down = across / scale, down / scale
        self._sight = replace(sight)
        if across:
            left = 0.0 if across > 0 else sight.width + across
            self._repaint_part(model, sight, without, QRectF(left, 0, abs(across), sight.height))
        if down:
            top = 0.0 if down > 0 else sight.height + down
            self._repaint_part(model, sight, without, QRectF(0, top, sight.width, abs(down)))

    def _repaint_part(self, model: GraphModel, sight: GraphViewport, without: Collection[str], part: QRectF) -> None:
        colours = theme.palette()
        painter = QPainter(self._kept)
        painter.setClipRect(part)
        painter.fillRect(part, colours.field)
        drawn = GraphPainter(painter, model, sight, chain_colours(colours), shade=theme.shade(), part=part)
        drawn.draw_rows()
        if not without:
            drawn.draw_hull()
        drawn.draw_edges(without)
        drawn.draw_nodes(without)
        painter.end()
