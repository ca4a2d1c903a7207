"""What a data set of questions is to hold, as a form."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QHBoxLayout, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.number_boxes import IntegerBox

_NONE = tr("None: the questions are texts about recordings that are not there")
_LARGEST = 999_999


@dataclass(frozen=True, slots=True)
class SetChoice:
    """What is chosen.

    Attributes:
        table: also as a table for VLMEvalKit.
        everything: also questions that are not verified or out of date.
        seed: of the splits.
        release: folder of a release whose clips and pictures are named; None for none.
    """

    table: bool = False
    everything: bool = False
    seed: int = 0
    release: Path | None = None


class SetForm(QWidget):
    """The form.

    Signals:
        changed: something was chosen.
        release_requested: a release is to be chosen.
    """

    changed = Signal()
    release_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._release: Path | None = None
        form = QFormLayout(self)
        form.setContentsMargins(0, theme.GRID, 0, 0)
        form.setSpacing(theme.GRID)
        self.everything = QCheckBox(tr("&Also questions that are not verified or out of date"))
        self.everything.setToolTip(tr("They are marked as such in the set; their texts have to be read too"))
        self.table = QCheckBox(tr("Also as a &table for VLMEvalKit"))
        self.table.setToolTip(tr("Add vlmevalkit/questions.tsv to the JSON lines, which are always there"))
        for box in (self.everything, self.table):
            box.toggled.connect(lambda _on: self.changed.emit())
        self.seed = IntegerBox(minimum=0, maximum=_LARGEST)
        self.seed.setToolTip(tr("The same study and seed give the same splits"))
        for one in (self.seed, self.seed.lineEdit()):
            one.setAccessibleName(tr("Seed of the splits"))
        self.seed.valueChanged.connect(lambda _value: self.changed.emit())
        self.release = ElidedLabel()
        self.release.setAccessibleName(tr("Release"))
        self.choose = QPushButton(tr("Choose &release…"))
        self.choose.setToolTip(tr("Name the clips and pictures of a folder that was released from this study"))
        self.choose.clicked.connect(self.release_requested)
        self.clear = QPushButton(tr("&No release"))
        self.clear.setToolTip(tr("Name no clips and pictures"))
        self.clear.clicked.connect(lambda: self.show_release(None))
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(self.release, 1)
        row.addWidget(self.choose)
        row.addWidget(self.clear)
        seed_row = QHBoxLayout()
        seed_row.addWidget(self.seed)
        seed_row.addStretch(1)
        form.addRow(tr("Questions"), self.everything)
        form.addRow(tr("Files"), self.table)
        form.addRow(tr("&Seed of the splits"), seed_row)
        form.labelForField(seed_row).setBuddy(self.seed)  # type: ignore[attr-defined]
        form.addRow(tr("Clips and pictures"), row)
        self.show_release(None)

    def chosen(self) -> SetChoice:
        """Return what is chosen."""
        return SetChoice(self.table.isChecked(), self.everything.isChecked(), self.seed.value(), self._release)

    def show_release(self, folder: Path | None) -> None:
        """Choose a release; None for none."""
        before, self._release = self._release, folder
        self.release.set_text(_NONE if folder is None else str(folder))
        self.clear.setEnabled(folder is not None)
        if before != folder:
            self.changed.emit()
