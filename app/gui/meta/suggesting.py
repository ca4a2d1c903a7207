"""Asks the chosen judges for one part of the meta information, or for questions that are made from it."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.core.jobs import Work
from app.core.judging.runs import asking
from app.core.judging.runs.wanted import AskRequest
from app.core.meta.suggesting import suggestion
from app.core.questions import esi
from app.core.questions.taking import THERE
from app.core.session import Session
from app.gui.context import Context
from app.gui.job_center import Result
from app.gui.judges.readying import once_files_are_known
from benchmark.tasks.esi_question import KEY
from project.errors import UserError
from project.judging import JudgeEntry, about_from
from project.queries.judgments import judgments_about
from project.types import Changes
from resources.translation import tr, trn

_NO_JUDGE = tr("Choose a judge first, in the list at the top.")


class Suggesting(QObject):
    """Starts jobs of the kind `ask` about a recording.

    Signals:
        told (str): what came of asking, or why nobody was asked.
    """

    told = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._works: list[Work] = []
        context.jobs.done.connect(self._on_done)
        context.jobs.stopped.connect(self._on_stopped)

    def ask_questions(self, recording_id: str, judges: Sequence[JudgeEntry], condition: str) -> None:
        """Let judges word ESI questions; what can be used becomes questions of the study when they have answered."""
        session = self._context.studio.session
        if session is None:
            return
        if not judges:
            self.told.emit(_NO_JUDGE)
            return
        try:
            self._prepare(session, esi.requests(session, [recording_id], judges, condition=condition))
        except UserError as error:
            self.told.emit(str(error))

    def ask(self, recording_id: str, task: str, judges: Sequence[JudgeEntry], condition: str) -> None:
        """Ask; answers that are there already are not asked for again."""
        session = self._context.studio.session
        if session is None:
            return
        if not judges:
            self.told.emit(_NO_JUDGE)
            return
        self._prepare(session, suggestion(recording_id, task, judges, condition))

    def _prepare(self, session: Session, request: AskRequest) -> None:
        once_files_are_known(self._context, request.judges, lambda: self._start(session, request))

    def _start(self, session: Session, request: AskRequest) -> None:
        if self._context.studio.session is not session:
            return
        try:
            found = asking.prepare(session, request)
        except UserError as error:
            self.told.emit(str(error))
            return
        if found.changes:
            self._context.studio.publish(found.changes)
        notes = " ".join(" ".join(part for part in (one.message, one.hint) if part) for one in found.notes)
        if found.work is not None:
            self._works.append(found.work)
            if request.task == KEY:
                self._context.jobs.after(found.work, lambda _result: self._take_questions(request.about))
            self._context.jobs.start(found.work)
            self.told.emit(f"{found.work.title}… {notes}".strip())
        elif request.task == KEY:
            self._take_questions(request.about, notes)
        else:
            self.told.emit(
                notes or tr("The study has the answers already: accept one, or edit the prompt and ask again.")
            )

    def _take_questions(self, about: Sequence[str], notes: str = "") -> None:
        """Make questions of all that judges worded about a recording and nothing was made from yet."""
        recordings = {about_from(one).id for one in about}
        told: list[str] = []

        def do(session: Session) -> Changes:
            said = [one for key in recordings for one in judgments_about(session.study, key, (KEY,))]
            made, changes = esi.take_in(session, said)
            told.append(
                tr("Made {count}; they are in the mode Questions.").format(
                    count=trn("{count} ESI question", "{count} ESI questions", len(made.ids))
                )
            )
            told.extend(
                tr("{number} left out: {why}").format(number=number, why=why)
                for why, number in made.skipped.items()
                if why != THERE
            )
            return changes

        if self._context.studio.edit(do, self):
            self.told.emit(" ".join([notes, *told]).strip())

    def _on_done(self, work: Work, result: Result) -> None:
        if any(one is work for one in self._works):
            self._works = [one for one in self._works if one is not work]
            self.told.emit(asking.summary(result))

    def _on_stopped(self, work: Work) -> None:
        if any(one is work for one in self._works):
            self._works = [one for one in self._works if one is not work]
            problem = self._context.jobs.problem_of(work)
            self.told.emit(tr("Stopped.") if problem is None else str(problem))
