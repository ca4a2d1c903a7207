"""Asks which of several ways to go, on a button for each."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from widgets import theme
from widgets.icons import icon
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.room import fit_width

_WIDTH = 520
_ICON = 24


class ChoiceDialog(OwnDialog):
    """A question with a button for each answer; Esc and the button at the left change nothing.

    Attributes:
        chosen: key of the button that was pressed; "" where nothing was chosen.
    """

    def __init__(
        self,
        title: str,
        question: str,
        more: str,
        choices: Sequence[tuple[str, str, str]],
        away: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """Make the dialog.

        Args:
            title: of the window.
            question: in a line.
            more: what there is to know before choosing; paragraphs are apart by an empty line.
            choices: key, text and tool tip of each button; Enter presses the last.
            away: text and tool tip of the button that changes nothing.
            parent: window that it belongs to.
        """
        super().__init__(parent)
        self.chosen = ""
        self.setWindowTitle(title)
        self.setAccessibleDescription(f"{question}\n{more}")
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID * 3 // 2)
        picture = PlainLabel()
        picture.setPixmap(icon("info", "accent").pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))
        row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(theme.GRID)
        head = PlainLabel(question, wordWrap=True)
        head.setFont(theme.font(semibold=True))
        texts.addWidget(head)
        for paragraph in more.split("\n\n"):
            texts.addWidget(PlainLabel(paragraph, wordWrap=True))
        row.addLayout(texts, 1)
        column.addLayout(row)
        column.addStretch()
        self.buttons: dict[str, QPushButton] = {}
        line = QHBoxLayout()
        line.setSpacing(theme.GRID)
        self.away = self._button(*away, "")
        line.addWidget(self.away)
        line.addStretch()
        for key, text, tip in choices:
            self.buttons[key] = self._button(text, tip, key)
            line.addWidget(self.buttons[key])
        last = self.buttons[choices[-1][0]]
        last.setProperty("primary", True)
        last.setAutoDefault(True)
        last.setDefault(True)
        column.addLayout(line)
        fit_width(self, column, max(_WIDTH, column.sizeHint().width()))
        last.setFocus()

    def ask(self) -> str:
        """Show it and wait; return the key that was chosen, "" for none."""
        self.exec()
        return self.chosen

    def _button(self, text: str, tip: str, key: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(plain_tip(tip))
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self._choose(key))
        return button

    def _choose(self, key: str) -> None:
        self.chosen = key
        if key:
            self.accept()
        else:
            self.reject()
