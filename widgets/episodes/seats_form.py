"""Who takes part in an episode: a line each with who it is, what they want, and who plays them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QSizePolicy, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

PERSON = ""
"""Key of who plays, for somebody at the keyboard."""


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One line.

    Attributes:
        who: key -> name of those who can sit here; one alone cannot be chosen otherwise.
        chosen: key of who does.
        goal: what they want.
        fixed: the goal is the scenario's, and is only read.
    """

    who: Mapping[str, str]
    chosen: str = ""
    goal: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """What was chosen: key of who, what they want, and the judge's id, or `PERSON`."""

    who: str
    goal: str
    judge: str


class SeatsForm(QWidget):
    """Lines in the order in which those who take part act.

    Signals:
        changed: something was chosen.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.GRID)
        self._grid.setColumnStretch(1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._lines: list[tuple[QComboBox, QLineEdit, QComboBox]] = []

    def show_lines(self, lines: Sequence[SeatLine], judges: Mapping[str, str]) -> None:
        """Show other lines, for judges (id -> name) to play; who was chosen for a line stays, else it is the first."""
        before = [player.currentData() for _, _, player in self._lines]
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.setParent(None)
                gone.deleteLater()
        self._lines = []
        for column, title in enumerate((tr("Who"), tr("What they want"), tr("Played by"))):
            head = PlainLabel(title)
            head.setProperty("quiet", True)
            # As high as the name of the row that a form puts beside it.
            head.setMinimumHeight(theme.GRID * 7 // 2)
            self._grid.addWidget(head, 0, column)
        for place, line in enumerate(lines):
            made = self._line(place, line, judges)
            self._lines.append(made)
            for column, part in enumerate(made):
                self._grid.addWidget(part, place + 1, column)
            if place < len(before):
                made[2].setCurrentIndex(max(0, made[2].findData(before[place])))

    def choices(self) -> list[SeatChoice]:
        """Return what is chosen."""
        return [
            SeatChoice(str(who.currentData() or ""), goal.text().strip(), str(player.currentData() or PERSON))
            for who, goal, player in self._lines
        ]

    def _line(self, place: int, line: SeatLine, judges: Mapping[str, str]) -> tuple[QComboBox, QLineEdit, QComboBox]:
        who = QComboBox()
        who.setAccessibleName(tr("Who acts as number {value}").format(value=place + 1))
        who.setToolTip(tr("Who takes part"))
        for key, name in line.who.items():
            who.addItem(name, key)
        who.setCurrentIndex(max(0, who.findData(line.chosen)))
        who.setEnabled(len(line.who) > 1)
        goal = QLineEdit(line.goal)
        goal.setAccessibleName(tr("What number {value} wants").format(value=place + 1))
        goal.setPlaceholderText(tr("A private goal; none when empty"))
        goal.setToolTip(plain_tip(line.goal))
        goal.setReadOnly(line.fixed)
        goal.setCursorPosition(0)
        player = QComboBox()
        player.setAccessibleName(tr("Who plays number {value}").format(value=place + 1))
        player.setToolTip(tr("A person at this keyboard, or a judge"))
        player.addItem(tr("Person"), PERSON)
        for key, name in judges.items():
            player.addItem(name, key)
        player.setCurrentIndex(min(1, player.count() - 1))
        who.currentIndexChanged.connect(self.changed)
        player.currentIndexChanged.connect(self.changed)
        return who, goal, player
