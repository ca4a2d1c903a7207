"""Asks for whom a copy is made, and what becomes of the media."""

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QFormLayout, QVBoxLayout, QWidget

from app.core.commands.splitting import MediaWith
from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_MEDIA = {
    MediaWith.LEAVE: tr("Leave them behind; the annotator relinks the folder"),
    MediaWith.LINK: tr("Link them beside the copy, on the same machine"),
    MediaWith.COPY: tr("Copy them beside the copy"),
}


class SplitDialog(OwnDialog):
    """Two choices; where the copy goes is asked afterwards."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Copy for an annotator"))
        self.setMinimumWidth(480)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        self.who = QComboBox()
        self.who.addItems(list(names))
        self.who.setAccessibleName(tr("Annotator"))
        self.who.setToolTip(tr("Who will work in the copy"))
        self.media = QComboBox()
        for key, text in _MEDIA.items():
            self.media.addItem(text, key)
        self.media.setAccessibleName(tr("Media files"))
        self.media.setToolTip(tr("What becomes of the recordings' files"))
        form.addRow(tr("&Annotator"), self.who)
        form.addRow(tr("&Media files"), self.media)
        column.addLayout(form)
        note = PlainLabel(
            tr("The copy is a new file with their recordings and none of anybody else's work or history.")
        )
        note.setWordWrap(True)
        note.setProperty("quiet", "true")
        column.addWidget(note)
        buttons = DialogButtons(self, tr("Choose a place…"), tr("Make no copy"))
        buttons.go_on.setToolTip(tr("Choose where the copy goes (Enter)"))
        buttons.go_on.clicked.connect(self.accept)
        column.addLayout(buttons)

    def chosen(self) -> tuple[str, MediaWith]:
        """Return who it is for and what becomes of the media."""
        return self.who.currentText(), MediaWith(self.media.currentData())
