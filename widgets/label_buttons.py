"""The labels of a track as buttons, each with its sign and its key."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from project.schemes.scheme import Track
from resources.translation import tr
from widgets import theme
from widgets.explained import explained
from widgets.label_looks import LabelLook, looks_of
from widgets.label_paint import SIGN, sign_icon

_ROW = 3
"""Buttons side by side; more go to the next row."""


class LabelButtons(QWidget):
    """Shows a label and lets another be chosen.

    Signals:
        chosen (str): key of the label the user wants.
    """

    chosen = Signal(str)

    def __init__(self, track: Track, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[str, QPushButton] = {}
        self._looks: Mapping[str, LabelLook] = {look.key: look for look in looks_of(track)}
        self._label: str | None = None
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.GRID // 2)
        for place, label in enumerate(track.labels):
            button = QPushButton(f" {label.name}")
            button.setCheckable(True)
            button.setProperty("segment", True)
            button.setIconSize(QSize(SIGN, SIGN))
            button.setAccessibleName(tr("Label: {name}").format(name=label.name))
            button.setAccessibleDescription(label.definition)
            button.setToolTip(explained(label.name, label.definition, label.shortcut, label.examples))
            button.clicked.connect(lambda _=False, key=label.key: self._choose(key))
            grid.addWidget(button, place // _ROW, place % _ROW)
            self.buttons[label.key] = button
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def set_label(self, label: str | None) -> None:
        """Show a label; None where several segments differ."""
        self._label = label
        for other, button in self.buttons.items():
            button.setChecked(other == label)

    def _choose(self, label: str) -> None:
        # What is shown follows the study, not the click.
        self.set_label(self._label)
        if label != self._label:
            self.chosen.emit(label)

    def _tint(self) -> None:
        for key, button in self.buttons.items():
            button.setIcon(sign_icon(self._looks[key], self.devicePixelRatioF()))
