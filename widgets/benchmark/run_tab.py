"""Who is asked an item set and how, how far that is, and the way into the queue for people."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.judges.tick_menu import TickMenu
from widgets.number_boxes import DecimalBox, IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.progress_line import ProgressLine
from widgets.rows_table import RowsTable


class RunTab(QWidget):
    """Judges above, people below, and all runs of the set.

    Signals:
        run_requested: ask the judges that are ticked.
        cancel_requested: stop; what was answered is kept.
        answer_requested: who works here answers the items.
        changed: something else is chosen.
    """

    run_requested = Signal()
    cancel_requested = Signal()
    answer_requested = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._writable, self._why_not, self._under_way = True, "", False
        self.judges = TickMenu(tr("Judges"), tr("Choose judges"))
        self.conditions = TickMenu(tr("Renderings"), tr("Raw"))
        self.shown, self.variant = QComboBox(), QComboBox()
        self.seed, self.budget = IntegerBox(), DecimalBox()
        self.seed.setRange(0, 2**31 - 1)
        self.budget.setRange(0, 1_000_000)
        self.budget.setDecimals(2)
        self.budget.setSpecialValueText(tr("No limit"))
        self.anew = QCheckBox(tr("As&k again"))
        self.run = QPushButton(tr("&Run"))
        self.run.setProperty("primary", True)
        self.progress = ProgressLine(tr("Run of the benchmark"))
        self.progress.cancel.setToolTip(tr("Stop; what was answered is kept, and running again goes on from there"))
        self.ways = PlainLabel(wordWrap=True)
        self.ways.setAccessibleName(tr("What would leave this machine"))
        self.notes = PlainLabel(wordWrap=True)
        self.notes.setAccessibleName(tr("What was not asked, and why"))
        self.answer = QPushButton(tr("Ans&wer yourself…"))
        self.own = QCheckBox(tr("Also items made from my own annotations"))
        self.standing = PlainLabel(wordWrap=True)
        self.standing.setProperty("quiet", True)
        self.runs = RowsTable(
            tr("Runs of this set"), (tr("Judge"), tr("Shown"), tr("Prompt"), tr("Seen"), tr("Answered"), tr("Began"))
        )
        self.runs.keep_names_short()
        self._explain()
        self._lay_out()
        self.say_ways("")
        self.say_notes("")
        self.run.clicked.connect(self.run_requested)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.answer.clicked.connect(self.answer_requested)
        for menu in (self.judges, self.conditions):
            menu.changed.connect(self._change)
        for combo in (self.shown, self.variant):
            combo.currentIndexChanged.connect(lambda _at: self._change())
        for box in (self.seed, self.budget):
            box.valueChanged.connect(lambda _value: self._change())
        self.own.toggled.connect(lambda _on: self._change())

    def set_choices(self, shown: Mapping[str, tuple[str, str]], variants: Mapping[str, tuple[str, str]]) -> None:
        """Offer what can be shown, and variants of the prompts: key -> name and what it is."""
        for combo, choices in ((self.shown, shown), (self.variant, variants)):
            combo.clear()
            for key, (name, about) in choices.items():
                combo.addItem(name, key)
                combo.setItemData(combo.count() - 1, plain_tip(about), Qt.ItemDataRole.ToolTipRole)

    def set_runnable(self, why_not: str) -> None:
        """Say why nothing can be asked, or "" where it can."""
        self._why_not = why_not
        self._enable()

    def set_writable(self, writable: bool) -> None:
        """Let judges and people answer, or not."""
        self._writable = writable
        self._enable()

    def set_under_way(self, under_way: bool) -> None:
        """Show that a run is under way, or ended."""
        self._under_way = under_way
        if not under_way:
            self.progress.hide()
        self._enable()

    def say_ways(self, text: str) -> None:
        """Say what would leave this machine, and what may not be asked."""
        self.ways.setText(text)
        self.ways.setVisible(bool(text))

    def say_notes(self, text: str) -> None:
        """Say how a run ended, and what was not asked."""
        self.notes.setText(text)
        self.notes.setVisible(bool(text))

    def chosen_shown(self) -> str:
        """Return the key of what is shown."""
        return str(self.shown.currentData() or "")

    def chosen_variant(self) -> str:
        """Return the key of the variant."""
        return str(self.variant.currentData() or "")

    def looks(self) -> dict[str, Json]:
        """Return what is chosen, to be kept."""
        return {
            "judges": [*sorted(self.judges.wanted())],
            "conditions": [*sorted(self.conditions.wanted())],
            "shown": self.chosen_shown(),
            "variant": self.chosen_variant(),
            "seed": self.seed.value(),
            "budget": self.budget.value(),
            "own": self.own.isChecked(),
        }

    def restore_looks(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen; what is no longer offered is left out."""
        for menu, key in ((self.judges, "judges"), (self.conditions, "conditions")):
            found = looks.get(key)
            if isinstance(found, list):
                menu.choose(str(one) for one in found)
        for combo, key in ((self.shown, "shown"), (self.variant, "variant")):
            at = combo.findData(looks.get(key))
            if at >= 0:
                combo.setCurrentIndex(at)
        seed, budget = looks.get("seed"), looks.get("budget")
        if isinstance(seed, int):
            self.seed.setValue(seed)
        if isinstance(budget, int | float):
            self.budget.setValue(budget)
        self.own.setChecked(looks.get("own") is True)

    def _change(self) -> None:
        self.changed.emit()

    def _enable(self) -> None:
        self.run.setEnabled(self._writable and not self._why_not and not self._under_way)
        self.run.setToolTip(
            plain_tip(self._why_not or tr("Ask the judges; a run that was stopped goes on where it was"))
        )
        self.answer.setEnabled(self._writable)

    def _explain(self) -> None:
        for widget, name, tip in (
            (self.shown, tr("What is shown"), tr("What of each item judges and you are shown")),
            (self.variant, tr("Variant of the prompts"), tr("How the questions are put")),
            (self.seed, tr("Seed of the run"), tr("Another seed asks everything again, as another run")),
            (self.budget, tr("Budget"), tr("Money that the run may cost, in the currency of the judges' prices")),
            (self.anew, tr("Ask again"), tr("Begin a new run and ask again what was refused or could not be read")),
            (
                self.answer,
                tr("Answer yourself"),
                tr("Answer the items as judges get them, one after the other; nothing else is shown meanwhile"),
            ),
            (self.own, tr("Also my own"), tr("Else they are left out and counted; with them, your row says so")),
        ):
            widget.setAccessibleName(name)
            widget.setToolTip(plain_tip(tip))
            if isinstance(widget, QAbstractSpinBox):
                widget.lineEdit().setAccessibleName(name)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        form = QFormLayout()
        form.setHorizontalSpacing(theme.GRID * 2)
        form.setVerticalSpacing(theme.GRID // 2)
        form.addRow(tr("&Judges"), self.judges)
        form.addRow(tr("Sh&own"), self.shown)
        form.addRow(tr("&Prompt"), self.variant)
        form.addRow(tr("Seen as"), self.conditions)
        numbers = QHBoxLayout()
        numbers.setSpacing(theme.GRID)
        seed, budget = PlainLabel(tr("S&eed")), PlainLabel(tr("&Budget"))
        seed.setBuddy(self.seed)
        budget.setBuddy(self.budget)
        for widget in (self.seed, budget, self.budget):
            numbers.addWidget(widget)
        numbers.addStretch(1)
        numbers.addWidget(self.anew)
        numbers.addWidget(self.run)
        form.addRow(seed, numbers)
        column.addLayout(form)
        column.addWidget(self.ways)
        column.addWidget(self.progress)
        column.addWidget(self.notes)
        column.addSpacing(theme.GRID)
        column.addWidget(_heading(tr("People")))
        people = QHBoxLayout()
        people.setSpacing(theme.GRID)
        people.addWidget(self.answer)
        people.addWidget(self.own)
        people.addStretch(1)
        column.addLayout(people)
        column.addWidget(self.standing)
        column.addSpacing(theme.GRID)
        column.addWidget(_heading(tr("Runs of this set")))
        column.addWidget(self.runs, 1)


def _heading(text: str) -> QLabel:
    label = PlainLabel(text)
    label.setFont(theme.font(theme.POINTS, semibold=True))
    return label
