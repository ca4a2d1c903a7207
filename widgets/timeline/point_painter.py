"""Paints the points of timeline lanes: a stem at every zoom, and a plate with the label's sign where there is room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from widgets import theme
from widgets.labels import SIGN_PX, LabelLook, label_ink
from widgets.timeline.bar_painter import UNKNOWN_LOOK, look_ranks, segment_rect
from widgets.timeline.lanes import LaneKind
from widgets.timeline.raster import Style, segments_picture, to_image
from widgets.timeline.scene import TimelineScene
from widgets.timeline.timeline_layout import POINT_PX, Band, header_width
from widgets.timeline.timeline_model import HIDDEN, MAX_LABEL_CODES, MAX_ROWS, SELECTED, SegmentTrack

_STEM_PX = 3
_NAME_MIN_WIDTH = 24
_NAME_MAX_WIDTH = 120
_NAME_HEIGHT = 18
_CORNER_RADIUS = 3.0
_MAX_CROWDED_SELECTED = 200
"""So many selected points have a plate even among others; of more, those that stand alone."""
REACH_PX = POINT_PX + _NAME_MAX_WIDTH
"""How far from its time a point can be drawn."""

PointMark = tuple[QRectF, LabelLook, bool, float]
"""Where a plate is drawn, the look of its label, whether it is selected, and the room for its name behind it."""


def paint_points(painter: QPainter, band: Band, place: QRect, inside: QRect, view: TimelineScene, look: Style) -> None:
    """Draw the points of a lane; the arguments are those of `paint_lane`.

    Points that are nearer to each other than a plate is wide are drawn as stems in their label's colour and pattern.
    """
    window = view.view
    track = view.model.track(band.lane.key)
    first, last = (window.x_to_time(x - header_width()) for x in (inside.left() - REACH_PX, inside.right() + REACH_PX))
    lo, hi = track.slice_between(first, last)
    at = np.flatnonzero(track.are_points[lo:hi]) + lo
    at = at[track.flags[at] & HIDDEN == 0]
    rows = np.zeros(len(at), np.uint8) if band.folded else track.rows[at]
    tops = [place.top() + band.row_top(row) - band.top for row in range(band.rows)]
    in_sight = [top <= inside.bottom() and top + band.row_height > inside.top() for top in tops]
    seen = np.array([*in_sight, *[False] * (MAX_ROWS + 1 - band.rows)])[rows]
    at, rows = at[seen], rows[seen]
    if not len(at):
        return
    x = (track.starts[at] - window.start_us) / window.us_per_px
    _paint_stems(painter, band, place, inside, (at, rows, x), view, look)
    if band.folded or band.row_height < POINT_PX:
        return
    alone, room = _isolated(x, rows)
    chosen = track.flags[at] & SELECTED > 0
    if np.count_nonzero(chosen) <= _MAX_CROWDED_SELECTED:
        alone |= chosen
    marks: list[tuple[bool, PointMark]] = []
    for index, row, behind in zip(at[alone].tolist(), rows[alone].tolist(), room[alone].tolist(), strict=True):
        point, selected = track.items[index], bool(track.flags[index] & SELECTED)
        rect = segment_rect(band, place.top(), row, point.start_us, point.end_us, view)
        marks.append((selected, (rect, band.lane.look(point.label), selected, behind)))
    paint_marks(painter, [mark for _, mark in sorted(marks, key=lambda entry: entry[0])], look)


def paint_marks(painter: QPainter, marks: Sequence[PointMark], look: Style) -> None:
    """Draw plates with the sign of their label, and its name where there is room."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for rect, label, selected, _ in marks:
        own = look.label_style(label)
        ink = look.colours.accent if selected else label_ink(label, look.colours)
        painter.fillRect(QRectF(rect.center().x() - 1, rect.top(), 2, rect.height()), ink)
        plate = _plate(rect)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colours.lane)
        painter.drawRoundedRect(plate, _CORNER_RADIUS, _CORNER_RADIUS)
        inset = 1.0 if selected else 0.5
        painter.setPen(QPen(ink, 2 if selected else 1))
        painter.setBrush(own.strong if selected else own.plates[0] if own.plates is not None else own.brush)
        painter.drawRoundedRect(plate.adjusted(inset, inset, -inset, -inset), _CORNER_RADIUS, _CORNER_RADIUS)
        margin = (POINT_PX - SIGN_PX) / 2
        painter.drawPixmap(QPointF(plate.left() + margin, plate.top() + margin), own.sign)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.small_font)
    painter.setPen(look.colours.text)
    metrics = painter.fontMetrics()
    for rect, label, _, room in marks:
        if room < _NAME_MIN_WIDTH or rect.height() < theme.scaled(_NAME_HEIGHT):
            continue
        name = metrics.elidedText(label.name, Qt.TextElideMode.ElideRight, int(min(room, _NAME_MAX_WIDTH)))
        where = QRectF(rect.right() + 3, rect.top(), _NAME_MAX_WIDTH, rect.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)


def _plate(rect: QRectF) -> QRectF:
    return QRectF(rect.left(), rect.center().y() - POINT_PX / 2, POINT_PX, POINT_PX)


def _isolated(x: NDArray[np.float64], rows: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return (n,) which points have room for a plate, and (n,) how many pixels are free behind it.

    Args:
        x: (n,) where they lie, ascending.
        rows: (n,) their sub-rows.
    """
    order = np.argsort(rows, kind="stable")
    apart = np.where(np.diff(rows[order]) > 0, np.inf, np.diff(x[order]))
    before, after = np.empty(len(x)), np.empty(len(x))
    before[order] = np.concatenate(([np.inf], apart))
    after[order] = np.concatenate((apart, [np.inf]))
    return (before > POINT_PX) & (after > POINT_PX), after - POINT_PX - 6


def _paint_stems(
    painter: QPainter,
    band: Band,
    place: QRect,
    inside: QRect,
    points: tuple[NDArray[np.intp], NDArray[np.uint8], NDArray[np.float64]],
    view: TimelineScene,
    look: Style,
) -> None:
    at, rows, x = points
    window = view.view
    track: SegmentTrack = view.model.track(band.lane.key)
    scale, width = look.scale, round(inside.width() * look.scale)
    wide = max(1, round((_STEM_PX if band.lane.kind is LaneKind.SEGMENTS else _STEM_PX + 1) * scale))
    left = np.rint((x + header_width() - inside.left()) * scale).astype(np.int64) - wide // 2
    near = (left > -wide) & (left < width)
    at, rows, left = at[near], rows[near], left[near]
    if not len(at):
        return
    spans = np.clip(left, 0, width).astype(np.int32), np.clip(left + wide, 0, width).astype(np.int32)
    pixels = segments_picture(
        spans,
        look_ranks(track, band)[track.codes[at]],
        rows,
        (track.flags[at] & SELECTED) > 0,
        [(round((band.row_top(r) - band.top) * scale), round(band.row_height * scale)) for r in range(band.rows)],
        (round(band.height * scale), width),
        round((window.start_us / window.us_per_px + inside.left() - header_width()) * scale % look.hatch),
        look.stem_colours((*band.lane.looks[:MAX_LABEL_CODES], UNKNOWN_LOOK)),
    )
    image = to_image(pixels)
    image.setDevicePixelRatio(scale)
    painter.drawImage(QPointF(inside.left(), place.top()), image)
