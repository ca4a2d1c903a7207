"""What is compared: lane, people, recordings, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.number_boxes import DecimalBox, IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.segments.choice_button import ChoiceButton
from widgets.segments.flow import FlowLayout

STEP_MS = 100
_LONGEST_STEP_MS = 60_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the user wants compared.

    Attributes:
        lane: key of what was offered.
        pair: two names, or none for everybody.
        third: a name, or "".
        groups: keys of the recordings and collections that were ticked; none for all.
    """

    lane: str
    pair: tuple[str, ...]
    third: str
    groups: frozenset[str]
    minimum_iou: float
    step_ms: int


class ComparisonBar(QWidget):
    """Controls in a row that breaks where the window ends.

    Signals:
        changed: something else is to be compared.
        refresh_requested: compute again.
    """

    changed = Signal()
    refresh_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = FlowLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self.lane, self.pair, self.third = QComboBox(), QComboBox(), QComboBox()
        self.recordings = ChoiceButton(tr("Recordings"))
        self.minimum_iou = DecimalBox(minimum=0, maximum=1, singleStep=0.05, decimals=2)
        self.minimum_iou.setSpecialValueText(tr("Any"))
        self.step = IntegerBox(minimum=1, maximum=_LONGEST_STEP_MS, singleStep=100, value=STEP_MS)
        self.step.setSuffix(tr(" ms"))
        self.refresh = QPushButton(tr("Refresh"))
        self.refresh.setToolTip(tr("Compute again from the study as it is now (F5)"))
        self.refresh.setShortcut("F5")
        self._lane = self._named(row, tr("Track"), self.lane, tr("Scheme and track whose segments are compared"))
        self._named(row, tr("Who"), self.pair, tr("Everybody who is a person, or one pair"))
        self._named(
            row, tr("Third"), self.third, tr("One who is compared with the others, and counts in no other figure")
        )
        self._named(row, "", self.recordings, "")
        self._named(
            row,
            tr("Minimum IoU"),
            self.minimum_iou,
            tr("Which segments count as overlapping: any shared time, or more"),
        )
        self._named(
            row, tr("Step"), self.step, tr("Between the instants of the time grid, on which kappa and alpha rest")
        )
        row.addWidget(self.refresh)
        for spin in (self.minimum_iou, self.step):
            spin.setKeyboardTracking(False)
            spin.lineEdit().setAccessibleName(spin.accessibleName())
            spin.setFixedWidth(theme.GRID * 10)
        for box in (self.lane, self.pair, self.third):
            box.setMaximumWidth(theme.GRID * 32)
        changes: tuple[SignalInstance, ...] = (
            self.lane.currentIndexChanged,
            self.pair.currentIndexChanged,
            self.third.currentIndexChanged,
            self.minimum_iou.valueChanged,
            self.step.valueChanged,
        )
        for signal in changes:
            signal.connect(lambda _: self.changed.emit())
        self.recordings.changed.connect(self.changed)
        self.refresh.clicked.connect(self.refresh_requested)

    def offer(self, lanes: Mapping[str, str], people: Sequence[str], groups: Mapping[str, str]) -> bool:
        """Offer lanes, names and recordings; returns whether what is chosen is another thing now."""
        before = self.comparison()
        pairs = {
            "": tr("Everybody"),
            **{f"{a}\n{b}": tr("{a} and {b}").format(a=a, b=b) for a, b in combinations(people, 2)},
        }
        blocked = self.blockSignals(True)
        try:
            _fill(self.lane, lanes)
            _fill(self.pair, pairs)
            _fill(self.third, {"": tr("Nobody"), **{name: name for name in people}})
            self.recordings.set_choices(groups)
        finally:
            self.blockSignals(blocked)
        self._lane.setVisible(len(lanes) > 1)
        return self.comparison() != before

    def comparison(self) -> Comparison:
        """Return what is chosen."""
        pair = str(self.pair.currentData() or "")
        return Comparison(
            str(self.lane.currentData() or ""),
            tuple(pair.split("\n")) if pair else (),
            str(self.third.currentData() or ""),
            self.recordings.chosen(),
            self.minimum_iou.value(),
            self.step.value(),
        )

    def _named(self, row: FlowLayout, name: str, control: QWidget, tip: str) -> QWidget:
        both = QWidget()
        inner = QHBoxLayout(both)
        inner.setContentsMargins(0, 0, theme.GRID, 0)
        inner.setSpacing(theme.GRID // 2)
        if name:
            label = PlainLabel(name)
            label.setBuddy(control)
            inner.addWidget(label)
            control.setAccessibleName(name)
            control.setToolTip(plain_tip(tip))
        inner.addWidget(control)
        row.addWidget(both)
        return both


def _fill(box: QComboBox, names: Mapping[str, str]) -> None:
    """Offer these by key, and keep what is chosen where it is still there."""
    chosen = box.currentData()
    box.clear()
    for key, name in names.items():
        box.addItem(name, key)
    box.setCurrentIndex(max(0, box.findData(chosen)))
