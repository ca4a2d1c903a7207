"""Draws what changes often over the kept picture: playhead, marks, hover, drags and the empty state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from project.timebase import format_time
from resources.translation import tr
from widgets.label_looks import NEW
from widgets.timeline.gestures import Create, Gesture, Move
from widgets.timeline.lane import LaneKind, lane_of
from widgets.timeline.layout import HEADER, RULER, Band
from widgets.timeline.nodes import is_node
from widgets.timeline.nodes_drawing import paint_nodes
from widgets.timeline.segments_drawing import paint_segments, segment_rect
from widgets.timeline.spoken import is_spoken
from widgets.timeline.spoken_drawing import paint_spoken
from widgets.timeline.style import Style, mix, style

if TYPE_CHECKING:
    from widgets.timeline.view import TimelineView

EMPTY_TEXT = tr("No segments yet. Drag here, or press I and O.")
EMPTY_READ_ONLY = tr("No segments yet.")


def paint(painter: QPainter, view: TimelineView) -> None:
    """Draw everything that lies over the lanes."""
    look = style(view.viewport().devicePixelRatioF())
    area = view.viewport().rect()
    if not view.model.count(LaneKind.SEGMENTS) and view.view.duration_us:
        _empty(painter, area, view, look)
    painter.setClipRect(QRect(HEADER, 0, view.view.width, area.height()))
    _marks(painter, area, view, look)
    _hover(painter, area, view, look)
    gesture = view.gesture
    if gesture is not None:
        _drag(painter, area, gesture, view, look)
    if view.pointer.rubber is not None:
        painter.setPen(QPen(look.colours.accent, 1))
        painter.setBrush(_clear(look.colours.accent, 0.12))
        painter.drawRect(view.pointer.rubber)
    _playhead(painter, area, view, look)
    painter.setClipping(False)
    if view.hasFocus():
        # Four strips: stroking a frame of this size takes a millisecond.
        wide, high = area.width(), area.height()
        for side in (
            QRect(0, 0, wide, 1),
            QRect(0, high - 1, wide, 1),
            QRect(0, 0, 1, high),
            QRect(wide - 1, 0, 1, high),
        ):
            painter.fillRect(side, _clear(look.colours.accent, 0.7))


def _empty(painter: QPainter, area: QRect, view: TimelineView, look: Style) -> None:
    segments = [b for b in view.bands if b.lane.kind is LaneKind.SEGMENTS]
    if not segments and any(b.lane.has_bars for b in view.bands):
        return
    lanes = [b for b in segments if view.can_edit(b.lane) and not b.folded]
    painter.setFont(view.font())
    painter.setPen(look.colours.muted)
    if lanes:
        place = QRect(HEADER, lanes[0].top + RULER - view.scroll_y(), view.view.width, lanes[0].height)
    else:
        below = view.bands[-1].bottom if view.bands else 0
        place = area.adjusted(HEADER, RULER + below, 0, 0)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT if lanes else EMPTY_READ_ONLY)


def _marks(painter: QPainter, area: QRect, view: TimelineView, look: Style) -> None:
    first, last = view.marks
    ink = look.colours.accent
    if first is not None and last is not None and first < last:
        left, right = view.view.time_to_x(first), view.view.time_to_x(last)
        painter.fillRect(QRectF(HEADER + left, RULER, right - left, area.height() - RULER), _clear(ink, 0.1))
        painter.fillRect(QRectF(HEADER + left, RULER - 5, right - left, 4), _clear(ink, 0.8))
    for time, outward in ((first, -1), (last, 1)):
        if time is None:
            continue
        x = _crisp(view.view.time_to_x(time), look)
        painter.fillRect(QRectF(x, RULER - 12, 1, area.height()), _clear(ink, 0.8))
        flag = QPolygonF([QPointF(x, RULER - 13), QPointF(x - outward * 7, RULER - 9), QPointF(x, RULER - 5)])
        _fill(painter, flag, ink)


def _hover(painter: QPainter, area: QRect, view: TimelineView, look: Style) -> None:
    pointer = view.pointer
    if pointer.position is None or pointer.position.x() < HEADER or not pointer.idle:
        return
    x = _crisp(pointer.position.x() - HEADER, look)
    painter.fillRect(QRectF(x, RULER, 1, area.height()), _clear(look.colours.muted, 0.35))
    _bubble(painter, x, 3, format_time(view.view.clamp(view.view.x_to_time(x - HEADER))), view, look, quiet=True)
    segment = view.model.segment(pointer.hovered)
    found = _place(view, lane_of(segment)) if segment else None
    if segment is None or found is None or view.model.is_selected(segment.id):
        return
    band, top = found
    track = view.model.track(lane_of(segment))
    row = int(track.rows[track.index(segment)])
    if row >= band.rows:
        return
    rect = segment_rect(band, top, row, segment.start_us, segment.end_us, view)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_clear(look.colours.text, 0.75), 1))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _drag(painter: QPainter, area: QRect, gesture: Gesture, view: TimelineView, look: Style) -> None:
    painter.setFont(look.small)
    start = end = 0
    lowest = RULER
    for segment_id, start_us, end_us in gesture.placed():
        segment = view.model.segment(segment_id)
        lane = lane_of(segment) if segment else gesture.lane if isinstance(gesture, Create) else ""
        to = gesture.lane if isinstance(gesture, Move) and gesture.lane else lane
        found = _place(view, lane)
        if found is None or end_us < view.view.start_us or start_us > view.view.end_us:
            continue
        band, top = found
        row = 0
        if segment is not None:
            track = view.model.track(lane)
            row = min(int(track.rows[track.index(segment)]), band.rows - 1)
            _ghost(painter, segment_rect(band, top, row, segment.start_us, segment.end_us, view), look)
        if to != lane and (over := _place(view, to)) is not None:
            (band, top), row = over, 0
        rect = segment_rect(band, top, row, start_us, end_us, view)
        label = band.lane.look(segment.label) if segment else NEW
        if is_spoken(segment):
            paint_spoken(painter, [(rect, segment, label, True)], look)
        elif is_node(segment):
            paint_nodes(painter, [(rect, segment, label, True)], look)
        else:
            paint_segments(painter, [(rect, label, True)], look)
        start, end, lowest = start_us, end_us, max(lowest, round(rect.bottom()))
    if gesture.snap_us is not None:
        x = _crisp(view.view.time_to_x(gesture.snap_us), look)
        painter.fillRect(QRectF(x - 1, RULER, 3, area.height()), _clear(look.colours.accent, 0.6))
    if end:
        text = tr("{start} to {end}   {seconds:.3f} s").format(
            start=format_time(start), end=format_time(end), seconds=(end - start) / 1e6
        )
        below = lowest + 4 if lowest + 24 < area.height() else lowest - 48
        _bubble(painter, HEADER + view.view.time_to_x((start + end) / 2), below, text, view, look)


def _ghost(painter: QPainter, rect: QRectF, look: Style) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(look.colours.outline, 1, Qt.PenStyle.DotLine))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


def _playhead(painter: QPainter, area: QRect, view: TimelineView, look: Style) -> None:
    x = _crisp(view.view.time_to_x(view.playhead_us), look)
    if not HEADER - 8 <= x <= area.width() + 8:
        return
    ink = look.colours.playhead
    thick = max(1, int(look.scale)) / look.scale
    painter.fillRect(QRectF(x, RULER - 8, thick, area.height()), ink)
    middle = x + thick / 2
    top = RULER - 11
    head = [(-5, top), (5, top), (5, top + 4), (0, top + 9), (-5, top + 4)]
    _fill(painter, QPolygonF([QPointF(middle + dx, y) for dx, y in head]), ink)


def _bubble(
    painter: QPainter, x: float, y: float, text: str, view: TimelineView, look: Style, *, quiet: bool = False
) -> None:
    painter.setFont(look.small)
    wide = painter.fontMetrics().horizontalAdvance(text) + 12
    left = min(max(x - wide / 2, HEADER + 2.0), HEADER + view.view.width - wide - 2.0)
    box = QRectF(round(left), y, wide, 17)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(look.colours.raised)
    painter.setPen(QPen(mix(look.colours.border, look.colours.raised, 0.8), 1))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(look.colours.muted if quiet else look.colours.text)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _place(view: TimelineView, lane: str) -> tuple[Band, int] | None:
    for band in view.bands:
        if band.lane.key == lane and not band.folded:
            return band, band.top + RULER - view.scroll_y()
    return None


def _crisp(x: float, look: Style) -> float:
    return HEADER + round(x * look.scale) / look.scale


def _clear(colour: QColor, alpha: float) -> QColor:
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def _fill(painter: QPainter, shape: QPolygonF, ink: QColor) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(shape)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
