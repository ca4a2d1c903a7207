"""One episode: what was said and done, what whoever is to act knows, and where they take their turn."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QTextEdit, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.episodes.turn_bar import TurnBar
from widgets.episodes.turns_view import TurnsView
from widgets.icons import icon
from widgets.judges.tick_menu import TickMenu
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


class PlayView(QWidget):
    """Parts and places, and nothing that they do.

    Signals:
        curtain_raised: who is to act sits at the keyboard, and may see what they know.
    """

    curtain_raised = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told: Sequence[tuple[str, str]] = ()
        self.title = ElidedLabel()
        self.title.setFont(theme.font(semibold=True))
        self.scene = PlainLabel(wordWrap=True)
        self.turns = TurnsView()
        self.known = QTextEdit()
        self.known.setReadOnly(True)
        self.known.setAccessibleName(tr("What is known"))
        self.known_title = PlainLabel()
        self.known_title.setFont(theme.font(semibold=True))
        self.raise_curtain = QPushButton()
        self.raise_curtain.clicked.connect(self.curtain_raised)
        self.status = ElidedLabel()
        self.status.setAccessibleName(tr("State"))
        self.bar = TurnBar()
        self.play = _button(tr(" Play"), "play", tr("Let the judges act until a person has to, or it is over"))
        self.stop = _button(tr(" Stop"), "square", tr("Stop; what was played stays, and it can go on later"))
        self.look = _button(
            tr(" Show in the main window"), "film", tr("Its transcript, for segments, ratings and all else")
        )
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.judges.setMinimumWidth(theme.GRID * 22)
        self.rate = _button(tr("Let them rate"), "", tr("Ask the chosen judges to rate everybody on seven dimensions"))
        self._lay_out()

    def show_known(self, title: str, told: Sequence[tuple[str, str]], curtain: str = "") -> None:
        """Show what somebody knows, texts under headings.

        It is behind a curtain, whose button says `curtain`, until they sit at the keyboard.
        """
        self.known_title.setText(title)
        if told != self._told:
            self._told = told
            self._write()
        self.known.setVisible(not curtain)
        self.raise_curtain.setText(curtain)
        self.raise_curtain.setToolTip(tr("Whoever sat here before looks away"))
        self.raise_curtain.setVisible(bool(curtain))

    def _write(self) -> None:
        self.known.clear()
        cursor, usual, bold = self.known.textCursor(), QTextCharFormat(), QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        for place, (heading, text) in enumerate(self._told):
            gap = "\n\n" if place else ""
            cursor.insertText(f"{gap}{heading}\n", bold)
            cursor.insertText(text, usual)
        self.known.moveCursor(QTextCursor.MoveOperation.Start)

    def _lay_out(self) -> None:
        beside = QWidget()
        side = QVBoxLayout(beside)
        side.setContentsMargins(theme.GRID, 0, 0, 0)
        side.setSpacing(theme.GRID // 2)
        side.addWidget(self.known_title)
        side.addWidget(self.known, 1)
        side.addWidget(self.raise_curtain)
        side.addStretch(0)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.turns)
        parts.addWidget(beside)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setChildrenCollapsible(False)
        parts.setHandleWidth(theme.GRID // 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        for one in (self.play, self.stop, self.look):
            row.addWidget(one)
        row.addStretch(1)
        row.addWidget(self.judges, 1)
        row.addWidget(self.rate)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.title)
        column.addWidget(self.scene)
        column.addWidget(parts, 1)
        column.addWidget(self.status)
        column.addWidget(self.bar)
        column.addLayout(row)


def _button(text: str, picture: str, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(plain_tip(tip))
    if picture:
        made.setIcon(icon(picture))
    return made
