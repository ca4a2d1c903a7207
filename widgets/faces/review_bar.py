"""Whether the faces of a recording are reviewed, by whom, and what stands in the way."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from project.schemes.scheme import Choice
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.tick_row import TickRow


class ReviewBar(QWidget):
    """A box to tick, and a line under it.

    Signals:
        review_requested (bool): mark the recording as reviewed, or take that back.
    """

    review_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        words = tr("Every face is hidden as it should be. Any later change of the faces takes it back.")
        self.tick = TickRow(Choice("reviewed", tr("Reviewed"), words))
        self.tick.clicked.connect(self._ask)
        self._state = PlainLabel(wordWrap=True)
        self._state.setProperty("quiet", True)
        self._state.setContentsMargins(30, 0, 0, 0)
        column.addWidget(self.tick)
        column.addWidget(self._state)
        self._on = False

    def show_state(self, reviewed: bool, words: str, *, warned: bool = False, writable: bool = True) -> None:
        """Show whether it is reviewed by who works here, and a line about it."""
        self._on = reviewed
        self.tick.setChecked(reviewed)
        self.tick.setEnabled(writable)
        self._state.setText(words)
        self._state.setVisible(bool(words))
        ink = theme.palette().uncertain if warned else theme.palette().muted
        self._state.setStyleSheet(f"color: {ink.name()};")

    def words(self) -> str:
        """Return the line under the box."""
        return self._state.text()

    def _ask(self, on: bool) -> None:
        # Only what the study says is shown as ticked.
        self.tick.setChecked(self._on)
        self.review_requested.emit(on)
