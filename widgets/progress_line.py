"""How far something is, how long it still takes, and a button that stops it."""

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from widgets import theme

_SURE_AFTER_S = 2.0
"""Seconds before anybody can say how long it still takes."""


class ProgressLine(QWidget):
    """Keeps its height while nothing is done.

    Signals:
        cancel_requested
    """

    cancel_requested = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._since = 0.0
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(name)
        self.text = QLabel()
        self.cancel = QPushButton("&Cancel")
        self.cancel.setAccessibleName(f"Cancel: {name}")
        self.cancel.setToolTip("Stop; nothing is left of it")
        self.cancel.clicked.connect(self.cancel_requested)
        row.addWidget(self.bar, 1)
        row.addWidget(self.text)
        row.addWidget(self.cancel)
        kept = self.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.setSizePolicy(kept)
        self.hide()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Show how far it is; a total of 0 means that nobody knows. Another text is another piece of work."""
        if text != self._text or self.isHidden():
            self._text, self._since = text, time.monotonic()
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        passed = time.monotonic() - self._since
        left = f", {passed * (total - done) / done:.0f} s left" if done and passed > _SURE_AFTER_S else ""
        self.text.setText(f"{text}: {done:,} of {total:,}{left}" if total else f"{text}…")
        self.show()
