"""Whose face it is: a button for each participant with its key, one for a new one, one for no face."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from project.types import Participant
from widgets.segments.flow import FlowLayout


class PeopleBar(QWidget):
    """Buttons in a flow.

    Signals:
        assign_requested (object): participant id, or None for nobody.
        new_requested: assign to a participant that is yet to be made.
        dismiss_requested (bool): it is no face, or it is one after all.
    """

    assign_requested = Signal(object)
    new_requested = Signal()
    dismiss_requested = Signal(bool)
    KEYS = 9
    """Participants that have a digit as their key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self._people: list[Participant] = []
        self._buttons: list[QPushButton] = []
        self.nobody = _button("Nobody", "Take the name away")
        self.nobody.clicked.connect(lambda: self.assign_requested.emit(None))
        self.new = _button("New…", "Assign to a new participant, under a pseudonym")
        self.new.clicked.connect(self.new_requested)
        self.dismiss = _button("Not a face", "Then it is neither drawn nor hidden (X)")
        self.dismiss.setCheckable(True)
        self.dismiss.clicked.connect(self.dismiss_requested)
        self.set_people([])

    def set_people(self, people: Sequence[Participant]) -> None:
        """Offer these participants, in this order: the first nine have a key."""
        if list(people) == self._people and self._buttons:
            return
        self._people = list(people)
        while self._flow.count():
            self._flow.takeAt(0)
        for gone in self._buttons:
            gone.deleteLater()
        self._buttons = []
        for number, person in enumerate(people, 1):
            key = f" ({number})" if number <= self.KEYS else ""
            name = f"{number} {person.pseudonym}" if number <= self.KEYS else person.pseudonym
            button = _button(name, f"It is {person.pseudonym}, {person.role.value}{key}")
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, who=person.id: self.assign_requested.emit(who))
            self._buttons.append(button)
        for button in (*self._buttons, self.new, self.nobody, self.dismiss):
            self._flow.addWidget(button)
            button.show()
        self.updateGeometry()

    def person(self, number: int) -> Participant | None:
        """Return the participant of a digit, from 1."""
        return self._people[number - 1] if 0 < number <= min(len(self._people), self.KEYS) else None

    def show_choice(self, participant_id: str | None, dismissed: bool, *, enabled: bool, named: bool) -> None:
        """Show whose the selected face is; nothing can be chosen where nothing is selected or it may not be edited."""
        for person, button in zip(self._people, self._buttons, strict=True):
            button.setChecked(person.id == participant_id)
            button.setEnabled(enabled)
        self.dismiss.setChecked(dismissed)
        self.new.setEnabled(enabled)
        self.nobody.setEnabled(enabled and named)
        self.dismiss.setEnabled(enabled)


def _button(text: str, words: str) -> QPushButton:
    button = QPushButton(text.replace("&", "&&"))
    button.setProperty("segment", True)
    button.setToolTip(words)
    button.setAccessibleName(words)
    return button
