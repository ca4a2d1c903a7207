"""What is said about a box that was drawn by hand: what is in it, its name, and how long it lasts."""

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QPushButton, QToolButton, QWidget

from project.regions import Region, RegionKind
from resources.translation import tr
from widgets import theme
from widgets.icons import icon

KINDS = {
    RegionKind.FACE: tr("Face"),
    RegionKind.AREA: tr("Masked area"),
    RegionKind.NOTHING: tr("Nothing to hide"),
}


class RegionBar(QWidget):
    """A form of one region; hidden while none is selected.

    Signals:
        kind_requested (str, RegionKind): region id.
        label_requested (str, str): region id and its new name.
        start_requested (str): it starts at the frame that is shown.
        end_requested (str): it ends after the frame that is shown.
        delete_requested (str): take it away.
    """

    kind_requested = Signal(str, object)
    label_requested = Signal(str, str)
    start_requested = Signal(str)
    end_requested = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._region: Region | None = None
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.GRID // 2)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("What is in this box"))
        self.kind.setToolTip(tr("What is in this box"))
        for kind, name in KINDS.items():
            self.kind.addItem(name, kind)
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.kind.setMinimumContentsLength(6)
        self.kind.activated.connect(self._choose_kind)
        self.label = QLineEdit()
        self.label.setPlaceholderText(tr("Name, such as badge"))
        self.label.setAccessibleName(tr("Name of this box"))
        self.label.editingFinished.connect(self._name)
        self.starts = QPushButton(tr("Starts here"))
        self.starts.setToolTip(tr("It starts at the frame that is shown ([)"))
        self.starts.clicked.connect(lambda: self._emit(self.start_requested))
        self.ends = QPushButton(tr("Ends here"))
        self.ends.setToolTip(tr("It ends after the frame that is shown (])"))
        self.ends.clicked.connect(lambda: self._emit(self.end_requested))
        self.delete = QToolButton()
        self.delete.setIcon(icon("trash-2"))
        self.delete.setToolTip(tr("Delete this box (Del)"))
        self.delete.setAccessibleName(tr("Delete this box"))
        self.delete.clicked.connect(lambda: self._emit(self.delete_requested))
        grid.addWidget(self.kind, 0, 0)
        grid.addWidget(self.label, 0, 1, 1, 2)
        grid.addWidget(self.starts, 1, 0)
        grid.addWidget(self.ends, 1, 1)
        grid.addWidget(self.delete, 1, 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        self.hide()

    def show_region(self, region: Region | None, writable: bool) -> None:
        """Show a region, or none."""
        same = region is not None and self._region is not None and region.id == self._region.id
        self._region = region
        self.setVisible(region is not None)
        if region is None:
            return
        self.kind.setCurrentIndex(max(0, self.kind.findData(region.kind, flags=Qt.MatchFlag.MatchExactly)))
        if not (same and self.label.hasFocus()):
            self.label.setText(region.label)
        for part in (self.kind, self.label, self.starts, self.ends, self.delete):
            part.setEnabled(writable)

    def region(self) -> Region | None:
        """Return which region is shown."""
        return self._region

    def _emit(self, signal: SignalInstance) -> None:
        if self._region is not None:
            signal.emit(self._region.id)

    def _choose_kind(self) -> None:
        kind = RegionKind(self.kind.currentData())
        if self._region is not None and kind is not self._region.kind:
            self.kind_requested.emit(self._region.id, kind)

    def _name(self) -> None:
        if self._region is not None and self.label.text().strip() != self._region.label:
            self.label_requested.emit(self._region.id, self.label.text())
