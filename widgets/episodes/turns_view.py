"""What was said and done in an episode, to be read."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from project.turns import Act, Turn
from resources.translation import tr
from widgets import theme

_QUIET = {Act.NONE: tr("says and does nothing"), Act.LEAVE: "leaves"}


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One turn.

    Attributes:
        name: as whoever looks knows them.
        led_up: it was said in the recording that the episode goes on from.
        note: why there was nothing to take from a judge; "" for none.
    """

    name: str
    turn: Turn
    led_up: bool = False
    note: str = ""


class TurnsView(QTextEdit):
    """Turns under each other; names are bold, what is done is slanted, what led up to it is muted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(tr("What was said and done"))
        self._turns: tuple[ShownTurn, ...] = ()
        theme.notifier.changed.connect(self._draw)

    def show_turns(self, turns: Sequence[ShownTurn]) -> None:
        """Show these turns, the last one in sight."""
        new = tuple(turns)
        if new != self._turns:
            self._turns = new
            self._draw()

    def texts(self) -> list[str]:
        """Return the lines that are shown."""
        return [line for line in self.toPlainText().split("\n") if line]

    def _draw(self) -> None:
        self.clear()
        colours = theme.palette()
        cursor = self.textCursor()
        block = QTextBlockFormat()
        block.setBottomMargin(theme.GRID)
        for place, one in enumerate(self._turns):
            if place:
                cursor.insertBlock()
            cursor.setBlockFormat(block)
            colour = colours.muted if one.led_up or one.turn.act in _QUIET else colours.text
            cursor.insertText(f"{one.name}  ", _format(colour, bold=True))
            cursor.insertText(_told(one.turn), _format(colour, slanted=one.turn.act is not Act.SPEAK))
            if one.note:
                cursor.insertText(f"  ({one.note})", _format(colours.uncertain))
        self.moveCursor(QTextCursor.MoveOperation.End)
        self.ensureCursorVisible()


def _told(turn: Turn) -> str:
    """Return what is seen or heard, on one line."""
    text = " ".join(turn.text.split())
    quiet = _QUIET.get(turn.act, "")
    return f"{quiet}: {text}" if quiet and text else quiet or text


def _format(colour: QColor, *, bold: bool = False, slanted: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(colour)
    made.setFontItalic(slanted)
    made.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return made
