"""The filter window, which shows the funnel of question filters.

For each step it shows the rule, the questions that fell and why, and the judges to ask.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLayout, QSpinBox, QWidget

from app.gui.judges.request_facts import check_egress
from app.gui.pages.context import Context
from app.gui.pages.live import Live, LiveState
from app.gui.pages.study_view import StudyView
from app.gui.questions.filter_results import (
    ALL,
    NOT_KEPT,
    RELEVANT_TABLES,
    FunnelResult,
    compute_funnel,
    funnel_bars,
    step_description,
    survivors_text,
    verdict_rows,
)
from app.gui.questions.filter_views import VERDICT_COLUMNS, FunnelView, JudgeProposal, ProposalView
from app.gui.questions.question_jobs import FilterStepRunner
from benchmark.authoring import question_requests
from benchmark.questions.filter_funnel import FunnelStage, apply_newest_proposals, apply_options, newest_proposals
from benchmark.questions.filter_rules import DISTRACTORS, FilterRule, FilterStep, LimitSide, ScoreCombination
from project.entities.judgments import PERSON_BACKEND, RAW_CONDITION, JudgeEntry
from project.entities.questions import WrongOption
from project.entities.study_records import Changes
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.form.checklists import TickMenu, TickMenuItem
from widgets.form.controls import check_box, push_button
from widgets.form.input_fields import ChoiceBox, IntegerBox
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area, make_splitter
from widgets.form.wheel_guard import ComboBox
from widgets.progress_bars import ProgressBar, make_busy_line
from widgets.table.record_table import RecordTable
from widgets.text_labels import PlainLabel, escape_control_chars, plain_tip

_AGGREGATION_NAMES = {ScoreCombination.STRICTEST: tr("Every judge"), ScoreCombination.MEAN: tr("Mean of judges")}


class RuleBar(QWidget):
    """Limit, runs, what counts of several judges, whose scores count, and whether the step decides.

    Signals:
        changed (FilterRule): somebody changed one of them.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rule: FilterRule | None = None
        self.side = PlainLabel()
        self.limit = self._make_number_box(tr("Limit"))
        self.side.setBuddy(self.limit)
        self.runs_label = PlainLabel(tr("Runs"))
        self.runs = self._make_number_box(tr("Runs"))
        self.runs.setToolTip(tr("How often each judge is asked about a question, with another seed each time"))
        self.runs_label.setBuddy(self.runs)
        self.several = ChoiceBox(
            tr("Where several judges scored a question"),
            tr("Every judge has to keep a question, or the mean of their values has to hold"),
        )
        for key, name in _AGGREGATION_NAMES.items():
            self.several.addItem(name, key.value)
        self.several.currentIndexChanged.connect(self._emit_rule)
        self.judges = TickMenu(tr("Whose scores count"), tr("Scores of everybody"))
        self.judges.changed.connect(self._emit_rule)
        self.judges.setToolTip(tr("Whose scores count; all who scored a question where nobody is ticked"))
        self.decides = check_box(tr("Leave out of verification and export what this step does not keep"))
        self.decides.toggled.connect(self._emit_rule)
        self.setLayout(
            make_column(
                make_row(self.side, self.limit, self.runs_label, self.runs, self.several, self.judges, 1),
                self.decides,
                spacing=theme.GRID // 2,
            )
        )

    def show_rule(self, step: FilterStep, rule: FilterRule, judges: Sequence[JudgeEntry], *, writable: bool) -> None:
        """Show what a study asks at a step."""
        self._rule = None
        drops = step.needs is not LimitSide.NO_LIMIT
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
            other.setVisible(drops and step.max_runs > step.runs)
        self.runs.setRange(step.runs, step.max_runs)
        self.runs.setValue(rule.runs)
        for widget in (self.several, self.judges):
            widget.setVisible(drops and bool(step.task))
        self.several.setCurrentIndex(self.several.findData(rule.several.value))
        self.judges.set_entries([TickMenuItem(judge.id, judge.name) for judge in judges])
        self.judges.set_ticked(rule.judges)
        self.decides.setVisible(drops)
        self.decides.setChecked(rule.decides)
        self.setEnabled(writable)
        self._rule = rule

    def _make_number_box(self, name: str) -> QSpinBox:
        made = IntegerBox(accessibleName=name)
        made.lineEdit().setAccessibleName(name)
        made.setKeyboardTracking(False)
        made.valueChanged.connect(self._emit_rule)
        return made

    def _emit_rule(self) -> None:
        if self._rule is None:
            return
        rule = replace(
            self._rule,
            limit=self.limit.value(),
            runs=self.runs.value(),
            several=ScoreCombination(self.several.currentData()),
            judges=self.judges.ticked_keys(),
            decides=self.decides.isChecked(),
        )
        if rule != self._rule:
            self._rule = rule
            self.changed.emit(rule)


class FunnelLayout(StudyView):
    """The funnel on the left, what concerns the chosen step on the right."""

    title = tr("Filter questions")
    preferred_size = (1240, 780)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        survive = tr("How many questions survive")
        self.going = PlainLabel(wordWrap=True, accessibleName=survive, font=theme.font(semibold=True))
        self.busy = make_busy_line()
        self.funnel = FunnelView()
        scroll = make_scroll_area(self.funnel)
        scroll.setMinimumWidth(self.funnel.minimumSizeHint().width() + theme.GRID * 2)
        split = make_splitter(Qt.Orientation.Horizontal, scroll, self._make_right_part(), 1, sizes=[500, 720])
        self.progress = ProgressBar()
        self.progress.setAccessibleName(tr("Questions asked about"))
        self.progress.setMaximumWidth(220)
        self.progress.hide()
        self.lay_out(self.going, self.busy, split, 1, foot=(self.progress,))

    def show_ask_controls(self, asks: bool, *, hardens: bool) -> None:
        """Show what belongs to a step that asks judges, and to the one that hardens."""
        for part in (self.ask_label, self.ask_judges, self.again, self.run):
            part.setVisible(asks)
        self.take_all.setVisible(hardens)
        at = self.show_which.findData(ALL if hardens else NOT_KEPT)
        if hardens or self.show_which.currentData() == ALL:
            self.show_which.setCurrentIndex(at)
        self.show_which.setVisible(not hardens)

    def show_progress(self, done: int, total: int) -> None:
        """Show how far a run is; it is hidden where `total` is 0."""
        self.progress.setVisible(total > 0)
        self.progress.show_value(done, max(1, total))

    def _make_right_part(self) -> QWidget:
        large = theme.font(theme.POINTS + 3, semibold=True)
        self.step_name = PlainLabel(wordWrap=True, accessibleName=tr("Step"), font=large)
        self.description = PlainLabel(wordWrap=True, accessibleName=tr("What the step does"))
        self.rule = RuleBar()
        leaving = tr("What would leave this machine")
        self.told_leaving = PlainLabel(wordWrap=True, accessibleName=leaving, look="quiet", visible=False)
        self.show_which = ComboBox()
        self.show_which.setAccessibleName(tr("Which questions are shown"))
        for text, key in (
            (tr("What is not kept"), NOT_KEPT),
            (tr("What fell"), "fell"),
            (tr("What is open"), "open"),
            (tr("What is kept"), "kept"),
            (tr("All that reach it"), ALL),
        ):
            self.show_which.addItem(text, key)
        self.table = RecordTable(tr("Questions at this step"), VERDICT_COLUMNS, empty=tr("No question is listed here."))
        return make_panel(
            make_column(
                self.step_name,
                self.description,
                self.rule,
                self._make_ask_row(),
                self.told_leaving,
                make_row(self.show_which, None),
                make_splitter(Qt.Orientation.Vertical, self.table, 2, self._make_detail(), 1, sizes=[300, 180]),
                1,
                margin=(theme.GRID, 0, 0, 0),
            )
        )

    def _make_ask_row(self) -> QLayout:
        self.ask_label = PlainLabel(tr("Run this step &with"))
        self.ask_judges = TickMenu(tr("Judges that are asked"), tr("Choose judges"))
        self.ask_label.setBuddy(self.ask_judges)
        self.again = check_box(tr("Also what was refused"), tr("Ask again what was refused or could not be read"))
        self.run = push_button(tr(" &Run step"), icon="play", look="primary")
        self.cancel = push_button(tr("Cance&l"), tr("Stop asking; what was answered stays"), visible=False)
        self.take_all = push_button(
            tr("Take over &all"),
            tr("Give every question here the newest proposal that can be used; one undo takes it back"),
        )
        asked = make_row(self.ask_label, self.ask_judges, 1)
        return make_column(asked, make_row(self.again, None, self.run, self.cancel, self.take_all))

    def _make_detail(self) -> QWidget:
        self.question = PlainLabel(
            wordWrap=True,
            accessibleName=tr("Question"),
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
        )
        self.proposals = ProposalView()
        self.proposals.hide()
        return make_scroll_area(
            make_panel(make_column(self.question, self.proposals, None, margin=(0, theme.GRID // 2, theme.GRID, 0)))
        )


_FIRST_STEP = "review"


class FilterTab(FunnelLayout):
    """Follows the study while it is shown."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: FunnelResult | None = None
        self._step = _FIRST_STEP
        self.computing = Live(
            *(context, self, RELEVANT_TABLES, lambda: compute_funnel),
            wanted=self.isVisible,
            automatic_below_s=math.inf,
        )
        self.running = FilterStepRunner(context, self)
        self._connect_signals()

    def reload(self, _session: Session) -> None:
        self.computing.start()

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        if changes.ids("judge") and self.isVisible():
            self._show()
        return bool(RELEVANT_TABLES & changes.tables.keys()) and not self.isVisible()

    def show_step(self, key: str) -> None:
        """Show a step, as if it had been clicked."""
        self._step = key
        self._show()

    def judges(self) -> list[JudgeEntry]:
        """Return the judges that can be asked."""
        session = self._context.studio.session
        return (
            [] if session is None else [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
        )

    def run_step(self) -> None:
        """Ask the judges that are ticked what the chosen step needs about the questions that reach it."""
        stage, found = self._current_stage(), self._found
        ticked = [judge for judge in self.judges() if judge.id in self.ask_judges.ticked_keys()]
        if stage is not None and found is not None and ticked:
            self.running.run(found.funnel_input, stage.key, ticked, stage.entered, again=self.again.isChecked())

    def _connect_signals(self) -> None:
        self.funnel.step_chosen.connect(self.show_step)
        self.show_which.currentIndexChanged.connect(lambda _at: self._show_rows())
        self.table.selection_changed.connect(self._show_question)
        self.rule.changed.connect(self._set_rule)
        self.ask_judges.changed.connect(self._update_run_button)
        self.run.clicked.connect(self.run_step)
        self.cancel.clicked.connect(self.running.cancel)
        self.take_all.clicked.connect(self._adopt_all_proposals)
        self.proposals.adopt_requested.connect(self._adopt_proposal)
        self.computing.finished.connect(self._on_result)
        self.computing.changed.connect(self._show_state)
        self.running.message.connect(self.tell)
        self.running.progressed.connect(self.show_progress)
        self.running.running_changed.connect(self._on_running)

    def _show_state(self) -> None:
        self.busy.setVisible(self.computing.state is LiveState.WORKING)
        if self.computing.state is LiveState.FAILED:
            self.going.setText(self.computing.error)

    def _on_result(self, found: FunnelResult) -> None:
        self._found = found
        self.funnel.show_bars(funnel_bars(found))
        self.going.setText(survivors_text(found))
        self._show()

    def _current_stage(self) -> FunnelStage | None:
        return None if self._found is None else self._found.funnel.stage(self._step)

    def _show(self) -> None:
        stage, found = self._current_stage(), self._found
        if stage is None or found is None:
            return
        step = stage.step
        self.funnel.choose(step.key)
        self.step_name.setText(step.name)
        self.description.setText(step_description(found, stage))
        self.rule.show_rule(step, stage.rule, self.judges(), writable=self._context.studio.writable)
        self.show_ask_controls(bool(step.task), hardens=step.key == DISTRACTORS)
        self.ask_judges.set_entries([TickMenuItem(judge.id, judge.name) for judge in self.judges()])
        self.take_all.setEnabled(self._context.studio.writable and self._has_proposals())
        self._update_run_button()
        self._show_rows()

    def _show_rows(self) -> None:
        stage, found = self._current_stage(), self._found
        if stage is not None and found is not None:
            self.table.show_records(verdict_rows(found, stage, str(self.show_which.currentData())))
            if self.table.current() is None and self.table.records():
                self.table.selectRow(0)
            self._show_question()

    def _show_question(self) -> None:
        found, question_id = self._found, self.table.current_key()
        question = None if found is None else found.funnel_input.questions.get(question_id)
        if question is None or found is None:
            self.question.setText("")
            self.proposals.hide()
            return
        harder = self._step == DISTRACTORS
        letters = [
            f"{'✓' if option == question.answer else '·'} {escape_control_chars(option)}" for option in question.options
        ]
        shown = [f"✓ {escape_control_chars(question.answer)}"] if harder else letters
        self.question.setText("\n".join([escape_control_chars(question.text), *shown]))
        self.proposals.setVisible(harder)
        if harder:
            proposed = [
                JudgeProposal(proposal.judgment_id, proposal.judge, proposal.wrong, proposal.rejection_reason)
                for proposal in newest_proposals(found.funnel_input, question)
            ]
            self.proposals.show_proposals(question.wrong, proposed, writable=self._context.studio.writable)

    def _has_proposals(self) -> bool:
        stage, found = self._current_stage(), self._found
        if stage is None or found is None or stage.key != DISTRACTORS:
            return False
        return any(newest_proposals(found.funnel_input, found.funnel_input.questions[key]) for key in stage.entered)

    def _set_rule(self, rule: FilterRule) -> None:
        step = self._step
        if not self._context.studio.edit(lambda session: question_requests.set_rules(session, {step: rule})):
            self._show()

    def _adopt_proposal(self, _key: str, wrong: tuple[WrongOption, ...]) -> None:
        found, question_id = self._found, self.table.current_key()
        if found is None or question_id not in found.funnel_input.states:
            return
        state = found.funnel_input.states[question_id]
        if self._context.studio.edit(lambda session: apply_options(session, question_id, state, wrong)):
            self.tell(tr("Taken over. The question is open at every step until judges have scored it as it is now."))

    def _adopt_all_proposals(self) -> None:
        found, stage = self._found, self._current_stage()
        if found is None or stage is None:
            return
        ids = [question_id for question_id in stage.entered if question_id not in stage.with_proposed_options]
        told: list[str] = []

        def edit(session: Session) -> Changes:
            changes, refused = apply_newest_proposals(session, found.funnel_input, ids)
            told.append(
                tr("{count} got harder options.").format(
                    count=trn("{count} question", "{count} questions", len(changes.ids("question")))
                )
            )
            told.extend(tr("Not taken over: {why}").format(why=why) for why in dict.fromkeys(refused.values()))
            return changes

        self._context.studio.edit(edit)
        self.tell("\n".join(told))

    def _update_run_button(self) -> None:
        session, stage = self._context.studio.session, self._current_stage()
        if session is None or stage is None:
            return
        ticked = [judge for judge in self.judges() if judge.id in self.ask_judges.ticked_keys()]
        reason = ""
        if not self._context.studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif self.running.running:
            reason = tr("Judges are being asked already.")
        elif not self.judges():
            reason = tr("Add a judge first: the mode Judges, Add judge.")
        elif not ticked:
            reason = tr("Choose a judge first.")
        elif not stage.entered:
            reason = tr("No question reaches this step.")
        self.run.setEnabled(not reason)
        self.run.setToolTip(
            plain_tip(
                reason
                or tr("Ask about the {count} that reach this step").format(
                    count=trn("{count} question", "{count} questions", len(stage.entered))
                )
            )
        )
        self.told_leaving.setText("\n".join(self._egress_lines(ticked, stage)))
        self.told_leaving.setVisible(bool(self.told_leaving.text()))

    def _egress_lines(self, judges: list[JudgeEntry], stage: FunnelStage) -> list[str]:
        """Say before anything is asked whom the policy forbids to ask, and where what leaves would go."""
        session, found = self._context.studio.session, self._found
        if session is None or found is None or not stage.entered:
            return []
        recording = found.funnel_input.questions[stage.entered[0]].recording_id
        lines: list[str] = []
        for judge in judges:
            forbidden, ways = check_egress(session, judge, self.judges(), recording, RAW_CONDITION)
            lines += ways if forbidden is None else [f"{judge.name}: {forbidden}"]
        return [*dict.fromkeys(lines)]

    def _on_running(self, on: bool) -> None:
        self.cancel.setVisible(on)
        self._update_run_button()
