"""A form for options, built from their dataclass."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from typing import Any

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QFormLayout, QLineEdit, QSpinBox, QWidget

from project.entities.study_records import Json
from widgets import theme
from widgets.form.input_fields import DecimalBox, IntegerBox
from widgets.text_labels import add_form_row, plain_tip

Input = QSpinBox | QDoubleSpinBox | QComboBox | QCheckBox | QLineEdit


class OptionForm(QWidget):
    """Numbers with limits, choices, lines of text, and what can be ticked.

    Signals:
        changed: a value is another one.
    """

    changed = Signal()

    def __init__(
        self,
        options_type: type[Any],
        values: Mapping[str, Json],
        parent: QWidget | None = None,
        *,
        first: Sequence[str] = (),
    ) -> None:
        """Show the fields of a dataclass with limits, choices or words; what `values` lacks is as by default.

        Args:
            options_type: the dataclass.
            values: by name.
            parent: as of every widget.
            first: names of fields that stand before the others.
        """
        super().__init__(parent)
        self.inputs: dict[str, Input] = {}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(theme.GRID)
        for spec in sorted(fields(options_type), key=lambda spec: spec.name not in first):
            box = _make_input(spec, values.get(spec.name, spec.default))
            self.inputs[spec.name] = box
            for part in (box, *box.findChildren(QLineEdit)):
                part.setAccessibleName(spec.metadata["title"])
            box.setToolTip(plain_tip(spec.metadata["description"]))
            if isinstance(box, QCheckBox):
                form.addRow("", box)
                box.toggled.connect(self.changed)
            else:
                add_form_row(form, spec.metadata["title"], box)
                _change_signal(box).connect(lambda *_: self.changed.emit())

    def values(self) -> dict[str, Json]:
        """Return what is filled in, by name."""
        return {name: _input_value(box) for name, box in self.inputs.items()}


def _make_input(spec: Field[Any], value: Any) -> Input:
    metadata = spec.metadata
    if "choices" in metadata:
        combo = QComboBox()
        for choice in metadata["choices"]:
            combo.addItem(choice[:1].upper() + choice[1:], choice)
        combo.setCurrentIndex(combo.findData(str(value)))
        return combo
    if "longest" in metadata:
        line = QLineEdit(str(value))
        line.setMaxLength(metadata["longest"])
        return line
    if isinstance(spec.default, bool):
        tick = QCheckBox(metadata["title"])
        tick.setChecked(bool(value))
        return tick
    box: QSpinBox | QDoubleSpinBox
    if isinstance(spec.default, int):
        box = IntegerBox()
    else:
        box = DecimalBox()
        box.setDecimals(2)
        box.setSingleStep(0.05)
    if spec.name.endswith("_s"):
        box.setSuffix(" s")
    box.setRange(metadata["minimum"], metadata["maximum"])
    box.setSpecialValueText(metadata.get("none", ""))
    box.setValue(value)
    box.setKeyboardTracking(False)
    return box


def _change_signal(box: QSpinBox | QDoubleSpinBox | QComboBox | QLineEdit) -> SignalInstance:
    if isinstance(box, QComboBox):
        return box.currentIndexChanged
    return box.textChanged if isinstance(box, QLineEdit) else box.valueChanged


def _input_value(box: Input) -> Json:
    if isinstance(box, QLineEdit):
        return box.text().strip()
    if isinstance(box, QComboBox):
        return str(box.currentData())
    return box.isChecked() if isinstance(box, QCheckBox) else box.value()
