"""What a plan is made from: names, how many a recording, a seed."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.number_boxes import IntegerBox
from widgets.plain_label import PlainLabel


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was filled in."""

    annotators: tuple[str, ...]
    per_recording: int
    seed: int
    keep: bool
    held_out: bool


class PlanForm(QWidget):
    """One row of fields and a button.

    Signals:
        plan_requested (Wanted)
    """

    plan_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self.names = QLineEdit(placeholderText=tr("Ada, Bo, Cy"))
        self.names.setAccessibleName(tr("Annotators, separated by commas"))
        self.names.setToolTip(tr("Names of those who share the recordings, separated by commas"))
        self.names.returnPressed.connect(self._ask)
        self.per_recording = IntegerBox(minimum=1, maximum=20, value=2)
        self.per_recording.setToolTip(tr("How many annotate each recording"))
        self.seed = IntegerBox(minimum=0, maximum=999_999)
        self.seed.setToolTip(tr("Another number gives another plan; the same one, the same plan"))
        self.keep = QCheckBox(tr("Keep what is given out"))
        self.keep.setToolTip(tr("What somebody has begun always stays; this also keeps what nobody has begun"))
        self.held_out = QCheckBox(tr("Held-out ones too"))
        self.held_out.setToolTip(tr("Plan recordings that are held out as well"))
        self.make = QPushButton(tr("Make plan"))
        self.make.setToolTip(tr("Share the recordings out evenly; Undo takes it back"))
        self.make.clicked.connect(self._ask)
        row.addWidget(PlainLabel(tr("Annotators")))
        row.addWidget(self.names, 1)
        for text, spin in ((tr("for each recording"), self.per_recording), (tr("Seed"), self.seed)):
            spin.setAccessibleName(spin.toolTip())
            spin.lineEdit().setAccessibleName(spin.toolTip())
            spin.setFixedWidth(56)
            if text[0].isupper():
                row.addSpacing(theme.GRID)
                row.addWidget(PlainLabel(text))
                row.addWidget(spin)
            else:
                row.addWidget(spin)
                row.addWidget(PlainLabel(text))
        for box in (self.keep, self.held_out):
            row.addSpacing(theme.GRID)
            row.addWidget(box)
        row.addWidget(self.make)

    def show_names(self, names: tuple[str, ...]) -> None:
        """Fill in who is in the plan, unless somebody is typing."""
        if not self.names.hasFocus():
            self.names.setText(", ".join(names))

    def _ask(self) -> None:
        names = tuple(part.strip() for part in self.names.text().split(",") if part.strip())
        if not names:
            self.names.setFocus()
            return
        self.plan_requested.emit(
            Wanted(
                names, self.per_recording.value(), self.seed.value(), self.keep.isChecked(), self.held_out.isChecked()
            )
        )
