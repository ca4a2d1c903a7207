"""Lists the jobs that were interrupted, to choose which are resumed and which are forgotten."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.short_list import ShortList

_SIZE = QSize(560, 340)


class InterruptedJobsDialog(OwnDialog):
    """A list with a box to tick for each job; all are ticked at first.

    Signals:
        resume_requested (list): keys of the jobs to resume.
        forget_requested (list): keys of the jobs that nobody wants any more.
    """

    resume_requested = Signal(list)
    forget_requested = Signal(list)

    def __init__(self, jobs: Mapping[str, str], parent: QWidget | None = None, *, sealed: bool = False) -> None:
        """Make the dialog.

        Args:
            jobs: key of each job, and its line.
            parent: window that it belongs to.
            sealed: whether the study is sealed: what was half done was in memory only.
        """
        super().__init__(parent)
        self.setWindowTitle(tr("Interrupted jobs"))
        self.resize(_SIZE)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        kept = (
            tr("Judges and exports go on where they were; other jobs of a sealed study begin again.")
            if sealed
            else tr("Tracking, transcripts, exports and judges go on where they were; other jobs begin again.")
        )
        text = tr("These jobs had not ended when the study was closed.")
        column.addWidget(PlainLabel(f"{text} {kept}", wordWrap=True))
        self.list = ShortList()
        self.list.setStyleSheet("QListWidget::item { padding: 4px 8px; }")
        self.list.setAccessibleName(tr("Interrupted jobs"))
        for key, line in jobs.items():
            item = QListWidgetItem(line)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(lambda _item: self._enable())
        column.addWidget(self.list, 1)
        self.buttons = DialogButtons(self, tr("Resume"), tr("Decide later"), away=tr("Close"))
        self.forget = QPushButton(tr("Forget"))
        self.forget.setToolTip(tr("Take the ticked jobs off this list; what they gave before stays"))
        self.forget.setAutoDefault(False)
        self.forget.clicked.connect(self._forget)
        self.buttons.insertWidget(1, self.forget)
        self.buttons.go_on.setToolTip(tr("Start the ticked jobs (Enter)"))
        self.buttons.go_on.clicked.connect(self._resume)
        column.addLayout(self.buttons)
        self.list.setFocus()

    def ticked(self) -> list[str]:
        """Return the keys of the jobs that are ticked."""
        items = [self.list.item(row) for row in range(self.list.count())]
        return [str(one.data(Qt.ItemDataRole.UserRole)) for one in items if one.checkState() is Qt.CheckState.Checked]

    def _enable(self) -> None:
        self.forget.setEnabled(bool(self.ticked()))
        self.buttons.go_on.setEnabled(bool(self.ticked()))

    def _resume(self) -> None:
        self.accept()
        self.resume_requested.emit(self.ticked())

    def _forget(self) -> None:
        self.accept()
        self.forget_requested.emit(self.ticked())
