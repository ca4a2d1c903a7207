"""What a plan is made from: names, how many a recording, a seed."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QSpinBox, QWidget

from widgets import theme


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
        self.names = QLineEdit(placeholderText="Ada, Bo, Cy")
        self.names.setAccessibleName("Annotators, separated by commas")
        self.names.setToolTip("Names of those who share the recordings, separated by commas")
        self.names.returnPressed.connect(self._ask)
        self.per_recording = QSpinBox(minimum=1, maximum=20, value=2)
        self.per_recording.setToolTip("How many annotate each recording")
        self.seed = QSpinBox(minimum=0, maximum=999_999)
        self.seed.setToolTip("Another number gives another plan; the same one, the same plan")
        self.keep = QCheckBox("Keep what is given out")
        self.keep.setToolTip("What somebody has begun always stays; this also keeps what nobody has begun")
        self.held_out = QCheckBox("Held-out ones too")
        self.held_out.setToolTip("Plan recordings that are held out as well")
        self.make = QPushButton("Make plan")
        self.make.setToolTip("Share the recordings out evenly; Undo takes it back")
        self.make.clicked.connect(self._ask)
        row.addWidget(QLabel("Annotators"))
        row.addWidget(self.names, 1)
        for text, spin in (("for each recording", self.per_recording), ("Seed", self.seed)):
            spin.setAccessibleName(spin.toolTip())
            spin.lineEdit().setAccessibleName(spin.toolTip())
            spin.setFixedWidth(56)
            if text[0].isupper():
                row.addWidget(QLabel(text))
                row.addWidget(spin)
            else:
                row.addWidget(spin)
                row.addWidget(QLabel(text))
        for box in (self.keep, self.held_out):
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
