"""Asks by which rule one lane is made of several annotators' lanes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.number_boxes import DecimalBox
from widgets.plain_label import PlainLabel, add_row
from widgets.plain_tip import plain_tip


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with a few answers: (key, what stands in the box)."""

    key: str
    name: str
    answers: tuple[tuple[str, str], ...]
    hint: str = ""


class LaneForm(QWidget):
    """A box for each question, the least overlap, the name of the lane, and what came of it.

    Signals:
        make_requested (object, float, str): answers by question, minimum IoU, name of the lane.
    """

    make_requested = Signal(object, float, str)

    def __init__(self, questions: Sequence[Asked], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        intro = PlainLabel(
            tr(
                "One lane is made of what all people say, in every recording that two or more worked on. Making it "
                "again replaces it, undo brings the one before back, and the rule is kept with the study."
            ),
            wordWrap=True,
        )
        column.addWidget(intro)
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        self.boxes: dict[str, QComboBox] = {}
        for asked in questions:
            box = QComboBox()
            for key, text in asked.answers:
                box.addItem(text, key)
            box.setAccessibleName(asked.name)
            box.setToolTip(plain_tip(asked.hint))
            add_row(form, asked.name, box)
            self.boxes[asked.key] = box
        self.least = DecimalBox(minimum=0, maximum=1, singleStep=0.1, decimals=2)
        self.least.setAccessibleName(tr("Minimum IoU"))
        self.least.lineEdit().setAccessibleName(tr("Minimum IoU"))
        self.least.setToolTip(tr("Shared time over the time that either covers; 0 means any time in common"))
        form.addRow(tr("Minimum IoU"), self.least)
        self.name = QLineEdit(name)
        self.name.setAccessibleName(tr("Name of the lane"))
        form.addRow(tr("Name"), self.name)
        column.addLayout(form)
        self.make = QPushButton(tr("Make the lane"))
        self.make.setProperty("primary", True)
        self.make.setToolTip(tr("Make the lane, in place of the one of that name (Return)"))
        self.make.clicked.connect(self._ask)
        self.result = PlainLabel(wordWrap=True)
        self.result.setAccessibleName(tr("What came of it"))
        column.addWidget(self.result)
        column.addStretch()
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(close_button(self))
        foot.addWidget(self.make)
        column.addLayout(foot)

    def answers(self) -> Mapping[str, str]:
        """Return question -> the answer that is chosen."""
        return {key: str(box.currentData()) for key, box in self.boxes.items()}

    def set_writable(self, reason: str) -> None:
        """Allow making the lane, or say why not."""
        self.make.setEnabled(not reason)
        self.make.setToolTip(plain_tip(reason or tr("Make the lane, in place of the one of that name (Return)")))

    def show_result(self, text: str) -> None:
        """Say what came of it."""
        self.result.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._ask()
        else:
            super().keyPressEvent(event)

    def _ask(self) -> None:
        if self.make.isEnabled():
            self.make_requested.emit(self.answers(), self.least.value(), self.name.text())
