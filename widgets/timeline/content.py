"""Draws what changes seldom (ruler, lanes, segments) into a picture that is kept and mended where it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from widgets import icons
from widgets.timeline import segments_drawing
from widgets.timeline.lane import LaneKind
from widgets.timeline.layout import HEADER, RULER, Band
from widgets.timeline.raster import waveform_picture
from widgets.timeline.ruler import LABEL_PX, label, ticks
from widgets.timeline.style import Style, argb, mix, picture, style

if TYPE_CHECKING:
    from widgets.timeline.view import TimelineView

_FRAME_TICK_PX = 8
_TALL = 52
_TWO_LINES = 28
"""Pixels of a header from which on it has a second line."""


class Content:
    """The kept picture and which parts of it are out of date."""

    def __init__(self) -> None:
        self._image = QImage()
        self._stale: list[QRect] = []
        self._all = True

    def invalidate(self, area: QRect | None = None) -> None:
        """Draw an area again at the next chance; by default everything."""
        if area is None:
            self._all = True
        else:
            self._stale.append(area)

    def draw(self, painter: QPainter, area: QRect, view: TimelineView) -> None:
        """Bring the picture up to date and copy an area of it."""
        surface = view.viewport()
        scale = surface.devicePixelRatioF()
        size = surface.size() * scale
        if self._image.size() != size:
            self._image = QImage(size, QImage.Format.Format_RGB32)
            self._all = True
        self._image.setDevicePixelRatio(scale)
        stale = [surface.rect()] if self._all else self._stale
        self._all, self._stale = False, []
        if stale:
            into = QPainter(self._image)
            for part in stale:
                into.setClipRect(part)
                _paint(into, part, view, style(scale))
            into.end()
        painter.drawImage(QRectF(area), self._image, QRectF(area.topLeft() * scale, area.size() * scale))


def _paint(painter: QPainter, area: QRect, view: TimelineView, look: Style) -> None:
    colours = look.colours
    painter.fillRect(area, colours.panel)
    offset = RULER - view.scroll_y()
    lanes_area = area & QRect(0, RULER, view.viewport().width(), view.viewport().height())
    painter.setClipRect(lanes_area)
    for band in view.bands:
        place = QRect(HEADER, band.top + offset, view.view.width, band.height)
        if not lanes_area.intersects(QRect(0, place.top(), HEADER + place.width(), place.height())):
            continue
        painter.setClipRect(lanes_area)
        _lane(painter, band, place, area, view, look)
    painter.setClipRect(area)
    if area.top() < RULER:
        _ruler(painter, area, view, look)
        painter.setClipRect(area)
    painter.fillRect(QRectF(HEADER - 1, 0, 1, view.viewport().height()), colours.border)


def _lane(painter: QPainter, band: Band, place: QRect, area: QRect, view: TimelineView, look: Style) -> None:
    colours = look.colours
    painter.fillRect(place, colours.lane)
    painter.fillRect(QRect(0, place.bottom(), place.right() + 1, 1), mix(colours.border, colours.panel, 0.6))
    if area.left() < HEADER:
        _header(painter, band, place, view, look)
    inside = place & area
    if inside.isEmpty():
        return
    painter.setClipRect(inside & QRect(HEADER, RULER, view.view.width, view.viewport().height()))
    if band.lane.draws_bars:
        segments_drawing.paint_lane(painter, band, place, inside, view, look)
        if band.lane.faded or band.lane.pale:
            veil = QColor(colours.lane)
            veil.setAlphaF(0.6 if band.lane.faded else 0.3)
            painter.fillRect(inside, veil)
    elif band.lane.kind is LaneKind.SPANS:
        segments_drawing.paint_spans(painter, band, place, inside, view, look)
    elif not band.folded:
        _waveform(painter, place, inside, view, look)


def _header(painter: QPainter, band: Band, place: QRect, view: TimelineView, look: Style) -> None:
    colours = look.colours
    height = min(place.height(), 32)
    arrow = QRect(8, place.top() + (height - 12) // 2, 12, 12)
    icons.paint_icon(painter, "chevron-right" if band.folded else "chevron-down", arrow, colours.muted)
    painter.setFont(view.font())
    painter.setPen(colours.text if view.can_edit(band.lane) else colours.muted)
    room = QRect(26, place.top(), HEADER - 26 - 8, height)
    if band.lane.active:
        painter.fillRect(QRect(0, place.top(), 3, place.height() - 1), colours.accent)
    if band.lane.has_bars and not band.folded:
        room = _count(painter, band, room, view, look)
    if band.lane.subtitle:
        room = _subtitle(painter, band, room, view, look)
    title = painter.fontMetrics().elidedText(band.lane.title, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)


def _subtitle(painter: QPainter, band: Band, room: QRect, view: TimelineView, look: Style) -> QRect:
    """Write the second line, or beside the title where there is no room for two; returns the room of the title."""
    ink = painter.pen()
    painter.setFont(look.small)
    painter.setPen(look.colours.disabled if band.lane.faded else look.colours.muted)
    wide = room.width()
    if band.folded or room.height() < _TWO_LINES:
        wide = room.width() // 2
        title, below = room.adjusted(0, 0, -wide, 0), room.adjusted(room.width() - wide, 0, 0, 0)
    else:
        title, below = room.adjusted(0, 0, 0, -12), room.adjusted(0, 15, 0, 0)
    text = painter.fontMetrics().elidedText(band.lane.subtitle, Qt.TextElideMode.ElideRight, wide)
    painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    painter.setFont(view.font())
    painter.setPen(ink)
    return title


def _count(painter: QPainter, band: Band, room: QRect, view: TimelineView, look: Style) -> QRect:
    """Write how many segments a lane has: under the title where it is high enough, else beside it, where it fits.

    Returns the room that is left for words.
    """
    count = f"{len(view.model.track(band.lane.key)):,}"
    ink, title = painter.pen(), painter.fontMetrics().horizontalAdvance(band.lane.title)
    below = band.height >= _TALL and not band.lane.subtitle
    painter.setFont(look.small)
    wide = painter.fontMetrics().horizontalAdvance(count)
    painter.setPen(look.colours.muted)
    if below:
        painter.drawText(room.translated(0, 18), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, count)
    elif title + wide + 6 <= room.width():
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        room = room.adjusted(0, 0, -wide - 6, 0)
    painter.setFont(view.font())
    painter.setPen(ink)
    return room


def _waveform(painter: QPainter, place: QRect, inside: QRect, view: TimelineView, look: Style) -> None:
    colours, scale = look.colours, look.scale
    middle = place.top() + place.height() / 2
    painter.fillRect(QRectF(inside.left(), middle, inside.width(), 1 / scale), mix(colours.waveform, colours.lane, 0.5))
    if view.peaks is None:
        return
    columns = round(inside.width() * scale)
    first = inside.left() - HEADER
    start, end = view.view.x_to_time(first), view.view.x_to_time(first + inside.width())
    peaks = view.peaks.peaks(start, end, columns)
    if peaks is None or not len(peaks):
        return
    loud, soft = argb(mix(colours.waveform, colours.lane, 0.95)), argb(mix(colours.waveform, colours.lane, 0.55))
    pixels = waveform_picture(peaks, round((place.height() - 8) * scale), loud, soft)
    image = picture(pixels)
    image.setDevicePixelRatio(scale)
    painter.drawImage(QPointF(inside.left(), place.top() + 4), image)


def _ruler(painter: QPainter, area: QRect, view: TimelineView, look: Style) -> None:
    colours = look.colours
    painter.fillRect(QRect(0, 0, view.viewport().width(), RULER), colours.panel)
    painter.fillRect(QRectF(0, RULER - 1, view.viewport().width(), 1), colours.border)
    painter.setClipRect(area & QRect(HEADER, 0, view.view.width, RULER))
    window = view.view
    found = ticks(window, window.x_to_time(area.left() - HEADER - LABEL_PX), window.x_to_time(area.right() - HEADER))
    small = _frame_ticks(view) or found.small
    for times, top, ink in ((small, RULER - 6, colours.border), (found.labelled, RULER - 10, colours.outline)):
        for time in times:
            painter.fillRect(_hairline(window.time_to_x(time), top, RULER - 1, look.scale), ink)
    painter.setFont(look.small)
    painter.setPen(QPen(QColor(colours.muted)))
    for time in found.labelled:
        left, text = HEADER + round(window.time_to_x(time)) + 4, label(time, found.step_us)
        # One that the edge would cut looks like another time.
        if left + painter.fontMetrics().horizontalAdvance(text) <= HEADER + window.width:
            painter.drawText(QPointF(left, RULER - 12), text)


def _frame_ticks(view: TimelineView) -> list[int]:
    """Times of the frames in view, where they are far enough apart to tell."""
    frames, window = view.frames, view.view
    if frames is None or len(frames) < 2:
        return []
    first, last = frames.frame_at(round(window.start_us)), frames.frame_at(round(window.end_us))
    if (last - first + 1) * _FRAME_TICK_PX > window.width:
        return []
    return frames.times_us[first : last + 2].tolist()


def _hairline(x: float, top: float, bottom: float, scale: float) -> QRectF:
    """A vertical line of whole device pixels."""
    thick = max(1, int(scale))
    return QRectF(HEADER + round(x * scale) / scale, top, thick / scale, bottom - top)
