"""Whom something is assigned to: a button for each participant with its key, and what else can be chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from project.types import Participant
from resources.translation import tr
from widgets.plain_tip import plain_tip
from widgets.segments.flow import FlowLayout

KEYS = 9
"""Participants that have a digit as their key, and a button; the others stand in a menu."""


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
        self._made: list[QPushButton] = []
        self.more = choice_button(tr("Others"), tr("Choose another participant of the study"))
        self.more.setProperty("opens", True)
        self.more.setCheckable(True)
        self._menu = QMenu(self.more)
        self.more.setMenu(self._menu)
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
        shown = people[:KEYS]
        self._made += [self._button(number) for number in range(len(self._made), len(shown))]
        self.buttons = self._made[: len(shown)]
        for number, (person, button) in enumerate(zip(shown, self.buttons, strict=True), 1):
            say(button, f"{number} {person.pseudonym}", f"{self.told(person)} ({number})")
            button.setChecked(False)
            button.setEnabled(True)
        for spare in self._made[len(shown) :]:
            spare.hide()
        self._menu.clear()
        for person in people[KEYS:]:
            action = self._menu.addAction(person.pseudonym.replace("&", "&&"))
            action.triggered.connect(lambda _=False, who=person.id: self.assign_requested.emit(who))
        self.more.setVisible(len(people) > KEYS)
        for button in (*self.buttons, *([self.more] if len(people) > KEYS else []), *self.others()):
            self._flow.addWidget(button)
            button.show()
        self.updateGeometry()
        return True

    def _button(self, place: int) -> QPushButton:
        button = choice_button("", "")
        button.setCheckable(True)
        button.clicked.connect(lambda: self.assign_requested.emit(self.people[place].id))
        return button

    def person(self, number: int) -> Participant | None:
        """Return the participant of a digit, from 1."""
        return self.people[number - 1] if 0 < number <= min(len(self.people), KEYS) else None

    def show_person(self, participant_id: str | None, enabled: bool) -> None:
        """Show who is chosen; nothing can be chosen where it may not be edited."""
        for person, button in zip(self.people, self.buttons, strict=False):
            button.setChecked(person.id == participant_id)
            button.setEnabled(enabled)
        other = next((one for one in self.people[KEYS:] if one.id == participant_id), None)
        self.more.setText(other.pseudonym.replace("&", "&&") if other else tr("Others"))
        self.more.setChecked(other is not None)
        self.more.setEnabled(enabled)
        self.new.setEnabled(enabled)


def choice_button(text: str, words: str) -> QPushButton:
    """Return a small button that says what it does when asked."""
    button = QPushButton()
    button.setProperty("segment", True)
    say(button, text, words)
    return button


def say(button: QPushButton, text: str, words: str) -> None:
    """Let a button say something else, and what it does when asked."""
    button.setText(text.replace("&", "&&"))
    button.setToolTip(plain_tip(words))
    button.setAccessibleName(words)
