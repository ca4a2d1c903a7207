"""The kept picture of what stands still in a graph: shifted, stretched and mended where that will do."""

from collections.abc import Collection
from dataclasses import replace
from time import monotonic

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QPainter, QPixmap

from widgets import theme
from widgets.chains.ink import inks
from widgets.chains.model import GraphModel
from widgets.chains.painting import GraphPainter, Sight

_FRESH_S = 0.1
"""How long a stretched picture may stand for a sharp one while the zoom changes."""


class Still:
    """Draws a model, and draws as little of it anew as it can."""

    def __init__(self) -> None:
        self._kept = QPixmap()
        self._sight: Sight | None = None
        self._without: frozenset[str] = frozenset()
        self._drawn_at = 0.0

    def invalidate(self) -> None:
        """Draw everything anew at the next chance."""
        self._sight = None

    def draw(
        self, painter: QPainter, model: GraphModel, sight: Sight, without: Collection[str], *, stretch: bool
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
            self._draw_anew(model, sight, without, scale)
        elif before.zoom != sight.zoom:
            if stretch and monotonic() - self._drawn_at < _FRESH_S:
                self._draw_stretched(painter, before, sight)
                return
            self._draw_anew(model, sight, without, scale)
        elif before != sight:
            self._shift(model, before, sight, without, scale)
        painter.drawPixmap(0, 0, self._kept)

    def _draw_anew(self, model: GraphModel, sight: Sight, without: Collection[str], scale: float) -> None:
        wide, high = round(sight.width * scale), round(sight.height * scale)
        if (self._kept.width(), self._kept.height()) != (wide, high):
            self._kept = QPixmap(wide, high)
        self._kept.setDevicePixelRatio(scale)
        self._mend(model, sight, without, QRectF(0, 0, sight.width, sight.height))
        self._sight, self._without, self._drawn_at = sight, frozenset(without), monotonic()

    def _draw_stretched(self, painter: QPainter, before: Sight, sight: Sight) -> None:
        ratio = sight.zoom / before.zoom
        corner = QPointF(sight.x - before.x * ratio, sight.y - before.y * ratio)
        painter.fillRect(QRectF(0, 0, sight.width, sight.height), theme.palette().field)
        area = QRectF(corner.x(), corner.y(), sight.width * ratio, sight.height * ratio)
        painter.drawPixmap(area, self._kept, QRectF(self._kept.rect()))

    def _shift(self, model: GraphModel, before: Sight, sight: Sight, without: Collection[str], scale: float) -> None:
        across, down = (sight.x - before.x) * scale, (sight.y - before.y) * scale
        if across != round(across) or down != round(down) or abs(across) + abs(down) > self._kept.width() / 2:
            self._draw_anew(model, sight, without, scale)
            return
        self._kept.scroll(round(across), round(down), QRect(0, 0, self._kept.width(), self._kept.height()))
        across, down = across / scale, down / scale
        self._sight = replace(sight)
        if across:
            left = 0.0 if across > 0 else sight.width + across
            self._mend(model, sight, without, QRectF(left, 0, abs(across), sight.height))
        if down:
            top = 0.0 if down > 0 else sight.height + down
            self._mend(model, sight, without, QRectF(0, top, sight.width, abs(down)))

    def _mend(self, model: GraphModel, sight: Sight, without: Collection[str], part: QRectF) -> None:
        colours = theme.palette()
        painter = QPainter(self._kept)
        painter.setClipRect(part)
        painter.fillRect(part, colours.field)
        drawn = GraphPainter(painter, model, sight, inks(colours), shade=theme.shade(), part=part)
        drawn.rows()
        if not without:
            drawn.hull()
        drawn.edges(without)
        drawn.nodes(without)
        painter.end()
