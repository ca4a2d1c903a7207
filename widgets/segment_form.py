"""The form of a segment, made from the fields of its scheme."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from project.schemes.scheme import Scheme
from project.types import Json, Participant
from widgets import theme
from widgets.explained import explained
from widgets.field_editor import FieldEditor
from widgets.field_editors import EDITORS
from widgets.plain_label import PlainLabel


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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID * 2)
        for field in scheme.fields_of(track):
            editor = EDITORS[field.kind](field)
            editor.changed.connect(partial(self._changed, field.key))
            block = QWidget()
            inner = QVBoxLayout(block)
            inner.setContentsMargins(0, 0, 0, 0)
            inner.setSpacing(theme.GRID // 2)
            heading = PlainLabel(field.name)
            heading.setFont(theme.font(theme.POINTS - 0.5, semibold=True))
            heading.setBuddy(editor)
            heading.setToolTip(explained(field.name, field.definition, field.shortcut))
            needed = PlainLabel("needed")
            needed.setFont(theme.font(theme.POINTS - 1))
            head = QHBoxLayout()
            head.addWidget(heading)
            head.addStretch()
            head.addWidget(needed)
            inner.addLayout(head)
            inner.addWidget(editor)
            note = PlainLabel(wordWrap=True)
            note.setProperty("quiet", True)
            note.setFont(theme.font(theme.POINTS - 1))
            note.hide()
            inner.addWidget(note)
            inner.addStretch(1)
            column.addWidget(block)
            self.editors[field.key] = editor
            self._blocks[field.key] = block
            self._needed[field.key] = needed
            self._notes[field.key] = note
        column.addStretch(1)
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def set_values(self, values: Mapping[str, Json]) -> None:
        """Show the values of a segment; fields that did not change are not touched."""
        for key, editor in self.editors.items():
            if editor.value() != values.get(key):
                editor.set_value(values.get(key))
        self._mark_needed()

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
        self._mark_needed()

    def set_read_only(self, read_only: bool) -> None:
        """Let the values be read but not changed."""
        self._read_only = read_only
        for editor in self.editors.values():
            editor.set_read_only(read_only)
        self._mark_needed()

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

    def _changed(self, field: str, value: Json) -> None:
        self._mark_needed()
        self.value_changed.emit(field, value)

    def _mark_needed(self) -> None:
        values = {key: editor.value() for key, editor in self.editors.items()}
        missing = self._scheme.missing(self._label, values, self._track)
        for key, label in self._needed.items():
            needed = key in missing and not self._read_only
            label.setVisible(needed)
            self.editors[key].set_needed(needed)

    def _tint(self) -> None:
        for label in self._needed.values():
            label.setStyleSheet(f"color: {theme.palette().uncertain.name()};")
