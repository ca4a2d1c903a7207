"""Asks judges about questions in jobs of the kind `ask`, and runs what a filter step still needs."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.jobs.job_center import Result
from app.gui.judges.request_facts import check_egress, when_checksums_known
from app.gui.pages.context import Context
from benchmark.authoring.question_requests import merge_jobs, plan_step_requests, split_request
from benchmark.judging import ask_job
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest, RunOutcome
from benchmark.questions.filter_outcomes import FunnelInput
from benchmark.questions.filter_rules import get_step
from project.entities.judgments import RAW_CONDITION, JudgeEntry
from project.errors import UserError
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr, trn
from widgets.form.checklists import TickMenuItem

Then = Callable[[Sequence[str]], None]
Stopped = Callable[[], None]


def ask_judges(context: Context, request: AskRequest, then: Then, stopped: Stopped = lambda: None) -> None:
    """Ask judges.

    Args:
        context: the window.
        request: what is asked of whom.
        then: called with a line for each thing that could not be asked, once all is answered.
        stopped: called where it comes to nothing: it cannot be asked, it is cancelled, or it fails.
    """
    session = context.studio.session

    def start() -> None:
        if session is None or context.studio.session is not session:
            return
        try:
            found = ask_job.prepare(session, request)
        except UserError as error:
            context.studio.failed.emit(error)
            stopped()
            return
        if found.changes:
            context.studio.publish(found.changes)
        notes = [note.as_text() for note in found.notes]
        if found.job is None:
            then(notes)
        else:
            _watch_job(context, found.job, lambda more: then([*notes, *more]), stopped)

    when_checksums_known(context, request.judges, start)


def _watch_job(context: Context, work: JobSpec, then: Then, stopped: Stopped) -> None:
    jobs = context.jobs

    def done(result: Result) -> None:
        jobs.stopped.disconnect(ended)
        then([note.as_text() for note in result.notes])

    def ended(job_spec: JobSpec) -> None:
        if job_spec is work:
            jobs.stopped.disconnect(ended)
            stopped()

    jobs.stopped.connect(ended)
    jobs.start(work, done)


def judge_menu_items(session: Session, judges: Sequence[JudgeEntry], recording_id: str) -> list[TickMenuItem]:
    """Return the judges as they are offered; what the policy says against one, or where it sends what, is its hint."""
    found = []
    for judge in judges:
        forbidden, ways = (
            check_egress(session, judge, judges, recording_id, RAW_CONDITION) if recording_id else (None, [])
        )
        hint = "\n".join(ways) if forbidden is None else f"{forbidden} {forbidden.hint}".strip()
        found.append(TickMenuItem(judge.id, judge.name, hint))
    return found


_CHUNK_SIZE = 10
"""Questions that are looked up at a time: what is seen of each is worked out in the window's thread."""


class FilterStepRunner(QObject):
    """One run at a time: looks up what is missing piece by piece, then starts a job for each judge and seed.

    Signals:
        message (str): what is going on, or what came of it.
        progressed (int, int): how much of how much is done; 0 of 0 while nothing runs.
        running_changed (bool): whether a run is under way.
    """

    message = Signal(str)
    progressed = Signal(int, int)
    running_changed = Signal(bool)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._session: Session | None = None
        self._pieces: list[tuple[int, AskRequest]] = []
        self._made: dict[int, list[JobSpec]] = {}
        self._all = 0
        self._name = ""
        self._works: dict[int, tuple[JobSpec, int, int]] = {}
        self._notes: list[str] = []
        self._total = RunOutcome()
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
        self, reading: FunnelInput, step: str, judges: Sequence[JudgeEntry], question_ids: Sequence[str], *, again: bool
    ) -> None:
        """Ask judges what a step still needs about some questions."""
        session = self._context.studio.session
        if self.running or session is None:
            return
        try:
            found = plan_step_requests(reading, step, judges, {*question_ids}, again=again)
        except UserError as error:
            self.message.emit(str(error))
            return
        self._session, self._name = session, get_step(step).name
        self._total, self._there = RunOutcome(), found.answered_count
        self._works.clear()
        self._made.clear()
        self._notes = [
            tr("{count} not asked about: {why}").format(
                count=trn("{count} question", "{count} questions", len(keys)), why=why
            )
            for why, keys in found.left_out.items()
        ]
        requests = found.requests
        self._pieces = [
            (at, piece) for at, ask_request in enumerate(requests) for piece in split_request(ask_request, _CHUNK_SIZE)
        ]
        self._all = len(self._pieces)
        self._set_running(on=True)
        self.message.emit(tr("Looking up what is missing…"))
        when_checksums_known(self._context, judges, self._timer.start)

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
            prepared = prepare(session, request)
        except UserError as error:
            self._notes.append(str(error))
        else:
            self._there += len(prepared.cached)
            for note in prepared.notes:
                if (text := f"{note.title()} {note.hint}".strip()) not in self._notes:
                    self._notes.append(text)
            if prepared.job is not None:
                self._made.setdefault(at, []).append(prepared.job)
            if prepared.changes:
                self._context.studio.publish(prepared.changes)
        self.progressed.emit(self._all - len(self._pieces), self._all)
        self._timer.start()

    def _start(self) -> None:
        for works in self._made.values():
            first = works[0].title.partition(" about ")[0]
            number = sum(len(job_spec.parameters.items) for job_spec in works)
            work = merge_jobs(
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
        self.message.emit(tr("Asking…"))
        for work, _, _ in [*self._works.values()]:
            self._context.jobs.start(work)

    def _on_progress(self, work: JobSpec, done: int, total: int, _text: str) -> None:
        if id(work) in self._works:
            self._works[id(work)] = (work, done, total)
            self._emit_progress()

    def _on_done(self, work: JobSpec, result: Result) -> None:
        if id(work) not in self._works:
            return
        self._total.add(result)
        self._notes += [note.as_text() for note in result.notes if note.as_text() not in self._notes]
        self._remove_job(work)

    def _on_stopped(self, work: JobSpec) -> None:
        if id(work) in self._works:
            problem = self._context.jobs.failure_of(work)
            self._notes.append(str(problem) if problem is not None else tr("Cancelled. What was answered stays."))
            self._remove_job(work)

    def _remove_job(self, work: JobSpec) -> None:
        del self._works[id(work)]
        if not self._works:
            self._finish("")

    def _finish(self, why: str) -> None:
        parts = [self._total.as_text()] if self._total.completed else []
        if self._there:
            parts.append(tr("{count} from before").format(count=trn("{count} answer", "{count} answers", self._there)))
        said = f"{', '.join(parts)}." if parts else tr("Nothing was asked.") if not why else ""
        self._set_running(on=False)
        self.progressed.emit(0, 0)
        self.message.emit("\n".join(dict.fromkeys(note for note in (said, why, *self._notes) if note)))

    def _emit_progress(self) -> None:
        done = sum(number for _, number, _ in self._works.values())
        self.progressed.emit(done, sum(number for _, _, number in self._works.values()))

    def _set_running(self, *, on: bool) -> None:
        self.running = on
        self.running_changed.emit(on)

    def _forget(self) -> None:
        self._timer.stop()
        self._pieces.clear()
        self._works.clear()
        self._session = None
        self._set_running(on=False)
