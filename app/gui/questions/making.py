"""Makes questions from the chains: by rules at once, or with judges, in a job."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from app.core.judging.runs.asking import prepare
from app.core.questions import by_judge
from app.core.questions.making import Made, make_by_rules
from app.core.session import Session
from app.gui.context import Context
from app.gui.questions.judging import ask
from app.gui.questions.words import HERE
from project.errors import UserError
from project.judging import PERSON, JudgeEntry
from project.queries.chains import chains_of
from project.queries.judges import all_judges
from project.types import Changes
from resources.translation import tr, trn
from widgets.questions.list_bar import SCOPE
from widgets.questions.page import WRITE, QuestionsPage


class Making(QObject):
    """Does what the menu of makers offers, for the recording or the study that is listed."""

    def __init__(self, context: Context, page: QuestionsPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        page.bar.make_requested.connect(self._make)
        page.empty_chosen.connect(self._make)

    def _make(self, maker: str) -> None:
        if maker == "write":
            self._page.choose_tab(WRITE)
            self._page.write.fields.text.setFocus()
        elif maker == "rules":
            self._by_rules()
        else:
            self._choose_judge()

    def _by_rules(self) -> None:
        def do(session: Session) -> Changes:
            made, changes = make_by_rules(session, self._chains(session))
            self._tell(made)
            return changes

        self._context.studio.edit(do)

    def _choose_judge(self) -> None:
        session = self._context.studio.session
        if session is None:
            return
        judges = [one for one in all_judges(session.study) if one.backend != PERSON]
        menu = QMenu(self._page)
        for one in judges:
            menu.addAction(one.name.replace("&", "&&")).triggered.connect(lambda _=False, one=one: self._by_judge(one))
        if not judges:
            menu.addAction(tr("Add a judge in the mode Judges…")).triggered.connect(
                lambda: self._context.trigger("mode_judges")
            )
        menu.popup(QCursor.pos())

    def _by_judge(self, judge: JudgeEntry) -> None:
        session = self._context.studio.session
        if session is None:
            return
        try:
            request = by_judge.requests(session, self._chains(session), [judge])
        except UserError as error:
            self._context.studio.failed.emit(error)
            return

        def then(notes: Sequence[str]) -> None:
            def do(session: Session) -> Changes:
                # Everything is answered by now: asked once more, all answers are found in the study.
                made, changes = by_judge.take_in(session, prepare(session, request).cached)
                self._tell(made, notes)
                return changes

            self._context.studio.edit(do)

        ask(self._context, request, then)

    def _chains(self, session: Session) -> list[str]:
        """Return which chains are meant: none stands for all."""
        recording = self._context.studio.recording
        if self._page.bar.chosen(SCOPE) != HERE or recording is None:
            return []
        found = [one.id for one in chains_of(session.study, recording.id)]
        if not found:
            raise UserError(tr("This recording has no chain yet."), tr("Draw one in the mode Chains first."))
        return found

    def _tell(self, made: Made, notes: Sequence[str] = ()) -> None:
        kinds = ", ".join(f"{number} {kind}" for kind, number in made.by_kind.items() if number)
        said = tr("{count} made{words}.").format(
            count=trn("{count} question", "{count} questions", len(made.ids)), words=f" ({kinds})" if kinds else ""
        )
        if made.skipped:
            said += tr(" {number} left out: {skipped}").format(
                number=sum(made.skipped.values()), skipped=max(made.skipped, key=lambda one: made.skipped[one])
            )
        self._context.studio.told.emit(" ".join([said, *notes[:1]]))
