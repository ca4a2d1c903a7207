"""The options of a question: answered first by whoever looks, with the right one marked afterwards."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from project.questions import LETTERS
from resources.translation import tr
from widgets import theme
from widgets.icons import pixmap
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_SIDE = 16


class OptionRow(QFrame):
    """One option: its letter, its text, and a mark once it is known which one is right.

    Signals:
        pressed: it was clicked.
    """

    pressed = Signal()

    def __init__(self, letter: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, theme.GRID // 2, 2)
        row.setSpacing(theme.GRID)
        self.button = QPushButton(letter)
        self.button.setProperty("segment", True)
        self.button.setCheckable(True)
        self.button.setFixedWidth(theme.GRID * 4)
        self.button.setToolTip(plain_tip(tr("This is my answer ({value})").format(value=LETTERS.index(letter) + 1)))
        self.button.setAccessibleName(tr("Option {letter}: {text}").format(letter=letter, text=text))
        self.button.clicked.connect(self.pressed)
        self.words = PlainLabel(text, wordWrap=True)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.mark = PlainLabel()
        self.mark.setFixedWidth(_SIDE)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        row.addWidget(self.mark)

    def show_mark(self, *, right: bool | None, own: bool) -> None:
        """Mark it as right, as wrong where it was the own answer, or not at all (None)."""
        colours = theme.palette()
        self.button.setChecked(own)
        self.words.setFont(theme.font(semibold=bool(right)))
        self.mark.setToolTip(tr("The right one") if right else "")
        if right:
            self.mark.setPixmap(pixmap("circle-check", _SIDE, colours.competence, self.devicePixelRatioF()))
        elif right is False and own:
            self.mark.setPixmap(pixmap("circle-x", _SIDE, colours.error, self.devicePixelRatioF()))
        else:
            self.mark.clear()


class OptionsView(QWidget):
    """Shows options; which one is right is hidden until somebody answers, or wants to see it.

    Signals:
        revealed: it is shown which one is right.
    """

    revealed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.rows: list[OptionRow] = []
        self._right = -1
        self.own = -1
        self.known = False

    def show_options(self, options: Sequence[str], right: int, *, known: bool) -> None:
        """Show other options; `known` marks the right one at once."""
        for row in self.rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self.rows = []
        self._right, self.own, self.known = right, -1, known
        for letter, text in zip(LETTERS, options, strict=False):
            row = OptionRow(letter, text)
            row.pressed.connect(lambda row=row: self.answer(self.rows.index(row)))
            self.rows.append(row)
            self._column.addWidget(row)
        self._mark()

    def answer(self, place: int) -> None:
        """Take one as the own answer, and show which one is right."""
        if 0 <= place < len(self.rows):
            self.own = place
            self.reveal()

    def reveal(self) -> None:
        """Show which one is right."""
        self.known = True
        self._mark()
        self.revealed.emit()

    def _mark(self) -> None:
        for place, row in enumerate(self.rows):
            row.show_mark(right=place == self._right if self.known else None, own=place == self.own)
