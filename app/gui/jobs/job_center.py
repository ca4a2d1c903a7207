"""Takes jobs from their request until their result is stored in the study."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from app.gui.jobs.jobs_panel import JobsPanel, JobState
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Json
from project.errors import UserError
from project.session.job_notes import InterruptedJob, JobNotes
from project.session.jobs import JobSpec, answer, load_kind, store_part
from project.session.session import Session
from resources.translation import tr

_log = logging.getLogger(__name__)

Result = Any
"""What a job gave: an instance of the `result` of its kind."""


@dataclass(eq=False)
class QueuedJob:
    """A job that was put into the queue.

    Attributes:
        row: key of its row on the list.
        session: the study that it belongs to.
        note: id of the note by which it can be resumed; "" where there is none.
        is_planned: whether it belongs to a plan.
        then: called with its result once that is stored.
        renewed: the job as it was when its turn came; the same until then.
    """

    row: str
    spec: JobSpec
    session: Session | None
    is_planned: bool
    renewed: JobSpec
    note: str = ""
    then: list[Callable[[Result], None]] = field(default_factory=list)
    result: Result = None
    failure: UserError | None = None


@dataclass(frozen=True)
class JobPlan:
    """Several jobs that follow from each other."""

    kind: str
    title: str


class JobCenter(QObject):
    """Joins the worker, the list of jobs and the study.

    Signals:
        started: (JobSpec) a job was put into the queue.
        done: (JobSpec, result) a job's result was stored.
        stopped: (JobSpec) a job failed or was cancelled.
        progressed: (JobSpec, done, total, text)
        failed: (UserError)
        result_requested: (JobSpec, result) the user asked to see the result of a job that is done.
    """

    started = Signal(object)
    done = Signal(object, object)
    stopped = Signal(object)
    progressed = Signal(object, int, int, str)
    failed = Signal(object)
    result_requested = Signal(object, object)

    def __init__(
        self, studio: StudyController, panel: JobsPanel, runner: WorkerRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._panel = panel
        self.runner = runner
        self.beside = WorkerRunner(self, runner.command, stay=True)
        """Runs parallel kinds, which must not wait behind long work; its one process keeps the models it loaded."""
        self._queued: dict[int, QueuedJob] = {}
        self._groups: dict[str, Callable[[], None]] = {}
        self._plans: dict[str, JobPlan] = {}
        self.leaving = False
        """Whether all jobs are stopped because the study is left, and not because somebody does not want them."""
        self.notes: JobNotes | None = None
        """Notes about the jobs of the study; None where no study is open, or only to read."""
        self.resumers: dict[str, Callable[[InterruptedJob], None]] = {}
        """Kind of a plan -> what takes it up again."""
        for worker_runner in self._runners:
            worker_runner.progressed.connect(self._on_progress)
            worker_runner.partial_result.connect(self._on_part)
            worker_runner.finished.connect(self._on_finished)
            worker_runner.failed.connect(self._on_failed)
            worker_runner.cancelled.connect(self._on_cancelled)
            worker_runner.renew = self._refresh_spec
            worker_runner.answer = self._answer
            studio.apart.started.connect(partial(worker_runner.set_output_paused, True))
            studio.apart.finished.connect(partial(worker_runner.set_output_paused, False))
        studio.leaving.connect(self._detach_notes)
        studio.session_changed.connect(self._open_notes)
        panel.cancel_requested.connect(self._cancel_row)
        panel.result_requested.connect(self._show_result)

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return bool(self.jobs())

    @property
    def _runners(self) -> tuple[WorkerRunner, WorkerRunner]:
        return self.runner, self.beside

    def jobs(self) -> list[JobSpec]:
        """Return the jobs that run, and those that wait."""
        running = [runner.running_job for runner in self._runners if runner.running_job is not None]
        return [*running, *(work for runner in self._runners for work in runner.waiting_jobs)]

    def titles(self) -> list[str]:
        """Name what runs and waits and somebody asked for: plans of several jobs, then jobs that belong to none."""
        lone = [
            job.title
            for job in self.jobs()
            if not load_kind(job.kind).automatic and not self._queued[id(job)].is_planned
        ]
        return [*(plan.title for plan in self._plans.values()), *lone]

    def find_job(self, kind: str, recording_id: str) -> JobSpec | None:
        """Return the job of a kind that runs or waits for a recording."""
        return next((w for w in self.jobs() if w.kind == kind and w.recording_id == recording_id), None)

    def start_here(
        self,
        kind: str,
        prepare: Callable[[Session, str], JobSpec],
        then: Callable[[Result], None] | None = None,
    ) -> JobSpec | None:
        """Start a job on the recording that is shown, unless one of its kind runs; where it cannot be, say why."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self.find_job(kind, recording.id) is not None:
            return None
        try:
            session.study.require_writable()
            work = prepare(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return None
        self.start(work, then)
        return work

    def start(self, work: JobSpec, then: Callable[[Result], None] | None = None, *, noted: bool = True) -> None:
        """Put a job into the queue; `then` is called when its result is in the study.

        It is noted, to be resumed where it is interrupted, unless it belongs to a plan (`begin_plan`).
        """
        row = f"job-{len(self._queued) + 1}"
        queued = self._queued[id(work)] = QueuedJob(row, work, self._studio.session, not noted, work)
        if noted and self.notes is not None:
            queued.note = self.notes.add(work)
        if then is not None:
            queued.then.append(then)
        self._panel.add(row, work.title)
        self.started.emit(work)
        self._runner_of(work).submit(work)

    def when_done(self, work: JobSpec, then: Callable[[Result], None]) -> None:
        """Call something once the result of a job that runs or waits is in the study."""
        self._queued[id(work)].then.append(then)

    def cancel(self, work: JobSpec) -> None:
        """Stop a job."""
        self._runner_of(work).cancel(work)

    def begin_plan(self, kind: str, title: str, asked: Mapping[str, Json] | None = None) -> str:
        """Say that several jobs will follow from each other; return the key of the plan.

        Args:
            kind: of `project.session.job_notes.PLAN_KINDS`.
            title: names it in questions and in the list of what was interrupted.
            asked: what taking it up again needs; None where that is kept elsewhere.
        """
        note = self.notes.add_plan(kind, title, asked) if self.notes is not None and asked is not None else ""
        key = note or f"plan-{len(self._queued)}-{len(self._plans)}"
        self._plans[key] = JobPlan(kind, title)
        return key

    def end_plan(self, key: str) -> None:
        """Say that a plan is over: its jobs are done, or nobody wants them. Where the study is left it stays noted."""
        if self._plans.pop(key, None) is not None and self.notes is not None:
            self.notes.remove(key)

    def running_note_ids(self) -> set[str]:
        """Return the ids of the notes about what runs or waits now."""
        return {*(queued.note for queued in self._queued.values() if queued.note), *self._plans}

    def has_plan(self, kind: str) -> bool:
        """Tell whether a plan of a kind is under way."""
        return any(plan.kind == kind for plan in self._plans.values())

    def cancel_all(self) -> None:
        """Stop every job because the study is left; what was noted of them stays, and can be resumed."""
        self._detach_notes()
        self.leaving = True
        for runner in self._runners:
            for work in (*runner.waiting_jobs, runner.running_job):
                if work is not None:
                    runner.cancel(work)
        self.leaving = False

    def started_spec(self, work: JobSpec) -> JobSpec:
        """Return a job as it was when its turn came, after what changed while it waited."""
        return self._queued[id(work)].renewed

    def failure_of(self, work: JobSpec) -> UserError | None:
        """Return why a job failed; None where it did not."""
        queued = self._queued.get(id(work))
        return None if queued is None else queued.failure

    def begin_group(self, title: str, cancel: Callable[[], None]) -> str:
        """Put a row on the list that stands for several jobs; return its key."""
        key = f"group-{len(self._groups) + 1}"
        self._groups[key] = cancel
        self._panel.add(key, title, counted=False)
        return key

    def show_group(self, key: str, done: int, total: int, text: str) -> None:
        """Say how far the jobs of a row are."""
        self._panel.set_progress(key, done, total, text)

    def end_group(self, key: str, state: JobState, text: str) -> None:
        """Say how the jobs of a row ended."""
        self._panel.finish(key, state, text)

    def close(self) -> None:
        """Stop every job; nothing is stored any more."""
        for queued in self._queued.values():
            queued.then.clear()
        for runner in self._runners:
            runner.close()

    def _open_notes(self) -> None:
        session = self._studio.session
        self.notes = JobNotes(session.study) if session is not None and self._studio.writable else None

    def _detach_notes(self) -> None:
        """From now on what ends does not end because somebody wants it to."""
        self.notes = None
        self._plans.clear()
        for queued in self._queued.values():
            queued.note = ""

    def _drop_note(self, queued: QueuedJob) -> None:
        if self.notes is not None:
            self.notes.remove(queued.note)
        queued.note = ""

    def _session_of(self, work: JobSpec) -> Session | None:
        """Return the open study that a job belongs to; None where another one is open by now, or none."""
        session = self._studio.session
        return session if session is not None and self._queued[id(work)].session is session else None

    def _drop(self, work: JobSpec) -> QueuedJob:
        """Clear away what a job has left that came to nothing."""
        queued = self._queued[id(work)]
        queued.then.clear()
        self._drop_note(queued)
        load_kind(work.kind).discard(queued.renewed.parameters)
        return queued

    def _runner_of(self, work: JobSpec) -> WorkerRunner:
        return self.beside if load_kind(work.kind).parallel else self.runner

    def _cancel_row(self, job: str) -> None:
        if job in self._groups:
            self._groups[job]()
        else:
            self.cancel(self._queued_in(job).spec)

    def _show_result(self, row: str) -> None:
        queued = self._queued_in(row)
        self.result_requested.emit(queued.spec, queued.result)

    def _queued_in(self, row: str) -> QueuedJob:
        return next(queued for queued in self._queued.values() if queued.row == row)

    def _refresh_spec(self, work: JobSpec) -> JobSpec:
        """Give a job that waited what it has to know now, where its kind says how."""
        session = self._session_of(work)
        if session is None:
            return work
        fresh = load_kind(work.kind).renew(session, work)
        self._queued[id(work)].renewed = fresh
        return fresh

    def _on_progress(self, work: JobSpec, done: int, total: int, text: str) -> None:
        self._panel.set_progress(self._queued[id(work)].row, done, total, text)
        self.progressed.emit(work, done, total, text)

    def _on_part(self, work: JobSpec, part: Mapping[str, Json]) -> None:
        session = self._session_of(work)
        if session is None:
            return
        try:
            changes = store_part(session, self.started_spec(work), part)
        except UserError as error:
            # What comes after it could not be kept either.
            self.cancel(work)
            self.failed.emit(error)
            return
        self._studio.publish(changes)

    def _answer(self, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
        session = self._session_of(work)
        if session is None:
            raise UserError(tr("The study has been closed."), tr("Open it and start the job again."))
        return answer(session, self.started_spec(work), question)

    def _on_finished(self, work: JobSpec, result: Result) -> None:
        session = self._session_of(work)
        if session is None:
            self._on_cancelled(work)
            return
        try:
            changes = load_kind(work.kind).store(session, self.started_spec(work), result)
        except UserError as error:
            self._on_failed(work, error)
            return
        queued = self._queued[id(work)]
        self._drop_note(queued)
        self._studio.publish(changes)
        queued.result = result
        kind = load_kind(work.kind)
        state, said = JobState(kind.outcome(result)), kind.summarize(work, result)
        self._panel.finish(queued.row, state, said, openable=work.kind == "anonymize")
        self.done.emit(work, result)
        then, queued.then = queued.then, []
        for call in then:
            call(result)

    def _on_failed(self, work: JobSpec, error: UserError) -> None:
        queued = self._drop(work)
        queued.failure = error
        self._panel.finish(queued.row, JobState.FAILED, str(error))
        self.stopped.emit(work)
        self.failed.emit(error)

    def _on_cancelled(self, work: JobSpec) -> None:
        self._panel.finish(self._drop(work).row, JobState.CANCELLED)
        self.stopped.emit(work)


class RunningJob(QObject):
    """Shows how far a job of some kinds is that is about the recording that is shown."""

    def __init__(
        self,
        studio: StudyController,
        jobs: JobCenter,
        kinds: Sequence[str],
        show: Callable[[str | None, int, int], object],
        parent: QObject,
    ) -> None:
        """Make it; `show` gets what is done, how much of it, and of how much; None where no job runs."""
        super().__init__(parent)
        self._studio, self._jobs, self._kinds, self._show = studio, jobs, kinds, show
        # Also one that is resumed, or was begun elsewhere.
        jobs.started.connect(self.refresh, Qt.ConnectionType.QueuedConnection)
        jobs.progressed.connect(self._show_progress)
        for signal in (jobs.done, jobs.stopped, studio.recording_changed):
            signal.connect(lambda *_: self.refresh())
        self.refresh()

    def cancel(self) -> None:
        """Stop it."""
        work = self._find()
        if work is not None:
            self._jobs.cancel(work)

    def refresh(self) -> None:
        """Show whether there is one."""
        work = self._find()
        self._show(f"{work.title}…" if work is not None else None, 0, 0)

    def _find(self) -> JobSpec | None:
        recording = self._studio.recording
        found = (self._jobs.find_job(kind, recording.id) for kind in self._kinds) if recording is not None else ()
        return next((work for work in found if work is not None), None)

    def _show_progress(self, work: JobSpec, done: int, total: int, text: str) -> None:
        if work is self._find():
            self._show(text or f"{work.title}…", done, total)
