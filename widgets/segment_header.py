"""The head of the inspector: the label, the times and who made the segment."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QToolButton, QWidget

from project.timebase import SECOND, format_time
from project.types import Segment
from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.icons import icon
from widgets.label_chip import LabelChip
from widgets.label_looks import LabelLook, unknown_look
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.time_edit import TimeEdit


class SegmentHeader(QWidget):
    """Shows one segment's facts; its two times can be edited.

    Signals:
        times_entered (object, object): new start and end in microseconds, start before end.
        rejected (str): one line that says why what was typed cannot be.
        play_requested, delete_requested: for the segment shown.
    """

    times_entered = Signal(object, object)
    rejected = Signal(str)
    play_requested = Signal()
    delete_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start_us = self._end_us = 0
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.GRID)
        top = QHBoxLayout()
        top.setSpacing(theme.GRID)
        self._chip = LabelChip()
        self._annotator = ElidedLabel()
        self._play = self._button("play", tr("Play this segment"), "Shift+Space")
        self._play.clicked.connect(self.play_requested)
        self._delete = self._button("trash-2", tr("Delete this segment"), "Del")
        self._delete.clicked.connect(self.delete_requested)
        top.addWidget(self._chip)
        top.addWidget(self._annotator, 1)
        top.addWidget(self._play)
        top.addWidget(self._delete)
        grid.addLayout(top, 0, 0)
        times = QHBoxLayout()
        times.setSpacing(theme.GRID // 2)
        self.start = TimeEdit(tr("Start"))
        self.start.setToolTip(tr("Start: type a time, or take the playhead's ([)"))
        self.end = TimeEdit("End")
        self.end.setToolTip(tr("End: type a time, or take the playhead's (])"))
        self._duration = ElidedLabel()
        times.addWidget(self.start)
        times.addWidget(PlainLabel("–"))  # noqa: RUF001 an en dash is what stands between two times
        times.addWidget(self.end)
        times.addSpacing(theme.GRID // 2)
        times.addWidget(self._duration, 1)
        grid.addLayout(times, 1, 0)
        self.start.time_entered.connect(lambda start: self._entered(start, self._end_us))
        self.end.time_entered.connect(lambda end: self._entered(self._start_us, end))
        self.start.rejected.connect(self.rejected)
        self.end.rejected.connect(self.rejected)
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def show_segment(self, segment: Segment, annotator: str, look: LabelLook | None = None) -> None:
        """Show a segment and how its label looks; a time that is being typed is left alone."""
        self._start_us, self._end_us = segment.start_us, segment.end_us
        self._chip.set_look(look or unknown_look(segment.label))
        self._annotator.set_text(annotator)
        self.start.set_time(segment.start_us)
        self.end.set_time(segment.end_us)
        duration = segment.end_us - segment.start_us
        # Shorter than the times beside it: hours and minutes only where there are any.
        text = f"{duration / SECOND:.3f} s" if duration < 60 * SECOND else format_time(duration).removeprefix("0:")
        self._duration.set_text(text)
        self._duration.setAccessibleName(tr("Duration {text}").format(text=text))

    def set_read_only(self, read_only: bool) -> None:
        """Let the times be read but not changed."""
        self.start.setReadOnly(read_only)
        self.end.setReadOnly(read_only)
        self._delete.setEnabled(not read_only)

    def flush(self) -> None:
        """Enter times that are being typed."""
        self.start.flush()
        self.end.flush()

    def discard(self) -> None:
        """Forget times that are being typed."""
        self.start.discard()
        self.end.discard()

    def _entered(self, start_us: int, end_us: int) -> None:
        if (start_us, end_us) == (self._start_us, self._end_us):
            return
        if start_us >= end_us:
            self.start.set_time(self._start_us)
            self.end.set_time(self._end_us)
            self.rejected.emit(tr("A segment must start before it ends. Change the other time first."))
            return
        self.times_entered.emit(start_us, end_us)

    def _button(self, picture: str, text: str, keys: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(picture))
        button.setIconSize(QSize(16, 16))
        button.setToolTip(plain_tip(f"{text} ({keys})"))
        button.setAccessibleName(text)
        return button

    def _tint(self) -> None:
        for quiet in (self._annotator, self._duration):
            quiet.setStyleSheet(f"color: {theme.palette().muted.name()};")
