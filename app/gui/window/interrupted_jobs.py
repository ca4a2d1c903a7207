"""Lists the jobs that were running when the study was closed, and resumes or forgets them."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtWidgets import QWidget

from anonymize.export import export_queue
from anonymize.export.export_queue import queue_title
from app.gui.window.message_bar import MessageLevel
from app.gui.window.parts import WindowParts
from app.gui.window.quitting import QuitController
from project.errors import UserError
from project.session.job_notes import EXPORT, PLAN_KINDS, InterruptedJob, recreate_job
from project.session.jobs import load_kind
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.checklists import TickList
from widgets.form.controls import push_button
from widgets.form.layouts import make_column
from widgets.text_labels import PlainLabel

_SIZE = QSize(560, 340)


class InterruptedJobsDialog(OwnDialog):
    """A list with a box to tick for each job; all are ticked at first.

    Signals:
        resume_requested (list): keys of the jobs to resume.
        forget_requested (list): keys of the jobs that nobody wants any more.
    """

    resume_requested = Signal(list)
    forget_requested = Signal(list)

    def __init__(self, jobs: Mapping[str, str], parent: QWidget | None = None, *, encrypted: bool = False) -> None:
        """Make the dialog.

        Args:
            jobs: key of each job, and its line.
            parent: window that it belongs to.
            encrypted: whether the study is encrypted: what was half done was in memory only.
        """
        super().__init__(parent)
        self.setWindowTitle(tr("Interrupted jobs"))
        self.resize(_SIZE)
        kept = (
            tr("Judges and exports go on where they were; other jobs of an encrypted study begin again.")
            if encrypted
            else tr("Tracking, transcripts, exports and judges go on where they were; other jobs begin again.")
        )
        text = tr("These jobs had not ended when the study was closed.")
        self.list = TickList()
        self.list.setAccessibleName(tr("Interrupted jobs"))
        for key, line in jobs.items():
            self.list.add_row(key, line, True)
        self.list.select_row(next(iter(jobs)))
        self.list.itemChanged.connect(self._enable)
        self.buttons = DialogButtons(self, tr("Resume"), tr("Decide later"), away=tr("Close"))
        self.forget = push_button(
            tr("Forget"),
            tr("Take the ticked jobs off this list; what they gave before stays"),
            self._forget,
            autoDefault=False,
        )
        self.buttons.insertWidget(1, self.forget)
        self.buttons.go_on.setToolTip(tr("Start the ticked jobs (Enter)"))
        self.buttons.go_on.clicked.connect(self._resume)
        self.setLayout(
            make_column(PlainLabel(f"{text} {kept}", wordWrap=True), self.list, 1, self.buttons, margin=theme.GRID * 2)
        )
        self.list.setFocus()

    def _enable(self) -> None:
        for button in (self.forget, self.buttons.go_on):
            button.setEnabled(bool(self.list.ticked_keys()))

    def _resume(self) -> None:
        self.accept()
        self.resume_requested.emit(self.list.ticked_keys())

    def _forget(self) -> None:
        self.accept()
        self.forget_requested.emit(self.list.ticked_keys())


_JOB_MODES = {"benchmark": "benchmark"}
"""Kind of a plan -> the mode whose page takes it up again."""


class InterruptedJobs(QObject):
    """The list of what was interrupted in the open study, and what is done with it."""

    def __init__(self, window: WindowParts, quitting: QuitController) -> None:
        super().__init__(window)
        self._window = window
        self._quitting = quitting
        self.dialog: InterruptedJobsDialog | None = None
        self.acts: dict[str, Callable[[], None]] = {
            "resume_interrupted": lambda: self.resume(self.list_jobs()),
            "show_interrupted": self.show_list,
            "dismiss_interrupted": lambda: self.forget(self.list_jobs()),
        }
        """What the buttons of the message do, by their keys."""
        window.studio.session_changed.connect(self._on_session)

    def list_jobs(self) -> list[InterruptedJob]:
        """Return what was interrupted, in the order in which it was asked for."""
        notes, session = self._window.jobs.notes, self._window.studio.session
        if notes is None or session is None:
            return []
        running = self._window.jobs.running_note_ids()
        jobs = [interrupted_job for interrupted_job in notes.interrupted() if interrupted_job.id not in running]
        queue = None if self._window.jobs.has_plan(EXPORT) else export_queue.load_unfinished(session)
        if queue is not None and queue.was_interrupted:
            jobs.append(InterruptedJob(EXPORT, EXPORT, queue_title(session, queue), ""))
        return jobs

    def offer_resume(self) -> None:
        """Say in the message line that jobs were interrupted, with buttons to resume, see and forget them."""
        jobs = self.list_jobs()
        if not jobs:
            return
        self._window.messages.show_message(
            trn("{count} job was interrupted.", "{count} jobs were interrupted.", len(jobs)),
            MessageLevel.WARNING,
            jobs[0].title if len(jobs) == 1 else "",
            ("resume_interrupted", tr("Resume")),
            more=(("show_interrupted", tr("Show…")), ("dismiss_interrupted", tr("Dismiss"))),
        )

    def show_list(self) -> None:
        """Open the list, to choose what is resumed and what is forgotten."""
        jobs = {interrupted_job.id: interrupted_job for interrupted_job in self.list_jobs()}
        if not jobs:
            self._window.messages.show_message(tr("No job of this study was interrupted."))
            return
        session = self._window.studio.session
        encrypted = session is not None and session.study.encryption_key is not None
        lines = {key: _job_text(interrupted_job) for key, interrupted_job in jobs.items()}
        self.dialog = InterruptedJobsDialog(lines, self._window, encrypted=encrypted)
        self.dialog.resume_requested.connect(lambda keys: self.resume(jobs[key] for key in keys))
        self.dialog.forget_requested.connect(lambda keys: self.forget(jobs[key] for key in keys))
        self.dialog.finished.connect(self._close)
        self.dialog.open()

    def resume(self, jobs: Iterable[InterruptedJob]) -> None:
        """Put jobs into the queue again. What cannot be done now is said, and stays on the list."""
        chosen = sorted(jobs, key=lambda interrupted_job: interrupted_job.kind in PLAN_KINDS)
        problems: list[UserError] = []
        started = 0
        for job in chosen:
            try:
                started += self._resume_job(job)
            except UserError as error:
                text = tr("{title}: {problem}").format(title=job.title, problem=error.message)
                problems.append(UserError(text, error.hint))
        if problems:
            self._window.show_error(problems[0])
        else:
            text = trn("{count} job goes on.", "{count} jobs go on.", started)
            self._window.messages.show_message(text if started else tr("Nothing of it was left to do."))

    def forget(self, jobs: Iterable[InterruptedJob]) -> None:
        """Let nobody be asked about jobs any more; what they gave before they were interrupted stays."""
        notes, session = self._window.jobs.notes, self._window.studio.session
        for job in jobs:
            if job.kind == EXPORT and session is not None:
                export_queue.delete_queue(session)
            elif notes is not None:
                notes.remove(job.id)

    def _resume_job(self, job: InterruptedJob) -> bool:
        """Start a job again, which is noted again, and drop its old note; tells whether anything was left to do."""
        window, session = self._window, self._window.studio.session
        if session is None:
            return False
        if job.kind in PLAN_KINDS:
            if job.kind in _JOB_MODES:
                window.set_mode(_JOB_MODES[job.kind])
            window.jobs.resumers[job.kind](job)
            if job.kind != EXPORT:
                self.forget([job])
            return True
        running = load_kind(job.kind).single and window.jobs.find_job(job.kind, job.recording_id) is not None
        work = None if running else recreate_job(session, job)
        if work is not None:
            window.jobs.start(work)
        self.forget([job])
        return work is not None

    def _on_session(self) -> None:
        session = self._window.studio.session
        if session is None or not self._window.studio.writable:
            return

        def tell() -> None:
            if self._window.studio.session is not session:
                return
            self._quitting.report_ended_jobs()
            bar = self._window.messages
            if bar.message() and bar.level is not MessageLevel.INFO:
                # A warning about the study comes first.
                bar.dismissed.connect(self._offer_after_message)
            else:
                self.offer_resume()

        # After the window has taken away what it said about the study before.
        QTimer.singleShot(0, self, tell)

    def _offer_after_message(self) -> None:
        self._window.messages.dismissed.disconnect(self._offer_after_message)
        self.offer_resume()

    def _close(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


def _job_text(job: InterruptedJob) -> str:
    try:
        when = f"{datetime.fromisoformat(job.since).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return job.title
    return tr("{title}, asked for at {when}").format(title=job.title, when=when)
