"""What judges answered to the question that is shown, once whoever works here has verified it; and asking them."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.core.questions.seen import is_author
from app.core.questions.settings import request_for
from app.core.questions.verifying import me
from app.gui.context import Context
from app.gui.questions.judging import ask, entries_of
from app.gui.questions.showing import Showing
from app.gui.questions.words import answer_row
from benchmark.tasks.answer import KEY as ANSWER
from project.judging import PERSON
from project.queries.judges import all_judges
from project.queries.judgments import judgments_of_question
from resources.translation import tr, trn
from widgets.questions.page import QuestionsPage

_HIDDEN = tr("Verify the question first: what judges answer is shown to you afterwards.")


class Answers(QObject):
    """Fills the column of answers."""

    def __init__(self, context: Context, page: QuestionsPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._under_way = ""
        page.asking.ask_requested.connect(self._ask)
        page.asking.ask_all_requested.connect(self._ask_all)
        page.asking.judges.changed.connect(self._show)
        page.asking.add_requested.connect(lambda: context.trigger("mode_judges"))
        shown.renewed.connect(self._show)

    def _show(self) -> None:
        session, one, bar = self._shown.session, self._shown.current, self._page.asking
        if session is None or one is None:
            bar.set_askable(tr("Choose a question first."))
            bar.show_answers([])
            bar.say("")
            return
        question = one.question
        judges = [each for each in all_judges(session.study) if each.backend != PERSON]
        bar.set_judges(entries_of(session, judges, question.recording_id))
        reason = ""
        if not self._context.studio.writable:
            reason = session.study.read_only_reason or tr("This study is read-only.")
        elif not bar.judges.chosen():
            reason = tr("Choose a judge first.")
        bar.set_askable(reason)
        who = me(session)
        if not one.looked_at_by(who) and not is_author(question, who):
            bar.show_answers([], _HIDDEN)
            return
        said = [each for each in judgments_of_question(session.study, question.id) if each.task == ANSWER]
        bar.show_answers([answer_row(question, each) for each in said])
        if self._under_way != question.id:
            bar.say("" if said else tr("No judge was asked yet."))

    def _ask(self) -> None:
        if self._shown.current is not None:
            self._ask_about([self._shown.current.question.id])

    def _ask_all(self) -> None:
        self._ask_about([row.key for row in self._page.list.rows()])

    def _ask_about(self, ids: Sequence[str]) -> None:
        session, one, bar = self._shown.session, self._shown.current, self._page.asking
        if session is None or one is None:
            return
        chosen = {*bar.judges.chosen()}
        judges = [each for each in all_judges(session.study) if each.id in chosen]
        self._under_way = one.question.id
        bar.say(tr("Asking about {count}…").format(count=trn("{count} question", "{count} questions", len(ids))))
        request = request_for(judges, ids, bar.chosen_setting())
        ask(self._context, request, self._done, lambda: self._done(()))

    def _done(self, notes: Sequence[str]) -> None:
        self._under_way = ""
        self._show()
        if notes:
            self._page.asking.say("\n".join(notes))
