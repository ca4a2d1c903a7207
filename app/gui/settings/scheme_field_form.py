"""The form of a field in the code book editor: its kind, choices or range, and the labels that need or show it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from annotate.study.scheme_draft import new_choices
from app.gui.settings.scheme_forms import (
    KeyedPartForm,
    ShortcutEdit,
    fill_line,
    fill_lines,
    parse_number,
)
from project.schemes.scheme import CHOICE_KINDS, NUMERIC_KINDS, Field, FieldChoice, FieldKind, Scheme, Track
from resources.translation import tr
from widgets import theme
from widgets.form.checklists import TickMenuItem
from widgets.form.controls import line_edit, tool_button
from widgets.form.layouts import make_column, make_panel, make_row
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import describe

KIND_NAMES: dict[str, str] = {
    FieldKind.TEXT: tr("Text"),
    FieldKind.CHOICE: tr("One choice"),
    FieldKind.CHOICES: tr("Several choices"),
    FieldKind.SCALE: tr("Scale of whole numbers"),
    FieldKind.SLIDER: tr("Slider"),
    FieldKind.PARTICIPANT: tr("Participant"),
}
_CHOICE_WIDTH = theme.GRID * 20


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """A choice of a field, at its place."""

    place: int
    choice: FieldChoice

    @property
    def key(self) -> str:
        """Tell it from the others."""
        return str(self.place)


class FieldForm(KeyedPartForm):
    """The form of a field.

    Signals:
        requirement_changed (object): the labels of the track that need it.
    """

    requirement_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__(tr("Field"))
        self._choices: tuple[FieldChoice, ...] = ()
        self.kind = self._add_choice("kind", tr("Kind"), tr("How it is filled in"), KIND_NAMES)
        self._choice_part = self._make_choices()
        self.add(tr("Choices"), self._choice_part)
        self._add_note("choices")
        self.minimum = _titled_line(tr("Lowest"))
        self.maximum = _titled_line(tr("Highest"))
        self.step = _titled_line(tr("Step"))
        self._range = make_panel(make_row(self.minimum, self.maximum, self.step))
        for attribute in ("minimum", "maximum", "step"):
            getattr(self, attribute).textEdited.connect(partial(self._enter_number, attribute))
        self.add(tr("Range"), self._range)
        self._add_note("maximum")
        self._add_note("step")
        self.low = _titled_line(tr("what the lowest means"))
        self.high = _titled_line(tr("what the highest means"))
        self._ends = make_panel(make_row(self.low, self.high))
        for end in (self.low, self.high):
            end.textEdited.connect(self._enter_ends)
        self.add(tr("Ends"), self._ends)
        self.definition = self._add_lines("definition", tr("Definition"), tr("What is to be filled in"))
        self.shortcut = ShortcutEdit()
        describe(self.shortcut, tr("Shortcut"), tr("The key that goes to the field"))
        self.shortcut.textEdited.connect(lambda _text: self.edited.emit({"shortcut": self.shortcut.text().strip()}))
        self.add(tr("Shortcut"), self.shortcut)
        self._add_note("shortcut")
        self.required = self._add_ticks(
            tr("Required for"), tr("A segment with one of these labels is complete only with it"), tr("no label")
        )
        self.only_for = self._add_ticks(
            tr("Shown for"), tr("Only segments with one of these labels have it"), tr("every label")
        )
        self.tracks = self._add_ticks(tr("On tracks"), tr("Only segments of these tracks have it"), tr("every track"))
        self.required.changed.connect(lambda: self.requirement_changed.emit(self.required.ticked_keys()))
        self.only_for.changed.connect(self._enter_labels)
        self.tracks.changed.connect(lambda: self.edited.emit({"tracks": self.tracks.ticked_keys()}))

    def show_field(self, field: Field, scheme: Scheme, track: Track, required: frozenset[str]) -> None:
        """Show a field on a track."""
        self._fill_names(field.name, field.key)
        self.kind.choose(field.kind)
        self._choices = field.choices
        self.choices.show_records([ChoiceRow(place, choice) for place, choice in enumerate(field.choices)])
        self._show_choice()
        for attribute in ("minimum", "maximum", "step"):
            if parse_number(getattr(self, attribute).text()) != getattr(field, attribute):
                fill_line(getattr(self, attribute), f"{getattr(field, attribute):g}")
        low, high = (*field.ends, "", "")[:2]
        fill_line(self.low, low)
        fill_line(self.high, high)
        fill_lines(self.definition, field.definition)
        fill_line(self.shortcut, field.shortcut)
        labels = [TickMenuItem(label.key, label.name) for label in track.labels]
        self._others = tuple(key for key in field.only_for if track.label(key) is None)
        for menu, items, ticked in (
            (self.required, labels, required),
            (self.only_for, labels, set(field.only_for)),
            (self.tracks, [TickMenuItem(other.key, other.name) for other in scheme.tracks], set(field.tracks)),
        ):
            with QSignalBlocker(menu):
                menu.set_entries(items)
                menu.set_ticked(ticked)
        self.step.setEnabled(field.kind is FieldKind.SLIDER)
        for part, shown in (
            (self._choice_part, field.kind in CHOICE_KINDS),
            (self._range, field.kind in NUMERIC_KINDS),
            (self._ends, field.kind in NUMERIC_KINDS),
            (self.tracks, len(scheme.tracks) > 1),
        ):
            self._layout.setRowVisible(part, shown)

    def _make_choices(self) -> QWidget:
        self.choices: RecordTable[ChoiceRow] = RecordTable(
            tr("Choices"),
            [
                RecordColumn(
                    tr("Name"),
                    lambda row: row.choice.name,
                    width=_CHOICE_WIDTH,
                    write=partial(self._write_choice, "name"),
                ),
                RecordColumn(
                    tr("Shortcut"), lambda row: row.choice.shortcut, write=partial(self._write_choice, "shortcut")
                ),
            ],
            empty=tr("Add the first choice"),
        )
        self.choices.setFixedHeight(theme.scaled(theme.GRID * 15))
        self.add_choice = tool_button("plus", tr("Add a choice"), do=self._append_choice, side=14)
        self.remove_choice = tool_button("trash-2", tr("Remove the selected choice"), do=self._delete_choice, side=14)
        self.choice_definition = line_edit(
            tr("Definition of the choice"), tr("what the selected choice means"), tr("What the selected choice means")
        )
        self.choice_definition.textEdited.connect(self._define_choice)
        self.choices.selection_changed.connect(self._show_choice)
        buttons = make_row(self.add_choice, self.remove_choice, None)
        return make_panel(make_column(self.choices, self.choice_definition, buttons, spacing=theme.GRID // 2))

    def _write_choice(self, attribute: str, row: ChoiceRow, text: str) -> None:
        listed = [[choice.key, choice.name, choice.shortcut] for choice in self._choices]
        listed[row.place][1 if attribute == "name" else 2] = (
            text.strip() if attribute == "name" else text.strip().upper()
        )
        self._enter_choices([(key, name, shortcut) for key, name, shortcut in listed])

    def _append_choice(self) -> None:
        listed = [(choice.key, choice.name, choice.shortcut) for choice in self._choices]
        place = len(listed)
        self._enter_choices([*listed, ("", tr("Choice {number}").format(number=place + 1), "")])
        self.choices.select([str(place)])
        self.choices.edit(self.choices.model().index(place, 0))

    def _show_choice(self) -> None:
        row = self.choices.current()
        self.choice_definition.setEnabled(row is not None)
        fill_line(self.choice_definition, "" if row is None else row.choice.definition)

    def _define_choice(self, text: str) -> None:
        row = self.choices.current()
        if row is not None:
            defined = replace(row.choice, definition=" ".join(text.split()))
            choices = (defined if at == row.place else choice for at, choice in enumerate(self._choices))
            self.edited.emit({"choices": tuple(choices)})

    def _delete_choice(self) -> None:
        row = self.choices.current()
        if row is not None:
            left = [choice for place, choice in enumerate(self._choices) if place != row.place]
            self.edited.emit({"choices": tuple(left)})

    def _enter_choices(self, listed: Sequence[tuple[str, str, str]]) -> None:
        self.edited.emit({"choices": new_choices(listed, self._choices)})

    def _enter_number(self, attribute: str, text: str) -> None:
        number = parse_number(text)
        if number is not None:
            self.edited.emit({attribute: number})

    def _enter_ends(self) -> None:
        ends = (self.low.text().strip(), self.high.text().strip())
        self.edited.emit({"ends": ends if any(ends) else ()})

    def _enter_labels(self) -> None:
        self.edited.emit({"only_for": (*self._others, *self.only_for.ticked_keys())})


def _titled_line(title: str) -> QLineEdit:
    return line_edit(title, title, title)
