"""Editors for numbers: a scale of whole numbers, and a slider."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from project.schemes.scheme import Field, FieldKind
from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.explained import explained
from widgets.field_editor import FieldEditor
from widgets.number_boxes import DecimalBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

MOST_BUTTONS = 11
"""Values of a scale up to which each has a button; more are set with a slider."""
_MINUS = "\N{MINUS SIGN}"


class ScaleEditor(FieldEditor):
    """A few whole numbers, a button each; pressing the chosen one again chooses none."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(2)
        self.buttons: dict[int, QPushButton] = {}
        for value in range(int(field.minimum), int(field.maximum) + 1, int(field.step)):
            button = QPushButton(str(value).replace("-", _MINUS))
            button.setCheckable(True)
            button.setProperty("segment", True)
            button.setMinimumWidth(20)
            button.setProperty("narrow", True)
            button.setFont(theme.font(theme.POINTS - 1))
            button.setAccessibleName(f"{field.name}: {value}")
            button.setAccessibleDescription(field.definition)
            button.setToolTip(explained(f"{field.name}: {value}", field.definition))
            button.clicked.connect(lambda _=False, value=value: self._chosen(value))
            row.addWidget(button, 1)
            self.buttons[value] = button
        column.addLayout(row)
        if field.ends:
            column.addLayout(ends_row(field))
        self.setFocusProxy(next(iter(self.buttons.values())))

    def value(self) -> Json:
        return next((value for value, button in self.buttons.items() if button.isChecked()), None)

    def set_value(self, value: Json) -> None:
        for one, button in self.buttons.items():
            button.setChecked(value is not None and not isinstance(value, bool) and one == value)

    def set_read_only(self, read_only: bool) -> None:
        for button in self.buttons.values():
            button.setEnabled(not read_only)

    def controls(self) -> list[QWidget]:
        return [*self.buttons.values()]

    def _chosen(self, value: int) -> None:
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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, self._steps)
        self.slider.setPageStep(max(1, self._steps // 10))
        self.box = _Box()
        self.box.setDecimals(0 if whole else 3)
        # One step below the lowest stands for nothing.
        self.box.setRange(field.minimum - field.step, field.maximum)
        self.box.setSingleStep(field.step)
        self.box.setSpecialValueText("–")  # noqa: RUF001 an en dash stands for nothing
        self.box.setKeyboardTracking(False)
        for control in (self.slider, self.box):
            control.setAccessibleName(field.name)
            control.setAccessibleDescription(field.definition)
            control.setToolTip(explained(field.name, field.definition, field.shortcut))
        self.clear = QPushButton(tr("Clear"))
        self.clear.setAccessibleName(tr("Clear {name}").format(name=field.name))
        self.clear.setToolTip(plain_tip(tr("Take the number of {name} away").format(name=field.name)))
        row.addWidget(self.slider, 1)
        row.addWidget(self.box)
        row.addWidget(self.clear)
        column.addLayout(row)
        if field.ends:
            column.addLayout(ends_row(field))
        self.setFocusProxy(self.slider)
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(self._released)
        self.slider.pressed_on.connect(self._released)
        self.box.valueChanged.connect(self._typed)
        self.clear.clicked.connect(lambda: self._choose(None))
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

    def _number(self) -> float:
        return self.field.minimum + self.slider.value() * self.field.step

    def _slid(self) -> None:
        if self.slider.isSliderDown():
            number = self._number()
            self.box.blockSignals(True)
            self.box.setValue(number)
            self.box.blockSignals(False)
            self.slider.set_empty(False)
        else:
            self._choose(self._number())

    def _released(self) -> None:
        self._choose(self._number())

    def _typed(self, number: float) -> None:
        self._choose(None if number < self.field.minimum else number)

    def _choose(self, number: float | None) -> None:
        if number != self._value:
            self.set_value(number)
            self.changed.emit(self.value())


class _Slider(QSlider):
    """A slider that leaves the wheel to the page, and whose handle is hollow while it stands for nothing.

    Signals:
        pressed_on: Space or Return was pressed: take the number where the handle stands.
    """

    pressed_on = Signal()

    def set_empty(self, empty: bool) -> None:
        """Show that no number is chosen."""
        self.setProperty("empty", empty)
        self.style().unpolish(self)
        self.style().polish(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.pressed_on.emit()
        else:
            super().keyPressEvent(event)


class _Box(DecimalBox):
    """A box for a number that leaves the wheel to the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def ends_row(field: Field) -> QHBoxLayout:
    """Return a line with what the lowest and the highest value mean."""
    row = QHBoxLayout()
    for text, side in zip(field.ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True):
        label = PlainLabel(text)
        label.setFont(theme.font(theme.POINTS - 1))
        label.setProperty("quiet", True)
        label.setWordWrap(True)
        label.setAlignment(side)
        row.addWidget(label, 1)
    return row


def number_editor(field: Field) -> FieldEditor:
    """Return the editor that fits the range of a scale."""
    values = (field.maximum - field.minimum) / field.step + 1
    return ScaleEditor(field) if values <= MOST_BUTTONS else SliderEditor(field)
