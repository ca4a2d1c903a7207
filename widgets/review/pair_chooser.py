"""Whose segments are compared, and how far the review is."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from project.types import Annotator
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.progress_bar import ProgressBar

_NOBODY = ""


class PairChooser(QWidget):
    """Two annotators, a third where somebody asks for one, and a bar of what was reviewed.

    Signals:
        chosen (str, str, str): ids of the first, the second and the third annotator, "" for no third.
    """

    chosen = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        boxes = QHBoxLayout()
        self.first = _box(tr("First annotator"), tr("Whose segments stand on the left"))
        self.second = _box(tr("Second annotator"), tr("Whose segments stand on the right"))
        self.third = _box(tr("Third annotator"), tr("Somebody to compare with the two; nobody reviews their segments"))
        for box in (self.first, self.second, self.third):
            boxes.addWidget(box, 1)
            box.activated.connect(lambda _=0, box=box: self._choose(box))
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Progress of the review"))
        self._words = PlainLabel(wordWrap=True)
        column.addLayout(boxes)
        column.addWidget(self._bar)
        column.addWidget(self._words)

    def set_people(self, people: Sequence[Annotator], first: str, second: str, third: str) -> None:
        """Offer these annotators, and show who is compared (ids)."""
        for box, chosen in ((self.first, first), (self.second, second), (self.third, third)):
            box.clear()
            if box is self.third:
                box.addItem(tr("No third"), _NOBODY)
            for one in people:
                if box is not self.third or one.id not in (first, second):
                    box.addItem(one.name, one.id)
            box.setCurrentIndex(max(0, box.findData(chosen, flags=Qt.MatchFlag.MatchExactly)))
        self.third.setVisible(len(people) > 2)

    def set_progress(self, done: int, total: int, text: str) -> None:
        """Show how much was reviewed."""
        self._bar.show_value(done if total else 1, max(1, total))
        self._words.setText(text)

    def _choose(self, changed: QComboBox) -> None:
        first, second, third = (str(box.currentData() or "") for box in (self.first, self.second, self.third))
        if first == second:
            # Whoever was taken away from one side goes to the other.
            other = self.second if changed is self.first else self.first
            taken = next((other.itemData(i) for i in range(other.count()) if other.itemData(i) != first), "")
            first, second = (first, str(taken)) if changed is self.first else (str(taken), second)
        self.chosen.emit(first, second, "" if third in (first, second) else third)


def _box(name: str, tip: str) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    box.setToolTip(plain_tip(tip))
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    box.setMinimumContentsLength(6)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
