"""Draws, moves, resizes and keyframes boxes on the picture in the mode Faces."""

from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QWidget

from anonymize.faces import face_review_edits
from anonymize.masking.mask_coverage import ReviewReason
from app.gui.faces.face_queue import ReviewSpans
from app.gui.player.player import Player
from app.gui.study.study_controller import StudyController
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import Changes, FaceTrack
from project.session.session import Session
from project.timebase import SECOND_US, FrameTimes
from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.player.player_view import PlayerView, paint_chip

HANDLE_PX = 9.0
"""Side of a handle on the screen."""
MIN_BOX_PX = 4.0
"""A box is at least this many pixels of the picture wide and high."""


class BoxGrip(Enum):
    """Where a box is held: how its left, top, right and bottom edges follow the mouse."""

    TOP_LEFT = (1, 1, 0, 0)
    TOP = (0, 1, 0, 0)
    TOP_RIGHT = (0, 1, 1, 0)
    RIGHT = (0, 0, 1, 0)
    BOTTOM_RIGHT = (0, 0, 1, 1)
    BOTTOM = (0, 0, 0, 1)
    BOTTOM_LEFT = (1, 0, 0, 1)
    LEFT = (1, 0, 0, 0)
    INSIDE = (1, 1, 1, 1)


def handles(box: QRectF) -> dict[BoxGrip, QPointF]:
    """Return where the handles of a box are."""
    middle = box.center()
    return {
        BoxGrip.TOP_LEFT: box.topLeft(),
        BoxGrip.TOP: QPointF(middle.x(), box.top()),
        BoxGrip.TOP_RIGHT: box.topRight(),
        BoxGrip.RIGHT: QPointF(box.right(), middle.y()),
        BoxGrip.BOTTOM_RIGHT: box.bottomRight(),
        BoxGrip.BOTTOM: QPointF(middle.x(), box.bottom()),
        BoxGrip.BOTTOM_LEFT: box.bottomLeft(),
        BoxGrip.LEFT: QPointF(box.left(), middle.y()),
    }


def grip_at(box: QRectF, point: QPointF) -> BoxGrip | None:
    """Return what of a box lies under a point of the screen, a handle before the inside."""
    reach = HANDLE_PX / 2 + 2
    for grip, where in handles(box).items():
        if abs(where.x() - point.x()) <= reach and abs(where.y() - point.y()) <= reach:
            return grip
    return BoxGrip.INSIDE if box.contains(point) else None


def drag_box(box: QRectF, grip: BoxGrip, by: QPointF, least: float) -> QRectF:
    """Return a box after what is held moved; edges stop before they would pass one another."""
    left, top, right, bottom = grip.value
    x, y = by.x(), by.y()
    if grip is BoxGrip.INSIDE:
        return box.translated(x, y)
    result = box.adjusted(left * x, top * y, right * x, bottom * y)
    if result.width() < least:
        edge = box.right() - least if left else box.left()
        result = QRectF(edge, result.top(), least, result.height())
    if result.height() < least:
        edge = box.bottom() - least if top else box.top()
        result = QRectF(result.left(), edge, result.width(), least)
    return result


Box = tuple[int, int, int, int]
_CURSORS = {
    BoxGrip.TOP_LEFT: Qt.CursorShape.SizeFDiagCursor,
    BoxGrip.BOTTOM_RIGHT: Qt.CursorShape.SizeFDiagCursor,
    BoxGrip.TOP_RIGHT: Qt.CursorShape.SizeBDiagCursor,
    BoxGrip.BOTTOM_LEFT: Qt.CursorShape.SizeBDiagCursor,
    BoxGrip.TOP: Qt.CursorShape.SizeVerCursor,
    BoxGrip.BOTTOM: Qt.CursorShape.SizeVerCursor,
    BoxGrip.LEFT: Qt.CursorShape.SizeHorCursor,
    BoxGrip.RIGHT: Qt.CursorShape.SizeHorCursor,
    BoxGrip.INSIDE: Qt.CursorShape.SizeAllCursor,
}
_SHADOW_COLOUR = QColor(0, 0, 0, 150)


class BoxCanvas(QWidget):
    """Transparent; a click that is no drag goes through to the picture. Boxes are in pixels of the recording's picture.

    Signals:
        drag_started: a drag begins: what plays should stand still.
        draw_requested (tuple, bool): x, y, width, height of a new box; whether Shift was held.
        box_requested (tuple): where the selected box should be in the frame that is shown.
    """

    ROLE = Role.Graphic

    drag_started = Signal()
    draw_requested = Signal(object, bool)
    box_requested = Signal(object)

    def __init__(self, view: PlayerView) -> None:
        super().__init__(view)
        self._view = view
        self._size = (0, 0)
        self._box: QRectF | None = None
        self._ghosts: tuple[QRectF, ...] = ()
        self._suspect: QRectF | None = None
        self._suspected = ""
        self._keyed = False
        self._words = ""
        self._editable = True
        self._pressed: QPointF | None = None
        self._grip: BoxGrip | None = None
        self._now: QRectF | None = None
        self._area = False
        self.setAccessibleName(tr("Boxes that are drawn by hand"))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.installEventFilter(self)
        self.hide()

    def set_frame_size(self, width: int, height: int) -> None:
        """Say how large the recording's picture is, in pixels."""
        self._size = (width, height)
        self.update()

    def set_editable(self, editable: bool) -> None:
        """Let boxes be drawn and moved, or not."""
        self._editable = editable
        self.update()

    def show_box(self, box: Box | None, ghosts: Sequence[Box] = (), *, keyed: bool = False, words: str = "") -> None:
        """Show the selected box with its handles.

        Args:
            box: where it is in the frame that is shown; None where none is selected or it is not there.
            ghosts: where it is at the keyframes around.
            keyed: whether it has a keyframe in this frame.
            words: a few about it.
        """
        self._box = None if box is None else QRectF(*box)
        self._ghosts = tuple(QRectF(*ghost) for ghost in ghosts)
        self._keyed, self._words = keyed, words
        if self._grip is not None and self._box is None:
            self._grip = self._now = self._pressed = None
        self.update()

    def show_suspect(self, box: Box | None, words: str = "") -> None:
        """Show where a face may be uncovered; None for nowhere."""
        self._suspect = None if box is None else QRectF(*box)
        self._suspected = words
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._view and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._view.rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(self._view.picture_rect())
        colours = theme.load("dark")
        if self._suspect is not None:
            self._paint_suspect(painter, self._to_screen(self._suspect))
        shown = self._now if self._now is not None else self._box
        if shown is not None and (self._box is not None or self._grip is None):
            self._paint_ghosts(painter, shown)
        if shown is None:
            return
        where = self._to_screen(shown)
        drawing = self._now is not None and self._grip is None
        ink = colours.uncertain if drawing and self._area else colours.accent
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(_SHADOW_COLOUR, 4), QPen(ink, 2)):
            painter.setPen(pen)
            painter.drawRect(where)
        if drawing:
            paint_chip(
                painter, tr("Area, always masked") if self._area else tr("Face (Shift: area)"), where.bottomLeft()
            )
        elif self._editable:
            painter.setPen(QPen(_SHADOW_COLOUR, 1))
            painter.setBrush(ink if self._keyed else QColor("#f2f2f2"))
            for place in handles(where).values():
                painter.drawRect(QRectF(place.x() - HANDLE_PX / 2, place.y() - HANDLE_PX / 2, HANDLE_PX, HANDLE_PX))
        if self._words and not drawing:
            paint_chip(painter, self._words, where.bottomLeft() + QPointF(0, HANDLE_PX))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()
        if event.button() != Qt.MouseButton.LeftButton or not self._can_draw(event.position()):
            return
        self._pressed = event.position()
        self._area = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._grip = None if self._box is None else grip_at(self._to_screen(self._box), event.position())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._hover(event.position())
            event.ignore()
            return
        far = (event.position() - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._now is None and not far:
            return
        if self._now is None:
            self.drag_started.emit()
        self._area = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        start, end = self._to_picture(self._pressed), self._to_picture(event.position())
        if self._grip is not None and self._box is not None:
            self._now = drag_box(self._box, self._grip, end - start, MIN_BOX_PX)
        else:
            picture = QRectF(0, 0, *self._size)
            self._now = QRectF(start, end).normalized().intersected(picture)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        now, grip = self._now, self._grip
        self._pressed = self._now = self._grip = None
        self.update()
        if now is None or event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        box = (round(now.x()), round(now.y()), max(1, round(now.width())), max(1, round(now.height())))
        if grip is not None:
            self.box_requested.emit(box)
        elif min(now.width(), now.height()) >= MIN_BOX_PX:
            self.draw_requested.emit(box, self._area)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def _can_draw(self, point: QPointF) -> bool:
        # A small picture is moved by dragging it.
        there = min(self._size) > 0 and self._view.picture_rect().contains(point)
        return self._editable and there and not self._view.framed()

    def _hover(self, point: QPointF) -> None:
        grip = None
        if self._editable and self._box is not None:
            grip = grip_at(self._to_screen(self._box), point)
        if grip is not None:
            self.setCursor(_CURSORS[grip])
        elif self._can_draw(point):
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.unsetCursor()

    def _paint_ghosts(self, painter: QPainter, shown: QRectF) -> None:
        colours = theme.load("dark")
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ghost in self._ghosts:
            where = self._to_screen(ghost)
            for pen in (QPen(_SHADOW_COLOUR, 3), QPen(colours.accent, 1, Qt.PenStyle.DashLine)):
                painter.setPen(pen)
                painter.drawRect(where)
            painter.setPen(QPen(colours.accent, 1, Qt.PenStyle.DotLine))
            painter.drawLine(where.center(), self._to_screen(shown).center())

    def _paint_suspect(self, painter: QPainter, where: QRectF) -> None:
        ink = theme.load("dark").error
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(_SHADOW_COLOUR, 4), QPen(ink, 2, Qt.PenStyle.DashLine)):
            painter.setPen(pen)
            painter.drawEllipse(where)
        paint_chip(painter, self._suspected, where.bottomLeft() + QPointF(0, 4), dot=ink)

    def _scale(self) -> float:
        rect = self._view.picture_rect()
        return rect.width() / self._size[0] if self._size[0] and rect.width() else 1.0

    def _to_screen(self, box: QRectF) -> QRectF:
        rect, scale = self._view.picture_rect(), self._scale()
        return QRectF(rect.x() + box.x() * scale, rect.y() + box.y() * scale, box.width() * scale, box.height() * scale)

    def _to_picture(self, point: QPointF) -> QPointF:
        return (point - self._view.picture_rect().topLeft()) / self._scale()


_FILLABLE_REASONS = frozenset(
    {
        *(ReviewReason.UNSEARCHED, ReviewReason.DAMAGED, ReviewReason.NO_TRACK),
        *(ReviewReason.GAP, ReviewReason.ENDS, ReviewReason.BEGINS),
    }
)
"""A face that is drawn at a place of these kinds lasts as long as the place."""
_DEFAULT_REGION_US = SECOND_US


class BoxEditor(QObject):
    """Joins the canvas over the picture with the study. A frame's time stamp is where a keyframe is set.

    Signals:
        region_drawn (str): id of a region that was made.
    """

    region_drawn = Signal(str)

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        canvas: BoxCanvas,
        places: ReviewSpans,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio, self._player, self._canvas, self._places = studio, player, canvas, places
        self._faces: dict[str, FaceTrack] = {}
        self._regions: dict[str, Region] = {}
        self._keyframes: dict[str, Sequence[Keyframe]] = {}
        self._run_id = ""
        self._frame_us = 0
        self.selected = ""
        canvas.drag_started.connect(player.pause)
        canvas.draw_requested.connect(self._draw)
        canvas.box_requested.connect(self._move)
        player.position_changed.connect(lambda _at: self.show_box())
        player.picture_changed.connect(lambda _image: self.show_box())

    def set_faces(
        self,
        faces: Sequence[FaceTrack],
        regions: Sequence[Region],
        keyframes: Mapping[str, Sequence[Keyframe]],
        run_id: str,
        frame_us: int,
    ) -> None:
        """Take what may be selected; `keyframes` are those on found tracks, by id."""
        self._faces = {face.id: face for face in faces}
        self._regions = {region.id: region for region in regions}
        self._keyframes = {**keyframes, **{region.id: region.keyframes for region in regions}}
        self._run_id, self._frame_us = run_id, frame_us
        self.show_box()

    def select(self, key: str) -> None:
        """Choose the track or region that is moved."""
        self.selected = key
        self.show_box()

    def region(self) -> Region | None:
        """Return the selected region; None where a track or nothing is selected."""
        return self._regions.get(self.selected)

    def show_box(self) -> None:
        """Show the selected box where it is now, with those of the keyframes around as ghosts."""
        box = self._current_box(inside=True)
        keys = self._keyframes.get(self.selected, ())
        here = self._frame_time_us()
        before = [key for key in keys if key.time_us < here][-1:]
        after = [key for key in keys if key.time_us > here][:1]
        keyed = any(key.time_us == here for key in keys)
        words = (
            ""
            if box is None or not keys
            else tr("Keyframe")
            if keyed
            else tr("Between keyframes")
            if before and after
            else ""
        )
        self._canvas.show_box(box, [keyframe.box for keyframe in (*before, *after)], keyed=keyed, words=words)

    def set_keyframe(self) -> None:
        """Set a keyframe in the frame that is shown; beyond an end it lengthens what is selected up to here."""
        box = self._current_box(inside=False)
        if box is None:
            self._studio.message.emit(tr("Select a box first."))
        else:
            self._move(box)

    def delete_keyframe(self) -> None:
        """Take the keyframe of the frame that is shown away."""
        key, here = self.selected, self._frame_time_us()
        if key in self._regions:
            self._studio.edit(lambda s: face_review_edits.delete_region_box(s, key, here))
        elif key in self._faces:
            self._studio.edit(lambda s: face_review_edits.delete_track_box(s, self._run_id, key, here))

    def nudge(self, x: int, y: int, width: int = 0, height: int = 0) -> None:
        """Move the selected box by pixels, or make it larger."""
        box = self._current_box(inside=True)
        if box is not None:
            self._move((box[0] + x, box[1] + y, max(1, box[2] + width), max(1, box[3] + height)))

    def trim(self, start: bool) -> bool:
        """Let the selected region start at the frame that is shown, or end after it; false where none is selected."""
        region, times = self.region(), self._player.times
        if region is None or times is None:
            return False
        here, key = self._frame_time_us(), region.id
        if start:
            self._studio.edit(lambda s: face_review_edits.change_region(s, key, start_us=here))
        else:
            self._studio.edit(lambda s: face_review_edits.change_region(s, key, end_us=_end_of_frame(times, here)))
        return True

    def delete(self) -> bool:
        """Delete the selected region; false where none is selected."""
        region = self.region()
        if region is None:
            return False
        return self._studio.edit(lambda s: face_review_edits.delete_region(s, region.id))

    def _draw(self, box: Box, area: bool) -> None:
        recording, times = self._studio.recording, self._player.times
        if recording is None or times is None:
            return
        here = self._frame_time_us()
        keyframe = Keyframe(here, *box)
        kind = RegionKind.AREA if area else RegionKind.FACE
        start, end = here, min(here + _DEFAULT_REGION_US, times.end_us)
        place = self._places.span_at(here)
        if area:
            start, end = 0, recording.duration_us
        elif place is not None and place.reason in _FILLABLE_REASONS:
            start, end = place.start_us, place.end_us
        made: list[str] = []

        def do(session: Session) -> Changes:
            key, changes = face_review_edits.add_region(session, recording.id, kind, keyframe, end, start_us=start)
            made.append(key)
            return changes

        if self._studio.edit(do):
            self.region_drawn.emit(made[0])

    def _move(self, box: Box) -> None:
        recording, key = self._studio.recording, self.selected
        if recording is None or self._player.times is None:
            return
        here = self._frame_time_us()
        keyframe, merge = Keyframe(here, *box), tr("box {key} {here}").format(key=key, here=here)
        if key in self._regions:
            self._studio.edit(lambda s: face_review_edits.set_region_box(s, key, keyframe, merge))
        elif key in self._faces:
            self._studio.edit(lambda s: face_review_edits.set_track_box(s, recording.id, key, keyframe, merge))

    @property
    def now_us(self) -> int:
        """The playhead's time, or that of the first frame where it stands before it: that frame is shown then."""
        times = self._player.times
        return max(self._player.position_us, times.time_of(0)) if times is not None and len(times) else 0

    def _frame_time_us(self) -> int:
        """Return the time stamp of the frame that is shown."""
        times = self._player.times
        return times.time_of(times.frame_at(self._player.position_us)) if times is not None and len(times) else 0

    def _current_box(self, *, inside: bool) -> Box | None:
        """Return where the selected box is now; outside of its span where it would be, unless `inside`."""
        time_us = self.now_us
        region, track = self._regions.get(self.selected), self._faces.get(self.selected)
        if region is not None:
            if inside and not region.start_us - self._frame_us < time_us < region.end_us:
                return None
            return _round_box(region.boxes_at(np.array([time_us]))[0])
        if track is None or not len(track.frames):
            return None
        found = track.box_at(time_us, self._frame_us * 3 // 4)
        if found is None and not inside:
            found = track.boxes[0 if time_us < track.times_us[0] else -1]
        return None if found is None else _round_box(found)


def _round_box(box: NDArray[np.floating]) -> Box:
    x, y, width, height = (round(float(edge)) for edge in box)
    return x, y, max(1, width), max(1, height)


def _end_of_frame(times: FrameTimes, time_us: int) -> int:
    frame = times.frame_at(time_us)
    return times.time_of(frame + 1) if frame + 1 < len(times) else times.end_us
