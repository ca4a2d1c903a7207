"""What stands where there is nothing yet: what this place is for, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from widgets import theme
from widgets.elided_button import ElidedButton
from widgets.icons import pixmap
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_WIDEST = 520
"""Pixels of a line of the hint: longer ones are hard to read."""
_GREEDY = 1000
"""The hint takes what it may before the room beside it does."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A button of an empty state; `keys` names its shortcut in the tooltip."""

    key: str
    text: str
    keys: str = ""
    primary: bool = False


class EmptyState(QWidget):
    """An icon, a title, a hint and, where something can be done at once, buttons.

    Signals:
        chosen (str): the key of the button that was pressed.
    """

    chosen = Signal(str)

    def __init__(
        self, icon: str, title: str, hint: str, choices: Sequence[Choice] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3] * 4)
        column.setSpacing(theme.GRID)
        column.addStretch(2)
        self._picture = PlainLabel(alignment=Qt.AlignmentFlag.AlignHCenter)
        self._title = PlainLabel(alignment=Qt.AlignmentFlag.AlignHCenter, wordWrap=True)
        self._title.setFont(theme.font(theme.POINTS + 2, semibold=True))
        self._hint = PlainLabel(alignment=Qt.AlignmentFlag.AlignHCenter, wordWrap=True)
        self._hint.setMaximumWidth(_WIDEST)
        column.addWidget(self._picture)
        column.addWidget(self._title)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(self._hint, _GREEDY)
        line.addStretch(1)
        column.addLayout(line)
        row = QHBoxLayout()
        row.setContentsMargins(0, theme.GRID, 0, 0)
        row.setSpacing(theme.GRID)
        row.addStretch()
        for choice in choices:
            row.addWidget(self._joined(QPushButton(choice.text), choice))
        row.addStretch()
        if choices:
            column.addLayout(row)
        self._links = QVBoxLayout()
        self._links.setSpacing(0)
        column.addLayout(self._links)
        column.addStretch(3)
        theme.notifier.changed.connect(self._tint)
        self.set_text(title, hint)
        self._tint()

    def set_text(self, title: str, hint: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._hint.setText(hint)
        self.setAccessibleName(title)
        self.setAccessibleDescription(hint)

    def set_choosable(self, choosable: bool) -> None:
        """Switch the buttons on or off; what is said stays readable."""
        for button in self.findChildren(QPushButton):
            button.setEnabled(choosable)

    def set_links(self, choices: Sequence[Choice]) -> None:
        """Offer further things under the buttons, in the small: files that were open last."""
        while (item := self._links.takeAt(0)) is not None:
            if (link := item.widget()) is not None:
                link.deleteLater()
        for choice in choices:
            button = self._joined(ElidedButton(choice.text), choice)
            button.setProperty("flat", True)
            self._links.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)

    def picture(self, ink: QColor) -> QPixmap:
        """Return what stands on top."""
        return pixmap(self._icon, 40, ink, self.devicePixelRatioF())

    def _joined(self, button: QPushButton, choice: Choice) -> QPushButton:
        button.setProperty("primary", choice.primary)
        button.setToolTip(plain_tip(f"{choice.text} ({choice.keys})" if choice.keys else choice.text))
        button.setAccessibleName(choice.text)
        button.clicked.connect(lambda: self.chosen.emit(choice.key))
        return button

    def _tint(self) -> None:
        colours = theme.palette()
        self._picture.setPixmap(self.picture(colours.muted))
        self._hint.setStyleSheet(f"color: {colours.muted.name()};")
