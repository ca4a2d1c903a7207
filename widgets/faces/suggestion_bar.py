"""What a model suggests, offered for one decision: tracks that look like one person, text that could be masked."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.icons import icon


class SuggestionBar(QWidget):
    """One suggestion at a time.

    Signals:
        show_requested: show what the suggestion is about.
        accept_requested: do it.
        skip_requested: show the next suggestion.
    """

    show_requested = Signal()
    accept_requested = Signal()
    skip_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        self._words = ElidedLabel()
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self.show_them = QPushButton(tr("Show"))
        self.show_them.setToolTip(tr("Show what it is about"))
        self.show_them.clicked.connect(self.show_requested)
        self.accept = QPushButton()
        self.accept.setToolTip(tr("Do this, as one step that can be undone"))
        self.accept.clicked.connect(self.accept_requested)
        self.skip = QToolButton()
        self.skip.setIcon(icon("skip-forward"))
        self.skip.setToolTip(tr("Another suggestion"))
        self.skip.setAccessibleName(tr("Another suggestion"))
        self.skip.clicked.connect(self.skip_requested)
        row.addWidget(self.accept, 1)
        row.addWidget(self.show_them)
        row.addWidget(self.skip)
        column.addWidget(self._words)
        column.addLayout(row)
        self.hide()

    def show_suggestion(self, words: str, accept: str, *, several: bool, writable: bool) -> None:
        """Say what is suggested and what accepting it does; no words hide the bar."""
        self.setVisible(bool(words))
        self._words.set_text(words)
        self.accept.setText(accept)
        self.accept.setEnabled(writable)
        self.skip.setVisible(several)
