"""What a window says at its foot; while something is computed, how far it is, in the same place."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from widgets.plain_label import PlainLabel
from widgets.progress_line import ProgressLine


class StatusLine(QStackedWidget):
    """A text, or how far something is with a button that stops it.

    Signals:
        cancel_requested
    """

    cancel_requested = Signal()

    def __init__(self, name: str, doing: str, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            name: of the text, for screen readers.
            doing: name of what is computed.
            parent: which it is part of.
        """
        super().__init__(parent)
        self._said = PlainLabel(wordWrap=True)
        self._said.setAccessibleName(name)
        self.line = ProgressLine(doing)
        self.line.cancel_requested.connect(self.cancel_requested)
        self.addWidget(self._said)
        self.addWidget(self.line)

    def tell(self, text: str) -> None:
        """Say something; nothing is computed any more."""
        self._said.setText(text)
        self.rest()

    def rest(self) -> None:
        """Show what was said last; nothing is computed any more."""
        self.setCurrentWidget(self._said)

    def text(self) -> str:
        """Return what was said last."""
        return self._said.text()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Show how far something is; a total of 0 means that nobody knows."""
        self.line.show_progress(done, total, text)
        self.setCurrentWidget(self.line)
