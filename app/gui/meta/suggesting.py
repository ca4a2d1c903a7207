"""Asks the chosen judges for one part of the meta information."""

from collections.abc import Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, Signal

from app.core.jobs import Work
from app.core.judging.runs import asking
from app.core.judging.runs.wanted import AskRequest
from app.core.meta.suggesting import suggestion
from app.core.session import Session
from app.gui.context import Context
from app.gui.job_center import Result
from models.judges.means import Means
from models.judges.registry import judge_of
from project.errors import UserError
from project.judging import JudgeEntry

_FILES = "llama-cpp"


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

    def ask(self, recording_id: str, task: str, judges: Sequence[JudgeEntry], condition: str) -> None:
        """Ask; answers that are there already are not asked for again."""
        session = self._context.studio.session
        if session is None:
            return
        if not judges:
            self.told.emit("Choose a judge first: the list Judges above.")
            return
        request = suggestion(recording_id, task, judges, condition)
        # A checksum of a large file takes its time, once; it is worked out apart, so that it is there afterwards.
        slow = [one for one in judges if one.backend == _FILES]
        if slow:
            self._context.background.run(
                lambda _progress: _look_at_files(slow),
                lambda _none: self._start(session, request),
            )
        else:
            self._start(session, request)

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
            self._context.jobs.start(found.work)
            self.told.emit(f"{found.work.title}… {notes}".strip())
        else:
            self.told.emit(notes or "The study has the answers already: accept one, or edit the prompt and ask again.")

    def _on_done(self, work: Work, result: Result) -> None:
        if any(one is work for one in self._works):
            self._works = [one for one in self._works if one is not work]
            self.told.emit(asking.summary(result))

    def _on_stopped(self, work: Work) -> None:
        if any(one is work for one in self._works):
            self._works = [one for one in self._works if one is not work]
            problem = self._context.jobs.problem_of(work)
            self.told.emit("Stopped." if problem is None else str(problem))


def _look_at_files(judges: Sequence[JudgeEntry]) -> None:
    # What is wrong with a file is said where it is asked.
    for one in judges:
        with suppress(UserError, OSError):
            _ = judge_of(one, Means()).fingerprint
