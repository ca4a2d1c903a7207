"""Boxes for numbers, whose figures stand as far from the edge as the text of other fields."""

from typing import Any

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget

_MARGIN = 7
"""Pixels at the left: the style sheet's padding does not reach the field inside such a box."""


class IntegerBox(QSpinBox):
    """A box for whole numbers; takes Qt's properties by name."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.lineEdit().setTextMargins(_MARGIN, 0, 0, 0)


class DecimalBox(QDoubleSpinBox):
    """A box for numbers with decimals; takes Qt's properties by name."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.lineEdit().setTextMargins(_MARGIN, 0, 0, 0)
