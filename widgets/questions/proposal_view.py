"""The wrong options that a question has beside those that a judge proposes; whoever looks says which are taken over."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from project.questions import WrongOption
from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.judges.plain_text import plainly
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


@dataclass(frozen=True, slots=True)
class Proposed:
    """What one judge proposes; `why_not` says why all of it cannot be taken over, "" where it can."""

    key: str
    judge: str
    wrong: tuple[WrongOption, ...]
    why_not: str


class ProposalView(QWidget):
    """Two columns, a row for each pair; ticked rows are taken over.

    Signals:
        take_over_requested (str, tuple): key of the proposal, and the wrong options that the question is to have.
    """

    take_over_requested = Signal(str, tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now: tuple[WrongOption, ...] = ()
        self._proposed: tuple[Proposed, ...] = ()
        self._writable = False
        self.ticks: list[QCheckBox] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        head = QHBoxLayout()
        self.judge = QComboBox()
        self.judge.setAccessibleName(tr("Judge whose options are shown"))
        self.judge.currentIndexChanged.connect(lambda _at: self._show())
        self.told = PlainLabel(wordWrap=True)
        self.take = QPushButton(tr(" Take over"))
        self.take.setIcon(icon("check"))
        self.take.setToolTip(
            tr("Give the question the ticked options; its scores and verifications count no more then")
        )
        self.take.clicked.connect(self._take)
        head.addWidget(self.judge)
        head.addWidget(self.told, 1)
        head.addWidget(self.take)
        column.addLayout(head)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.GRID * 2)
        self._grid.setVerticalSpacing(theme.GRID // 2)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)

    def show_proposals(self, now: Sequence[WrongOption], proposed: Sequence[Proposed], *, writable: bool) -> None:
        """Show what a question has, and what judges propose for it."""
        self._now, self._proposed, self._writable = tuple(now), tuple(proposed), writable
        chosen = self.judge.currentText()
        self.judge.blockSignals(True)
        self.judge.clear()
        self.judge.addItems([one.judge for one in proposed])
        self.judge.setCurrentIndex(max(0, self.judge.findText(chosen)))
        self.judge.blockSignals(False)
        self._show()

    def wanted(self) -> tuple[WrongOption, ...]:
        """Return the wrong options that the question would have with what is ticked."""
        shown = self._shown()
        if shown is None:
            return self._now
        pairs = zip(self._now, shown.wrong, self.ticks, strict=False)
        changed = [new if tick.isChecked() else old for old, new, tick in pairs]
        return (*changed, *self._now[len(changed) :])

    def _shown(self) -> Proposed | None:
        at = self.judge.currentIndex()
        return self._proposed[at] if 0 <= at < len(self._proposed) else None

    def _show(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (gone := item.widget()) is not None:
                gone.setParent(None)
                gone.deleteLater()
        self.ticks = []
        shown = self._shown()
        self.judge.setVisible(shown is not None)
        self.take.setVisible(shown is not None)
        self.told.setText(
            tr("No judge proposed anything for this question as it is now.") if shown is None else shown.why_not
        )
        if shown is None:
            return
        for column, title in enumerate((tr("It has"), tr("{judge} proposes").format(judge=shown.judge))):
            label = PlainLabel(title)
            label.setFont(theme.font(semibold=True))
            self._grid.addWidget(label, 0, column)
        for row, (old, new) in enumerate(zip(self._now, shown.wrong, strict=False), 1):
            self._grid.addWidget(_option(old), row, 0)
            tick = QCheckBox()
            tick.setChecked(not shown.why_not)
            tick.setEnabled(self._writable)
            tick.setAccessibleName(tr("Take over: {text}").format(text=plainly(new.text)))
            tick.setToolTip(tr("Take this one over in the place of the one on its left"))
            tick.toggled.connect(lambda _on: self._enable())
            line = QHBoxLayout()
            line.setSpacing(theme.GRID)
            line.addWidget(tick, 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(_option(new), 1)
            holder = QWidget()
            holder.setLayout(line)
            line.setContentsMargins(0, 0, 0, 0)
            self._grid.addWidget(holder, row, 1)
            self.ticks.append(tick)
        self._enable()

    def _enable(self) -> None:
        self.take.setEnabled(self._writable and any(one.isChecked() for one in self.ticks))

    def _take(self) -> None:
        shown = self._shown()
        if shown is not None:
            self.take_over_requested.emit(shown.key, self.wanted())


def _option(one: WrongOption) -> QLabel:
    likely = "" if one.plausibility is None else f" ({one.plausibility})"
    label = PlainLabel(f"{plainly(one.text)}{likely}", wordWrap=True)
    if one.plausibility is not None:
        label.setToolTip(plain_tip(tr("Plausibility {plausibility} of 100").format(plausibility=one.plausibility)))
    return label
