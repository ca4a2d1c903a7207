"""Every character that came back, a part at a time, as plain text."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.judges.cells import WordsCell, quiet
from widgets.judges.plain_text import SHOWN
from widgets.own_window import OwnDialog
from widgets.plain_tip import plain_tip


class RawView(OwnDialog):
    """Shows a long text in parts, so that a megabyte does not hold the window up."""

    def __init__(self, title: str, text: str, about: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(640, 520)
        self._text, self._at = text, 0
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        if about:
            column.addWidget(quiet(about))
        self.field = WordsCell("", title)
        self.field.setStyleSheet("")
        column.addWidget(self.field, 1)
        row = QHBoxLayout()
        self._said = quiet("")
        self.back = _button(tr("Back"), tr("Show the part before"), lambda: self._go(-1))
        self.on = _button(tr("Next"), tr("Show the part after"), lambda: self._go(1))
        copy = _button(
            tr("Copy all"), tr("Copy every character"), lambda: QGuiApplication.clipboard().setText(self._text)
        )
        close = _button(tr("Close"), tr("Close (Esc)"), self.accept)
        row.addWidget(self._said, 1, Qt.AlignmentFlag.AlignVCenter)
        for button in (self.back, self.on, copy, close):
            row.addWidget(button)
        column.addLayout(row)
        self._go(0)

    def _go(self, by: int) -> None:
        parts = max(1, -(-len(self._text) // SHOWN))
        self._at = min(parts - 1, max(0, self._at + by))
        start = self._at * SHOWN
        self.field.show_text(self._text[start : start + SHOWN])
        many = tr(", part {part} of {parts}").format(part=self._at + 1, parts=parts) if parts > 1 else ""
        self._said.setText(
            tr("{count:,} characters{part}").format(count=len(self._text), part=many)
            if self._text
            else tr("Nothing came back.")
        )
        self.back.setVisible(parts > 1)
        self.on.setVisible(parts > 1)
        self.back.setEnabled(self._at > 0)
        self.on.setEnabled(self._at < parts - 1)


def _button(text: str, meaning: str, do: object) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.setToolTip(plain_tip(meaning))
    button.setAccessibleName(meaning)
    button.clicked.connect(do)
    return button
