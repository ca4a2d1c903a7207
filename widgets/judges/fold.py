"""A text that is folded away until somebody wants to read it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets.judges.cells import WordsCell


class Fold(QWidget):
    """A button that unfolds a text below itself.

    Signals:
        toggled (bool): the text is shown, or folded away.
    """

    toggled = Signal(bool)

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self._text, self._name = text, name
        self._cell: WordsCell | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self.button = QPushButton()
        self.button.setProperty("segment", True)
        self.button.setCheckable(True)
        self.button.setAccessibleName(name)
        self.button.setToolTip(tr("What the model wrote before its answer"))
        self.button.toggled.connect(self._show)
        self._column.addWidget(self.button)
        self._say(False)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        height = self.button.sizeHint().height()
        return height if self._cell is None else height + 2 + self._cell.heightForWidth(width)

    def _show(self, on: bool) -> None:
        if on and self._cell is None:
            self._cell = WordsCell(self._text, self._name)
            self._column.addWidget(self._cell, 1)
        elif not on and self._cell is not None:
            self._cell.deleteLater()
            self._cell = None
        self._say(on)
        self.toggled.emit(on)

    def _say(self, on: bool) -> None:
        self.button.setText(tr("{arrow} {count:,} characters").format(arrow="▾" if on else "▸", count=len(self._text)))
