"""Paints the timeline: ruler, lanes and segments into a cached picture, with playhead, marks and drags over it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.labels import NEW_LOOK, SIGN_PX, LabelLook, mix, paint_sign
from widgets.timeline import bar_painter, point_painter
from widgets.timeline.bar_painter import paint_nodes, paint_segments, paint_utterances, segment_rect
from widgets.timeline.drag_gestures import Create, Gesture, Move
from widgets.timeline.lanes import Lane, LaneKind, is_node, is_utterance, lane_key_of
from widgets.timeline.raster import Style, argb, current_style, to_image, waveform_picture
from widgets.timeline.scene import TimelineScene
from widgets.timeline.timeline_layout import LABEL_PX, Band, header_width, ruler_height, ruler_ticks, tick_label

_FRAME_TICK_PX = 8
_TALL_HEIGHT = 52
_TWO_LINES_HEIGHT = 28
_LEAST_TRACK_PX = 32
"""What the name of the track keeps beside that of the active label."""
"""Pixels of a header from which on it has a second line."""


class TimelineImageCache:
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

    def draw(self, painter: QPainter, area: QRect, view: TimelineScene) -> None:
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
                _paint_base(into, part, view, current_style(scale))
            into.end()
        painter.drawImage(QRectF(area), self._image, QRectF(area.topLeft() * scale, area.size() * scale))


def _paint_base(painter: QPainter, area: QRect, view: TimelineScene, look: Style) -> None:
    colours = look.colours
    painter.fillRect(area, colours.panel)
    offset = ruler_height() - view.scroll_y()
    lanes_area = area & QRect(0, ruler_height(), view.viewport().width(), view.viewport().height())
    painter.setClipRect(lanes_area)
    for band in view.bands:
        place = QRect(header_width(), band.top + offset, view.view.width, band.height)
        if not lanes_area.intersects(QRect(0, place.top(), header_width() + place.width(), place.height())):
            continue
        painter.setClipRect(lanes_area)
        _paint_lane(painter, band, place, area, view, look)
    painter.setClipRect(area)
    if area.top() < ruler_height():
        _paint_ruler(painter, area, view, look)
        painter.setClipRect(area)
    painter.fillRect(QRectF(header_width() - 1, 0, 1, view.viewport().height()), colours.border)


def _paint_lane(painter: QPainter, band: Band, place: QRect, area: QRect, view: TimelineScene, look: Style) -> None:
    colours = look.colours
    painter.fillRect(place, colours.lane)
    painter.fillRect(QRect(0, place.bottom(), place.right() + 1, 1), mix(colours.border, colours.panel, 0.6))
    if area.left() < header_width():
        _paint_header(painter, band, place, view, look)
    inside = place & area
    if inside.isEmpty():
        return
    painter.setClipRect(inside & QRect(header_width(), ruler_height(), view.view.width, view.viewport().height()))
    if band.lane.draws_bars:
        bar_painter.paint_lane(painter, band, place, inside, view, look)
        point_painter.paint_points(painter, band, place, inside, view, look)
        if band.lane.faded or band.lane.pale:
            veil = QColor(colours.lane)
            veil.setAlphaF(0.6 if band.lane.faded else 0.3)
            painter.fillRect(inside, veil)
    elif band.lane.kind is LaneKind.SPANS:
        bar_painter.paint_spans(painter, band, place, inside, view, look)
    elif not band.folded:
        _paint_waveform(painter, place, inside, view, look)


def _paint_header(painter: QPainter, band: Band, place: QRect, view: TimelineScene, look: Style) -> None:
    colours = look.colours
    height = min(place.height(), theme.scaled(32))
    arrow = QRect(8, place.top() + (height - 12) // 2, 12, 12)
    theme.paint_icon(painter, "chevron-right" if band.folded else "chevron-down", arrow, colours.muted)
    painter.setFont(view.font())
    painter.setPen(colours.text if view.can_edit(band.lane) else colours.muted)
    room = QRect(26, place.top(), header_width() - 26 - 8, height)
    if band.lane.active:
        painter.fillRect(QRect(0, place.top(), 3, place.height() - 1), colours.accent)
    if band.lane.subtitle or band.lane.active_look is not None:
        room = _paint_second_line(painter, band, room, view, look)
    if band.lane.has_bars and not band.folded:
        room = _paint_count(painter, band, room, view, look)
    title = painter.fontMetrics().elidedText(band.lane.title, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)


def _paint_second_line(painter: QPainter, band: Band, room: QRect, view: TimelineScene, look: Style) -> QRect:
    """Write the track and the active label, or beside the title where there is no room for two lines.

    Returns the room of the title.
    """
    ink = painter.pen()
    painter.setFont(look.small_font)
    painter.setPen(look.colours.disabled if band.lane.faded else look.colours.muted)
    wide = room.width()
    if band.folded or room.height() < theme.scaled(_TWO_LINES_HEIGHT):
        wide = room.width() // 2
        title, below = room.adjusted(0, 0, -wide, 0), room.adjusted(room.width() - wide, 0, 0, 0)
    else:
        title, below = room.adjusted(0, 0, 0, -theme.scaled(12)), room.adjusted(0, theme.scaled(15), 0, 0)
    if band.lane.active_look is not None:
        below = _paint_active_label(painter, band.lane.active_look, below, bool(band.lane.subtitle), look)
    text = painter.fontMetrics().elidedText(band.lane.subtitle, Qt.TextElideMode.ElideRight, below.width())
    painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    painter.setFont(view.font())
    painter.setPen(ink)
    return title


def _paint_active_label(painter: QPainter, label: LabelLook, room: QRect, right: bool, look: Style) -> QRect:
    """Draw sign and name of the active label, at the right of other words; returns the room of these."""
    ink = painter.pen()
    metrics = painter.fontMetrics()
    least = SIGN_PX + 4
    wide = min(least + metrics.horizontalAdvance(label.name), room.width() - _LEAST_TRACK_PX * right)
    left = room.right() + 1 - wide if right else room.left()
    colour = look.label_style(label).ink
    paint_sign(painter, label.sign, QPointF(left, room.top() + (room.height() - SIGN_PX) / 2), colour)
    painter.setPen(colour)
    name = metrics.elidedText(label.name, Qt.TextElideMode.ElideRight, wide - least)
    place = QRect(left + least, room.top(), wide - least, room.height())
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(ink)
    return room.adjusted(0, 0, -wide - 4, 0) if right else QRect(room.left(), room.top(), 0, room.height())


def _paint_count(painter: QPainter, band: Band, room: QRect, view: TimelineScene, look: Style) -> QRect:
    """Write how many segments a lane has: under the title where it is high enough, else beside it, where it fits.

    Returns the room that is left for words.
    """
    count = f"{len(view.model.track(band.lane.key)):,}"
    ink, title = painter.pen(), painter.fontMetrics().horizontalAdvance(band.lane.title)
    below = band.height >= theme.scaled(_TALL_HEIGHT) and not band.lane.subtitle and band.lane.active_look is None
    painter.setFont(look.small_font)
    wide = painter.fontMetrics().horizontalAdvance(count)
    painter.setPen(look.colours.muted)
    if below:
        painter.drawText(
            room.translated(0, theme.scaled(18)), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, count
        )
    elif title + wide + 6 <= room.width():
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        room = room.adjusted(0, 0, -wide - 6, 0)
    painter.setFont(view.font())
    painter.setPen(ink)
    return room


def _paint_waveform(painter: QPainter, place: QRect, inside: QRect, view: TimelineScene, look: Style) -> None:
    colours, scale = look.colours, look.scale
    middle = place.top() + place.height() / 2
    painter.fillRect(QRectF(inside.left(), middle, inside.width(), 1 / scale), mix(colours.waveform, colours.lane, 0.5))
    if view.peaks is None:
        return
    columns = round(inside.width() * scale)
    first = inside.left() - header_width()
    start, end = view.view.x_to_time(first), view.view.x_to_time(first + inside.width())
    peaks = view.peaks.peaks(start, end, columns)
    if peaks is None or not len(peaks):
        return
    loud, soft = argb(mix(colours.waveform, colours.lane, 0.95)), argb(mix(colours.waveform, colours.lane, 0.55))
    pixels = waveform_picture(peaks, round((place.height() - 8) * scale), loud, soft)
    image = to_image(pixels)
    image.setDevicePixelRatio(scale)
    painter.drawImage(QPointF(inside.left(), place.top() + 4), image)


def _paint_ruler(painter: QPainter, area: QRect, view: TimelineScene, look: Style) -> None:
    colours = look.colours
    painter.fillRect(QRect(0, 0, view.viewport().width(), ruler_height()), colours.panel)
    painter.fillRect(QRectF(0, ruler_height() - 1, view.viewport().width(), 1), colours.border)
    painter.setClipRect(area & QRect(header_width(), 0, view.view.width, ruler_height()))
    window = view.view
    found = ruler_ticks(
        window,
        window.x_to_time(area.left() - header_width() - theme.scaled(LABEL_PX)),
        window.x_to_time(area.right() - header_width()),
    )
    small = _frame_ticks(view) or found.small
    for times, top, ink in (
        (small, ruler_height() - 6, colours.border),
        (found.labelled, ruler_height() - 10, colours.outline),
    ):
        for time in times:
            painter.fillRect(_hairline(window.time_to_x(time), top, ruler_height() - 1, look.scale), ink)
    painter.setFont(look.small_font)
    painter.setPen(QPen(QColor(colours.muted)))
    for time in found.labelled:
        left, text = header_width() + round(window.time_to_x(time)) + 4, tick_label(time, found.step_us)
        # One that the edge would cut looks like another time.
        if left + painter.fontMetrics().horizontalAdvance(text) <= header_width() + window.width:
            painter.drawText(QPointF(left, ruler_height() - 12), text)


def _frame_ticks(view: TimelineScene) -> list[int]:
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
    return QRectF(header_width() + round(x * scale) / scale, top, thick / scale, bottom - top)


EMPTY_TEXT = tr("No segments yet. Drag here, or press I and O.")
EMPTY_WITH_KEYS = tr("Drag here, or press I and O, then {keys}.")
EMPTY_POINTS_TEXT = tr("No points yet. Press a label's key at the moment, or drag here.")
EMPTY_POINTS_WITH_KEYS = tr("At the moment, press {keys}, or drag here.")
EMPTY_READ_ONLY = tr("No segments yet.")


def paint_overlay(painter: QPainter, view: TimelineScene) -> None:
    """Draw everything that lies over the lanes."""
    look = current_style(view.viewport().devicePixelRatioF())
    area = view.viewport().rect()
    if not view.model.count(LaneKind.SEGMENTS) and view.view.duration_us:
        _paint_empty(painter, area, view, look)
    painter.setClipRect(QRect(header_width(), 0, view.view.width, area.height()))
    _paint_marks(painter, area, view, look)
    _paint_hover(painter, area, view, look)
    gesture = view.gesture
    if gesture is not None:
        _paint_drag(painter, area, gesture, view, look)
    if view.pointer.rubber is not None:
        painter.setPen(QPen(look.colours.accent, 1))
        painter.setBrush(_with_alpha(look.colours.accent, 0.12))
        painter.drawRect(view.pointer.rubber)
    _paint_playhead(painter, area, view, look)
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
            painter.fillRect(side, _with_alpha(look.colours.accent, 0.7))


def _paint_empty(painter: QPainter, area: QRect, view: TimelineScene, look: Style) -> None:
    segments = [b for b in view.bands if b.lane.kind is LaneKind.SEGMENTS]
    if not segments and any(b.lane.has_bars for b in view.bands):
        return
    lanes = [b for b in segments if view.can_edit(b.lane) and not b.folded]
    painter.setFont(view.font())
    painter.setPen(look.colours.muted)
    if lanes:
        place = QRect(header_width(), lanes[0].top + ruler_height() - view.scroll_y(), view.view.width, lanes[0].height)
    else:
        below = view.bands[-1].bottom if view.bands else 0
        place = area.adjusted(header_width(), ruler_height() + below, 0, 0)
    texts = [*_empty_texts(lanes[0].lane)] if lanes else [EMPTY_READ_ONLY]
    fitting = (text for text in texts if painter.fontMetrics().horizontalAdvance(text) <= place.width())
    shown = painter.fontMetrics().elidedText(next(fitting, texts[-1]), Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)


def _empty_texts(lane: Lane) -> Iterator[str]:
    """Yield what an empty lane says to do, the longest first."""
    with_keys = [label for label in lane.looks if label.shortcut]
    if with_keys:
        text = EMPTY_POINTS_WITH_KEYS if lane.points else EMPTY_WITH_KEYS
        yield text.format(keys=", ".join(f"{label.shortcut} {label.name}" for label in with_keys))
        yield text.format(keys=", ".join(label.shortcut for label in with_keys))
    yield EMPTY_POINTS_TEXT if lane.points else EMPTY_TEXT


def _paint_marks(painter: QPainter, area: QRect, view: TimelineScene, look: Style) -> None:
    first, last = view.marks
    ink = look.colours.accent
    if first is not None and last is not None and first < last:
        left, right = view.view.time_to_x(first), view.view.time_to_x(last)
        painter.fillRect(
            QRectF(header_width() + left, ruler_height(), right - left, area.height() - ruler_height()),
            _with_alpha(ink, 0.1),
        )
        painter.fillRect(QRectF(header_width() + left, ruler_height() - 5, right - left, 4), _with_alpha(ink, 0.8))
    for time, outward in ((first, -1), (last, 1)):
        if time is None:
            continue
        x = _snap_x(view.view.time_to_x(time), look)
        painter.fillRect(QRectF(x, ruler_height() - 12, 1, area.height()), _with_alpha(ink, 0.8))
        flag = QPolygonF(
            [
                QPointF(x, ruler_height() - 13),
                QPointF(x - outward * 7, ruler_height() - 9),
                QPointF(x, ruler_height() - 5),
            ]
        )
        _fill_polygon(painter, flag, ink)


def _paint_hover(painter: QPainter, area: QRect, view: TimelineScene, look: Style) -> None:
    pointer = view.pointer
    if pointer.position is None or pointer.position.x() < header_width() or not pointer.idle:
        return
    x = _snap_x(pointer.position.x() - header_width(), look)
    painter.fillRect(QRectF(x, ruler_height(), 1, area.height()), _with_alpha(look.colours.muted, 0.35))
    _paint_bubble(
        painter, x, 3, format_time(view.view.clamp(view.view.x_to_time(x - header_width()))), view, look, quiet=True
    )
    segment = view.model.segment(pointer.hovered)
    found = _find_band(view, lane_key_of(segment)) if segment else None
    if segment is None or found is None or view.model.is_selected(segment.id):
        return
    band, top = found
    track = view.model.track(lane_key_of(segment))
    row = int(track.rows[track.index(segment)])
    if row >= band.rows:
        return
    rect = segment_rect(band, top, row, segment.start_us, segment.end_us, view)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_with_alpha(look.colours.text, 0.75), 1))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_drag(painter: QPainter, area: QRect, gesture: Gesture, view: TimelineScene, look: Style) -> None:
    painter.setFont(look.small_font)
    start = end = 0
    lowest = ruler_height()
    for segment_id, start_us, end_us in gesture.placements():
        segment = view.model.segment(segment_id)
        lane = lane_key_of(segment) if segment else gesture.lane if isinstance(gesture, Create) else ""
        to = gesture.lane if isinstance(gesture, Move) and gesture.lane else lane
        found = _find_band(view, lane)
        if found is None or end_us < view.view.start_us or start_us > view.view.end_us:
            continue
        band, top = found
        row = 0
        if segment is not None:
            track = view.model.track(lane)
            row = min(int(track.rows[track.index(segment)]), band.rows - 1)
            _paint_ghost(painter, segment_rect(band, top, row, segment.start_us, segment.end_us, view), look)
        if to != lane and (over := _find_band(view, to)) is not None:
            (band, top), row = over, 0
        rect = segment_rect(band, top, row, start_us, end_us, view)
        label = band.lane.look(segment.label) if segment else NEW_LOOK
        if is_utterance(segment):
            paint_utterances(painter, [(rect, segment, label, True)], look)
        elif is_node(segment):
            paint_nodes(painter, [(rect, segment, label, True)], look)
        elif start_us == end_us:
            point_painter.paint_marks(painter, [(rect, label, True, 0)], look)
        else:
            paint_segments(painter, [(rect, label, True)], look)
        start, end, lowest = start_us, end_us, max(lowest, round(rect.bottom()))
    if gesture.snap_us is not None:
        x = _snap_x(view.view.time_to_x(gesture.snap_us), look)
        painter.fillRect(QRectF(x - 1, ruler_height(), 3, area.height()), _with_alpha(look.colours.accent, 0.6))
    if end:
        text = (
            format_time(start)
            if start == end
            else tr("{start} to {end}   {seconds:.3f} s").format(
                start=format_time(start), end=format_time(end), seconds=(end - start) / 1e6
            )
        )
        below = lowest + 4 if lowest + 24 < area.height() else lowest - 48
        _paint_bubble(painter, header_width() + view.view.time_to_x((start + end) / 2), below, text, view, look)


def _paint_ghost(painter: QPainter, rect: QRectF, look: Style) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(look.colours.outline, 1, Qt.PenStyle.DotLine))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


def _paint_playhead(painter: QPainter, area: QRect, view: TimelineScene, look: Style) -> None:
    x = _snap_x(view.view.time_to_x(view.playhead_us), look)
    if not header_width() - 8 <= x <= area.width() + 8:
        return
    ink = look.colours.playhead
    thick = max(1, int(look.scale)) / look.scale
    painter.fillRect(QRectF(x, ruler_height() - 8, thick, area.height()), ink)
    middle = x + thick / 2
    top = ruler_height() - 11
    head = [(-5, top), (5, top), (5, top + 4), (0, top + 9), (-5, top + 4)]
    _fill_polygon(painter, QPolygonF([QPointF(middle + dx, y) for dx, y in head]), ink)


def _paint_bubble(
    painter: QPainter, x: float, y: float, text: str, view: TimelineScene, look: Style, *, quiet: bool = False
) -> None:
    painter.setFont(look.small_font)
    wide = painter.fontMetrics().horizontalAdvance(text) + 12
    left = min(max(x - wide / 2, header_width() + 2.0), header_width() + view.view.width - wide - 2.0)
    box = QRectF(round(left), y, wide, theme.scaled(17))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(look.colours.raised)
    painter.setPen(QPen(mix(look.colours.border, look.colours.raised, 0.8), 1))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(look.colours.muted if quiet else look.colours.text)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _find_band(view: TimelineScene, lane: str) -> tuple[Band, int] | None:
    for band in view.bands:
        if band.lane.key == lane and not band.folded:
            return band, band.top + ruler_height() - view.scroll_y()
    return None


def _snap_x(x: float, look: Style) -> float:
    return header_width() + round(x * look.scale) / look.scale


def _with_alpha(colour: QColor, alpha: float) -> QColor:
    result = QColor(colour)
    result.setAlphaF(alpha)
    return result


def _fill_polygon(painter: QPainter, shape: QPolygonF, ink: QColor) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(shape)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
