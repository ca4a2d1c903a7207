"""Asks for whom a copy is made, and what becomes of the media."""

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from app.core.commands.team import MediaWith
from widgets import theme

_MEDIA = {
    MediaWith.LEAVE: "Leave them behind; the annotator relinks the folder",
    MediaWith.LINK: "Link them beside the copy, on the same machine",
    MediaWith.COPY: "Copy them beside the copy",
}


class SplitDialog(QDialog):
    """Two choices; where the copy goes is asked afterwards."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Copy for an annotator")
        self.setMinimumWidth(480)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        self.who = QComboBox()
        self.who.addItems(list(names))
        self.who.setAccessibleName("Annotator")
        self.who.setToolTip("Who will work in the copy")
        self.media = QComboBox()
        for key, text in _MEDIA.items():
            self.media.addItem(text, key)
        self.media.setAccessibleName("Media files")
        self.media.setToolTip("What becomes of the recordings' files")
        form.addRow("&Annotator", self.who)
        form.addRow("&Media files", self.media)
        column.addLayout(form)
        note = QLabel("The copy is a new file with their recordings and none of anybody else's work or history.")
        note.setWordWrap(True)
        note.setProperty("quiet", "true")
        column.addWidget(note)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Choose a place…")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)

    def chosen(self) -> tuple[str, MediaWith]:
        """Return who it is for and what becomes of the media."""
        return self.who.currentText(), MediaWith(self.media.currentData())
