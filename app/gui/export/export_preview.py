"""The export dialog's previews of one frame and of a few seconds of sound, before and after.

A worker process makes them; only the latest request is answered.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymize.export.preview_job import Preview, take_preview
from anonymize.faces.masking_plan import delete_tracks_file
from anonymize.voice.sound_choice import SoundChoice
from anonymize.voice.sound_preview_job import delete_preview, preview_file
from app.gui.jobs.job_center import Result
from app.gui.jobs.worker_runner import WORKER_COMMAND, WorkerRunner
from app.gui.player.vlc_engine import VlcEngine
from project.errors import UserError
from project.session.jobs import JobSpec
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.form.controls import push_button
from widgets.form.layouts import make_column, make_row
from widgets.text_labels import ElidedLabel

_CANCEL_GRACE_MS = 400

Wanted = tuple[SoundChoice, int]


class SoundPreviewPlayer(QObject):
    """Makes both versions once for each choice and time, and plays the one that is asked for.

    Signals:
        status_changed (str, str): how far it is, and which of both is heard; "" for none.
    """

    status_changed = Signal(str, str)

    def __init__(
        self,
        prepare: Callable[[SoundChoice, int], JobSpec],
        parent: QObject | None = None,
        command: Sequence[str] = WORKER_COMMAND,
        engine: Callable[[QObject], VlcEngine] = VlcEngine,
    ) -> None:
        """Wait.

        Args:
            prepare: makes the job for a choice and a time.
            parent: owns it.
            command: of the worker.
            engine: makes what plays.
        """
        super().__init__(parent)
        self._prepare, self._make_engine = prepare, engine
        self._runner = WorkerRunner(self, command, _CANCEL_GRACE_MS)
        self._engine: VlcEngine | None = None
        self._made: tuple[Wanted, Result] | None = None
        self._wanted: tuple[Wanted, str] | None = None
        self._current: JobSpec | None = None
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(self._on_failed)
        self._runner.queue_changed.connect(self._start)

    def play_preview(self, which: str, choice: SoundChoice, time_us: int) -> None:
        """Let the sound before or after be heard around a time; be quiet with ""."""
        self.stop()
        if not which:
            return
        wanted = (choice, time_us)
        if self._made is not None and self._made[0] == wanted:
            self._play(which)
            return
        self._wanted = (wanted, which)
        self.status_changed.emit(tr("Treating the sound…"), "")
        self._start()

    def stop(self) -> None:
        """Be quiet, and make nothing any more."""
        self._wanted = self._current = None
        if self._runner.running_job is not None:
            self._runner.cancel(self._runner.running_job)
        if self._engine is not None:
            self._engine.stop()
        self.status_changed.emit("", "")

    def close(self) -> None:
        """Stop, free libVLC and take away what was made."""
        self.stop()
        self._runner.close()
        self._remove_files()
        if self._engine is not None:
            self._engine.release()
            self._engine = None

    def _start(self) -> None:
        if self._wanted is None or self._current is not None or self._runner.running_job is not None:
            return
        (choice, time_us), _ = self._wanted
        try:
            self._current = self._prepare(choice, time_us)
        except UserError as error:
            self._report_error(error)
            return
        self._runner.submit(self._current)

    def _on_finished(self, work: JobSpec, result: Result) -> None:
        if work is not self._current or self._wanted is None:
            delete_preview(result)
            return
        self._remove_files()
        wanted, which = self._wanted
        self._made, self._wanted, self._current = (wanted, result), None, None
        self._play(which)

    def _on_failed(self, work: JobSpec, error: UserError) -> None:
        if work is self._current:
            self._report_error(error)

    def _report_error(self, error: UserError) -> None:
        self._wanted = self._current = None
        self.status_changed.emit(f"{error.message} {error.hint}".strip(), "")

    def _play(self, which: str) -> None:
        assert self._made is not None
        try:
            if self._engine is None:
                self._engine = self._make_engine(self)
                self._engine.ended.connect(self._on_ended)
        except UserError as error:
            self._report_error(error)
            return
        _, made = self._made
        self._engine.open(preview_file(made, which), 0, 0)
        self._engine.start(0, 1.0)
        start, end = format_time(made.start_us), format_time(made.end_us)
        self.status_changed.emit(tr("{start} to {end}").format(start=start, end=end), which)

    def _on_ended(self) -> None:
        self.status_changed.emit("", "")

    def _remove_files(self) -> None:
        if self._made is not None:
            delete_preview(self._made[1])
            self._made = None


_REQUEST_PAUSE_MS = 250

Prepare = Callable[[], JobSpec]


class PreviewFeed(QObject):
    """Waits until nothing changes any more, stops what is out of date, then asks.

    Signals:
        working (str): a preview is being made; what it is at.
        ready (Preview): the one that was asked for last.
        failed (UserError): why there is none.
    """

    working = Signal(str)
    ready = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None, command: Sequence[str] = WORKER_COMMAND) -> None:
        super().__init__(parent)
        self._runner = WorkerRunner(self, command, _CANCEL_GRACE_MS)
        self._wanted: Prepare | None = None
        self._current: JobSpec | None = None
        self._pause = QTimer(self, singleShot=True, interval=_REQUEST_PAUSE_MS)
        self._pause.timeout.connect(self._start)
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(self._on_failed)
        self._runner.cancelled.connect(lambda work: delete_tracks_file(work.parameters))
        self._runner.progressed.connect(self._on_progress)
        self._runner.queue_changed.connect(self._start)

    def request(self, prepare: Prepare) -> None:
        """Make a preview soon; `prepare` makes the job when its turn comes."""
        self._wanted = prepare
        self._stop()
        self.working.emit(tr("Drawing this frame…"))
        self._pause.start()

    def close(self) -> None:
        """Stop, and ask for nothing any more."""
        self._wanted = self._current = None
        self._pause.stop()
        self._runner.close()

    def _start(self) -> None:
        if self._wanted is None or self._pause.isActive() or self._runner.running_job is not None:
            return
        prepare, self._wanted = self._wanted, None
        try:
            self._current = prepare()
        except UserError as error:
            self.failed.emit(error)
            return
        self._runner.submit(self._current)

    def _stop(self) -> None:
        self._current = None
        if self._runner.running_job is not None:
            self._runner.cancel(self._runner.running_job)

    def _on_finished(self, work: JobSpec, result: Result) -> None:
        try:
            # One that nobody waits for any more is taken too, so that its file goes.
            made = take_preview(result)
        except UserError as error:
            self._on_failed(work, error)
            return
        if work is self._current:
            self.ready.emit(made)

    def _on_failed(self, work: JobSpec, error: UserError) -> None:
        delete_tracks_file(work.parameters)
        if work is self._current:
            self.failed.emit(error)

    def _on_progress(self, work: JobSpec, done: int, total: int, text: str) -> None:
        if work is self._current:
            self.working.emit(f"{text}: {100 * done // total} %" if total else f"{text}…" if text else "")


_LINE_STEP = 0.02
_LINE_FAR_STEP = 0.1
_HANDLE_RADIUS = 11
_LINE_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}


class BeforeAfter(QWidget):
    """What was is left of the line, what comes of it is right.

    The line follows the mouse while a button is held. With the keyboard: the arrows move it, with Shift further; Home
    and End show one picture alone, and Space changes between the two.

    Signals:
        position_changed (float): where the line is, 0 at the left edge of the picture, 1 at the right.
    """

    ROLE = Role.Slider

    position_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pictures: tuple[QImage, QImage] | None = None
        self._scaled: tuple[QImage, QImage] | None = None
        self._text = ""
        self._position = 0.5
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Before and after"))
        theme.notifier.changed.connect(self.update)
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(480, 270)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 90)

    def set_pictures(self, before: NDArray[np.uint8] | None, after: NDArray[np.uint8] | None) -> None:
        """Show two (height, width, 3) RGB pictures of one size; None shows none."""
        self._pictures = None if before is None or after is None else (_to_qimage(before), _to_qimage(after))
        self._scaled = None
        self._text = ""
        self._describe()
        self.update()

    def set_text(self, text: str) -> None:
        """Say something over the pictures, such as that new ones are being made; "" says nothing."""
        self._text = text
        self._describe()
        self.update()

    def text(self) -> str:
        """Return what is said over the pictures."""
        return self._text

    def position(self) -> float:
        """Return where the line is, 0 to 1."""
        return self._position

    def set_position(self, position: float) -> None:
        """Move the line."""
        position = min(1.0, max(0.0, position))
        if position != self._position:
            self._position = position
            self._describe()
            self.update()
            self.position_changed.emit(position)

    def picture_rect(self) -> QRectF:
        """Return where the pictures are drawn, in pixels of the widget."""
        if self._pictures is None:
            return QRectF(self.rect())
        size = self._pictures[0].size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        return QRectF(QRect((self.width() - size.width()) // 2, (self.height() - size.height()) // 2, 0, 0)).adjusted(
            0, 0, size.width(), size.height()
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag_to(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._drag_to(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _LINE_KEYS:
            far = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.set_position(self._position + _LINE_KEYS[key] * (_LINE_FAR_STEP if far else _LINE_STEP))
        elif key == Qt.Key.Key_Home:
            self.set_position(0.0)
        elif key == Qt.Key.Key_End:
            self.set_position(1.0)
        elif key == Qt.Key.Key_Space:
            self.set_position(1.0 if self._position < 0.5 else 0.0)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), colours.stage)
        if self._pictures is not None:
            self._paint_pictures(painter)
        if self._text:
            self._paint_text(painter)
        if self.hasFocus():
            painter.setPen(QPen(colours.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _paint_pictures(self, painter: QPainter) -> None:
        place = self.picture_rect()
        before, after = self._scaled_pictures(place)
        x = place.left() + self._position * place.width()
        painter.drawImage(place.topLeft(), after)
        painter.save()
        painter.setClipRect(QRectF(place.left(), place.top(), x - place.left(), place.height()))
        painter.drawImage(place.topLeft(), before)
        painter.restore()
        self._paint_name(painter, tr("Before"), QRectF(place.topLeft(), QPointF(x, place.bottom())), left=True)
        self._paint_name(painter, tr("After"), QRectF(QPointF(x, place.top()), place.bottomRight()), left=False)
        colours = theme.palette()
        painter.setPen(QPen(colours.accent, 2))
        painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()))
        middle = QPointF(x, place.center().y())
        painter.setBrush(colours.accent)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(middle, _HANDLE_RADIUS, _HANDLE_RADIUS)
        painter.setBrush(colours.on_accent)
        for side in (-1, 1):
            tip, foot = side * 7, side * 3
            painter.drawPolygon(
                QPolygonF([middle + QPointF(tip, 0), middle + QPointF(foot, -4), middle + QPointF(foot, 4)])
            )

    def _paint_name(self, painter: QPainter, name: str, side: QRectF, *, left: bool) -> None:
        room = QRectF(painter.fontMetrics().boundingRect(name)).size()
        width, height = room.width() + 2 * theme.GRID, room.height() + theme.GRID / 2
        if side.width() < width + theme.GRID:
            return
        x = side.left() + theme.GRID if left else side.right() - theme.GRID - width
        plate = QRectF(x, side.top() + theme.GRID, width, height)
        self._paint_plate(painter, plate)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, name)

    def _paint_text(self, painter: QPainter) -> None:
        flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        room = self.rect().adjusted(3 * theme.GRID, theme.GRID, -3 * theme.GRID, -theme.GRID)
        needed = QRectF(painter.boundingRect(room, flags, self._text))
        if self._pictures is not None:
            self._paint_plate(painter, needed.adjusted(-theme.GRID, -theme.GRID / 2, theme.GRID, theme.GRID / 2))
        painter.setPen(theme.palette().stage_text)
        painter.drawText(room, flags, self._text)

    def _paint_plate(self, painter: QPainter, place: QRectF) -> None:
        colour = QColor(theme.palette().stage)
        colour.setAlpha(190)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(theme.palette().stage_text)

    def _scaled_pictures(self, place: QRectF) -> tuple[QImage, QImage]:
        """Return the pictures at the resolution of the screen; scaled once for each size."""
        assert self._pictures is not None
        ratio = self.devicePixelRatioF()
        size = (place.size() * ratio).toSize()
        if self._scaled is None or self._scaled[0].size() != size:
            mode = Qt.TransformationMode.SmoothTransformation
            fitted = [picture.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, mode) for picture in self._pictures]
            self._scaled = (fitted[0], fitted[1])
        for image in self._scaled:
            image.setDevicePixelRatio(ratio)
        return self._scaled

    def _drag_to(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._pictures is not None:
            place = self.picture_rect()
            self.set_position((event.position().x() - place.left()) / max(1.0, place.width()))

    def _describe(self) -> None:
        where = tr("The line is at {number} %.").format(number=round(100 * self._position))
        said = self._text or (where if self._pictures else tr("No picture yet."))
        self.setAccessibleDescription(
            tr("{said} The arrow keys move it, Space changes between before and after.").format(said=said)
        )


def _to_qimage(picture: NDArray[np.uint8]) -> QImage:
    height, width = picture.shape[:2]
    rows = np.ascontiguousarray(picture)
    return QImage(rows.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


class PreviewPane(QWidget):
    """Shows what it is given.

    Signals:
        time_changed: the user wants to see another frame.
    """

    time_changed = Signal()

    def __init__(self, time_us: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.time_us = time_us
        self._nearest_us: int | None = None
        self.pictures = BeforeAfter()
        self.status = ElidedLabel()
        self.go = push_button(
            tr("Go to a face"),
            tr("Show the nearest frame in which a face is hidden"),
            self._go_to_nearest,
            autoDefault=False,
        )
        self.setLayout(make_column(self.pictures, 1, make_row(self.status, 1, self.go)))
        policy = self.go.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.go.setSizePolicy(policy)
        self.go.hide()

    def show_working(self, text: str) -> None:
        """Say that a preview is being made; the last one stays meanwhile."""
        self.pictures.set_text(text)

    def show_preview(self, made: Preview) -> None:
        """Show a preview."""
        self.pictures.set_pictures(made.before, made.after)
        self._nearest_us = made.nearest_us
        self.go.setVisible(made.nearest_us is not None)
        at = tr("Frame at {time_us}").format(time_us=format_time(made.time_us))
        if not made.faces:
            none = (
                tr("no face in this frame")
                if made.nearest_us is not None
                else tr("no face was found in this recording")
            )
            self.status.set_text(f"{at}: {none}.")
        else:
            faces = tr("1 face") if made.faces == 1 else tr("{faces} faces").format(faces=made.faces)
            drawn = tr(", one that cannot be drawn solid") if made.undrawn else ""
            self.status.set_text(tr("{at}: {faces} hidden{drawn}.").format(at=at, faces=faces, drawn=drawn))

    def show_problem(self, text: str) -> None:
        """Say why there is no preview."""
        self.pictures.set_pictures(None, None)
        self.pictures.set_text(text)
        self.status.set_text("")
        self.go.hide()

    def _go_to_nearest(self) -> None:
        if self._nearest_us is not None:
            self.time_us = self._nearest_us
            self.time_changed.emit()
