"""What a training round is made of: recordings, a reference, and what has to be reached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.empty_hint import EmptyHint
from widgets.number_boxes import DecimalBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.short_list import ShortList
from widgets.tick_list import ROW

_ID = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was filled in; `minimum` has only the figures that count."""

    recordings: tuple[str, ...]
    reference: str
    minimum: Mapping[str, float]


class SetupForm(QWidget):
    """For the owner of a study.

    Signals:
        set_requested (Wanted)
        off_requested
    """

    set_requested = Signal(object)
    off_requested = Signal()

    def __init__(self, figures: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, theme.GRID, 0, 0)
        row.setSpacing(theme.GRID * 2)
        self.recordings = ShortList()
        self.recordings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.recordings.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.recordings.setAccessibleName(tr("Recordings to train on"))
        self.recordings.setToolTip(tr("Tick the recordings that everybody trains on"))
        EmptyHint(self.recordings, tr("No recordings yet. Add some in the main window: Ctrl+O."))
        left = QVBoxLayout()
        left.setSpacing(theme.GRID)
        left.addWidget(PlainLabel(tr("Recordings to train on")))
        left.addWidget(self.recordings, 1)
        row.addLayout(left, 1)
        right = QVBoxLayout()
        right.setSpacing(theme.GRID)
        right.addWidget(PlainLabel(tr("Reference: whose segments are compared with")))
        self.reference = QComboBox()
        self.reference.setAccessibleName(tr("Reference"))
        self.reference.setPlaceholderText(tr("Nobody has worked on the study yet"))
        self.reference.setToolTip(tr("The annotator whose segments the others are compared with"))
        right.addWidget(self.reference)
        grid = QGridLayout()
        grid.setSpacing(theme.GRID)
        self.minimum: dict[str, tuple[QCheckBox, QDoubleSpinBox]] = {}
        for place, (key, name) in enumerate(figures):
            tick = QCheckBox(tr("{name} at least").format(name=name))
            tick.setToolTip(plain_tip(tr("Whether {name} counts").format(name=name.lower())))
            least = DecimalBox(minimum=0, maximum=1, singleStep=0.05, decimals=2, value=0.5)
            least.setAccessibleName(tr("Least {name}").format(name=name.lower()))
            least.lineEdit().setAccessibleName(tr("Least {name}").format(name=name.lower()))
            least.setToolTip(plain_tip(tr("What {name} must reach, from 0 to 1").format(name=name.lower())))
            least.setEnabled(False)
            tick.toggled.connect(least.setEnabled)
            grid.addWidget(tick, place, 0)
            grid.addWidget(least, place, 1)
            self.minimum[key] = (tick, least)
        grid.setColumnStretch(2, 1)
        right.addLayout(grid)
        right.addStretch()
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.GRID)
        self.start = QPushButton(tr("Set up training"))
        self.start.setToolTip(tr("Everybody in the plan gets these recordings to train on; Undo takes it back"))
        self.start.clicked.connect(self._ask)
        self.off = QPushButton(tr("End training"))
        self.off.setToolTip(tr("The work is open to everybody; Undo takes it back"))
        self.off.clicked.connect(self.off_requested)
        buttons.addWidget(self.start)
        buttons.addWidget(self.off)
        buttons.addStretch()
        right.addLayout(buttons)
        row.addLayout(right, 1)

    def offer(self, recordings: Sequence[tuple[str, str]], people: Sequence[str]) -> None:
        """Offer recordings (id, text) and names of annotators; what was ticked and chosen stays."""
        ticked, chosen = set(self._ticked()), self.reference.currentText()
        self.recordings.clear()
        for key, text in recordings:
            item = QListWidgetItem(text)
            item.setData(_ID, key)
            item.setSizeHint(QSize(0, ROW))
            item.setToolTip(plain_tip(text))
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if key in ticked else Qt.CheckState.Unchecked)
            self.recordings.addItem(item)
        self.reference.clear()
        self.reference.addItems(list(people))
        self.reference.setCurrentIndex(max(0, self.reference.findText(chosen)))
        self.reference.setEnabled(bool(people))

    def show_round(self, wanted: Wanted) -> None:
        """Show the round that there is."""
        for place in range(self.recordings.count()):
            item = self.recordings.item(place)
            there = item.data(_ID) in wanted.recordings
            item.setCheckState(Qt.CheckState.Checked if there else Qt.CheckState.Unchecked)
        self.reference.setCurrentText(wanted.reference)
        for key, (tick, least) in self.minimum.items():
            tick.setChecked(key in wanted.minimum)
            least.setValue(wanted.minimum.get(key, least.value()))

    def _ticked(self) -> list[str]:
        items = [self.recordings.item(place) for place in range(self.recordings.count())]
        return [str(one.data(_ID)) for one in items if one.checkState() is Qt.CheckState.Checked]

    def _ask(self) -> None:
        least = {key: spin.value() for key, (tick, spin) in self.minimum.items() if tick.isChecked()}
        self.set_requested.emit(Wanted(tuple(self._ticked()), self.reference.currentText(), least))
