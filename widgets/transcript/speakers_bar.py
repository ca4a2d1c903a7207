"""Who speaks: a button for each participant with its digit, one for a new one, one for nobody."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QPushButton, QWidget

from project.types import Participant
from widgets import theme
from widgets.participant_looks import participant_ink
from widgets.segments.flow import FlowLayout

KEYS = 9
"""Participants that have a digit as their key."""
_DOT = 8


class SpeakersBar(QWidget):
    """Buttons in a flow, about the selected utterances.

    Signals:
        assign_requested (object): participant id, or None for nobody.
        new_requested: a participant that is yet to be made.
        accept_requested: the program guessed right.
    """

    assign_requested = Signal(object)
    new_requested = Signal()
    accept_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self._people: list[Participant] = []
        self._buttons: list[QPushButton] = []
        self._colours: Mapping[str, str] = {}
        self.new = _button("New…", "They are said by a new participant, under a pseudonym (P)")
        self.new.clicked.connect(self.new_requested)
        self.nobody = _button("0 Nobody", "Nobody knows who speaks (0)")
        self.nobody.clicked.connect(lambda: self.assign_requested.emit(None))
        self.accept = _button("Accept guess", "The suggested speaker is right (A)")
        self.accept.clicked.connect(self.accept_requested)
        theme.notifier.changed.connect(self._tint)
        self.set_people([], {})

    def set_people(self, people: Sequence[Participant], colours: Mapping[str, str]) -> None:
        """Offer these participants, in this order: the first nine have a key."""
        if list(people) == self._people and self._flow.count():
            return
        self._people, self._colours = list(people), dict(colours)
        while self._flow.count():
            self._flow.takeAt(0)
        for gone in self._buttons:
            gone.deleteLater()
        self._buttons = []
        for number, person in enumerate(people, 1):
            keyed = number <= KEYS
            words = f"{person.pseudonym} speaks" + (f" ({number})" if keyed else "")
            button = _button(f"{number} {person.pseudonym}" if keyed else person.pseudonym, words)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, who=person.id: self.assign_requested.emit(who))
            self._buttons.append(button)
        for button in (*self._buttons, self.new, self.nobody, self.accept):
            self._flow.addWidget(button)
            button.show()
        self._tint()
        self.updateGeometry()

    def person(self, number: int) -> Participant | None:
        """Return the participant of a digit, from 1."""
        return self._people[number - 1] if 0 < number <= min(len(self._people), KEYS) else None

    def show_choice(self, participant_id: str | None, *, guess: bool, enabled: bool) -> None:
        """Show who speaks in what is selected; nothing can be chosen where it may not be edited."""
        for person, button in zip(self._people, self._buttons, strict=True):
            button.setChecked(person.id == participant_id)
            button.setEnabled(enabled)
        self.new.setEnabled(enabled)
        self.nobody.setEnabled(enabled)
        self.accept.setEnabled(enabled and guess)

    def _tint(self) -> None:
        colours = theme.palette()
        for person, button in zip(self._people, self._buttons, strict=True):
            button.setIcon(_dot(participant_ink(self._colours.get(person.id), colours, colours.raised)))
            button.setIconSize(QSize(_DOT, _DOT))


def _dot(colour: QColor) -> QIcon:
    picture = QPixmap(_DOT, _DOT)
    picture.fill(colour)
    return QIcon(picture)


def _button(text: str, words: str) -> QPushButton:
    button = QPushButton(text.replace("&", "&&"))
    button.setProperty("segment", True)
    button.setToolTip(words)
    button.setAccessibleName(words)
    return button
