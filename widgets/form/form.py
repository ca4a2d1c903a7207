"""A form: fields one under another, each with its title, its tip and its name for screen readers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import Field as DataclassField
from dataclasses import fields
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from project.entities.study_records import Json
from resources.translation import tr
from widgets import theme
from widgets.form.controls import check_box
from widgets.form.input_fields import ChoiceBox, DecimalBox, IntegerBox, Offered
from widgets.form.layouts import add_form_row, make_column, make_row
from widgets.text_labels import NoteInForm, PlainLabel, describe

Input = QSpinBox | QDoubleSpinBox | QComboBox | QCheckBox | QLineEdit
_Field = TypeVar("_Field", bound=QWidget)


class Form(QWidget):
    """Each method adds a field under those before it and returns it. `&` in a title gives the field a key.

    Signals:
        changed: a value is another one.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line: QHBoxLayout | None = None
        self._lead: PlainLabel | None = None
        self._layout = QFormLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(theme.GRID * 2)
        self._layout.setVerticalSpacing(theme.GRID)

    def choice(
        self, title: str, tip: str, names: Mapping[Any, Offered] | None = None, *, compact: bool = False
    ) -> ChoiceBox:
        """Add a choice of several keys."""
        return self._field(title, tip, ChoiceBox(title, names=names, compact=compact))

    def text(self, title: str, tip: str, value: str = "", *, placeholder: str = "", longest: int = 0) -> QLineEdit:
        """Add a line of text."""
        field = QLineEdit(value, placeholderText=placeholder)
        if longest:
            field.setMaxLength(longest)
        return self._field(title, tip, field)

    def area(self, title: str, tip: str, *, hint: str = "", **properties: Any) -> QPlainTextEdit:
        """Add a field for several lines of text, which Tab leaves; takes Qt's properties of it by name."""
        return self._field(title, tip, QPlainTextEdit(placeholderText=hint, tabChangesFocus=True, **properties))

    def number(self, title: str, tip: str, **properties: Any) -> IntegerBox:
        """Add a whole number; takes Qt's properties of the box by name."""
        return self._field(title, tip, IntegerBox(**properties))

    def decimal(self, title: str, tip: str, **properties: Any) -> DecimalBox:
        """Add a number with decimals; takes Qt's properties of the box by name."""
        return self._field(title, tip, DecimalBox(**properties))

    def tick(self, text: str, tip: str, value: bool = False, *, title: str = "") -> QCheckBox:
        """Add something that can be ticked; `title` stands where the titles of other fields do."""
        field = check_box(text, tip, name=text.replace("&", ""), checked=value)
        field.toggled.connect(lambda _on: self.changed.emit())
        self.add(title, field)
        return field

    def note(self) -> NoteInForm:
        """Add a text that explains what stands above it."""
        field = NoteInForm()
        field.setProperty("quiet", True)
        self._layout.addRow("", field)
        return field

    def titles(self) -> list[QWidget]:
        """Return the labels that stand before the fields."""
        rows = range(self._layout.rowCount())
        items = (self._layout.itemAt(row, QFormLayout.ItemRole.LabelRole) for row in rows)
        return [title for item in items if item is not None and (title := item.widget()) is not None]

    def set_narrow(self) -> None:
        """Let the fields begin closer to their titles."""
        self._layout.setHorizontalSpacing(theme.GRID)

    def show_row(self, field: QWidget, visible: bool) -> None:
        """Show a field with its title, or neither."""
        self._layout.setRowVisible(field, visible)

    def add(self, title: str, field: QWidget | QLayout) -> None:
        """Add any field."""
        if self._line is None or isinstance(field, QLayout):
            add_form_row(self._layout, title, field)
            return
        if title:
            label = PlainLabel(title)
            label.setBuddy(field)
            if self._lead is None and not self._line.count():
                self._lead = label
            else:
                self._line.addWidget(label)
        self._line.addWidget(field)
        self._line.addSpacing(theme.GRID)

    @contextmanager
    def line(self, title: str = "") -> Iterator[None]:
        """Put the fields that are added meanwhile beside each other, each behind its own title.

        Without a title of the line, that of the first field stands where the titles of other fields do.
        """
        self._line = line = make_row()
        self._lead = PlainLabel(title) if title else None
        yield
        self._line = None
        line.addStretch(1)
        lead = self._lead or PlainLabel()
        self._layout.addRow(lead, line)

    def _field(self, title: str, tip: str, field: _Field) -> _Field:
        describe(field, title.replace("&", ""), tip)
        _change_signal(field).connect(lambda *_: self.changed.emit())
        self.add(title, field)
        return field


def _change_signal(field: QWidget) -> SignalInstance:
    if isinstance(field, QComboBox):
        return field.currentIndexChanged
    if isinstance(field, QSpinBox | QDoubleSpinBox):
        return field.valueChanged
    assert isinstance(field, QLineEdit | QPlainTextEdit)
    return field.textChanged


class OptionForm(Form):
    """The fields of a dataclass with limits, choices, words, or what can be ticked."""

    def __init__(
        self,
        options_type: type[Any],
        values: Mapping[str, Json],
        parent: QWidget | None = None,
        *,
        first: Sequence[str] = (),
    ) -> None:
        """Show the fields; what `values` lacks is as by default.

        Args:
            options_type: the dataclass.
            values: by name.
            parent: as of every widget.
            first: names of fields that stand before the others.
        """
        super().__init__(parent)
        self.set_narrow()
        self.inputs: dict[str, Input] = {}
        specs = sorted(fields(options_type), key=lambda spec: spec.name not in first)
        rare = [spec for spec in specs if spec.metadata.get("rare")]
        for spec in specs:
            if spec not in rare:
                self._add_input(spec, values)
        if rare:
            more = check_box(tr("More settings"), tr("Show settings that are seldom changed"), name=tr("More settings"))
            self.add("", more)
            for spec in rare:
                self._add_input(spec, values)
                more.toggled.connect(partial(self.show_row, self.inputs[spec.name]))
                self.show_row(self.inputs[spec.name], False)
            more.setChecked(any(values.get(spec.name, spec.default) != spec.default for spec in rare))

    def values(self) -> dict[str, Json]:
        """Return what is filled in, by name."""
        return {name: _input_value(field) for name, field in self.inputs.items()}

    def _add_input(self, spec: DataclassField[Any], values: Mapping[str, Json]) -> None:
        self.inputs[spec.name] = self._make_input(values.get(spec.name, spec.default), spec.default, spec.metadata)

    def _make_input(self, value: Any, default: Any, about: Mapping[str, Any]) -> Input:
        title, tip = about["title"], about["description"]
        if "choices" in about:
            box = self.choice(title, tip, {choice: choice[:1].upper() + choice[1:] for choice in about["choices"]})
            box.choose(str(value))
            return box
        if "longest" in about:
            return self.text(title, tip, str(value), longest=about["longest"])
        if isinstance(default, bool):
            return self.tick(title, tip, bool(value))
        limits = {"minimum": about["minimum"], "maximum": about["maximum"], "keyboardTracking": False}
        unit = about.get("unit", "")
        texts = {"specialValueText": about.get("none", ""), "suffix": f" {unit}" if unit else ""}
        if isinstance(default, int):
            return self.number(title, tip, **limits, **texts, value=value)
        return self.decimal(title, tip, decimals=2, singleStep=0.05, **limits, **texts, value=value)


class SwitchedOptions(QWidget):
    """The options of one kind of several; what was filled in for the others is kept.

    Signals:
        changed: a value is another one.
    """

    changed = Signal()

    def __init__(self, values: Mapping[str, Mapping[str, Json]] | None = None, *, first: Sequence[str] = ()) -> None:
        """Make it; `values` are those of each kind, and `first` are as to `OptionForm`."""
        super().__init__()
        self.form: OptionForm | None = None
        self._values = dict(values or {})
        self._first = first
        self._kind = ""
        self._column = make_column(spacing=0)
        self.setLayout(self._column)

    def show_kind(self, kind: str, options_type: type[Any] | None) -> None:
        """Show the options of a kind, which has none where there is no type."""
        self._keep()
        self._kind = kind
        if self.form is not None:
            self._column.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        if options_type is not None:
            self.form = OptionForm(options_type, self._values.get(kind, {}), first=self._first)
            self.form.changed.connect(self.changed)
            self._column.addWidget(self.form)

    def values(self) -> dict[str, Json]:
        """Return what is filled in for the kind that is shown."""
        return self.form.values() if self.form is not None else {}

    def all_values(self) -> dict[str, Mapping[str, Json]]:
        """Return what is filled in, by kind."""
        self._keep()
        return self._values

    def _keep(self) -> None:
        if self.form is not None:
            self._values[self._kind] = self.form.values()


def align_titles(*forms: Form | None) -> None:
    """Let the fields of forms below one another begin at one edge."""
    shown = [form for form in forms if form is not None]
    titles = [title for form in shown for title in form.titles()]
    widest = max(title.sizeHint().width() for title in titles)
    for title in titles:
        title.setMinimumWidth(widest)
    for form in shown:
        form.set_narrow()


def _input_value(field: Input) -> Json:
    if isinstance(field, QLineEdit):
        return field.text().strip()
    if isinstance(field, QComboBox):
        return str(field.currentData())
    return field.isChecked() if isinstance(field, QCheckBox) else field.value()
