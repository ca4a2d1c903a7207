"""The editor of a field that says whom of the recording a segment is about."""

from collections.abc import Sequence

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from project.schemes.scheme import Field
from project.types import Json, Participant
from resources.translation import tr
from widgets.explained import explained
from widgets.field_editor import FieldEditor

_NOBODY = tr("Not chosen")
_NONE_THERE = tr("No participants yet: add them in Recording details (Ctrl+I)")
_ELSEWHERE = tr("Somebody who is not in this recording")


class ParticipantEditor(FieldEditor):
    """One of the recording's participants."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self._value: str | None = None
        self._people: list[Participant] = []
        self.combo = _Combo()
        self.combo.setAccessibleName(field.name)
        self.combo.setAccessibleDescription(field.definition)
        self.combo.setToolTip(explained(field.name, field.definition, field.shortcut))
        self.combo.setMinimumContentsLength(8)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.combo)
        self.setFocusProxy(self.combo)
        self.combo.activated.connect(self._chosen)
        self._fill()

    def value(self) -> Json:
        return self._value

    def set_value(self, value: Json) -> None:
        self._value = value if isinstance(value, str) and value else None
        self._fill()

    def set_people(self, people: Sequence[Participant]) -> None:
        if [*people] != self._people:
            self._people = [*people]
            self._fill()

    def set_read_only(self, read_only: bool) -> None:
        self.combo.setEnabled(not read_only)

    def controls(self) -> list[QWidget]:
        return [self.combo]

    def _fill(self) -> None:
        self.combo.clear()
        self.combo.addItem(_NOBODY if self._people else _NONE_THERE, None)
        for one in self._people:
            self.combo.addItem(f"{one.pseudonym}, {one.role.value}", one.id)
        if self._value is not None and self.combo.findData(self._value) < 0:
            self.combo.addItem(_ELSEWHERE, self._value)
        self.combo.setCurrentIndex(max(0, self.combo.findData(self._value)) if self._value else 0)

    def _chosen(self, place: int) -> None:
        chosen = self.combo.itemData(place)
        if chosen != self._value:
            self._value = chosen
            self.changed.emit(chosen)


class _Combo(QComboBox):
    """A list that leaves the wheel to the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
