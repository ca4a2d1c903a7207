"""Tracks that look like one person, offered for one decision."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.icons import icon


class SuggestionBar(QWidget):
    """One suggestion at a time.

    Signals:
        show_requested: select the tracks of the suggestion.
        accept_requested: assign them all.
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
        self.show_them = QPushButton("Show")
        self.show_them.setToolTip("Select these tracks in the list")
        self.show_them.clicked.connect(self.show_requested)
        self.accept = QPushButton()
        self.accept.setToolTip("Assign all of them, as one step")
        self.accept.clicked.connect(self.accept_requested)
        self.skip = QToolButton()
        self.skip.setIcon(icon("skip-forward"))
        self.skip.setToolTip("Another suggestion")
        self.skip.setAccessibleName("Another suggestion")
        self.skip.clicked.connect(self.skip_requested)
        row.addWidget(self.accept, 1)
        row.addWidget(self.show_them)
        row.addWidget(self.skip)
        column.addWidget(self._words)
        column.addLayout(row)
        self.hide()

    def show_suggestion(self, tracks: int, who: str, several: bool, writable: bool) -> None:
        """Offer to assign tracks to somebody; `who` is "" where that is a new participant. No tracks hide the bar."""
        self.setVisible(tracks > 0)
        self._words.set_text(f"These {tracks} tracks look like one person")
        self.accept.setText(f"Assign all to {who}" if who else "Assign all to…")
        self.accept.setEnabled(writable)
        self.skip.setVisible(several)
