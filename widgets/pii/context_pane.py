"""The whole text around a place, in which a person can mark what no rule found."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QFont, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.pii.rows import HIDE, KEEP, UNDECIDED
from widgets.plain_label import PlainLabel

Found = tuple[int, int, str]
"""First character, after the last one, and the state of a place in the text."""


class ContextPane(QWidget):
    """Shows a text with everything that was found in it, and takes what is marked by hand.

    Signals:
        marked (int, int, str): first character, after the last one, and kind of what is to be hidden too.
    """

    marked = Signal(int, int, str)

    def __init__(self, kinds: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Offer kinds as pairs of key and title."""
        super().__init__(parent)
        self._found: Sequence[Found] = ()
        self._here = (0, 0)
        self._text = ""
        self._writable = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        self.where = PlainLabel()
        self.where.setAccessibleName(tr("Where it stands"))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("The whole text"))
        self.text.setToolTip(tr("Select what was not found, then hide it"))
        self.text.setTabChangesFocus(True)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("Kind of what is selected"))
        self.kind.setToolTip(tr("What the selected words are"))
        for key, title in kinds:
            self.kind.addItem(title, key)
        self.add = QPushButton(tr(" Hide &selected words"))
        self.add.setIcon(icon("plus"))
        self.add.setToolTip(tr("Hide what is selected in the text (A)"))
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(self.where, 1)
        row.addWidget(self.kind)
        row.addWidget(self.add)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        self.text.selectionChanged.connect(self._offer)
        self.add.clicked.connect(self.mark)
        theme.notifier.changed.connect(self._paint)
        self._offer()

    def show_text(
        self, where: str, text: str, here: tuple[int, int], found: Sequence[Found], *, writable: bool
    ) -> None:
        """Show a text with the place that is looked at and all others in it; empty where there is none."""
        self._writable = writable
        self.where.setText(where)
        if text != self._text:
            self._text = text
            self.text.setPlainText(text)
        moved = here != self._here
        self._found, self._here = found, here
        self._paint()
        if moved:
            cursor = self.text.textCursor()
            cursor.setPosition(_units(text[: here[0]]))
            self.text.setTextCursor(cursor)
            self.text.ensureCursorVisible()
        self._offer()

    def selected(self) -> tuple[int, int]:
        """Return what is selected as characters of the text, without blanks at its ends; twice one where nothing is."""
        cursor = self.text.textCursor()
        whole = self._text.encode("utf-16-le")
        start, end = (
            len(whole[: 2 * at].decode("utf-16-le")) for at in (cursor.selectionStart(), cursor.selectionEnd())
        )
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return start, end

    def mark(self) -> None:
        """Ask for what is selected to be hidden."""
        start, end = self.selected()
        if start < end and self._writable:
            self.marked.emit(start, end, str(self.kind.currentData()))

    def _offer(self) -> None:
        start, end = self.selected()
        self.add.setEnabled(self._writable and start < end)
        self.kind.setEnabled(self.add.isEnabled())

    def _paint(self) -> None:
        colours = theme.palette()
        inks = {UNDECIDED: colours.uncertain, HIDE: colours.competence, KEEP: colours.muted}
        marks = []
        for start, end, state in self._found:
            one = QTextEdit.ExtraSelection()
            one.cursor = QTextCursor(self.text.document())
            one.cursor.setPosition(_units(self._text[:start]))
            one.cursor.setPosition(_units(self._text[:end]), QTextCursor.MoveMode.KeepAnchor)
            ink = inks.get(state, colours.uncertain)
            one.format.setForeground(ink)
            one.format.setUnderlineColor(ink)
            one.format.setFontUnderline(True)
            if (start, end) == self._here:
                back = QColor(colours.selection)
                one.format.setBackground(back)
                one.format.setFontWeight(QFont.Weight.DemiBold)
            marks.append(one)
        self.text.setExtraSelections(marks)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
