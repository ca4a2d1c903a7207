"""Builds the page of the mode Questions and joins it to the study.

Handles verification, judges' answers, and question generation from chains.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from app.gui.pages.commands import ModeKeys, PageKey
from app.gui.pages.context import Context
from app.gui.questions.question_authoring import AdversarialQuestionWriter
from app.gui.questions.question_jobs import ask_judges, judge_menu_items
from app.gui.questions.question_list import CHECKLISTS, HERE, MAKER_ACTIONS, SCOPE, answer_row
from app.gui.questions.questions_page import WRITE, QuestionsPage
from app.gui.questions.verify_panel import CORRECT, DROP, KEEP, QuestionFormValues
from benchmark.authoring import judge_questions
from benchmark.authoring.question_requests import DEFAULT_SETTING, QUESTION_SETTINGS, answer_request
from benchmark.authoring.rule_questions import QuestionGenerationResult, add_rule_questions
from benchmark.judging.ask_job import prepare
from benchmark.prompts.question_prompts import ANSWER_TASK
from benchmark.questions import verification
from benchmark.questions.question_edits import QuestionCorrection, is_author, reword_options
from benchmark.questions.question_validity import OPTION_COUNT, QuestionDraft, draft_problem
from benchmark.questions.verification import current_annotator_id
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.entities.questions import CHECKLIST_KEYS, DIFFICULTIES, VerificationDecision, WrongOption
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.chain_rows import chains_of
from project.queries.judgment_rows import all_judges, judgments_of_question
from project.session.session import Session
from resources.translation import tr, trn

_ANSWERS_HIDDEN_TEXT = tr("Verify the question first: what judges answer is shown to you afterwards.")


class QuestionAnswersController(QObject):
    """Fills the column of answers."""

    def __init__(self, context: Context, page: QuestionsPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._under_way = ""
        page.asking.ask_requested.connect(self._ask)
        page.asking.ask_all.clicked.connect(lambda: self._ask_about([row.key for row in page.list.rows()]))
        page.asking.judges.changed.connect(self._show)
        page.asking.add_requested.connect(lambda: context.trigger("mode_judges"))
        page.changed.connect(self._show)

    def _show(self) -> None:
        session, item, bar = self._page.session, self._page.current, self._page.asking
        if session is None or item is None:
            bar.set_ask_enabled(tr("Choose a question first."))
            bar.show_answers([])
            bar.show_status("")
            return
        question = item.question
        judges = [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
        bar.set_judges(judge_menu_items(session, judges, question.recording_id))
        reason = ""
        if not self._context.studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif not bar.judges.ticked_keys():
            reason = tr("Choose a judge first.")
        bar.set_ask_enabled(reason)
        who = current_annotator_id(session)
        if not item.is_verified_by(who) and not is_author(question, who):
            bar.show_answers([], _ANSWERS_HIDDEN_TEXT)
            return
        said = [
            judgment for judgment in judgments_of_question(session.study, question.id) if judgment.task == ANSWER_TASK
        ]
        bar.show_answers([answer_row(question, judgment) for judgment in said])
        if self._under_way != question.id:
            bar.show_status("" if said else tr("No judge was asked yet."))

    def _ask(self) -> None:
        if self._page.current is not None:
            self._ask_about([self._page.current.question.id])

    def _ask_about(self, ids: Sequence[str]) -> None:
        session, item, bar = self._page.session, self._page.current, self._page.asking
        if session is None or item is None:
            return
        chosen = {*bar.judges.ticked_keys()}
        judges = [judge for judge in all_judges(session.study) if judge.id in chosen]
        self._under_way = item.question.id
        bar.show_status(
            tr("Asking about {count}…").format(count=trn("{count} question", "{count} questions", len(ids)))
        )
        request = answer_request(judges, ids, bar.chosen_setting())
        ask_judges(self._context, request, self._on_answered, lambda: self._on_answered(()))

    def _on_answered(self, notes: Sequence[str]) -> None:
        self._under_way = ""
        self._show()
        if notes:
            self._page.asking.show_status("\n".join(notes))


def _choose_answer(place: int) -> Callable[["VerificationController"], object]:
    return lambda c: c.page.verify.choose_answer(place)


def _toggle_check(place: int) -> Callable[["VerificationController"], object]:
    return lambda c: c.page.verify.toggle_check(place)


class VerificationController(QObject):
    """Joins the panel with the commands."""

    def __init__(self, context: Context, page: QuestionsPage) -> None:
        super().__init__(page)
        self._context = context
        self.page = page
        panel = page.verify
        self._keys = ModeKeys(panel, KEYS, self)
        panel.form.save_requested.connect(lambda: panel.decide(CORRECT))
        panel.form.cancelled.connect(panel.stop_editing)
        panel.decided.connect(self._decide)
        panel.corrected.connect(self._correct)
        panel.form_changed.connect(self._check)
        panel.withdraw_requested.connect(self._withdraw)
        panel.step_requested.connect(page.step)
        panel.repeat_requested.connect(self.toggle_loop)

    def toggle_loop(self) -> None:
        """Repeat the span of the question, or stop doing so."""
        self.page.set_looping(on=not self._context.playback.looping)

    def _decide(self, decision: str) -> None:
        self._store_verification(VerificationDecision(decision), None)

    def _correct(self, words: QuestionFormValues) -> None:
        item = self.page.current
        if item is None:
            return
        wrong = reword_options(item.question, words.wrong)
        self._store_verification(
            VerificationDecision.CORRECT, QuestionCorrection(words.text, words.answer, wrong, words.explanation)
        )

    def _store_verification(self, decision: VerificationDecision, correction: QuestionCorrection | None) -> None:
        item, panel = self.page.current, self.page.verify
        if item is None:
            return
        said, checklist = panel.verification(), panel.chosen_checklist()
        # A correction counts as a verification: the question is good now.
        checks = said.checks if correction is None else CHECKLIST_KEYS[checklist]

        def do(session: Session) -> Changes:
            return verification.verify(
                *(session, item.question.id, decision, checks, said.difficulty, said.note, checklist, correction)
            )

        if not self._context.studio.edit(do, self):
            return
        if panel.is_editing():
            panel.stop_editing()
        self.page.reload_question(item.question.id)
        following = self.page.next_waiting()
        if following:
            self.page.go_to(following)
        else:
            self._context.studio.message.emit(tr("Nothing of this list waits for you any more."))

    def _withdraw(self) -> None:
        item = self.page.current
        if item is not None:
            do = self._context.studio.edit
            if do(lambda session: verification.withdraw_verification(session, item.question.id), self):
                self.page.reload_question(item.question.id)

    def _check(self, words: QuestionFormValues) -> None:
        item = self.page.current
        if item is None:
            return
        question = item.question
        wrong = tuple(WrongOption(text) for text in words.wrong)
        draft = QuestionDraft(
            question.kind, question.aspect, question.covers, words.text, words.answer, wrong, words.explanation
        )
        self.page.verify.form.show_problem(
            draft_problem(draft, len(question.wrong) + 1),
            tr("Ctrl+Return saves it, and says that every check holds then. Esc leaves it as it was."),
        )


KEYS: tuple[PageKey["VerificationController"], ...] = (
    PageKey("1 2 3 4 5", tr("This option is your answer")),
    *(PageKey(key, "", _choose_answer(place)) for place, key in enumerate("12345")),
    PageKey("V", tr("Show which option is right"), lambda c: c.page.verify.reveal()),
    PageKey("6 7 8 9 0", tr("This check holds, or not after all")),
    *(PageKey(key, "", _toggle_check(place)) for place, key in enumerate("67890")),
    PageKey("A", tr("All checks hold, or none"), lambda c: c.page.verify.toggle_all_checks()),
    PageKey("D", tr("Next label of difficulty"), lambda c: c.page.verify.cycle_difficulty()),
    PageKey("T", tr("Write a note"), lambda c: c.page.verify.write_note()),
    PageKey("Y", tr("Keep the question"), lambda c: c.page.verify.decide(KEEP)),
    PageKey("C", tr("Correct its words"), lambda c: c.page.verify.decide(CORRECT)),
    PageKey("X", tr("Drop the question"), lambda c: c.page.verify.decide(DROP)),
    PageKey("W", tr("Take back your verification"), lambda c: c.page.verify.request_withdrawal()),
    PageKey("N P", tr("Next or previous question")),
    PageKey("N", "", lambda c: c.page.step(1), repeats=True),
    PageKey("P", "", lambda c: c.page.step(-1), repeats=True),
    PageKey("R", tr("Repeat the span of the question"), lambda c: c.toggle_loop()),
)


class QuestionGenerationController(QObject):
    """Does what the menu of makers offers, for the recording or the study that is listed."""

    def __init__(self, context: Context, page: QuestionsPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        page.bar.make_requested.connect(self._generate)
        page.empty.button_clicked.connect(self._generate)

    def _generate(self, maker: str) -> None:
        if maker == "write":
            self._page.select_tab(WRITE)
            self._page.write.fields.text.setFocus()
        elif maker == "rules":
            self._generate_by_rules()
        else:
            self._choose_judge()

    def _generate_by_rules(self) -> None:
        def do(session: Session) -> Changes:
            made, changes = add_rule_questions(session, self._selected_chains(session))
            self._report(made)
            return changes

        self._context.studio.edit(do)

    def _choose_judge(self) -> None:
        session = self._context.studio.session
        if session is None:
            return
        judges = [judge for judge in all_judges(session.study) if judge.backend != PERSON_BACKEND]
        menu = QMenu(self._page)
        for judge in judges:
            menu.addAction(judge.name.replace("&", "&&")).triggered.connect(
                lambda _=False, one=judge: self._generate_with_judge(one)
            )
        if not judges:
            menu.addAction(tr("Add a judge in the mode Judges…")).triggered.connect(
                lambda: self._context.trigger("mode_judges")
            )
        menu.popup(QCursor.pos())

    def _generate_with_judge(self, judge: JudgeEntry) -> None:
        session = self._context.studio.session
        if session is None:
            return
        try:
            request = judge_questions.chain_requests(session, self._selected_chains(session), [judge])
        except UserError as error:
            self._context.studio.failed.emit(error)
            return

        def then(notes: Sequence[str]) -> None:
            def do(session: Session) -> Changes:
                # Everything is answered by now: asked once more, all answers are found in the study.
                made, changes = judge_questions.import_chain_questions(session, prepare(session, request).cached)
                self._report(made, notes)
                return changes

            self._context.studio.edit(do)

        ask_judges(self._context, request, then)

    def _selected_chains(self, session: Session) -> list[str]:
        """Return which chains are meant: none stands for all."""
        recording = self._context.studio.recording
        if self._page.bar.selected_key(SCOPE) != HERE or recording is None:
            return []
        found = [chain.id for chain in chains_of(session.study, recording.id)]
        if not found:
            raise UserError(tr("This recording has no chain yet."), tr("Draw a chain in the mode Chains first."))
        return found

    def _report(self, made: QuestionGenerationResult, notes: Sequence[str] = ()) -> None:
        kinds = ", ".join(f"{number} {kind}" for kind, number in made.by_kind.items() if number)
        said = tr("{count} made{words}.").format(
            count=trn("{count} question", "{count} questions", len(made.questions)),
            words=f" ({kinds})" if kinds else "",
        )
        if made.skipped:
            said += tr(" {number} left out: {skipped}").format(
                number=sum(made.skipped.values()), skipped=max(made.skipped, key=lambda reason: made.skipped[reason])
            )
        self._context.studio.message.emit(" ".join([said, *notes[:1]]))


def make_questions_page(context: Context) -> QWidget:
    """Return the page."""
    settings = {
        key: question_setting.name
        for key, question_setting in sorted(QUESTION_SETTINGS.items(), key=lambda item: item[0] != DEFAULT_SETTING)
    }
    page = QuestionsPage(context, MAKER_ACTIONS, CHECKLISTS, DIFFICULTIES, settings, OPTION_COUNT - 1)
    VerificationController(context, page)
    QuestionAnswersController(context, page)
    QuestionGenerationController(context, page)
    AdversarialQuestionWriter(context, page)
    return page
