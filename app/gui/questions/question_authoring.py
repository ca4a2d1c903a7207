"""Adversarial authoring of questions.

A question is checked while it is typed, tried on judges, and kept when all of them fail.
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.gui.pages.context import Context
from app.gui.questions.question_jobs import ask_judges, judge_menu_items
from app.gui.questions.question_list import answer_row
from app.gui.questions.questions_page import WRITE, QuestionsPage
from app.gui.questions.verify_panel import QuestionFormValues
from benchmark.authoring import chain_suggestions
from benchmark.authoring.adversarial_authoring import (
    all_judges_failed,
    read_trial_answers,
    record_trial,
    write_question,
    written_question_problem,
)
from benchmark.authoring.question_requests import answer_request
from benchmark.judging.ask_job import prepare
from benchmark.prompts.question_prompts import ANSWER_TASK
from benchmark.questions.question_edits import QuestionCorrection, correct_question, is_author
from benchmark.questions.verification import VerificationItem, current_annotator_id
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.entities.questions import QuestionKind, WrongOption
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.judgment_rows import all_judges, find_judgments, judgments_of_question
from project.queries.question_rows import find_question
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr, trn

_MAX_UNREAD = 4
_CHAIN_DRAWN_TEXT = tr("A chain was drawn: correct it in the mode Chains (Ctrl+6).")


class AdversarialQuestionWriter(QObject):
    """Works on one question of the current annotator: the one that is shown where they wrote it, else a new one."""

    def __init__(self, context: Context, page: QuestionsPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._panel = page.write
        self._span: tuple[int, int] | None = None
        self._id = ""
        self._told: tuple[str, ...] = ()
        panel, studio = self._panel, context.studio
        panel.changed.connect(self._check)
        panel.take.clicked.connect(self._use_selected_span)
        panel.new_requested.connect(self._start_new)
        panel.save_requested.connect(lambda: self._save())
        panel.draft.clicked.connect(self._draft_chain)
        panel.asking.ask_requested.connect(self._ask_judges)
        panel.asking.judges.changed.connect(self._check)
        panel.asking.add_requested.connect(lambda: context.trigger("mode_judges"))
        page.tab_changed.connect(lambda tab: self._open_shown() if tab == WRITE else None)
        page.question_chosen.connect(lambda _id: self._open_shown())
        page.changed.connect(self._refresh)
        for signal in (studio.selection_changed, studio.marks_changed):
            signal.connect(self._follow_span)
        studio.session_changed.connect(self._start_new)
        studio.recording_changed.connect(self._start_new)

    # What is written

    def _open_shown(self) -> None:
        """Take up the question that is shown, where the current annotator wrote it."""
        session, item = self._page.session, self._page.current
        if session is None or item is None or item.question.id == self._id:
            return
        if is_author(item.question, current_annotator_id(session)):
            question = item.question
            self._id, self._span = question.id, (question.start_us, question.end_us)
            wrong = tuple(option.text for option in question.wrong)
            self._panel.set_values(QuestionFormValues(question.text, question.answer, wrong, question.explanation))
            self._told = ()
        elif self._id:
            self._start_new()
        self._refresh()

    def _start_new(self) -> None:
        self._id, self._span, self._told = "", None, ()
        self._panel.set_values(QuestionFormValues())
        self._follow_span()
        self._refresh()

    def _use_selected_span(self) -> None:
        span = self._context.playback.current_span()
        if span is None:
            self._context.studio.message.emit(
                tr("Select something on the timeline, or mark a start and an end (I, O).")
            )
            return
        self._span = span
        self._refresh()

    def _follow_span(self) -> None:
        if not self._id and not self._panel.values().text:
            self._span = self._context.playback.current_span()
            self._check()

    def _problem(self) -> str:
        words = self._panel.values()
        if reason := written_question_problem(words.text, words.answer, words.wrong, words.explanation):
            return reason
        if self._context.studio.recording is None and not self._id:
            return tr("No recording is open.")
        if self._span is None:
            return tr("Choose what is shown with it: select something on the timeline, or mark a start and an end.")
        return ""

    def _check(self) -> None:
        session, panel, reason = self._page.session, self._panel, self._problem()
        span = self._span
        panel.span.setText(
            tr("No span yet")
            if span is None
            else tr("{start} to {end}").format(start=format_time(span[0]), end=format_time(span[1]))
        )
        panel.fields.show_problem(reason, tr("It can be tried."))
        writable = self._context.studio.writable
        panel.save.setEnabled(writable and not reason)
        panel.draft.setEnabled(writable and bool(self._id) and self._first_selected_judge() is not None)
        asked = panel.asking.judges.ticked_keys()
        barred = "" if writable else tr("This study is read-only.")
        panel.asking.set_ask_enabled(barred or reason or ("" if asked else tr("Choose a judge first.")))
        if session is None:
            panel.asking.set_ask_enabled(tr("Open a study first."))

    def _save(self) -> bool:
        """Save what stands in the form; returns whether it is in the study as it stands."""
        words, span, recording = self._panel.values(), self._span, self._context.studio.recording
        if span is None or self._problem():
            return False

        def do(session: Session) -> Changes:
            if self._id:
                wrong = [WrongOption(text) for text in words.wrong]
                correction = QuestionCorrection(words.text, words.answer, wrong, words.explanation, *span)
                return correct_question(session, self._id, correction)
            assert recording is not None
            self._id, changes = write_question(
                *(session, recording.id, words.text, words.answer, words.wrong, words.explanation, *span)
            )
            return changes

        if not self._context.studio.edit(do, self):
            return False
        self._page.refresh()
        self._page.show_without_seeking(self._id)
        return True

    # Trying it

    def _ask_judges(self) -> None:
        session = self._page.session
        if session is None or not self._save():
            return
        chosen = {*self._panel.asking.judges.ticked_keys()}
        judges = [judge for judge in all_judges(session.study) if judge.id in chosen]
        request, about = answer_request(judges, [self._id], self._panel.asking.chosen_setting()), self._id
        self._told = (tr("Asking…"),)
        self._refresh()

        def then(notes: Sequence[str]) -> None:
            def do(session: Session) -> Changes:
                question = find_question(session.study, about)
                if question is None:
                    return Changes()
                answers = read_trial_answers(session, question, request)
                kept = all_judges_failed(answers, [judge.id for judge in judges])
                fine = tr("Kept: all of them failed. Two others verify it before it counts.")
                right = ", ".join(answer.judge for answer in answers if answer.right)
                still = (
                    tr("Still a draft: {right} gave the right answer.").format(right=right)
                    if right
                    else tr("Still a draft: no answer is no failure.")
                )
                self._told = (fine if kept else still, *notes)
                return record_trial(session, about, answers, [judge.id for judge in judges])

            self._context.studio.edit(do, self)
            self._page.refresh()
            self._refresh()

        def stopped() -> None:
            self._told = ()
            self._refresh()

        ask_judges(self._context, request, then, stopped)

    def _refresh(self) -> None:
        session, panel = self._page.session, self._panel
        if session is None:
            self._check()
            return
        recording = self._context.studio.recording
        judges = [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
        panel.asking.set_judges(judge_menu_items(session, judges, recording.id if recording is not None else ""))
        item = next((item for item in self._page.all if item.question.id == self._id), None)
        panel.state.setText(_state_text(item))
        panel.asking.show_status("\n".join(self._told))
        said = judgments_of_question(session.study, self._id) if item is not None else []
        panel.asking.show_answers(
            [
                answer_row(item.question, judgment)
                for judgment in said
                if item is not None and judgment.task == ANSWER_TASK
            ]
        )
        self._check()

    # From the explanation to a chain

    def _first_selected_judge(self) -> JudgeEntry | None:
        session, chosen = self._page.session, self._panel.asking.judges.ticked_keys()
        known = all_judges(session.study) if session is not None else []
        return next((judge_entry for judge_entry in known if judge_entry.id in chosen), None)

    def _draft_chain(self) -> None:
        judge = self._first_selected_judge()
        if judge is None or not self._save():
            return
        request = chain_suggestions.explanation_chain_request(self._id, judge)

        def then(notes: Sequence[str]) -> None:
            def do(session: Session) -> Changes:
                answers = prepare(session, request).cached
                if not answers:
                    raise UserError(
                        tr("The judge drew no chain."), " ".join(notes) or tr("Ask again, or ask another judge.")
                    )
                judgment = find_judgments(session.study, [answers[0].id])[0]
                _, changes = chain_suggestions.add_chain_draft(session, judgment)
                self._told = (
                    _CHAIN_DRAWN_TEXT,
                    *_unread_lines(chain_suggestions.read_chain_answer(session, judgment).problems),
                )
                return changes

            if self._context.studio.edit(do, self):
                self._refresh()

        ask_judges(self._context, request, then)


def _unread_lines(unread: Sequence[str]) -> list[str]:
    """Say what of a draft is not in the chain."""
    if not unread:
        return []
    more = [tr("and {value} more").format(value=len(unread) - _MAX_UNREAD)] if len(unread) > _MAX_UNREAD else []
    return [
        tr("{count} of what the judge wrote left out:").format(
            count=trn("{count} place", "{count} places", len(unread))
        ),
        *unread[:_MAX_UNREAD],
        *more,
    ]


def _state_text(item: VerificationItem | None) -> str:
    if item is None or item.question.kind is not QuestionKind.WRITTEN:
        return tr("A new question: trying it saves it as a draft.")
    if item.ready:
        return tr("Kept, and {standing}: two others have to approve of it before it counts.").format(
            standing=item.state.value
        )
    return tr("A draft: it is kept once every judge of a try gave a wrong answer.")
