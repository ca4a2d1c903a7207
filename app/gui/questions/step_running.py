"""Asks judges for what a step still needs, as jobs of the kind `ask`, and says how far that is."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.jobs import Work
from app.core.judging.runs.asking import prepare
from app.core.judging.runs.outcome import Outcome, outcome_from
from app.core.judging.runs.wanted import AskRequest
from app.core.questions.hardening.asking import pieces_of, together, wanted
from app.core.questions.hardening.reading import Reading
from app.core.questions.hardening.steps import step_called
from app.core.session import Session
from app.gui.context import Context
from app.gui.job_center import Result
from app.gui.judges.readying import once_files_are_known
from project.errors import UserError
from project.judging import JudgeEntry
from resources.translation import tr, trn

_PIECE = 10
"""Questions that are looked up at a time: what is seen of each is worked out in the window's thread."""


class StepRunning(QObject):
    """One run at a time: looks up what is missing piece by piece, then starts a job for each judge and seed.

    Signals:
        said (str): what is going on, or what came of it.
        progressed (int, int): how much of how much is done; 0 of 0 while nothing runs.
        running_changed (bool): whether a run is under way.
    """

    said = Signal(str)
    progressed = Signal(int, int)
    running_changed = Signal(bool)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._session: Session | None = None
        self._pieces: list[tuple[int, AskRequest]] = []
        self._made: dict[int, list[Work]] = {}
        self._all = 0
        self._name = ""
        self._works: dict[int, tuple[Work, int, int]] = {}
        self._notes: list[str] = []
        self._total = Outcome()
        self._there = 0
        self.running = False
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._prepare)
        jobs = context.jobs
        jobs.progressed.connect(self._on_progress)
        jobs.done.connect(self._on_done)
        jobs.stopped.connect(self._on_stopped)
        context.studio.leaving.connect(self._forget)

    def run(
        self, reading: Reading, step: str, judges: Sequence[JudgeEntry], question_ids: Sequence[str], *, again: bool
    ) -> None:
        """Ask judges what a step still needs about some questions."""
        session = self._context.studio.session
        if self.running or session is None:
            return
        try:
            found = wanted(reading, step, judges, {*question_ids}, again=again)
        except UserError as error:
            self.said.emit(str(error))
            return
        self._session, self._name = session, step_called(step).name
        self._total, self._there = Outcome(), found.there
        self._works.clear()
        self._made.clear()
        self._notes = [
            tr("{count} not asked about: {why}").format(
                count=trn("{count} question", "{count} questions", len(keys)), why=why
            )
            for why, keys in found.left_out.items()
        ]
        requests = found.requests
        self._pieces = [(at, piece) for at, one in enumerate(requests) for piece in pieces_of(one, _PIECE)]
        self._all = len(self._pieces)
        self._set_running(on=True)
        self.said.emit(tr("Looking up what is missing…"))
        once_files_are_known(self._context, judges, self._timer.start)

    def cancel(self) -> None:
        """Stop it; what was answered stays."""
        self._pieces.clear()
        self._made.clear()
        self._timer.stop()
        for work, _, _ in [*self._works.values()]:
            self._context.jobs.cancel(work)
        if not self._works:
            self._finish(tr("Cancelled. What was answered stays."))

    def _prepare(self) -> None:
        session = self._session
        if session is None or session is not self._context.studio.session:
            return
        if not self._pieces:
            self._start()
            return
        at, request = self._pieces.pop(0)
        try:
            asking = prepare(session, request)
        except UserError as error:
            self._notes.append(str(error))
        else:
            self._there += len(asking.cached)
            for note in asking.notes:
                if (text := f"{note.title()} {note.hint}".strip()) not in self._notes:
                    self._notes.append(text)
            if asking.work is not None:
                self._made.setdefault(at, []).append(asking.work)
            if asking.changes:
                self._context.studio.publish(asking.changes)
        self.progressed.emit(self._all - len(self._pieces), self._all)
        self._timer.start()

    def _start(self) -> None:
        for works in self._made.values():
            first = works[0].title.partition(" about ")[0]
            number = sum(len(_requests(one)) for one in works)
            work = together(
                works,
                tr("{step}: {task} about {questions}").format(
                    step=self._name,
                    task=first[:1].lower() + first[1:],
                    questions=trn("{count} question", "{count} questions", number),
                ),
            )
            self._works[id(work)] = (work, 0, number)
        if not self._works:
            self._finish("")
            return
        self.said.emit(tr("Asking…"))
        for work, _, _ in [*self._works.values()]:
            self._context.jobs.start(work)

    def _on_progress(self, work: Work, done: int, total: int, _text: str) -> None:
        if id(work) in self._works:
            self._works[id(work)] = (work, done, total)
            self._tell_progress()

    def _on_done(self, work: Work, result: Result) -> None:
        if id(work) not in self._works:
            return
        found = outcome_from(result)
        self._total.add(found)
        self._notes += [one.as_text() for one in found.notes if one.as_text() not in self._notes]
        self._end(work)

    def _on_stopped(self, work: Work) -> None:
        if id(work) in self._works:
            problem = self._context.jobs.problem_of(work)
            self._notes.append(str(problem) if problem is not None else tr("Cancelled. What was answered stays."))
            self._end(work)

    def _end(self, work: Work) -> None:
        del self._works[id(work)]
        if not self._works:
            self._finish("")

    def _finish(self, why: str) -> None:
        parts = [self._total.as_text()] if self._total.asked else []
        if self._there:
            parts.append(tr("{count} from before").format(count=trn("{count} answer", "{count} answers", self._there)))
        said = f"{', '.join(parts)}." if parts else tr("Nothing was asked.") if not why else ""
        self._set_running(on=False)
        self.progressed.emit(0, 0)
        self.said.emit("\n".join(dict.fromkeys(one for one in (said, why, *self._notes) if one)))

    def _tell_progress(self) -> None:
        done = sum(one for _, one, _ in self._works.values())
        self.progressed.emit(done, sum(one for _, _, one in self._works.values()))

    def _set_running(self, *, on: bool) -> None:
        self.running = on
        self.running_changed.emit(on)

    def _forget(self) -> None:
        self._timer.stop()
        self._pieces.clear()
        self._works.clear()
        self._session = None
        self._set_running(on=False)


def _requests(work: Work) -> Sequence[object]:
    found = work.parameters["requests"]
    return found if isinstance(found, list) else []
