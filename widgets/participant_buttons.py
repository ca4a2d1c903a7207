"""Whom something is assigned to: a button for each participant with its key, and what else can be chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from project.types import Participant
from widgets.segments.flow import FlowLayout

KEYS = 9
"""Participants that have a digit as their key."""


class ParticipantButtons(QWidget):
    """Buttons in a flow. Who inherits says what a button says, and which others stand behind those of participants.

    Signals:
        assign_requested (object): participant id, or None for nobody.
        new_requested: assign to a participant that is yet to be made.
    """

    assign_requested = Signal(object)
    new_requested = Signal()

    def __init__(self, new: QPushButton, nobody: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self.people: list[Participant] = []
        self.buttons: list[QPushButton] = []
        self.new = new
        self.new.clicked.connect(self.new_requested)
        self.nobody = nobody
        self.nobody.clicked.connect(lambda: self.assign_requested.emit(None))

    def told(self, person: Participant) -> str:
        """Return what the button of a participant says it does."""
        raise NotImplementedError

    def others(self) -> tuple[QPushButton, ...]:
        """Return the buttons behind those of participants."""
        raise NotImplementedError

    def offer(self, people: Sequence[Participant]) -> bool:
        """Offer these participants, in this order: the first nine have a key; tells whether they are others."""
        if list(people) == self.people and self._flow.count():
            return False
        self.people = list(people)
        while self._flow.count():
            self._flow.takeAt(0)
        for gone in self.buttons:
            gone.deleteLater()
        self.buttons = []
        for number, person in enumerate(people, 1):
            keyed = number <= KEYS
            name = f"{number} {person.pseudonym}" if keyed else person.pseudonym
            button = choice_button(name, self.told(person) + (f" ({number})" if keyed else ""))
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, who=person.id: self.assign_requested.emit(who))
            self.buttons.append(button)
        for button in (*self.buttons, *self.others()):
            self._flow.addWidget(button)
            button.show()
        self.updateGeometry()
        return True

    def person(self, number: int) -> Participant | None:
        """Return the participant of a digit, from 1."""
        return self.people[number - 1] if 0 < number <= min(len(self.people), KEYS) else None

    def show_person(self, participant_id: str | None, enabled: bool) -> None:
        """Show who is chosen; nothing can be chosen where it may not be edited."""
        for person, button in zip(self.people, self.buttons, strict=True):
            button.setChecked(person.id == participant_id)
            button.setEnabled(enabled)
        self.new.setEnabled(enabled)


def choice_button(text: str, words: str) -> QPushButton:
    """Return a small button that says what it does when asked."""
    button = QPushButton(text.replace("&", "&&"))
    button.setProperty("segment", True)
    button.setToolTip(words)
    button.setAccessibleName(words)
    return button
