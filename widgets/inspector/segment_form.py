"""The form of a segment, built from its scheme.

It has a header with label and times, the fields, values of older scheme versions, and a track chooser.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from project.entities.study_records import Json, Participant, Segment
from project.schemes.scheme import Scheme
from project.timebase import SECOND_US, format_time
from resources.translation import tr
from widgets import theme
from widgets.form.controls import tool_button
from widgets.form.input_fields import TimeEdit
from widgets.form.layouts import Gap, make_column, make_panel, make_row
from widgets.form.wheel_guard import ComboBox
from widgets.inspector.field_editors import EDITORS, FieldEditor
from widgets.labels import LabelButtons, LabelChip, LabelLook, sign_icon, unknown_look
from widgets.text_labels import ElidedLabel, PlainLabel, definition_tooltip, describe


@dataclass(frozen=True, slots=True)
class KeptValue:
    """One of them: its field and version, what the field is called, and the value in words."""

    field: str
    version: int
    name: str
    text: str


class KeptValues(QWidget):
    """Lists them, to read and to copy; who made the segment can delete each.

    Signals:
        delete_requested (str, int): field and version.
    """

    delete_requested = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.values: tuple[KeptValue, ...] = ()
        self._read_only = False
        heading = PlainLabel(tr("Kept from an earlier version"), font=theme.font(theme.POINTS - 0.5, semibold=True))
        heading.setToolTip(
            tr("The scheme was changed and has no place for these any more. They are kept and exported.")
        )
        self._column = make_column(heading, spacing=theme.GRID // 2)
        self.setLayout(self._column)
        self._rows: list[QWidget] = []
        self.show_values(())

    def show_values(self, values: Sequence[KeptValue], read_only: bool = False) -> None:
        """Show these, or nothing at all."""
        self.setVisible(bool(values))
        if (tuple(values), read_only) == (self.values, self._read_only):
            return
        self.values, self._read_only = tuple(values), read_only
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(value) for value in values]
        for row in self._rows:
            self._column.addWidget(row)

    def _row(self, value: KeptValue) -> QWidget:
        text = PlainLabel(
            tr("{name} (version {version}): {text}").format(name=value.name, version=value.version, text=value.text),
            wordWrap=True,
            look="quiet",
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard,
            accessibleName=tr("Kept value of {name}").format(name=value.name),
        )
        delete = tool_button(
            "trash-2",
            tr("Delete kept value of {name}").format(name=value.name),
            tr("Delete this value of {name}; undo brings it back").format(name=value.name),
            lambda: self.delete_requested.emit(value.field, value.version),
            side=14,
            enabled=not self._read_only,
        )
        return make_panel(make_row(text, 1, (delete, Qt.AlignmentFlag.AlignTop)))


class SegmentForm(QWidget):
    """One editor a field of a track, from top to bottom in the scheme's order.

    Signals:
        value_changed (str, object): key of the field and its new value as JSON (None: nothing).
    """

    value_changed = Signal(str, object)

    def __init__(self, scheme: Scheme, track: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scheme = scheme
        self._track = track
        self._label = ""
        self._read_only = False
        self._blocks: dict[str, QWidget] = {}
        self._needed: dict[str, QLabel] = {}
        self._notes: dict[str, QLabel] = {}
        self.editors: dict[str, FieldEditor] = {}
        for field in scheme.fields_of(track):
            editor = EDITORS[field.kind](field)
            editor.changed.connect(partial(self._on_value_changed, field.key))
            heading = PlainLabel(field.name, font=theme.font(theme.POINTS - 0.5, semibold=True))
            heading.setBuddy(editor)
            heading.setToolTip(definition_tooltip(field.name, field.definition, field.shortcut))
            needed = PlainLabel(tr("needed"), font=theme.font(theme.POINTS - 1))
            note = PlainLabel(wordWrap=True, look="quiet", font=theme.font(theme.POINTS - 1), visible=False)
            block = make_panel(
                make_column(make_row(heading, None, needed), editor, note, None, spacing=theme.GRID // 2)
            )
            self.editors[field.key] = editor
            self._blocks[field.key] = block
            self._needed[field.key] = needed
            self._notes[field.key] = note
        self.setLayout(make_column(*self._blocks.values(), None, spacing=theme.GRID * 2))
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def set_values(self, values: Mapping[str, Json]) -> None:
        """Show the values of a segment; fields that did not change are not touched."""
        for key, editor in self.editors.items():
            if editor.value() != values.get(key):
                editor.set_value(values.get(key))
        self._mark_required()

    def set_notes(self, notes: Mapping[str, str]) -> None:
        """Show a line under fields, such as where a text was taken from; none under the others."""
        for key, label in self._notes.items():
            label.setText(notes.get(key, ""))
            label.setVisible(key in notes)

    def set_people(self, people: Sequence[Participant]) -> None:
        """Say who is in the recording."""
        for editor in self.editors.values():
            editor.set_people(people)

    def set_label(self, label: str) -> None:
        """Show only the fields that this label asks for; what others hold is kept."""
        self._label = label
        for key, editor in self.editors.items():
            self._blocks[key].setVisible(editor.field.applies_to(label, self._track))
        self._mark_required()

    def set_read_only(self, read_only: bool) -> None:
        """Let the values be read but not changed."""
        self._read_only = read_only
        for editor in self.editors.values():
            editor.set_read_only(read_only)
        self._mark_required()

    def pick(self, field: str, choice: str) -> None:
        """Do what the key of a choice does."""
        self.editors[field].pick(choice)

    def flush(self) -> None:
        """Send what was typed and not sent yet."""
        for editor in self.editors.values():
            editor.flush()

    def discard(self) -> None:
        """Forget what was typed and not sent yet."""
        for editor in self.editors.values():
            editor.discard()

    def _on_value_changed(self, field: str, value: Json) -> None:
        self._mark_required()
        self.value_changed.emit(field, value)

    def _mark_required(self) -> None:
        values = {key: editor.value() for key, editor in self.editors.items()}
        missing = self._scheme.missing_fields(self._label, values, self._track)
        for key, label in self._needed.items():
            needed = key in missing and not self._read_only
            label.setVisible(needed)
            self.editors[key].set_required(needed)

    def _tint(self) -> None:
        for label in self._needed.values():
            label.setStyleSheet(f"color: {theme.palette().uncertain.name()};")


class SegmentHeader(QWidget):
    """Shows one segment's facts; its two times can be edited. A point has one.

    Signals:
        times_entered (object, object): new start and end in microseconds, start before end; the same of a point.
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
        self._is_point = False
        self._chip = LabelChip()
        self._annotator = ElidedLabel()
        self._play = tool_button("play", tr("Play this segment"), keys="Shift+Space", side=16, do=self.play_requested)
        self._delete = tool_button("trash-2", tr("Delete this segment"), keys="Del", side=16, do=self.delete_requested)
        whose = make_row(self._chip, self._annotator, 1, self._play, self._delete)
        self.start = TimeEdit(tr("Start"))
        self.start.setToolTip(tr("Start: type a time, or take the playhead's ([)"))
        self.end = TimeEdit(tr("End"))
        self.end.setToolTip(tr("End: type a time, or take the playhead's (])"))
        self._duration = ElidedLabel()
        self._dash = PlainLabel("–")  # noqa: RUF001 an en dash is what stands between two times
        times = (self.start, self._dash, self.end, Gap(theme.GRID // 2), self._duration, 1)
        self.setLayout(make_column(whose, make_row(*times, spacing=theme.GRID // 2)))
        self.start.time_entered.connect(lambda start: self._on_times_entered(start, self._end_us))
        self.end.time_entered.connect(lambda end: self._on_times_entered(self._start_us, end))
        self.start.rejected.connect(self.rejected)
        self.end.rejected.connect(self.rejected)
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def show_segment(self, segment: Segment, annotator: str, look: LabelLook | None = None) -> None:
        """Show a segment and how its label looks; a time that is being typed is left alone."""
        self._start_us, self._end_us, self._is_point = segment.start_us, segment.end_us, segment.is_point
        for widget in (self._dash, self.end):
            widget.setVisible(not segment.is_point)
        self._chip.set_look(look or unknown_look(segment.label))
        self._annotator.set_text(annotator)
        self.start.set_time(segment.start_us)
        self.end.set_time(segment.end_us)
        duration = segment.end_us - segment.start_us
        # Shorter than the times beside it: hours and minutes only where there are any.
        text = (
            f"{duration / SECOND_US:.3f} s" if duration < 60 * SECOND_US else format_time(duration).removeprefix("0:")
        )
        if segment.is_point:
            text = tr("point")
        self._duration.set_text(text)
        self._duration.setAccessibleName(text if segment.is_point else tr("Duration {text}").format(text=text))

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

    def _on_times_entered(self, start_us: int, end_us: int) -> None:
        if self._is_point:
            end_us = start_us
        if (start_us, end_us) == (self._start_us, self._end_us):
            return
        if self._is_point:
            self.times_entered.emit(start_us, end_us)
            return
        if start_us >= end_us:
            self.start.set_time(self._start_us)
            self.end.set_time(self._end_us)
            self.rejected.emit(tr("A segment must start before it ends. Change the other time first."))
            return
        self.times_entered.emit(start_us, end_us)

    def _tint(self) -> None:
        for quiet in (self._annotator, self._duration):
            quiet.setStyleSheet(f"color: {theme.palette().muted.name()};")


class TrackChooser(QWidget):
    """Where new segments go and which label they get: nothing at all where there is one track with one label.

    Signals:
        track_chosen (str): key of the track, as given.
        label_chosen (str): key of the active label; "" to be asked each time.
    """

    track_chosen = Signal(str)
    label_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        heading = PlainLabel(tr("New segments go to"), alignment=Qt.AlignmentFlag.AlignHCenter, look="quiet")
        self.combo = ComboBox()
        describe(self.combo, tr("Track for new segments"), tr("Track for new segments (X for the next one)"))
        self.combo.setMinimumContentsLength(10)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        heading.setBuddy(self.combo)
        self._heading = heading
        self._looks: tuple[LabelLook, ...] | None = None
        self.label = ComboBox()
        describe(
            self.label,
            tr("Active label, of new segments"),
            tr("Active label: a segment that is drawn in the lane gets it (Shift+X for the next one)"),
        )
        self.setLayout(
            make_column(
                heading,
                self.combo,
                self.label,
                margin=(theme.GRID * 3, 0, theme.GRID * 3, theme.GRID * 3),
                spacing=theme.GRID // 2,
            )
        )
        self.combo.activated.connect(lambda place: self.track_chosen.emit(self.combo.itemData(place)))
        self.label.activated.connect(lambda place: self.label_chosen.emit(self.label.itemData(place)))
        self.hide()

    def show_tracks(self, tracks: Sequence[tuple[str, str]], current: str) -> None:
        """Show keys with their names, and which one is chosen."""
        listed = [(self.combo.itemData(place), self.combo.itemText(place)) for place in range(self.combo.count())]
        if listed != [*tracks]:
            self.combo.clear()
            for key, name in tracks:
                self.combo.addItem(name, key)
        self.combo.setCurrentIndex(self.combo.findData(current))
        self.combo.setVisible(len(tracks) > 1)
        self._show_heading()

    def show_labels(self, looks: Sequence[LabelLook], current: str) -> None:
        """Show the labels of the track, and which of them is active; "" where people are asked each time."""
        if self._looks != tuple(looks):
            self._looks = tuple(looks)
            self.label.clear()
            self.label.addItem(tr("Ask for the label"), "")
            for look in looks:
                self.label.addItem(sign_icon(look, self.devicePixelRatioF()), look.name, look.key)
        self.label.setCurrentIndex(max(0, self.label.findData(current)))
        self.label.setVisible(len(looks) > 1)
        self._show_heading()

    def _show_heading(self) -> None:
        several = not self.combo.isHidden()
        self._heading.setText(tr("New segments go to") if several else tr("New segments get the label"))
        self.setVisible(several or not self.label.isHidden())


class TrackPanel(QWidget):
    """Labels above, the form below. Keys that are `taken` by the window are not bound.

    Signals:
        label_key_pressed (str): the key of a label.
    """

    label_key_pressed = Signal(str)

    def __init__(
        self, scheme: Scheme, track: str, taken: Sequence[QKeySequence] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._taken = taken
        self.scheme = scheme
        self.track = scheme.track_or_empty(track)
        self.labels = LabelButtons(self.track, taken)
        self.form = SegmentForm(scheme, track)
        self.setLayout(make_column(self.labels, self.form, 1, spacing=theme.GRID * 2))
        self._for_one: list[QShortcut] = []
        self._for_several: list[QShortcut] = []
        self._bind_keys()

    def enable_keys(self, *, one: bool, several: bool) -> None:
        """Switch the keys of the form, for one segment, and those of the labels, for several, on or off."""
        for shortcut in self._for_one:
            shortcut.setEnabled(one)
        for shortcut in self._for_several:
            shortcut.setEnabled(several)

    def _bind_keys(self) -> None:
        for label in self.track.offered_labels:
            self._bind_key(self._for_several, label.shortcut, partial(self.label_key_pressed.emit, label.key))
        for key, editor in self.form.editors.items():
            self._bind_key(self._for_one, editor.field.shortcut, editor.setFocus)
            for choice in editor.field.choices:
                self._bind_key(self._for_one, choice.shortcut, partial(self.form.pick, key, choice.key))

    def _bind_key(self, to: list[QShortcut], key: str, act: Callable[[], object]) -> None:
        if not key or QKeySequence(key) in self._taken:
            return
        shortcut = QShortcut(QKeySequence(key), self)
        shortcut.activated.connect(act)
        shortcut.setEnabled(False)
        to.append(shortcut)
