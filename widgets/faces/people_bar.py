"""Whose face it is: a button for each participant with its key, one for a new one, one for no face."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from project.types import Participant
from resources.translation import tr
from widgets.participant_buttons import ParticipantButtons, choice_button


class PeopleBar(ParticipantButtons):
    """Buttons about the selected faces.

    Signals:
        dismiss_requested (bool): it is no face, or it is one after all.
    """

    dismiss_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            choice_button(tr("New…"), tr("Assign to a new participant, under a pseudonym")),
            choice_button(tr("Nobody"), tr("Take the name away")),
            parent,
        )
        self.dismiss = choice_button(tr("Not a face"), tr("Then it is neither drawn nor hidden (X)"))
        self.dismiss.setCheckable(True)
        self.dismiss.clicked.connect(self.dismiss_requested)
        self.set_people([])

    def set_people(self, people: Sequence[Participant]) -> None:
        """Offer these participants, in this order."""
        self.offer(people)

    def told(self, person: Participant) -> str:
        return tr("It is {pseudonym}, {role}").format(pseudonym=person.pseudonym, role=person.role.value)

    def others(self) -> tuple[QPushButton, ...]:
        return self.new, self.nobody, self.dismiss

    def show_choice(self, participant_id: str | None, dismissed: bool, *, enabled: bool, named: bool) -> None:
        """Show whose the selected face is; nothing can be chosen where nothing is selected or it may not be edited."""
        self.show_person(participant_id, enabled)
        self.dismiss.setChecked(dismissed)
        self.nobody.setEnabled(enabled and named)
        self.dismiss.setEnabled(enabled)
