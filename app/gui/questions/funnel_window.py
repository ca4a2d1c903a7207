"""The window of the funnel: how many questions survive each step, who fell where and why, and what is asked next."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.core.commands import thresholds
from app.core.commands.hardening import take_all_over, take_over
from app.core.questions.hardening.funnel import Stage
from app.core.questions.hardening.proposals import proposals_for
from app.core.questions.hardening.rules import Rule
from app.core.questions.hardening.steps import DISTRACTORS
from app.core.session import Session
from app.gui.context import Context
from app.gui.judges.readying import foretold
from app.gui.questions.funnel_computing import Found, FunnelComputing, whole_funnel
from app.gui.questions.funnel_layout import FunnelLayout
from app.gui.questions.funnel_words import bars_of, described, going_text, verdict_rows
from app.gui.questions.step_running import StepRunning
from project.judging import PERSON, RAW, JudgeEntry
from project.queries.judges import all_judges
from project.questions import WrongOption
from project.types import Changes
from resources.translation import tr, trn
from widgets.judges.plain_text import plainly
from widgets.judges.tick_menu import Entry
from widgets.plain_tip import plain_tip
from widgets.questions.proposal_view import Proposed

_FIRST = "review"


def make(context: Context) -> QWidget:
    """Make the window."""
    return FunnelWindow(context)


class FunnelWindow(FunnelLayout):
    """Follows the study while it is shown."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._found: Found | None = None
        self._step = _FIRST
        self.computing = FunnelComputing(context, self, whole_funnel, self.isVisible)
        self.running = StepRunning(context, self)
        self._join()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.computing.start()

    def show_step(self, key: str) -> None:
        """Show a step, as if it had been clicked."""
        self._step = key
        self._show()

    def judges(self) -> list[JudgeEntry]:
        """Return the judges that can be asked."""
        session = self._context.studio.session
        return [] if session is None else [one for one in all_judges(session.study) if one.backend != PERSON]

    def run_step(self) -> None:
        """Ask the judges that are ticked what the chosen step needs about the questions that reach it."""
        stage, found = self._stage(), self._found
        ticked = [one for one in self.judges() if one.id in self.ask_judges.chosen()]
        if stage is not None and found is not None and ticked:
            self.running.run(found.reading, stage.key, ticked, stage.entered, again=self.again.isChecked())

    def _join(self) -> None:
        self.funnel.chosen.connect(self.show_step)
        self.show_which.currentIndexChanged.connect(lambda _at: self._show_rows())
        self.table.chosen.connect(self._show_question)
        self.rule.changed.connect(self._set_rule)
        self.ask_judges.changed.connect(self._show_askable)
        self.run.clicked.connect(self.run_step)
        self.cancel.clicked.connect(self.running.cancel)
        self.take_all.clicked.connect(self._take_all)
        self.proposals.take_over_requested.connect(self._take)
        self.computing.found.connect(self._take_in)
        self.computing.working.connect(self.busy.setVisible)
        self.computing.refused.connect(self.going.setText)
        self.running.said.connect(self.say)
        self.running.progressed.connect(self.show_progress)
        self.running.running_changed.connect(self._on_running)
        self._context.studio.bridge.changed.connect(self._on_changed)

    def _take_in(self, found: Found) -> None:
        self._found = found
        self.funnel.show_bars(bars_of(found))
        self.going.setText(going_text(found))
        self._show()

    def _stage(self) -> Stage | None:
        return None if self._found is None else self._found.funnel.at(self._step)

    def _show(self) -> None:
        stage, found = self._stage(), self._found
        if stage is None or found is None:
            return
        step = stage.step
        self.funnel.choose(step.key)
        self.title.setText(step.name)
        self.description.setText(described(found, stage))
        self.rule.show_rule(step, stage.rule, self.judges(), writable=self._context.studio.writable)
        self.show_asks(bool(step.task), hardens=step.key == DISTRACTORS)
        self.ask_judges.set_entries([Entry(one.id, one.name) for one in self.judges()])
        self.take_all.setEnabled(self._context.studio.writable and self._proposed())
        self._show_askable()
        self._show_rows()

    def _show_rows(self) -> None:
        stage, found = self._stage(), self._found
        if stage is not None and found is not None:
            self.table.show_rows(verdict_rows(found, stage, str(self.show_which.currentData())))
            self._show_question(self.table.current())

    def _show_question(self, question_id: str) -> None:
        found = self._found
        one = None if found is None else found.reading.questions.get(question_id)
        if one is None or found is None:
            self.question.setText("")
            self.proposals.hide()
            return
        harder = self._step == DISTRACTORS
        letters = [f"{'✓' if text == one.answer else '·'} {plainly(text)}" for text in one.options]
        shown = [f"✓ {plainly(one.answer)}"] if harder else letters
        self.question.setText("\n".join([plainly(one.text), *shown]))
        self.proposals.setVisible(harder)
        if harder:
            proposed = [
                Proposed(each.judgment_id, each.judge, each.wrong, each.why_not)
                for each in proposals_for(found.reading, one)
            ]
            self.proposals.show_proposals(one.wrong, proposed, writable=self._context.studio.writable)

    def _proposed(self) -> bool:
        stage, found = self._stage(), self._found
        if stage is None or found is None or stage.key != DISTRACTORS:
            return False
        return any(proposals_for(found.reading, found.reading.questions[key]) for key in stage.entered)

    def _set_rule(self, rule: Rule) -> None:
        step = self._step
        if not self._context.studio.edit(lambda session: thresholds.set_rules(session, {step: rule})):
            self._show()

    def _take(self, _key: str, wrong: tuple[WrongOption, ...]) -> None:
        found, question_id = self._found, self.table.current()
        if found is None or question_id not in found.reading.states:
            return
        state = found.reading.states[question_id]
        if self._context.studio.edit(lambda session: take_over(session, question_id, state, wrong)):
            self.say(tr("Taken over. The question is open at every step until judges have scored it as it is now."))

    def _take_all(self) -> None:
        found, stage = self._found, self._stage()
        if found is None or stage is None:
            return
        ids = [one for one in stage.entered if one not in stage.taken_over]
        told: list[str] = []

        def edit(session: Session) -> Changes:
            changes, refused = take_all_over(session, found.reading, ids)
            told.append(
                tr("{count} got harder options.").format(
                    count=trn("{count} question", "{count} questions", len(changes.ids("question")))
                )
            )
            told.extend(tr("Not taken over: {why}").format(why=why) for why in dict.fromkeys(refused.values()))
            return changes

        self._context.studio.edit(edit)
        self.say("\n".join(told))

    def _show_askable(self) -> None:
        session, stage = self._context.studio.session, self._stage()
        if session is None or stage is None:
            return
        ticked = [one for one in self.judges() if one.id in self.ask_judges.chosen()]
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
        self.told_leaving.setText("\n".join(self._leaving(ticked, stage)))
        self.told_leaving.setVisible(bool(self.told_leaving.text()))

    def _leaving(self, judges: list[JudgeEntry], stage: Stage) -> list[str]:
        """Say before anything is asked whom the policy forbids to ask, and where what leaves would go."""
        session, found = self._context.studio.session, self._found
        if session is None or found is None or not stage.entered:
            return []
        recording = found.reading.questions[stage.entered[0]].recording_id
        lines: list[str] = []
        for judge in judges:
            forbidden, ways = foretold(session, judge, self.judges(), recording, RAW)
            lines += ways if forbidden is None else [f"{judge.name}: {forbidden}"]
        return [*dict.fromkeys(lines)]

    def _on_running(self, on: bool) -> None:
        self.cancel.setVisible(on)
        self._show_askable()

    def _on_changed(self, changes: Changes, _initiator: object) -> None:
        if changes.ids("judge") and self.isVisible():
            self._show()
