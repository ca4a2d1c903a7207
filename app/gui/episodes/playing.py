"""Lets judges take their turns in an episode, one job of the kind `ask` after the other, beside the window."""

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.episodes.playing import Taken, add_turn, newest_answer, prepare_turn, take_answer
from app.core.episodes.state import EpisodeState, state_of
from app.core.jobs import Work
from app.core.judging.runs.asking import Asking
from app.core.judging.runs.outcome import outcome_from
from app.core.session import Session
from app.gui.context import Context
from app.gui.job_center import Result
from app.gui.judges.readying import once_files_are_known
from project.episodes import Player
from project.errors import UserError
from project.judging import Judgment
from project.queries.judges import all_judges
from project.turns import Turn
from project.types import Changes
from resources.translation import tr


class Playing(QObject):
    """Plays one episode at a time, until a person has to act, it is over, or somebody stops it.

    Signals:
        changed: whether a judge is asked changed, or a turn was taken.
        told (str): what is going on, or why it stopped.
    """

    changed = Signal()
    told = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._recording_id = ""
        self._session: Session | None = None
        self._work: Work | None = None
        self._going = False
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._go)
        context.jobs.done.connect(self._on_done)
        context.jobs.stopped.connect(self._on_stopped)
        context.studio.leaving.connect(self._forget)

    @property
    def running(self) -> str:
        """The recording whose judges are asked; "" while none are."""
        return self._recording_id if self._going else ""

    def play(self, recording_id: str) -> None:
        """Let the judges act until a person has to, or it is over."""
        session = self._context.studio.session
        if self._going or session is None:
            return
        self._session, self._recording_id, self._going = session, recording_id, True
        self.told.emit("")
        self.changed.emit()
        self._next.start()

    def stop(self) -> None:
        """Stop after what is there; a judge that is asked is not asked any further."""
        work, self._work = self._work, None
        self._end(tr("Stopped. Play on whenever you like."))
        if work is not None:
            self._context.jobs.cancel(work)

    def act(self, recording_id: str, position: int, turn: Turn) -> bool:
        """Take a person's turn, then let the judges go on; tells whether it was taken."""
        done = self._context.studio.edit(lambda session: add_turn(session, recording_id, position, turn), self)
        if done:
            self.changed.emit()
            self.play(recording_id)
        return done

    def _go(self) -> None:
        session = self._session
        if not self._going or session is None or session is not self._context.studio.session:
            return
        try:
            state = state_of(session, self._recording_id)
        except UserError as error:
            self._end(str(error))
            return
        who = state.following
        if who is None or who.player is not Player.JUDGE:
            self._end("")
            return
        judges = [one for one in all_judges(session.study) if one.id == who.judge_id]
        once_files_are_known(self._context, judges, lambda: self._ask(session, state))

    def _ask(self, session: Session, state: EpisodeState) -> None:
        if not self._going or session is not self._context.studio.session:
            return
        try:
            asking = prepare_turn(session, state)
        except UserError as error:
            self._end(str(error))
            return
        if asking.changes:
            self._context.studio.publish(asking.changes)
        self._started(state, asking)

    def _started(self, state: EpisodeState, asking: Asking) -> None:
        if asking.cached:
            self._take(state, asking.cached[0])
            return
        assert asking.work is not None, tr("what is not there has to be asked")
        self._work = asking.work
        self.told.emit(tr("A judge is thinking…"))
        self._context.jobs.start(asking.work)

    def _on_done(self, work: Work, result: Result) -> None:
        session = self._session
        if work is not self._work or session is None:
            return
        self._work = None
        try:
            state = state_of(session, self._recording_id)
            answer = newest_answer(session, state)
        except UserError as error:
            self._end(str(error))
            return
        if answer is None:
            notes = outcome_from(result).notes
            why = " ".join(part for part in (notes[0].title(), notes[0].hint) if part) if notes else ""
            self._end(why or tr("Nothing came back for this turn."))
            return
        self._take(state, answer)

    def _take(self, state: EpisodeState, answer: Judgment) -> None:
        taken: list[Taken] = []

        def do(session: Session) -> Changes:
            taken.append(take_answer(session, state, answer))
            return taken[0].changes

        problems: list[str] = []
        failed = self._context.studio.failed
        joined = failed.connect(lambda error: problems.append(str(error)))
        done = self._context.studio.edit(do, self)
        failed.disconnect(joined)
        if not done:
            self._end(" ".join(problems))
            return
        self.told.emit(taken[0].why_none)
        self.changed.emit()
        self._next.start()

    def _on_stopped(self, work: Work) -> None:
        if work is self._work:
            self._work = None
            problem = self._context.jobs.problem_of(work)
            self._end(tr("Stopped. Play on whenever you like.") if problem is None else str(problem))

    def _end(self, text: str) -> None:
        self._going = False
        self._next.stop()
        if text:
            self.told.emit(text)
        self.changed.emit()

    def _forget(self) -> None:
        self._work, self._session = None, None
        self._going = False
