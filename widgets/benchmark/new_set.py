"""The form in which an item set is put together, before it is drawn and frozen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.benchmark.set_rules import Rules, SetRules
from widgets.number_boxes import IntegerBox
from widgets.plain_label import NoteInForm, PlainLabel
from widgets.plain_tip import plain_tip


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task that items can be drawn for.

    Attributes:
        about: what it asks, with its paper.
        draws: samples, usually.
        size: items of a sample, usually; 0 for all there are.
        segments: whether its items are segments.
        shares: label -> weight, where draws have a share of each.
    """

    key: str
    name: str
    about: str
    draws: int
    size: int
    segments: bool = False
    shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewSet:
    """What was filled in; `name` is "" for the task's own."""

    task: str
    name: str
    seed: int
    draws: int
    size: int
    stratify: bool
    include: tuple[str, ...]
    rules: Rules


class NewSetForm(QWidget):
    """Says what is asked, what is drawn, and what is left out.

    Signals:
        made (NewSet): it is to be drawn.
        left: it is not.
        shown: it came into sight, and wants to know what the study has to choose from.
    """

    made = Signal(object)
    left = Signal()
    shown = Signal()

    def __init__(self, tasks: Sequence[TaskLine], included: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("New item set"))
        self._tasks = {one.key: one for one in tasks}
        self.task = QComboBox()
        for one in tasks:
            self.task.addItem(one.name, one.key)
            self.task.setItemData(self.task.count() - 1, plain_tip(one.about), Qt.ItemDataRole.ToolTipRole)
        self.about = NoteInForm()
        self.about.setProperty("quiet", True)
        self.name = QLineEdit()
        self.seed, self.draws, self.items = _number(0, 2**31 - 1), _number(1, 1000), _number(0, 100_000)
        self.items.setSpecialValueText(tr("All there are"))
        self.stratify = QCheckBox(tr("The same number from each &collection"))
        self.include = {key: QCheckBox(tr("Also {text}").format(text=text)) for key, text in included.items()}
        self.rules = SetRules()
        self.note = PlainLabel(wordWrap=True)
        self.note.setAccessibleName(tr("State of the new set"))
        self.make, self.cancel = QPushButton(tr("&Make set")), QPushButton(tr("Cancel"))
        self.make.setProperty("primary", True)
        self._explain()
        self._lay_out()
        self.task.currentIndexChanged.connect(self._show_task)
        self.make.clicked.connect(lambda: self.made.emit(self.filled()))
        self.cancel.clicked.connect(self.left)
        self._show_task()

    def filled(self) -> NewSet:
        """Return what is filled in."""
        return NewSet(
            str(self.task.currentData() or ""),
            self.name.text().strip(),
            self.seed.value(),
            self.draws.value(),
            self.items.value(),
            self.stratify.isChecked(),
            tuple(key for key, box in self.include.items() if box.isChecked()),
            self.rules.chosen(),
        )

    def say(self, text: str) -> None:
        """Say what is done, or why it could not be made."""
        self.note.setText(text)

    def set_under_way(self, on: bool) -> None:
        """Take no other wish while a set is drawn; it can still be cancelled."""
        chosen = str(self.task.currentData() or "") in self._tasks
        self.make.setEnabled(chosen and not on)
        for one in (self.task, self.name, self.seed, self.draws, self.items, self.stratify, *self.include.values()):
            one.setEnabled(not on)
        self.rules.set_under_way(on)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _show_task(self) -> None:
        one = self._tasks.get(str(self.task.currentData() or ""))
        self.make.setEnabled(one is not None)
        if one is None:
            return
        self.about.setText(one.about)
        self.draws.setValue(one.draws)
        self.items.setValue(one.size)
        self.rules.set_task(one.segments, one.shares)
        self.say("")

    def _explain(self) -> None:
        for widget, name, tip in (
            (self.task, tr("Task"), tr("What is asked")),
            (self.name, tr("Name"), tr("Empty: the name of the task")),
            (self.seed, tr("Seed"), tr("The same seed draws the same items from the same study")),
            (self.draws, tr("Draws"), tr("Samples that are drawn; figures are mean and standard deviation over them")),
            (self.items, tr("Items a draw"), tr("About how many items each draw has")),
            (self.stratify, tr("Stratify"), tr("Each collection gives the same number of items to a draw")),
            (self.make, tr("Make set"), tr("Draw the items and freeze them; a set is never changed")),
            (self.cancel, tr("Cancel"), tr("Make no set")),
        ):
            widget.setAccessibleName(name)
            widget.setToolTip(plain_tip(tip))
            if isinstance(widget, QAbstractSpinBox):
                widget.lineEdit().setAccessibleName(name)
        for box in self.include.values():
            box.setToolTip(tr("Left out unless you tick this"))

    def _lay_out(self) -> None:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        form = QFormLayout()
        form.setHorizontalSpacing(theme.GRID * 2)
        form.setVerticalSpacing(theme.GRID)
        self.name.setPlaceholderText(tr("As the task"))
        form.addRow(tr("Tas&k"), self.task)
        form.addRow("", self.about)
        form.addRow(tr("Na&me"), self.name)
        numbers = QHBoxLayout()
        numbers.setSpacing(theme.GRID)
        for name, box in ((tr("&Draws"), self.draws), (tr("&Items a draw"), self.items), (tr("S&eed"), self.seed)):
            label = PlainLabel(name)
            label.setBuddy(box)
            numbers.addWidget(label)
            numbers.addWidget(box)
            numbers.addSpacing(theme.GRID)
        numbers.addStretch(1)
        form.addRow(tr("Drawn"), numbers)
        form.addRow("", self.stratify)
        for place, exception in enumerate(self.include.values()):
            form.addRow(tr("Exceptions") if not place else "", exception)
        column.addLayout(form)
        column.addWidget(self.rules)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(inner)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, theme.GRID, 0, 0)
        whole.setSpacing(theme.GRID)
        whole.addWidget(area, 1)
        whole.addWidget(self.note)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.make)
        whole.addLayout(foot)


def _number(least: int, most: int) -> QSpinBox:
    box = IntegerBox()
    box.setRange(least, most)
    return box
