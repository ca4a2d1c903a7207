"""Coding during playback: a label's key starts a segment, the same key ends it.

A line over the timeline shows the open segments.
"""

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from annotate.team.training_gate import require_training
from app.gui.player.player import Player
from app.gui.study.study_controller import ActiveTrack, StudyController
from app.gui.timeline.segment_editing import SegmentEditing
from project.errors import UserError
from project.schemes.scheme import Extent, Label
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.form.controls import push_button
from widgets.form.layouts import make_row
from widgets.text_labels import ElidedLabel
from widgets.timeline.timeline_view import TimelineView


class CodingLine(QWidget):
    """Hidden while coding is off.

    Signals:
        end_requested: the button was pressed.
    """

    end_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Coding mode"))
        self._dot = _Dot()
        self._text = ElidedLabel()
        self.button = push_button(
            tr("End coding"),
            tr("Label keys make segments from marks again"),
            self.end_requested,
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )
        self.setLayout(make_row(self._dot, self._text, 1, self.button, margin=(theme.GRID, 2, theme.GRID, 2)))
        self.hide()

    def text(self) -> str:
        """Return what it says, or "" while coding is off."""
        return "" if self.isHidden() else self._text.text()

    def show_state(self, text: str, running: bool) -> None:
        """Say what goes on; `running` fills the dot, because a segment is open. No text hides the line."""
        self._text.set_text(text)
        self._dot.running = running
        self._dot.update()
        self.setVisible(bool(text))


class _Dot(QWidget):
    """Filled while a segment is open, a ring otherwise."""

    ROLE = Role.Indicator

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.setAccessibleName(tr("A segment is open while this is filled"))
        self.setFixedSize(QSize(16, 16))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.palette().error if self.running else theme.palette().muted
        painter.setPen(ink)
        painter.setBrush(ink if self.running else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QRectF(3, 3, 10, 10))


class PlaybackCodingMode(QObject):
    """Holds what is open; every segment is one step when it ends.

    Signals:
        toggled (bool): the mode was switched on or off.
    """

    toggled = Signal(bool)

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        active: ActiveTrack,
        editing: SegmentEditing,
        timeline: TimelineView,
        line: CodingLine,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._active = active
        self._editing = editing
        self._timeline = timeline
        self._line = line
        self._on = False
        self._open: dict[str, int] = {}
        self._said = ""
        line.end_requested.connect(lambda: self.toggle() if self._on else None)
        player.position_changed.connect(lambda _at: self._update_marks())
        active.changed.connect(self._leave_track)
        studio.recording_changed.connect(self._leave_recording)

    @property
    def is_enabled(self) -> bool:
        """Whether label keys start and end segments."""
        return self._on

    @property
    def open_segments(self) -> dict[str, int]:
        """Return label -> start of what was started and not ended."""
        return dict(self._open)

    def toggle(self) -> None:
        """Switch the mode on or off; what is open is discarded."""
        self._drop_open(tr("Coding was switched off"))
        self._on = not self._on
        if self._on:
            self._studio.select(())
            self._studio.set_marks(None, None)
        self.toggled.emit(self._on)
        self._show()

    def toggle_label(self, key: str) -> None:
        """Start or end a segment of a label; while the mode is off, make one from the marks."""
        if not self._on:
            self._editing.create_from_marks(key)
            return
        track, recording = self._active.track, self._studio.recording
        if track is None or recording is None or self._studio.session is None:
            return
        if track.extent is Extent.RECORDING or track.holds_points:
            self._editing.create_from_marks(key)
            return
        if key in self._open:
            self._end_segment(key)
        else:
            try:
                require_training(self._studio.session, recording.id)
            except UserError as error:
                self._studio.failed.emit(error)
                return
            if track.coding == "one":
                for other in [*self._open]:
                    self._end_segment(other)
            self._open[key] = self._player.frame_time_us(self._player.position_us)
        self._show()

    def discard_open(self) -> bool:
        """Forget what is open; returns whether anything was."""
        return self._drop_open(tr("Discarded"))

    def _end_segment(self, key: str) -> None:
        start, end = self._open[key], self._editing.end_at_playhead()
        if end <= start:
            self._studio.message.emit(
                tr("The playhead is not after the start at {start}. Esc discards it.").format(start=format_time(start))
            )
            return
        del self._open[key]
        if self._editing.create(start, end, key):
            # A segment that stays selected would take the next label key for itself.
            self._studio.select(())

    def _drop_open(self, why: str) -> bool:
        if not self._open:
            return False
        names = ", ".join(self._label_name(key) for key in self._open)
        self._open.clear()
        self._studio.set_marks(None, None)
        self._studio.message.emit(tr("{why}: {names} was not kept.").format(why=why, names=names))
        self._show()
        return True

    def _leave_track(self) -> None:
        self._drop_open(tr("Another track was chosen"))
        self._show()

    def _leave_recording(self) -> None:
        if self._on and self._studio.recording is None:
            self.toggle()
            return
        self._drop_open(tr("Another recording is shown"))
        self._show()

    def _update_marks(self) -> None:
        if self._open:
            start, now = min(self._open.values()), self._player.position_us
            self._timeline.set_marks(start, max(start, now))
            self._update_line()

    def _show(self) -> None:
        if self._on:
            self._studio.set_marks(min(self._open.values()) if self._open else None, None)
            self._update_marks()
        self._update_line()

    def _update_line(self) -> None:
        said = self._state_text() if self._on else ""
        if said != self._said:
            self._said = said
            self._line.show_state(said, bool(self._open))

    def _state_text(self) -> str:
        track = self._active.track
        if track is None:
            return ""
        if self._open:
            now = self._player.position_us
            parts = [
                tr("{label} since {seconds:.1f} s").format(label=self._label_name(key), seconds=max(0, now - at) / 1e6)
                for key, at in self._open.items()
            ]
            return tr("Open: {list}. The same key ends it, Esc discards it.").format(list=", ".join(parts))
        keys = ", ".join(f"{label.shortcut} {label.name}" for label in track.offered_labels if label.shortcut)
        if not keys:
            return tr("No label of {name} has a key: give labels a key in the scheme.").format(name=track.name)
        if track.holds_points:
            return tr("Coding {name}: a label's key marks a point. {keys}").format(name=track.name, keys=keys)
        return tr("Coding {name}: press a label's key at the start and again at the end. {keys}").format(
            name=track.name, keys=keys
        )

    def _label_name(self, key: str) -> str:
        track = self._active.track
        found: Label | None = track.label(key) if track is not None else None
        return found.name if found is not None else key
