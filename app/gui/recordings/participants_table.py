"""The participants of a study in the details of a recording: roles, presence, consent, and variables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from project.entities.study_records import ConsentUse, Participant, ParticipantRole, VariableKind
from resources.translation import tr
from widgets.form.controls import line_edit, push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_row
from widgets.table.record_table import RecordColumn, RecordTable

ROLES = {
    ParticipantRole.USER: tr("User"),
    ParticipantRole.ROBOT: tr("Robot"),
    ParticipantRole.BYSTANDER: tr("Bystander"),
    ParticipantRole.CHARACTER: tr("Character"),
}
_CONSENT_LABELS = {
    ConsentUse.ANNOTATE: (tr("Annotate"), tr("Consent was given: may be annotated")),
    ConsentUse.RELEASE: (tr("Release"), tr("Consent was given: may be in clips that are released")),
    ConsentUse.MODELS: (tr("Models"), tr("Consent was given: may be sent to models")),
}
VARIABLE_KINDS = {
    VariableKind.NUMBER: tr("Number"),
    VariableKind.CHOICE: tr("Choice"),
    VariableKind.TEXT: tr("Text"),
}
_MIN_HEIGHT = 136


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """A participant as this table shows them.

    Attributes:
        variables: name -> value.
    """

    participant: Participant
    is_present: bool
    consents: Mapping[ConsentUse, bool]
    variables: Mapping[str, str]

    @property
    def key(self) -> str:
        """Tells the row from others."""
        return self.participant.id


class ParticipantsTable(QWidget):
    """One row a participant of the study; every change is an edit. Consent is denied until given.

    Signals:
        add_requested (str): pseudonym of a new participant who is in this recording.
        role_changed (Participant, ParticipantRole)
        presence_changed (Participant, bool): in this recording or not.
        consent_changed (Participant, ConsentUse, bool)
        variable_entered (Participant, str, str, VariableKind): name, value ("" takes it away) and kind.
    """

    add_requested = Signal(str)
    role_changed = Signal(object, object)
    presence_changed = Signal(object, bool)
    consent_changed = Signal(object, object, bool)
    variable_entered = Signal(object, str, str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ParticipantRow] = []
        self._kinds: dict[str, VariableKind] = {}
        self._new: dict[str, VariableKind] = {}
        self._shown: tuple[str, ...] | None = None
        self.table: RecordTable[ParticipantRow] = RecordTable(tr("Participants"), ())
        self.table.setMinimumHeight(_MIN_HEIGHT)
        self.name = line_edit(tr("Pseudonym of a new participant"), tr("Pseudonym, such as P01, never a real name"))
        self.add = push_button(
            tr("Add participant"), tr("Add a participant who is in this recording"), self._add, autoDefault=False
        )
        self.variable = line_edit(
            tr("Name of a new variable of participants"), tr("Variable, such as age or condition")
        )
        self.kind = ChoiceBox(tr("Kind"), tr("What the values of the variable are"), VARIABLE_KINDS, compact=True)
        self.add_variable = push_button(
            tr("Add variable"),
            tr("Add a column; time budgets can be grouped by it, and annotators' copies lack it"),
            self._add_variable,
            autoDefault=False,
        )
        self.name.returnPressed.connect(self._add)
        self.variable.returnPressed.connect(self._add_variable)
        self.setLayout(
            make_column(
                self.table,
                1,
                make_row(self.name, 1, self.add),
                make_row(self.variable, 1, self.kind, self.add_variable),
            )
        )
        self._show()

    def set_people(
        self, people: Sequence[ParticipantRow], kinds: Mapping[str, VariableKind], *, writable: bool = True
    ) -> None:
        """Show these participants, with a column for each variable; those that are shown keep their places."""
        places = {row.key: place for place, row in enumerate(self._rows)}
        self._rows = sorted(people, key=lambda row: places.get(row.key, len(places)))
        self._kinds = dict(kinds)
        self._show(writable=writable)

    def _show(self, *, writable: bool = True) -> None:
        names = tuple(dict.fromkeys((*self._kinds, *self._new)))
        if names != self._shown:
            self._shown = names
            self.table.set_columns([*self._fixed_columns(), *map(self._variable_column, names)])
        self.table.show_records(self._rows, writable=writable)

    def _fixed_columns(self) -> list[RecordColumn[ParticipantRow]]:
        roles = [(role.value, name) for role, name in ROLES.items()]
        return [
            RecordColumn(tr("Participant"), lambda row: row.participant.pseudonym, number=False, stretch=True),
            RecordColumn(
                tr("Role"),
                lambda row: ROLES[row.participant.role],
                title_tip=tr("A robot's face can be left as it is on export"),
                number=False,
                choices=lambda _row: roles,
                choice=lambda row: row.participant.role.value,
                write=lambda row, key: self.role_changed.emit(row.participant, ParticipantRole(key)),
            ),
            RecordColumn(
                tr("Here"),
                lambda _row: "",
                title_tip=tr("In this recording"),
                ticked=lambda row: row.is_present,
                write=lambda row, on: self.presence_changed.emit(row.participant, bool(on)),
            ),
            *map(self._consent_column, _CONSENT_LABELS),
        ]

    def _consent_column(self, use: ConsentUse) -> RecordColumn[ParticipantRow]:
        name, meaning = _CONSENT_LABELS[use]
        return RecordColumn(
            name,
            lambda _row: "",
            title_tip=meaning,
            ticked=lambda row: row.consents.get(use, False),
            write=lambda row, on: self.consent_changed.emit(row.participant, use, bool(on)),
        )

    def _variable_column(self, name: str) -> RecordColumn[ParticipantRow]:
        kind = self._kinds.get(name) or self._new[name]
        return RecordColumn(
            name,
            lambda row: row.variables.get(name, ""),
            title_tip=tr("{name}: {kind}. Double-click a cell to type").format(name=name, kind=VARIABLE_KINDS[kind]),
            number=kind is VariableKind.NUMBER,
            write=partial(self._enter, name),
        )

    def _enter(self, name: str, row: ParticipantRow, value: str) -> None:
        self.variable_entered.emit(row.participant, name, value, self._kinds.get(name) or self._new[name])

    def _add(self) -> None:
        name = self.name.text().strip()
        if name:
            self.name.clear()
            self.add_requested.emit(name)
        else:
            self.name.setFocus()

    def _add_variable(self) -> None:
        """Show a column that is kept once it has a value."""
        name = " ".join(self.variable.text().split())
        if name:
            self.variable.clear()
            self._new.setdefault(name, VariableKind(self.kind.key()))
            self._show()
        else:
            self.variable.setFocus()
