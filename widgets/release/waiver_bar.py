"""A line to do without a rule: why, and the button; or to take that back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel


class WaiverBar(QWidget):
    """About the line that is chosen in the checklist.

    Signals:
        waive_requested (str): the reason that was typed.
        withdraw_requested
        jump_requested: show the frame.
    """

    waive_requested = Signal(str)
    withdraw_requested = Signal()
    jump_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self.hint = PlainLabel(wordWrap=True)
        self.jump = QPushButton(tr("Show frame"))
        self.jump.setToolTip(tr("Show the frame in question in the main window"))
        self.jump.clicked.connect(self.jump_requested)
        self.reason = QLineEdit()
        self.reason.setAccessibleName(tr("Reason"))
        self.reason.setPlaceholderText(tr("Why it may be waived; printed in the data card"))
        self.reason.setToolTip(tr("Three words or more; they are printed in the data card"))
        self.reason.returnPressed.connect(self._waive)
        self.waive = QPushButton(tr("Waive"))
        self.waive.setToolTip(tr("Do without this rule, for this reason; Undo takes it back"))
        self.waive.clicked.connect(self._waive)
        self.withdraw = QPushButton(tr("Withdraw waiver"))
        self.withdraw.setToolTip(tr("The rule counts again"))
        self.withdraw.clicked.connect(self.withdraw_requested)
        row.addWidget(self.hint, 2)
        row.addWidget(self.jump)
        row.addWidget(self.reason, 2)
        row.addWidget(self.waive)
        row.addWidget(self.withdraw)
        self.show_choice("", place=False, waivable=False, waived=False)

    def show_choice(self, hint: str, *, place: bool, waivable: bool, waived: bool) -> None:
        """Show what can be done about a line: what to do, and whether there is a frame, a waiver, or room for one."""
        self.hint.setText(hint)
        self.jump.setVisible(place)
        self.reason.setVisible(waivable)
        self.waive.setVisible(waivable)
        self.withdraw.setVisible(waived)

    def _waive(self) -> None:
        self.waive_requested.emit(self.reason.text())
