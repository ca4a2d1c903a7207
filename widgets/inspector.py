"""The page on the right that shows the selected segment and lets it be filled in; all is saved at once."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from project.schemes.scheme import Scheme
from project.types import Json, Segment, Verdict
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.icons import icon, pixmap
from widgets.segment_form import SegmentForm
from widgets.segment_header import SegmentHeader
from widgets.verdict_buttons import VerdictButtons


class Inspector(QWidget):
    """Shows one segment with its form, several with what can be done to all, or what to do when there is none.

    It binds the keys of the scheme itself (`E`, `C`, `N`, `1` to `7`, ...): they work anywhere in the window while
    a segment is shown that may be changed. There is no Save button: every change is sent at once, typed text when
    typing pauses. Call `flush` before anything that reads the study or takes the segment away; switching to
    another segment and hiding the inspector do so themselves.

    Signals:
        value_changed (str, str, object): segment, field, new value as JSON (None: nothing).
        verdict_changed (list, object): ids of segments, their new `Verdict`.
        times_changed (str, object, object): segment, new start and end in microseconds, start before end.
        delete_requested (list): ids of segments.
        play_requested (str): segment to play.
        rejected (str): one line that says why what was typed cannot be.
    """

    value_changed = Signal(str, str, object)
    verdict_changed = Signal(list, object)
    times_changed = Signal(str, object, object)
    delete_requested = Signal(list)
    play_requested = Signal(str)
    rejected = Signal(str)

    def __init__(self, scheme: Scheme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ids: list[str] = []
        self._read_only = False
        self._for_one: list[QShortcut] = []
        self._for_several: list[QShortcut] = []
        self.setAccessibleName("Inspector")
        self.setMinimumWidth(304)
        self.header = SegmentHeader()
        self.verdicts = VerdictButtons(scheme.tracks[0].labels)
        self.form = SegmentForm(scheme)
        self._stack = QStackedLayout(self)
        self._nothing = EmptyState(
            "square-dashed-mouse-pointer",
            "No segment is selected",
            "Click one on the timeline, or mark a new one: I at its start, O at its end.",
        )
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self._page())
        self._connect()
        self._bind(scheme)
        self.show_nothing()

    def show_segment(
        self, segment: Segment, values: Mapping[str, Json], annotator: str, read_only: bool = False, reason: str = ""
    ) -> None:
        """Show one segment, or what changed about it from elsewhere (undo, a drag).

        Args:
            segment: as the study has it.
            values: of its fields, by key.
            annotator: name of who made it.
            read_only: it may be read but not changed.
            reason: why; one line.
        """
        if self._ids != [segment.id]:
            self.flush()
            self.discard()
        self._ids = [segment.id]
        self.header.show_segment(segment, annotator)
        self.verdicts.set_verdict(segment.label)
        self.form.set_verdict(segment.label)
        self.form.set_values(values)
        self._show_parts(single=True)
        self._set_read_only(read_only, reason)
        self._stack.setCurrentIndex(1)

    def show_several(self, segments: Sequence[Segment], read_only: bool = False, reason: str = "") -> None:
        """Show how many segments are selected and what can be done to all of them."""
        self.flush()
        self.discard()
        self._ids = [segment.id for segment in segments]
        self._count.setText(f"{len(segments)} segments selected")
        self._delete.setText(f" Delete {len(segments)} segments")
        verdicts = {segment.label for segment in segments}
        self.verdicts.set_verdict(verdicts.pop() if len(verdicts) == 1 else None)
        self._show_parts(single=False)
        self._set_read_only(read_only, reason)
        self._stack.setCurrentIndex(1)

    def show_nothing(self, title: str = "", hint: str = "") -> None:
        """Show what to do next; by default how a segment is selected or made."""
        self.flush()
        self.discard()
        self._ids = []
        if title:
            self._nothing.set_text(title, hint)
        self._stack.setCurrentIndex(0)
        self._enable_keys()

    def segment_ids(self) -> list[str]:
        """Return the ids of the segments shown."""
        return list(self._ids)

    def flush(self) -> None:
        """Send what was typed and not sent yet."""
        if len(self._ids) == 1:
            self.header.flush()
            self.form.flush()

    def discard(self) -> None:
        """Forget what was typed and not sent yet; for a segment that is gone."""
        self.header.discard()
        self.form.discard()

    def hideEvent(self, event: QHideEvent) -> None:
        self.flush()
        super().hideEvent(event)

    def _page(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(theme.GRID * 3 // 2, theme.GRID * 2, theme.GRID * 3 // 2, theme.GRID * 2)
        column.setSpacing(theme.GRID * 2)
        column.addWidget(self._lock())
        self._count = QLabel()
        self._count.setFont(theme.font(theme.POINTS + 2, semibold=True))
        column.addWidget(self._count)
        column.addWidget(self.header)
        column.addWidget(self.verdicts)
        column.addWidget(self.form, 1)
        self._delete = QPushButton()
        self._delete.setIcon(icon("trash-2"))
        self._delete.setToolTip("Delete the selected segments (Del)")
        self._delete.setAccessibleName("Delete the selected segments")
        column.addWidget(self._delete)
        self._filler = QWidget()
        column.addWidget(self._filler, 1)
        area = QScrollArea(widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inner)
        return area

    def _lock(self) -> QWidget:
        self._locked = QWidget()
        row = QHBoxLayout(self._locked)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self._lock_picture = QLabel()
        self._reason = QLabel(wordWrap=True)
        row.addWidget(self._lock_picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._reason, 1)
        theme.notifier.changed.connect(self._tint)
        self._tint()
        return self._locked

    def _tint(self) -> None:
        colour = theme.palette().uncertain
        self._lock_picture.setPixmap(pixmap("lock", 16, colour, self.devicePixelRatioF()))
        self._reason.setStyleSheet(f"color: {colour.name()};")

    def _connect(self) -> None:
        self.form.value_changed.connect(self._value_changed)
        self.verdicts.chosen.connect(lambda verdict: self.verdict_changed.emit(self.segment_ids(), verdict))
        self.header.times_entered.connect(self._times_changed)
        self.header.rejected.connect(self.rejected)
        self.header.play_requested.connect(lambda: self.play_requested.emit(self._ids[0]))
        self.header.delete_requested.connect(self._ask_delete)
        self._delete.clicked.connect(self._ask_delete)

    def _value_changed(self, field: str, value: Json) -> None:
        self.value_changed.emit(self._ids[0], field, value)

    def _times_changed(self, start_us: int, end_us: int) -> None:
        self.times_changed.emit(self._ids[0], start_us, end_us)

    def _bind(self, scheme: Scheme) -> None:
        for label in scheme.tracks[0].labels:
            if label.shortcut:
                act = self.verdicts.buttons[Verdict(label.key)].click
                self._for_several.append(self._shortcut(label.shortcut, act))
        for field in scheme.fields:
            if field.shortcut:
                self._for_one.append(self._shortcut(field.shortcut, self.form.editors[field.key].setFocus))
            for choice in field.choices:
                if choice.shortcut:
                    act = partial(self.form.pick, field.key, choice.key)
                    self._for_one.append(self._shortcut(choice.shortcut, act))

    def _shortcut(self, key: str, act: Callable[[], object]) -> QShortcut:
        shortcut = QShortcut(QKeySequence(key), self)
        shortcut.activated.connect(act)
        return shortcut

    def _enable_keys(self) -> None:
        for shortcut in self._for_one:
            shortcut.setEnabled(not self._read_only and len(self._ids) == 1)
        for shortcut in self._for_several:
            shortcut.setEnabled(not self._read_only and bool(self._ids))

    def _ask_delete(self) -> None:
        self.delete_requested.emit(self.segment_ids())

    def _show_parts(self, *, single: bool) -> None:
        self.header.setVisible(single)
        self.form.setVisible(single)
        for part in (self._count, self._delete, self._filler):
            part.setVisible(not single)

    def _set_read_only(self, read_only: bool, reason: str) -> None:
        self._read_only = read_only
        self._locked.setVisible(read_only)
        self._reason.setText(reason or "This segment can be read but not changed.")
        self.header.set_read_only(read_only)
        self.verdicts.setEnabled(not read_only)
        self.form.set_read_only(read_only)
        self._delete.setEnabled(not read_only)
        self._enable_keys()
