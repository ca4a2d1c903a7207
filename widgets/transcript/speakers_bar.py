"""Who speaks: a button for each participant with its digit, one for a new one, one for nobody."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QPushButton, QWidget

from project.types import Participant
from resources.translation import tr
from widgets import theme
from widgets.participant_buttons import ParticipantButtons, choice_button
from widgets.participant_looks import participant_ink

_DOT = 8


class SpeakersBar(ParticipantButtons):
    """Buttons about the selected utterances, with the colours of participants.

    Signals:
        accept_requested: the program guessed right.
    """

    accept_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            choice_button(tr("New…"), tr("They are said by a new participant, under a pseudonym (P)")),
            choice_button(tr("0 Nobody"), tr("Nobody knows who speaks (0)")),
            parent,
        )
        self._colours: Mapping[str, str] = {}
        self.accept = choice_button(tr("Accept guess"), tr("The suggested speaker is right (A)"))
        self.accept.clicked.connect(self.accept_requested)
        theme.notifier.changed.connect(self._tint)
        self.set_people([], {})

    def set_people(self, people: Sequence[Participant], colours: Mapping[str, str]) -> None:
        """Offer these participants, in this order."""
        if self.offer(people):
            self._colours = dict(colours)
            self._tint()

    def told(self, person: Participant) -> str:
        return tr("{pseudonym} speaks").format(pseudonym=person.pseudonym)

    def others(self) -> tuple[QPushButton, ...]:
        return self.new, self.nobody, self.accept

    def show_choice(self, participant_id: str | None, *, guess: bool, enabled: bool) -> None:
        """Show who speaks in what is selected; nothing can be chosen where it may not be edited."""
        self.show_person(participant_id, enabled)
        self.nobody.setEnabled(enabled)
        self.accept.setEnabled(enabled and guess)

    def _tint(self) -> None:
        colours = theme.palette()
        for person, button in zip(self.people, self.buttons, strict=False):
            button.setIcon(_dot(participant_ink(self._colours.get(person.id), colours, colours.raised)))
            button.setIconSize(QSize(_DOT, _DOT))


def _dot(colour: QColor) -> QIcon:
    picture = QPixmap(_DOT, _DOT)
    picture.fill(colour)
    return QIcon(picture)
