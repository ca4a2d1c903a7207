"""Whose event or state a node is: a button for each participant, any number of them pressed."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from project.types import Participant
from resources.translation import tr
from widgets.participant_buttons import KEYS, choice_button
from widgets.plain_label import PlainLabel
from widgets.segments.flow import FlowLayout

NOBODY = tr("No participants yet: add them in Recording details (Ctrl+I).")


class PeopleRow(QWidget):
    """The first nine have a digit as their key; the others stand in a menu.

    Signals:
        toggled (str, bool): a participant's id, and whether the node is theirs, by the user.
    """

    toggled = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self._people: list[Participant] = []
        self.buttons: dict[str, QPushButton] = {}
        self._others: dict[str, QAction] = {}
        self.more = choice_button(tr("Others"), tr("Choose further participants of the study"))
        self.more.setProperty("opens", True)
        self.more.setCheckable(True)
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._menu = QMenu(self.more)
        self.more.setMenu(self._menu)
        self._nobody = PlainLabel(NOBODY)
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
        self.buttons = {one.id: self._button(number, one) for number, one in enumerate(people[:KEYS], 1)}
        self._menu.clear()
        self._others = {one.id: self._entry(one) for one in people[KEYS:]}
        self.more.setVisible(bool(self._others))
        for button in (*self.buttons.values(), *([self.more] if self._others else [])):
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
        for key, entry in self._others.items():
            entry.setChecked(key in chosen)
        names = [one.pseudonym for one in self._people if one.id in self._others and one.id in chosen]
        self.more.setText(", ".join(names).replace("&", "&&") or tr("Others"))
        self.more.setChecked(bool(names))
        self.more.setEnabled(editable)

    def _entry(self, one: Participant) -> QAction:
        entry = self._menu.addAction(one.pseudonym.replace("&", "&&"))
        entry.setCheckable(True)
        entry.triggered.connect(lambda on: self.toggled.emit(one.id, on))
        return entry

    def _button(self, number: int, one: Participant) -> QPushButton:
        words = tr("It is an event or a state of {pseudonym}").format(pseudonym=one.pseudonym)
        button = choice_button(f"{number} {one.pseudonym}", f"{words} ({number})")
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda on: self.toggled.emit(one.id, on))
        return button
