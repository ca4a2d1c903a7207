"""Labels with markup of the program's own."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from widgets.semibold import semibold


class RichLabel(QLabel):
    """Shows rich text. Whoever gives it one escapes all of it that is not the program's own (`html.escape`)."""

    def __init__(self, text: str = "", parent: QWidget | None = None, **properties: Any) -> None:
        """Make a label with properties of `QLabel`, such as `wordWrap`."""
        super().__init__(semibold(text), parent, textFormat=Qt.TextFormat.RichText, **properties)

    def setText(self, text: str) -> None:
        super().setText(semibold(text))
