"""What a study asks of questions at one step, to be read and changed."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from app.core.questions.hardening.rules import Rule, Several
from app.core.questions.hardening.steps import Needs, Step
from project.judging import JudgeEntry
from resources.translation import tr
from widgets import theme
from widgets.judges.tick_menu import Entry, TickMenu
from widgets.number_boxes import IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_SEVERAL = {Several.STRICTEST: tr("Every judge"), Several.MEAN: tr("Mean of judges")}


class RuleBar(QWidget):
    """Limit, runs, what counts of several judges, whose scores count, and whether the step decides.

    Signals:
        changed (Rule): somebody set one of them anew.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rule: Rule | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.side = PlainLabel()
        self.limit = self._number(tr("Limit"))
        self.side.setBuddy(self.limit)
        self.runs_label = PlainLabel(tr("Runs"))
        self.runs = self._number(tr("Runs"))
        self.runs.setToolTip(tr("How often each judge is asked about a question, with another seed each time"))
        self.runs_label.setBuddy(self.runs)
        self.several = QComboBox()
        self.several.setAccessibleName(tr("Where several judges scored a question"))
        self.several.setToolTip(tr("Every judge has to keep a question, or the mean of their values has to hold"))
        for key, name in _SEVERAL.items():
            self.several.addItem(name, key.value)
        self.several.currentIndexChanged.connect(self._tell)
        self.judges = TickMenu(tr("Whose scores count"), tr("Scores of everybody"))
        self.judges.changed.connect(self._tell)
        self.judges.setToolTip(tr("Whose scores count; all who scored a question where nobody is ticked"))
        for part in (self.side, self.limit, self.runs_label, self.runs, self.several):
            row.addWidget(part)
        row.addWidget(self.judges, 1)
        column.addLayout(row)
        self.decides = QCheckBox(tr("Leave out of verification and export what this step does not keep"))
        self.decides.toggled.connect(self._tell)
        column.addWidget(self.decides)

    def show_rule(self, step: Step, rule: Rule, judges: Sequence[JudgeEntry], *, writable: bool) -> None:
        """Show what a study asks at a step."""
        self._rule = None
        drops = step.needs is not Needs.NOTHING
        fixed = step.low == step.high
        self.side.setText(tr("Keep {needs}").format(needs=step.needs.value))
        for part in (self.side, self.limit):
            part.setVisible(drops and not fixed)
        self.limit.setRange(step.low, step.high)
        self.limit.setSuffix(f" {step.unit}" if step.unit else "")
        self.limit.setToolTip(
            plain_tip(
                tr("From {low} to {high}; usual is {limit}").format(low=step.low, high=step.high, limit=step.limit)
            )
        )
        self.limit.setValue(rule.limit)
        for other in (self.runs_label, self.runs):
            other.setVisible(drops and step.most_runs > step.runs)
        self.runs.setRange(step.runs, step.most_runs)
        self.runs.setValue(rule.runs)
        for one in (self.several, self.judges):
            one.setVisible(drops and bool(step.task))
        self.several.setCurrentIndex(self.several.findData(rule.several.value))
        self.judges.set_entries([Entry(one.id, one.name) for one in judges])
        self.judges.choose(rule.judges)
        self.decides.setVisible(drops)
        self.decides.setChecked(rule.decides)
        self.setEnabled(writable)
        self._rule = rule

    def _number(self, name: str) -> QSpinBox:
        made = IntegerBox()
        made.setAccessibleName(name)
        made.lineEdit().setAccessibleName(name)
        made.setKeyboardTracking(False)
        made.valueChanged.connect(self._tell)
        return made

    def _tell(self) -> None:
        if self._rule is None:
            return
        rule = replace(
            self._rule,
            limit=self.limit.value(),
            runs=self.runs.value(),
            several=Several(self.several.currentData()),
            judges=self.judges.chosen(),
            decides=self.decides.isChecked(),
        )
        if rule != self._rule:
            self._rule = rule
            self.changed.emit(rule)
