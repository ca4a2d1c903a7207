"""Editors for the fields of a scheme: one a kind, listed in `EDITORS`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from project.schemes.scheme import Field, FieldKind
from project.types import Json
from widgets import theme
from widgets.explained import explained
from widgets.field_editor import FieldEditor
from widgets.long_choice import LONG, LongChoiceEditor
from widgets.number_editors import SliderEditor, number_editor
from widgets.participant_editor import ParticipantEditor
from widgets.text_area import TextArea
from widgets.tick_row import TickRow

PAUSE_MS = 400
"""How long typing must pause before a text is sent."""


class TextEditor(FieldEditor):
    """Free text. It is sent when typing pauses, when the field is left, and on `flush`."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self.text = TextArea(self.flush)
        self.text.setAccessibleName(field.name)
        self.text.setAccessibleDescription(field.definition)
        self.text.setPlaceholderText(field.definition)
        self.text.setToolTip(explained(field.name, field.definition, field.shortcut))
        self.text.textChanged.connect(self._typed)
        self.setFocusProxy(self.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self._unsent = False
        self._showing = False

    def value(self) -> Json:
        text = self.text.toPlainText()
        return text if text.strip() else None

    def set_value(self, value: Json) -> None:
        text = "" if value is None else str(value)
        if self._unsent or text == self.text.toPlainText():
            return
        self._showing = True
        self.text.replace(text)
        self._showing = False

    def set_read_only(self, read_only: bool) -> None:
        self.text.setReadOnly(read_only)

    def controls(self) -> list[QWidget]:
        return [self.text]

    def flush(self) -> None:
        self._pause.stop()
        if self._unsent:
            self._unsent = False
            self.changed.emit(self.value())

    def discard(self) -> None:
        self._pause.stop()
        self._unsent = False
        # Esc brings back what stands there for the segment that comes next.
        self.text.document().setModified(False)

    def _typed(self) -> None:
        if not self._showing:
            self._unsent = True
            self._pause.start()


class ChoiceEditor(FieldEditor):
    """One of a few: a row of buttons; pressing the chosen one again chooses none."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID // 2)
        self.buttons: dict[str, QPushButton] = {}
        for choice in field.choices:
            button = QPushButton(choice.name)
            button.setCheckable(True)
            button.setProperty("segment", True)
            button.setAccessibleName(f"{field.name}: {choice.name}")
            button.setAccessibleDescription(choice.definition)
            button.setToolTip(explained(choice.name, choice.definition, choice.shortcut, choice.examples))
            button.clicked.connect(lambda _=False, key=choice.key: self._chosen(key))
            row.addWidget(button, 1)
            self.buttons[choice.key] = button
        self.setFocusProxy(next(iter(self.buttons.values())))

    def value(self) -> Json:
        return next((key for key, button in self.buttons.items() if button.isChecked()), None)

    def set_value(self, value: Json) -> None:
        for key, button in self.buttons.items():
            button.setChecked(key == value)

    def set_read_only(self, read_only: bool) -> None:
        for button in self.buttons.values():
            button.setEnabled(not read_only)

    def pick(self, choice: str) -> None:
        self.buttons[choice].click()

    def controls(self) -> list[QWidget]:
        return [*self.buttons.values()]

    def _chosen(self, key: str) -> None:
        for other, button in self.buttons.items():
            if other != key:
                button.setChecked(False)
        self.changed.emit(self.value())


class ChoicesEditor(FieldEditor):
    """Any number of several: a row each with a box to tick and the key that ticks it."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.boxes: dict[str, TickRow] = {}
        for choice in field.choices:
            box = TickRow(choice)
            box.clicked.connect(lambda _=False: self.changed.emit(self.value()))
            column.addWidget(box)
            self.boxes[choice.key] = box
        self.setFocusProxy(next(iter(self.boxes.values())))

    def value(self) -> Json:
        ticked: list[Json] = [key for key, box in self.boxes.items() if box.isChecked()]
        return ticked or None

    def set_value(self, value: Json) -> None:
        ticked = value if isinstance(value, list) else []
        for key, box in self.boxes.items():
            box.setChecked(key in ticked)

    def set_read_only(self, read_only: bool) -> None:
        for box in self.boxes.values():
            box.setEnabled(not read_only)

    def pick(self, choice: str) -> None:
        self.boxes[choice].click()

    def controls(self) -> list[QWidget]:
        return [*self.boxes.values()]


def choice_editor(field: Field) -> FieldEditor:
    """Return the editor of one of several: a row of buttons for words, a list for sentences."""
    long = any(len(one.name) > LONG for one in field.choices)
    return LongChoiceEditor(field) if long else ChoiceEditor(field)


EDITORS: Mapping[FieldKind, Callable[[Field], FieldEditor]] = MappingProxyType(
    {
        FieldKind.TEXT: TextEditor,
        FieldKind.CHOICE: choice_editor,
        FieldKind.CHOICES: ChoicesEditor,
        FieldKind.SCALE: number_editor,
        FieldKind.SLIDER: SliderEditor,
        FieldKind.PARTICIPANT: ParticipantEditor,
    }
)
"""Which editor a kind of field gets; a new kind is one class and one line here."""
