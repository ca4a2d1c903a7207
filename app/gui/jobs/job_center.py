"""Takes jobs from their request until their result is stored in the study."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

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
        self._ids: dict[int, str] = {}
        self._works: dict[str, JobSpec] = {}
        self._results: dict[str, Result] = {}
        self._then: dict[int, list[Callable[[Result], None]]] = {}
        self._fresh: dict[int, JobSpec] = {}
        self._groups: dict[str, Callable[[], None]] = {}
        self._problems: dict[int, UserError] = {}
        self.leaving = False
        """Whether all jobs are stopped because the study is left, and not because somebody does not want them."""
        self.notes: JobNotes | None = None
        """Notes about the jobs of the study; None where no study is open, or only to read."""
        self.resumers: dict[str, Callable[[InterruptedJob], None]] = {}
        """Kind of a plan -> what takes it up again."""
        self._noted: dict[int, str] = {}
        self._planned: set[int] = set()
        self._plans: dict[str, str] = {}
        self._plan_kinds: dict[str, str] = {}
        self._sessions: dict[int, Session | None] = {}
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
        panel.result_requested.connect(lambda job: self.result_requested.emit(self._works[job], self._results[job]))

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
        lone = [job for job in self.jobs() if not load_kind(job.kind).automatic and id(job) not in self._planned]
        return [*self._plans.values(), *(job_spec.title for job_spec in lone)]

    def find_job(self, kind: str, recording_id: str) -> JobSpec | None:
        """Return the job of a kind that runs or waits for a recording."""
        return next((w for w in self.jobs() if w.kind == kind and w.recording_id == recording_id), None)

    def start(self, work: JobSpec, then: Callable[[Result], None] | None = None, *, noted: bool = True) -> None:
        """Put a job into the queue; `then` is called when its result is in the study.

        It is noted, to be resumed where it is interrupted, unless it belongs to a plan (`begin_plan`).
        """
        job = f"job-{len(self._works) + 1}"
        self._ids[id(work)] = job
        self._works[job] = work
        self._sessions[id(work)] = self._studio.session
        if not noted:
            self._planned.add(id(work))
        elif self.notes is not None and (note := self.notes.add(work)):
            self._noted[id(work)] = note
        if then is not None:
            self.when_done(work, then)
        self._panel.add(job, work.title)
        self.started.emit(work)
        self._runner_of(work).submit(work)

    def when_done(self, work: JobSpec, then: Callable[[Result], None]) -> None:
        """Call something once the result of a job that runs or waits is in the study."""
        self._then.setdefault(id(work), []).append(then)

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
        key = note or f"plan-{len(self._works)}-{len(self._plans)}"
        self._plans[key] = title
        self._plan_kinds[key] = kind
        return key

    def end_plan(self, key: str) -> None:
        """Say that a plan is over: its jobs are done, or nobody wants them. Where the study is left it stays noted."""
        self._plan_kinds.pop(key, None)
        if self._plans.pop(key, None) is not None and self.notes is not None:
            self.notes.remove(key)

    def running_note_ids(self) -> set[str]:
        """Return the ids of the notes about what runs or waits now."""
        return {*self._noted.values(), *self._plans}

    def has_plan(self, kind: str) -> bool:
        """Tell whether a plan of a kind is under way."""
        return kind in self._plan_kinds.values()

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
        return self._fresh.get(id(work), work)

    def failure_of(self, work: JobSpec) -> UserError | None:
        """Return why a job failed; None where it did not."""
        return self._problems.get(id(work))

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
        self._then.clear()
        for runner in self._runners:
            runner.close()

    def _open_notes(self) -> None:
        session = self._studio.session
        self.notes = JobNotes(session.study) if session is not None and self._studio.writable else None

    def _detach_notes(self) -> None:
        """From now on what ends does not end because somebody wants it to."""
        self.notes = None
        self._noted.clear()
        self._plans.clear()
        self._plan_kinds.clear()

    def _drop_note(self, work: JobSpec) -> None:
        note = self._noted.pop(id(work), "")
        if self.notes is not None:
            self.notes.remove(note)

    def _session_of(self, work: JobSpec) -> Session | None:
        """Return the open study that a job belongs to; None where another one is open by now, or none."""
        session = self._studio.session
        return session if session is not None and self._sessions.get(id(work), session) is session else None

    def _discard(self, work: JobSpec) -> None:
        load_kind(work.kind).discard(self.started_spec(work).parameters)

    def _runner_of(self, work: JobSpec) -> WorkerRunner:
        return self.beside if load_kind(work.kind).parallel else self.runner

    def _cancel_row(self, job: str) -> None:
        if job in self._groups:
            self._groups[job]()
        else:
            self.cancel(self._works[job])

    def _refresh_spec(self, work: JobSpec) -> JobSpec:
        """Give a job that waited what it has to know now, where its kind says how."""
        session = self._session_of(work)
        if session is None:
            return work
        fresh = load_kind(work.kind).renew(session, work)
        if fresh is not work:
            self._fresh[id(work)] = fresh
        return fresh

    def _on_progress(self, work: JobSpec, done: int, total: int, text: str) -> None:
        self._panel.set_progress(self._ids[id(work)], done, total, text)
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
            raise UserError(tr("The study was closed meanwhile."), tr("Open it and start again."))
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
        self._drop_note(work)
        self._studio.publish(changes)
        job = self._ids[id(work)]
        self._results[job] = result
        self._panel.finish(job, end_state(work, result), summary(work, result), openable=work.kind == "anonymize")
        self.done.emit(work, result)
        for then in self._then.pop(id(work), ()):
            then(result)

    def _on_failed(self, work: JobSpec, error: UserError) -> None:
        self._then.pop(id(work), None)
        self._drop_note(work)
        self._problems[id(work)] = error
        self._discard(work)
        self._panel.finish(self._ids[id(work)], JobState.FAILED, str(error))
        self.stopped.emit(work)
        self.failed.emit(error)

    def _on_cancelled(self, work: JobSpec) -> None:
        self._then.pop(id(work), None)
        self._drop_note(work)
        self._discard(work)
        self._panel.finish(self._ids[id(work)], JobState.CANCELLED)
        self.stopped.emit(work)


def end_state(work: JobSpec, result: Result) -> JobState:
    """Tell whether a job that ended gave all that was asked of it."""
    return JobState(load_kind(work.kind).outcome(result))


def summary(work: JobSpec, result: Result) -> str:
    """Say in a line what came of a job."""
    return load_kind(work.kind).summarize(work, result)
