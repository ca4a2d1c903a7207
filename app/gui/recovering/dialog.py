"""Offers what there is to go back to: what can be read of a damaged study, and its backups with their dates."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QDialog,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from project.backups import Backup
from project.names import shown
from project.sizes import size_text
from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.short_list import ShortList

_SIZE = QSize(560, 360)
_REPORT = QSize(760, 480)


class RecoverDialog(OwnDialog):
    """A list to choose from; the first entry is what can be read of the file itself."""

    def __init__(self, path: Path, backups: Sequence[Backup], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Recover a study"))
        self.resize(_SIZE)
        self._backups = backups
        column = _column(self)
        words = PlainLabel(
            tr("“{name}” is only read. What is chosen becomes a new study, which you name next.").format(
                name=shown(path.name)
            )
        )
        words.setWordWrap(True)
        column.addWidget(words)
        self.list = ShortList()
        self.list.setAccessibleName(tr("What there is to go back to"))
        if path.is_file():
            self.list.addItem(QListWidgetItem(tr("What can be read of the file as it is")))
        for one in backups:
            when = f"{one.made.astimezone():%Y-%m-%d %H:%M}"
            text = tr("Backup {number}, of {when}, {size}").format(
                number=one.number, when=when, size=size_text(one.size)
            )
            self.list.addItem(QListWidgetItem(text))
        self._of_file = path.is_file()
        self.list.setCurrentRow(0)
        self.list.itemDoubleClicked.connect(lambda _item: self.accept())
        column.addWidget(self.list, 1)
        buttons = DialogButtons(self, tr("Save as…"), tr("Recover nothing"))
        buttons.go_on.setToolTip(tr("Choose where the new study goes (Enter)"))
        buttons.go_on.setEnabled(self.list.count() > 0)
        buttons.go_on.clicked.connect(self.accept)
        column.addLayout(buttons)

    def chosen(self) -> int:
        """Return the number of the backup that is chosen; 0 for the file itself."""
        row = self.list.currentRow()
        if self._of_file:
            return 0 if row <= 0 else self._backups[row - 1].number
        return self._backups[max(row, 0)].number


class ReportDialog(OwnDialog):
    """What was saved and what was not, to be read before the new study is opened."""

    def __init__(self, lines: Sequence[str], parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What was recovered"))
        self.resize(_REPORT)
        column = _column(self)
        self.text = QPlainTextEdit("\n".join(lines))
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("What was saved and what was not"))
        column.addWidget(self.text, 1)
        buttons = DialogButtons(self, tr("Open the new study"), tr("Open nothing"), away=tr("Close"))
        buttons.go_on.setToolTip(tr("Open what was saved (Enter)"))
        buttons.go_on.clicked.connect(self.accept)
        column.addLayout(buttons)


def _column(dialog: QDialog) -> QVBoxLayout:
    column = QVBoxLayout(dialog)
    column.setContentsMargins(*(theme.GRID * 2,) * 4)
    column.setSpacing(theme.GRID)
    return column
