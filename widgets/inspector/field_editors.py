"""Editors for the fields of a scheme: one class a kind, listed in `EDITORS`."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from project.entities.study_records import Json, Participant
from project.schemes.scheme import Field, FieldChoice, FieldKind
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickRow
from widgets.form.controls import push_button
from widgets.form.input_fields import DecimalBox, GrowingTextEdit
from widgets.form.layouts import make_column, make_row
from widgets.form.wheel_guard import ComboBox, Slider
from widgets.text_labels import PlainLabel, definition_tooltip, plain_tip


class FieldEditor(QWidget):
    """The editor of one field; a kind of field is a subclass.

    Signals:
        changed (object): the new value as JSON, None for none; only for what the user did.
    """

    changed = Signal(object)

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._descriptions: dict[QWidget, str] = {}

    def value(self) -> Json:
        """Return what is filled in, None for nothing."""
        raise NotImplementedError

    def set_value(self, value: Json) -> None:
        """Show a value that comes from the study; text that was typed and not sent yet is newer and stays."""
        raise NotImplementedError

    def set_read_only(self, read_only: bool) -> None:
        """Let the value be read but not changed."""
        raise NotImplementedError

    def set_required(self, needed: bool) -> None:
        """Say to those who hear the form that this field is still to be filled in."""
        for control in self.controls():
            plain = self._descriptions.setdefault(control, control.accessibleDescription())
            control.setAccessibleDescription(tr("Needed. {plain}").format(plain=plain) if needed else plain)

    def controls(self) -> list[QWidget]:
        """Return what can have the focus."""
        raise NotImplementedError

    def set_people(self, people: Sequence[Participant]) -> None:
        """Say who is in the recording; nothing where the field is not about anybody."""

    def pick(self, choice: str) -> None:
        """Do what the key of a choice does; nothing where the field has no choices."""

    def flush(self) -> None:
        """Send what was typed and not sent yet."""

    def discard(self) -> None:
        """Forget what was typed and not sent yet."""


LONG_CHOICE_CHARS = 24
"""Characters from which a choice is a sentence, for which a row of buttons has no room."""


class _SentenceRow(QWidget):
    """One sentence, hit anywhere.

    Signals:
        pressed
    """

    pressed = Signal()

    def __init__(self, field: Field, choice: FieldChoice, place: int) -> None:
        super().__init__()
        self.button = push_button(choice.key if len(choice.key) == 1 else str(place), look="segment", checkable=True)
        self.button.setFixedWidth(theme.GRID * 4)
        self.button.setAccessibleName(f"{field.name}: {choice.name}")
        self.button.setAccessibleDescription(choice.definition)
        self.button.setToolTip(plain_tip(tr("Choose this ({place})").format(place=place)))
        self.button.clicked.connect(self.pressed)
        words = PlainLabel(choice.name, wordWrap=True)
        words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setLayout(make_row((self.button, Qt.AlignmentFlag.AlignTop), words, 1, margin=(0, 2, 0, 2)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isEnabled() and self.rect().contains(event.position().toPoint()):
            self.button.click()


class LongChoiceEditor(FieldEditor):
    """Pressing the chosen one again chooses none."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self.rows = {choice.key: _SentenceRow(field, choice, place) for place, choice in enumerate(field.choices, 1)}
        for key, row in self.rows.items():
            row.pressed.connect(lambda key=key: self._on_chosen(key))
        self.setLayout(make_column(*self.rows.values(), spacing=0))
        self.setFocusProxy(next(iter(self.rows.values())).button)

    def value(self) -> Json:
        return next((key for key, row in self.rows.items() if row.button.isChecked()), None)

    def set_value(self, value: Json) -> None:
        for key, row in self.rows.items():
            row.button.setChecked(key == value)

    def set_read_only(self, read_only: bool) -> None:
        for row in self.rows.values():
            row.setEnabled(not read_only)

    def pick(self, choice: str) -> None:
        self.rows[choice].button.click()

    def controls(self) -> list[QWidget]:
        return [row.button for row in self.rows.values()]

    def _on_chosen(self, key: str) -> None:
        for other, row in self.rows.items():
            if other != key:
                row.button.setChecked(False)
        self.changed.emit(self.value())


MAX_BUTTONS = 11
"""Values of a scale up to which each has a button; more are set with a slider."""
_MINUS = "\N{MINUS SIGN}"


class ScaleEditor(FieldEditor):
    """A few whole numbers, a button each; pressing the chosen one again chooses none."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self.buttons: dict[int, QPushButton] = {}
        for value in range(int(field.minimum), int(field.maximum) + 1, int(field.step)):
            button = push_button(str(value).replace("-", _MINUS), look="segment", checkable=True, minimumWidth=20)
            button.setProperty("narrow", True)
            button.setFont(theme.font(theme.POINTS - 1))
            button.setAccessibleName(f"{field.name}: {value}")
            button.setAccessibleDescription(field.definition)
            button.setToolTip(definition_tooltip(f"{field.name}: {value}", field.definition))
            button.clicked.connect(lambda _=False, value=value: self._on_chosen(value))
            self.buttons[value] = button
        row = make_row(*(part for button in self.buttons.values() for part in (button, 1)), spacing=2)
        self.setLayout(make_column(row, *_ends_rows(field), spacing=2))
        self.setFocusProxy(next(iter(self.buttons.values())))

    def value(self) -> Json:
        return next((value for value, button in self.buttons.items() if button.isChecked()), None)

    def set_value(self, value: Json) -> None:
        for number, button in self.buttons.items():
            button.setChecked(value is not None and not isinstance(value, bool) and number == value)

    def set_read_only(self, read_only: bool) -> None:
        for button in self.buttons.values():
            button.setEnabled(not read_only)

    def controls(self) -> list[QWidget]:
        return [*self.buttons.values()]

    def _on_chosen(self, value: int) -> None:
        for other, button in self.buttons.items():
            if other != value:
                button.setChecked(False)
        self.changed.emit(self.value())


class SliderEditor(FieldEditor):
    """A slider with a box to type the number; empty until one of them is used. The button takes the number away."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self._steps = round((field.maximum - field.minimum) / field.step)
        self._value: float | None = None
        whole = field.kind is FieldKind.SCALE or (float(field.step).is_integer() and float(field.minimum).is_integer())
        self._whole = whole
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, self._steps)
        self.slider.setPageStep(max(1, self._steps // 10))
        self.box = DecimalBox(
            decimals=0 if whole else 3,
            minimum=field.minimum - field.step,
            maximum=field.maximum,
            singleStep=field.step,
            specialValueText="\N{EN DASH}",
            keyboardTracking=False,
        )
        # One step below the lowest stands for nothing.
        for control in (self.slider, self.box):
            control.setAccessibleName(field.name)
            control.setAccessibleDescription(field.definition)
            control.setToolTip(definition_tooltip(field.name, field.definition, field.shortcut))
        self.clear = push_button(
            tr("Clear"),
            tr("Take the number of {name} away").format(name=field.name),
            lambda: self._set_number(None),
            name=tr("Clear {name}").format(name=field.name),
        )
        row = make_row(self.slider, 1, self.box, self.clear)
        self.setLayout(make_column(row, *_ends_rows(field), spacing=2))
        self.setFocusProxy(self.slider)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.slider.sliderReleased.connect(self._on_slider_released)
        self.slider.pressed_on.connect(self._on_slider_released)
        self.box.valueChanged.connect(self._on_typed)
        self.set_value(None)

    def value(self) -> Json:
        if self._value is None:
            return None
        return int(self._value) if self._whole else self._value

    def set_value(self, value: Json) -> None:
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        self._value = None if number is None else float(number)
        field = self.field
        for control in (self.slider, self.box):
            control.blockSignals(True)
        middle = self._steps // 2
        self.slider.setValue(middle if number is None else round((number - field.minimum) / field.step))
        self.box.setValue(field.minimum - field.step if number is None else number)
        for control in (self.slider, self.box):
            control.blockSignals(False)
        self.slider.set_empty(number is None)
        self.clear.setVisible(number is not None)

    def set_read_only(self, read_only: bool) -> None:
        self.slider.setEnabled(not read_only)
        self.box.setReadOnly(read_only)
        self.clear.setEnabled(not read_only)

    def controls(self) -> list[QWidget]:
        return [self.slider, self.box, self.clear]

    def _slider_number(self) -> float:
        return self.field.minimum + self.slider.value() * self.field.step

    def _on_slider_moved(self) -> None:
        if self.slider.isSliderDown():
            number = self._slider_number()
            self.box.blockSignals(True)
            self.box.setValue(number)
            self.box.blockSignals(False)
            self.slider.set_empty(False)
        else:
            self._set_number(self._slider_number())

    def _on_slider_released(self) -> None:
        self._set_number(self._slider_number())

    def _on_typed(self, number: float) -> None:
        self._set_number(None if number < self.field.minimum else number)

    def _set_number(self, number: float | None) -> None:
        if number != self._value:
            self.set_value(number)
            self.changed.emit(self.value())


_TAKE_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Slider(Slider):
    """A slider whose handle is hollow while it stands for nothing.

    Signals:
        pressed_on: Space or Return was pressed: take the number where the handle stands.
    """

    pressed_on = Signal()

    def set_empty(self, empty: bool) -> None:
        """Show that no number is chosen."""
        self.setProperty("empty", empty)
        self.style().unpolish(self)
        self.style().polish(self)

    def event(self, event: QEvent) -> bool:
        # The window plays with Space where no widget claims it.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and event.key() in _TAKE_KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _TAKE_KEYS:
            self.pressed_on.emit()
        else:
            super().keyPressEvent(event)


def _ends_rows(field: Field) -> list[QHBoxLayout]:
    """Return a line with what the lowest and the highest value mean, where the field says so."""
    if not field.ends:
        return []
    left, right = (
        PlainLabel(text, font=theme.font(theme.POINTS - 1), look="quiet", wordWrap=True, alignment=side)
        for text, side in zip(field.ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True)
    )
    return [make_row(left, 1, right, 1)]


def make_number_editor(field: Field) -> FieldEditor:
    """Return the editor that fits the range of a scale."""
    values = (field.maximum - field.minimum) / field.step + 1
    return ScaleEditor(field) if values <= MAX_BUTTONS else SliderEditor(field)


_NOBODY_CHOSEN = tr("Not chosen")
_NO_PARTICIPANTS = tr("None yet: add them in Recording details")
_ELSEWHERE = tr("Somebody who is not in this recording")


class ParticipantEditor(FieldEditor):
    """One of the recording's participants."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self._value: str | None = None
        self._people: list[Participant] = []
        self.combo = ComboBox()
        self.combo.setAccessibleName(field.name)
        self.combo.setAccessibleDescription(field.definition)
        self.combo.setToolTip(definition_tooltip(field.name, field.definition, field.shortcut))
        self.combo.setMinimumContentsLength(8)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setLayout(make_column(self.combo))
        self.setFocusProxy(self.combo)
        self.combo.activated.connect(self._on_chosen)
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
        self.combo.addItem(_NOBODY_CHOSEN if self._people else _NO_PARTICIPANTS, None)
        for person in self._people:
            self.combo.addItem(f"{person.pseudonym}, {person.role.value}", person.id)
        if self._value is not None and self.combo.findData(self._value) < 0:
            self.combo.addItem(_ELSEWHERE, self._value)
        self.combo.setCurrentIndex(max(0, self.combo.findData(self._value)) if self._value else 0)

    def _on_chosen(self, place: int) -> None:
        chosen = self.combo.itemData(place)
        if chosen != self._value:
            self._value = chosen
            self.changed.emit(chosen)


PAUSE_MS = 400
"""How long typing must pause before a text is sent."""


class TextEditor(FieldEditor):
    """Free text. It is sent when typing pauses, when the field is left, and on `flush`."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self.text = GrowingTextEdit(self.flush)
        self.text.setAccessibleName(field.name)
        self.text.setAccessibleDescription(field.definition)
        self.text.setPlaceholderText(field.definition)
        self.text.setToolTip(definition_tooltip(field.name, field.definition, field.shortcut))
        self.text.textChanged.connect(self._on_typed)
        self.setFocusProxy(self.text)
        self.setLayout(make_column(self.text))
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
        self.text.replace_text(text)
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

    def _on_typed(self) -> None:
        if not self._showing:
            self._unsent = True
            self._pause.start()


class ChoiceEditor(FieldEditor):
    """One of a few: a row of buttons; pressing the chosen one again chooses none."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self.buttons: dict[str, QPushButton] = {}
        for choice in field.choices:
            button = push_button(choice.name, name=f"{field.name}: {choice.name}", look="segment", checkable=True)
            button.setAccessibleDescription(choice.definition)
            button.setToolTip(definition_tooltip(choice.name, choice.definition, choice.shortcut, choice.examples))
            button.clicked.connect(lambda _=False, key=choice.key: self._on_chosen(key))
            self.buttons[choice.key] = button
        shares = (part for button in self.buttons.values() for part in (button, 1))
        self.setLayout(make_row(*shares, spacing=theme.GRID // 2))
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

    def _on_chosen(self, key: str) -> None:
        for other, button in self.buttons.items():
            if other != key:
                button.setChecked(False)
        self.changed.emit(self.value())


class ChoicesEditor(FieldEditor):
    """Any number of several: a row each with a box to tick and the key that ticks it."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        self.boxes = {choice.key: TickRow(choice) for choice in field.choices}
        for box in self.boxes.values():
            box.clicked.connect(lambda _=False: self.changed.emit(self.value()))
        self.setLayout(make_column(*self.boxes.values(), spacing=0))
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


def make_choice_editor(field: Field) -> FieldEditor:
    """Return the editor of one of several: a row of buttons for words, a list for sentences."""
    long = any(len(choice.name) > LONG_CHOICE_CHARS for choice in field.choices)
    return LongChoiceEditor(field) if long else ChoiceEditor(field)


EDITORS: Mapping[FieldKind, Callable[[Field], FieldEditor]] = MappingProxyType(
    {
        FieldKind.TEXT: TextEditor,
        FieldKind.CHOICE: make_choice_editor,
        FieldKind.CHOICES: ChoicesEditor,
        FieldKind.SCALE: make_number_editor,
        FieldKind.SLIDER: SliderEditor,
        FieldKind.PARTICIPANT: ParticipantEditor,
    }
)
"""Which editor a kind of field gets; a new kind is one class and one line here."""
