"""The list of what looks like somebody's: a person says of each whether it is theirs."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from project.withdrawing.alike import Likeness
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel

_TEXT, _TIMES, _WHY, _DECISION = range(4)


class LookAlikeList(QWidget):
    """Look-alikes with what was decided about each; it is hidden while there are none.

    Signals:
        decided: () somebody decided about some of them.
    """

    decided = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._decisions: dict[str, bool] = {}
        self._rows: dict[str, tuple[int, str]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        head = PlainLabel(tr("These look like theirs. Nothing is removed before you have decided about each:"))
        head.setWordWrap(True)
        column.addWidget(head)
        self.rows = QTreeWidget()
        self.rows.setColumnCount(4)
        self.rows.setHeaderLabels([tr("Text"), tr("Times"), tr("Why it is listed"), tr("Decision")])
        self.rows.setRootIsDecorated(False)
        self.rows.setUniformRowHeights(True)
        self.rows.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.rows.setAccessibleName(tr("What looks like theirs"))
        self.rows.setMinimumHeight(theme.GRID * 16)
        self.rows.header().setSectionResizeMode(_TEXT, QHeaderView.ResizeMode.Stretch)
        for each in (_TIMES, _WHY, _DECISION):
            self.rows.header().setSectionResizeMode(each, QHeaderView.ResizeMode.ResizeToContents)
        self.rows.header().setStretchLastSection(False)
        column.addWidget(self.rows, 1)
        line = QHBoxLayout()
        line.setSpacing(theme.GRID)
        self.remove = QPushButton(tr("Theirs: remove"))
        self.remove.setToolTip(tr("Texts that hold the selected ones are removed too"))
        self.keep = QPushButton(tr("Not theirs: keep"))
        self.keep.setToolTip(tr("The selected ones stay in the study"))
        self.keep_rest = QPushButton(tr("Keep all the rest"))
        self.keep_rest.setToolTip(tr("All that nobody decided about stays in the study"))
        for button in (self.remove, self.keep, self.keep_rest):
            button.setAutoDefault(False)
            line.addWidget(button)
        line.addStretch(1)
        column.addLayout(line)
        self.remove.clicked.connect(lambda: self._decide(theirs=True))
        self.keep.clicked.connect(lambda: self._decide(theirs=False))
        self.keep_rest.clicked.connect(self._keep_rest)
        self.rows.itemSelectionChanged.connect(self._enable)
        self.hide()

    @property
    def theirs(self) -> tuple[str, ...]:
        """What was decided to be theirs."""
        return tuple(text for text, theirs in self._decisions.items() if theirs)

    @property
    def kept(self) -> tuple[str, ...]:
        """What was decided not to be theirs."""
        return tuple(text for text, theirs in self._decisions.items() if not theirs)

    @property
    def undecided(self) -> int:
        """How many are left to decide about."""
        return sum(text not in self._decisions for text in self._rows)

    def show_alike(self, left: Mapping[str, int], why: Mapping[str, Likeness]) -> None:
        """Show what is left to decide about, below what was decided before."""
        decided = {text: row for text, row in self._rows.items() if text in self._decisions}
        self._rows = {**decided, **{text: (count, _WHY_LISTED[why[text]]()) for text, count in left.items()}}
        self._show()

    def forget(self) -> None:
        """Begin anew, for somebody else."""
        self._decisions, self._rows = {}, {}
        self._show()

    def _decide(self, *, theirs: bool) -> None:
        for item in self.rows.selectedItems():
            self._decisions[item.data(_TEXT, Qt.ItemDataRole.UserRole)] = theirs
        self._show()
        self.decided.emit()

    def _keep_rest(self) -> None:
        for text in self._rows:
            self._decisions.setdefault(text, False)
        self._show()
        self.decided.emit()

    def _show(self) -> None:
        self.rows.clear()
        for text, (count, why) in self._rows.items():
            item = QTreeWidgetItem([text, str(count), why, self._decision(text)])
            item.setData(_TEXT, Qt.ItemDataRole.UserRole, text)
            item.setTextAlignment(_TIMES, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.rows.addTopLevelItem(item)
        self.setVisible(bool(self._rows))
        self._enable()

    def _decision(self, text: str) -> str:
        if text not in self._decisions:
            return tr("Undecided")
        return tr("Theirs") if self._decisions[text] else tr("Kept")

    def _enable(self) -> None:
        some = bool(self.rows.selectedItems())
        self.remove.setEnabled(some)
        self.keep.setEnabled(some)
        self.keep_rest.setEnabled(self.undecided > 0)


_WHY_LISTED = {
    Likeness.NAME: lambda: tr("Like a name of theirs"),
    Likeness.RECORDINGS: lambda: tr("Stood in their recordings"),
    Likeness.FILE: lambda: tr("File of another recording"),
    Likeness.OTHER: lambda: tr("Annotator or judge"),
    Likeness.PARTICIPANT: lambda: tr("Another participant"),
}
