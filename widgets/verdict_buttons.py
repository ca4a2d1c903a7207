"""The verdicts of a scheme as buttons, each with its sign and its key."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from project.schemes.scheme import Label
from project.types import Verdict
from widgets import theme
from widgets.explained import explained
from widgets.icons import icon
from widgets.verdict_chip import ICONS


class VerdictButtons(QWidget):
    """Shows a verdict and lets another be chosen.

    Signals:
        chosen (object): the `Verdict` the user wants.
    """

    chosen = Signal(object)

    def __init__(self, labels: Sequence[Label], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[str, QPushButton] = {}
        self._verdict: str | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID // 2)
        for label in labels:
            verdict = Verdict(label.key)
            button = QPushButton(f" {label.name}")
            button.setCheckable(True)
            button.setProperty("segment", True)
            button.setIcon(icon(ICONS[verdict], label.colour or None))
            button.setIconSize(QSize(14, 14))
            button.setAccessibleName(f"Verdict: {label.name}")
            button.setAccessibleDescription(label.definition)
            button.setToolTip(explained(label.name, label.definition, label.shortcut, label.examples))
            button.clicked.connect(lambda _=False, verdict=verdict: self._choose(verdict))
            row.addWidget(button, 1)
            self.buttons[verdict] = button

    def set_verdict(self, verdict: str | None) -> None:
        """Show a verdict; None where several segments differ."""
        self._verdict = verdict
        for other, button in self.buttons.items():
            button.setChecked(other == verdict)

    def _choose(self, verdict: str) -> None:
        # What is shown follows the study, not the click.
        self.set_verdict(self._verdict)
        if verdict != self._verdict:
            self.chosen.emit(verdict)
