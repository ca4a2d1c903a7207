"""Who takes part: their roles, whether they are in the recording that is shown, and what they consented to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from project.types import ConsentUse, Participant, ParticipantRole
from resources.translation import tr
from widgets import theme
from widgets.plain_tip import plain_tip

ROLES = {
    ParticipantRole.USER: tr("User"),
    ParticipantRole.ROBOT: tr("Robot"),
    ParticipantRole.BYSTANDER: tr("Bystander"),
}
_USES = {
    ConsentUse.ANNOTATE: (tr("Annotate"), tr("may be annotated")),
    ConsentUse.RELEASE: (tr("Release"), tr("may be in clips that are released")),
    ConsentUse.MODELS: (tr("Models"), tr("may be sent to models")),
}
_PERSON, _ROLE, _HERE, _FIRST_USE = range(4)


@dataclass(frozen=True, slots=True)
class Person:
    """A participant as this table shows them."""

    participant: Participant
    here: bool
    consents: Mapping[ConsentUse, bool]


class ParticipantsTable(QWidget):
    """One row a participant of the study; every tick is an edit. Consent is denied until given.

    Signals:
        add_requested (str): pseudonym of a new participant who is in this recording.
        role_changed (Participant, ParticipantRole)
        here_changed (Participant, bool): in this recording or not.
        consent_changed (Participant, ConsentUse, bool)
    """

    add_requested = Signal(str)
    role_changed = Signal(object, object)
    here_changed = Signal(object, bool)
    consent_changed = Signal(object, object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._people: list[Person] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.tree = QTreeWidget()
        self.tree.setRootIsDecorated(False)
        self.tree.setStyleSheet("QComboBox { margin: 2px 0; }")
        self.tree.setAccessibleName(tr("Participants"))
        self.tree.setHeaderLabels([tr("Participant"), tr("Role"), tr("Here"), *(name for name, _ in _USES.values())])
        self.tree.headerItem().setToolTip(_HERE, tr("In this recording"))
        for place, (_, meaning) in enumerate(_USES.values(), _FIRST_USE):
            self.tree.headerItem().setToolTip(
                place, plain_tip(tr("Consent was given: {meaning}").format(meaning=meaning))
            )
        self.tree.header().setStretchLastSection(False)
        for place, width in enumerate((112, 120, 48, 72, 64, 64)):
            self.tree.setColumnWidth(place, width)
        self.tree.header().setSectionResizeMode(_PERSON, QHeaderView.ResizeMode.Stretch)
        self.tree.setMinimumHeight(136)
        self.tree.itemChanged.connect(self._ticked)
        column.addWidget(self.tree, 1)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.name = QLineEdit(placeholderText=tr("Pseudonym, such as P01, never a real name"))
        self.name.setAccessibleName(tr("Pseudonym of a new participant"))
        self.name.returnPressed.connect(self._add)
        self.add = QPushButton(tr("Add participant"))
        self.add.setToolTip(tr("Add a participant who is in this recording"))
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self._add)
        row.addWidget(self.name, 1)
        row.addWidget(self.add)
        column.addLayout(row)

    def set_people(self, people: Sequence[Person]) -> None:
        """Show these participants; those that are shown keep their places, and the row with the focus keeps it."""
        places = {one.participant.id: place for place, one in enumerate(self._people)}
        people = sorted(people, key=lambda one: places.get(one.participant.id, len(places)))
        same = [one.participant.id for one in people] == [*places]
        self._people = people
        self.tree.blockSignals(True)
        if not same:
            self.tree.clear()
            for person in people:
                new = QTreeWidgetItem([person.participant.pseudonym])
                new.setFlags(new.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                self.tree.addTopLevelItem(new)
        for row, person in enumerate(people):
            item = self.tree.topLevelItem(row)
            assert item is not None
            item.setCheckState(_HERE, _state(person.here))
            for place, use in enumerate(_USES, _FIRST_USE):
                item.setCheckState(place, _state(person.consents.get(use, False)))
            self.tree.setItemWidget(item, _ROLE, self._role_box(person.participant))
        self.tree.blockSignals(False)

    def _role_box(self, participant: Participant) -> QComboBox:
        box = QComboBox()
        for role, name in ROLES.items():
            box.addItem(name, role)
        box.setCurrentIndex(list(ROLES).index(participant.role))
        box.setAccessibleName(tr("Role of {pseudonym}").format(pseudonym=participant.pseudonym))
        box.setToolTip(tr("A robot's face can be left as it is on export"))
        box.activated.connect(partial(self._role_chosen, participant))
        return box

    def _role_chosen(self, participant: Participant, place: int) -> None:
        role = list(ROLES)[place]
        if role is not participant.role:
            self.role_changed.emit(participant, role)

    def _ticked(self, item: QTreeWidgetItem, column: int) -> None:
        if column < _HERE:
            return
        person = self._people[self.tree.indexOfTopLevelItem(item)].participant
        on = item.checkState(column) is Qt.CheckState.Checked
        if column == _HERE:
            self.here_changed.emit(person, on)
        else:
            self.consent_changed.emit(person, list(_USES)[column - _FIRST_USE], on)

    def _add(self) -> None:
        name = self.name.text().strip()
        if name:
            self.name.clear()
            self.add_requested.emit(name)
        else:
            self.name.setFocus()


def _state(on: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
