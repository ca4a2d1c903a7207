"""Paints the bars of timeline lanes: segments, spans, utterances and nodes.

Narrow segments are rasterized into one picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from project.schemes.scheme import Pattern
from widgets import theme
from widgets.labels import SIGN_PX, LabelLook, label_ink, mix, pattern_brush, unknown_look
from widgets.timeline.lanes import UNSURE, LaneKind, NodeBar, SpokenBar, is_node, is_utterance
from widgets.timeline.raster import Style, coverage, pixel_columns, runs, segments_picture, to_image
from widgets.timeline.scene import TimelineScene
from widgets.timeline.timeline_layout import POINT_PX, Band, header_width
from widgets.timeline.timeline_model import HIDDEN, MAX_LABEL_CODES, MAX_ROWS, SELECTED, SegmentTrack

_CORNER_RADIUS = 3.0
_NODE_SIGN_MIN_WIDTH = 18.0
_NODE_TEXT_MIN_WIDTH = 44.0

NodeBand = tuple[QRectF, NodeBar, LabelLook, bool]
"""Where a node is drawn, the look of its kind, and whether it is selected."""


def paint_nodes(painter: QPainter, found: Sequence[NodeBand], look: Style) -> None:
    """Draw nodes one by one; one with a problem has a line of the warning's colour under it."""
    lane, text = look.colours.lane, look.colours.text
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for rect, bar, label, selected in found:
        ink = label_ink(label, look.colours)
        painter.setBrush(mix(ink, lane, 0.5 if selected else 0.32))
        painter.setPen(QPen(look.colours.accent, 2) if selected else QPen(mix(ink, lane, 0.9), 1))
        inset = 1.0 if selected else 0.5
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), _CORNER_RADIUS, _CORNER_RADIUS)
        if bar.flag:
            under = QRectF(rect.left() + 3, rect.bottom() - 3.5, max(2.0, rect.width() - 6), 2)
            painter.fillRect(under, look.colours.uncertain)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.small_font)
    painter.setPen(text)
    metrics = painter.fontMetrics()
    first = float(header_width())
    for rect, bar, label, _ in found:
        left = max(rect.left(), first) + 4
        room = rect.right() - left - 4
        if room < _NODE_SIGN_MIN_WIDTH - 8 or rect.height() < SIGN_PX:
            continue
        painter.drawPixmap(QPointF(left, rect.top() + (rect.height() - SIGN_PX) / 2), look.label_style(label).sign)
        words = bar.text or label.name
        if room < _NODE_TEXT_MIN_WIDTH:
            continue
        where = QRectF(left + SIGN_PX + 4, rect.top(), room - SIGN_PX - 4, rect.height())
        # What cannot be seen need not be measured: a character takes two pixels at least.
        shown = metrics.elidedText(words[: int(room / 2) + 1], Qt.TextElideMode.ElideRight, int(where.width()))
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


_UTTERANCE_TEXT_MIN_WIDTH = 22.0
_TEXT_HEIGHT = 12
_FLAG_PX = 7.0

UtteranceBand = tuple[QRectF, SpokenBar, LabelLook, bool]
"""Where an utterance is drawn, the look of its lane, and whether it is selected."""


def paint_utterances(painter: QPainter, found: Sequence[UtteranceBand], look: Style) -> None:
    """Draw utterances one by one."""
    lane, text = look.colours.lane, look.colours.text
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for rect, bar, label, selected in found:
        ink = label_ink(label, look.colours)
        unsure = bar.label == UNSURE
        painter.setBrush(mix(ink, lane, (0.1 if unsure else 0.3) + (0.12 if selected else 0)))
        painter.setPen(_outline_pen(mix(ink, lane, 0.9), look.colours.accent, unsure, selected))
        inset = 1.0 if selected else 0.5
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), _CORNER_RADIUS, _CORNER_RADIUS)
        if bar.flag:
            _paint_flag(painter, rect, look.colours.uncertain)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.small_font)
    painter.setPen(text)
    metrics = painter.fontMetrics()
    first, least = float(header_width()), theme.scaled(_TEXT_HEIGHT)
    for rect, bar, _, _ in found:
        left = max(rect.left(), first) + 5
        room = rect.right() - left - (_FLAG_PX + 6 if bar.flag else 4)
        if room < _UTTERANCE_TEXT_MIN_WIDTH or rect.height() < least or not bar.text:
            continue
        # What cannot be seen need not be measured: a character takes two pixels at least.
        words = metrics.elidedText(bar.text[: int(room / 2) + 1], Qt.TextElideMode.ElideRight, int(room))
        where = QRectF(left, rect.top(), room, rect.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


def _outline_pen(ink: QColor, accent: QColor, unsure: bool, selected: bool) -> QPen:
    pen = QPen(accent, 2) if selected else QPen(ink, 1)
    if unsure:
        pen.setDashPattern([2, 1.5] if selected else [3, 2])
    return pen


def _paint_flag(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    """Draw a small pennant in the upper right corner."""
    right, top = rect.right() - 4, rect.top() + 3
    if rect.width() < _FLAG_PX + 6:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(
        QPolygonF(
            [
                QPointF(right - _FLAG_PX, top),
                QPointF(right, top + _FLAG_PX / 2),
                QPointF(right - _FLAG_PX, top + _FLAG_PX),
            ]
        )
    )
    painter.drawRect(QRectF(right - _FLAG_PX, top, 1.2, rect.height() - 6))


WIDE_PX = 14
_MAX_WIDE_SEGMENTS = 200
_SEGMENT_SIGN_MIN_WIDTH = 20
_SHORT_NAME_MIN_WIDTH = 62
"""Pixels of a segment from which on its name is written as far as there is room."""
_NAME_HEIGHT = 18
UNKNOWN_LOOK = unknown_look("")


def paint_lane(painter: QPainter, band: Band, place: QRect, inside: QRect, view: TimelineScene, look: Style) -> None:
    """Draw a lane's segments, but for points.

    Args:
        painter: clipped to `inside`.
        band: the lane's layout.
        place: the whole lane on the viewport.
        inside: the part of it to draw.
        view: the timeline.
        look: what to draw with.
    """
    window, scale = view.view, look.scale
    track = view.model.track(band.lane.key)
    origin = inside.left() - header_width()
    width = round(inside.width() * scale)
    start = window.start_us + origin * window.us_per_px
    lo, hi = track.slice_between(start - 2 * window.us_per_px, start + (inside.width() + 2) * window.us_per_px)
    starts, ends, codes = track.starts[lo:hi], track.ends[lo:hi], track.codes[lo:hi]
    rows, flags = track.rows[lo:hi], track.flags[lo:hi]
    if band.folded:
        rows = np.zeros_like(rows)
    us_per_pixel = window.us_per_px / scale
    lengths = ends - starts
    tops = [place.top() + band.row_top(row) - band.top for row in range(band.rows)]
    in_sight = [top <= inside.bottom() and top + band.row_height > inside.top() for top in tops]
    drawn = np.array([*in_sight, *[False] * (MAX_ROWS + 1 - band.rows)])[rows] & (flags & HIDDEN == 0)
    drawn &= ~track.are_points[lo:hi]
    wide = np.zeros(0, np.intp)
    least = WIDE_PX * window.us_per_px
    if not band.folded:
        near = drawn & (ends > start)
        wide = np.flatnonzero(near & (lengths >= least))
        while len(wide) > _MAX_WIDE_SEGMENTS:
            least *= 2
            wide = np.flatnonzero(near & (lengths >= least))
    left = pixel_columns(starts, start, us_per_pixel, width)
    right = pixel_columns(ends, start, us_per_pixel, width)
    narrow = lengths < least if not band.folded else np.ones(len(rows), np.bool_)
    narrow &= drawn & (ends > start - us_per_pixel)
    left, right = _at_least_one_pixel(left, right, width, scale)
    if narrow.any():
        places = [
            (round((band.row_top(r) - band.top) * scale), round(band.row_height * scale)) for r in range(band.rows)
        ]
        pixels = segments_picture(
            (left[narrow], right[narrow]),
            look_ranks(track, band)[codes[narrow]],
            rows[narrow],
            (flags[narrow] & SELECTED) > 0,
            places,
            (round(band.height * scale), width),
            round((start / us_per_pixel) % look.hatch),
            look.raster_colours((*band.lane.looks[:MAX_LABEL_CODES], UNKNOWN_LOOK)),
        )
        image = to_image(pixels)
        image.setDevicePixelRatio(scale)
        painter.drawImage(QPointF(inside.left(), place.top()), image)
    _paint_wide(painter, band, place, wide, lo, view, look)
    if band.overflows and not band.folded:
        over = rows == MAX_ROWS
        _paint_overflow(painter, left[over], right[over], width, QPointF(inside.left(), place.top()), band, look)


def segment_rect(band: Band, place_top: int, row: int, start_us: float, end_us: float, view: TimelineScene) -> QRectF:
    """Return where a segment is drawn, cut off a little outside the view; of a point, the width of its plate."""
    window = view.view
    if start_us == end_us:
        left = header_width() + window.time_to_x(start_us) - POINT_PX / 2
        return QRectF(left, place_top + band.row_top(row) - band.top, POINT_PX, band.row_height)
    left = max(-24.0, window.time_to_x(start_us))
    right = min(window.width + 24.0, window.time_to_x(end_us))
    top = place_top + band.row_top(row) - band.top
    return QRectF(header_width() + left, top, max(2.0, right - left - 1), band.row_height)


def paint_segments(painter: QPainter, found: Sequence[tuple[QRectF, LabelLook, bool]], look: Style) -> None:
    """Draw segments with all their signs: where, which label they have, and whether they are selected."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chosen = QPen(look.colours.accent, 2)
    for rect, label, selected in found:
        own = look.label_style(label)
        painter.setBrush(own.strong if selected else own.brush)
        painter.setPen(chosen if selected else own.pen)
        inset = 1.0 if selected else 0.5
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), _CORNER_RADIUS, _CORNER_RADIUS)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.small_font)
    painter.setPen(look.colours.text)
    metrics = painter.fontMetrics()
    widths = {label.name: metrics.horizontalAdvance(label.name) for _, label, _ in found}
    first, least = float(header_width()), theme.scaled(_NAME_HEIGHT)
    for rect, label, selected in found:
        left, top, height = max(rect.left(), first), rect.top(), rect.height()
        room = rect.right() - left
        if room < _SEGMENT_SIGN_MIN_WIDTH or height < SIGN_PX:
            continue
        own = look.label_style(label)
        name, wide = label.name, widths[label.name]
        if room < 30 + wide:
            name = (
                metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(room - 30))
                if room >= _SHORT_NAME_MIN_WIDTH
                else ""
            )
            wide = metrics.horizontalAdvance(name)
        named = height >= least and bool(name)
        if own.plates is not None:
            plate = 18.0 + (wide + 8 if named else 0)
            painter.fillRect(QRectF(left + 3, top + 2, plate, height - 4), own.plates[selected])
        painter.drawPixmap(QPointF(left + 6, top + (height - SIGN_PX) / 2), own.sign)
        if named:
            where = QRectF(left + 22, top, room - 26, height)
            painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)


def paint_spans(painter: QPainter, band: Band, place: QRect, inside: QRect, view: TimelineScene, look: Style) -> None:
    """Draw a lane of spans as a band, plain or in the lane's looks; several over one pixel make it no denser."""
    window, scale = view.view, look.scale
    spans, kinds = view.model.spans(band.lane.key), view.model.span_kinds(band.lane.key)
    if not len(spans):
        return
    origin = inside.left() - header_width()
    start = window.start_us + origin * window.us_per_px
    width = round(inside.width() * scale)
    left = pixel_columns(spans[:, 0], start, window.us_per_px / scale, width)
    right = pixel_columns(spans[:, 1], start, window.us_per_px / scale, width)
    left, right = _at_least_one_pixel(left, right, width, 0)
    seen = (spans[:, 1] >= start) & (spans[:, 0] <= start + inside.width() * window.us_per_px)
    tall = min(10 if band.lane.looks else 8, band.height - 8)
    top = place.top() + (band.height - tall) / 2
    painter.setBrushOrigin(QPointF(header_width(), top))
    for kind in np.unique(kinds[seen]).tolist():
        drawn = seen & (kinds == kind)
        counts = coverage(left[drawn], right[drawn], np.zeros(int(drawn.sum()), np.intp), 1, width)[0]
        brush = _span_brush(band, kind, look)
        for first, last, _ in runs(counts):
            painter.fillRect(QRectF(inside.left() + first / scale, top, (last - first) / scale, tall), brush)


def _span_brush(band: Band, kind: int, look: Style) -> QBrush:
    if not band.lane.looks:
        return QBrush(mix(look.colours.accent, look.colours.lane, 0.55))
    shown = band.lane.looks[kind]
    ink = label_ink(shown, look.colours)
    strong, weak = mix(ink, look.colours.lane, 0.8), mix(ink, look.colours.lane, 0.2)
    ground = strong if shown.pattern is Pattern.SOLID else weak
    return pattern_brush(shown.pattern, ground, strong, look.hatch, look.stroke, look.scale)


def _paint_wide(
    painter: QPainter, band: Band, place: QRect, wide: NDArray[np.intp], lo: int, view: TimelineScene, look: Style
) -> None:
    if not len(wide):
        return
    track = view.model.track(band.lane.key)
    at = wide + lo
    shift = -(view.view.start_us / view.view.us_per_px) % (look.hatch / look.scale)
    painter.setBrushOrigin(QPointF(header_width() + shift, 0))
    looks = {label: band.lane.look(label) for label in track.labels}
    found = zip(
        track.starts[at].tolist(), track.ends[at].tolist(), track.rows[at].tolist(),
        at.tolist(), (track.flags[at] & SELECTED).tolist(), strict=True,
    )  # fmt: skip
    ordered = sorted(found, key=lambda f: f[4])
    if band.lane.kind is LaneKind.UTTERANCES:
        spoken = [
            (segment_rect(band, place.top(), row, start, end, view), bar, looks[bar.label], bool(selected))
            for start, end, row, i, selected in ordered
            if is_utterance(bar := track.items[i])
        ]
        paint_utterances(painter, spoken, look)
        return
    if band.lane.kind is LaneKind.NODES:
        nodes = [
            (segment_rect(band, place.top(), row, start, end, view), bar, looks[bar.label], bool(selected))
            for start, end, row, i, selected in ordered
            if is_node(bar := track.items[i])
        ]
        paint_nodes(painter, nodes, look)
        return
    paint_segments(
        painter,
        [
            (segment_rect(band, place.top(), row, start, end, view), looks[track.items[i].label], bool(selected))
            for start, end, row, i, selected in ordered
        ],
        look,
    )


def look_ranks(track: SegmentTrack, band: Band) -> NDArray[np.uint8]:
    """Return for each code of the track which look of the lane it has; the one after the last is the unknown one."""
    known = {look.key: place for place, look in enumerate(band.lane.looks[:MAX_LABEL_CODES])}
    ranks = np.full(MAX_LABEL_CODES + 1, len(known), np.uint8)
    for code, label in enumerate(track.labels[:MAX_LABEL_CODES]):
        ranks[code] = known.get(label, len(known))
    return ranks


def _at_least_one_pixel(
    left: NDArray[np.int32], right: NDArray[np.int32], width: int, scale: float
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give every span a pixel, and a gap to the next where it is wide enough to spare one."""
    gap = np.where(right - left > 3, np.int32(scale), np.int32(0))
    left = np.minimum(left, width - 1)
    return left, np.maximum(right - gap, left + 1)


def _paint_overflow(
    painter: QPainter,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    width: int,
    corner: QPointF,
    band: Band,
    look: Style,
) -> None:
    counts = coverage(left, right, np.zeros(len(left), np.intp), 1, width)[0]
    top = corner.y() + band.row_top(MAX_ROWS) - band.top
    painter.setFont(look.small_font)
    for first, last, most in runs(counts):
        x, wide = corner.x() + first / look.scale, (last - first) / look.scale
        painter.fillRect(QRectF(x, top + 1, wide, 1), look.colours.outline)
        if wide >= 26:
            painter.setPen(look.colours.muted)
            painter.drawText(QPointF(x + 2, top + theme.scaled(12)), f"+{most}")
