"""Whose event or state a node is: a button for each participant, any number of them pressed."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from project.types import Participant
from widgets.participant_buttons import KEYS, choice_button
from widgets.segments.flow import FlowLayout

NOBODY = "No participants yet: add them in Recording details (Ctrl+I)."


class PeopleRow(QWidget):
    """The first nine have a digit as their key.

    Signals:
        toggled (str, bool): a participant's id, and whether the node is theirs, by the user.
    """

    toggled = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self._people: list[Participant] = []
        self.buttons: dict[str, QPushButton] = {}
        self._nobody = QLabel(NOBODY)
        self._nobody.setProperty("quiet", True)
        self._flow.addWidget(self._nobody)

    def offer(self, people: Sequence[Participant]) -> None:
        """Offer these participants, in this order."""
        if [*people] == self._people:
            return
        self._people = [*people]
        while self._flow.count():
            self._flow.takeAt(0)
        for gone in self.buttons.values():
            gone.deleteLater()
        self.buttons = {one.id: self._button(number, one) for number, one in enumerate(people, 1)}
        for button in self.buttons.values():
            self._flow.addWidget(button)
            button.show()
        self._nobody.setVisible(not people)
        if not people:
            self._flow.addWidget(self._nobody)
        self.updateGeometry()

    def show_people(self, chosen: Collection[str], editable: bool) -> None:
        """Show whose the node is."""
        for key, button in self.buttons.items():
            button.setChecked(key in chosen)
            button.setEnabled(editable)

    def _button(self, number: int, one: Participant) -> QPushButton:
        keyed = number <= KEYS
        words = f"It is an event or a state of {one.pseudonym}" + (f" ({number})" if keyed else "")
        button = choice_button(f"{number} {one.pseudonym}" if keyed else one.pseudonym, words)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda on: self.toggled.emit(one.id, on))
        return button
