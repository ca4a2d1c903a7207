"""Does the steps of the demo as jobs of the window, one after the other, and shows the clip beside the recording."""

from PySide6.QtCore import QObject, QTimer

from annotate.study.recording_edits import has_file
from app.demo_study import WITHOUT_LANDMARKS, DemoStep, pending_steps, read_result
from app.gui.window.message_bar import MessageLevel
from app.gui.window.parts import WindowParts
from project.entities.study_records import MediumRole
from project.errors import UserError
from project.session.job_notes import DEMO
from project.session.jobs import JobSpec
from resources.translation import tr, trn


class DemoRunner(QObject):
    """Goes on with the demo where its study stands: what that holds already is not done again."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self._jobs = window.jobs
        self._plan = self._notice = ""
        self._running: tuple[DemoStep, JobSpec] | None = None
        self._total = 0
        window.jobs.resumers[DEMO] = lambda _job: self.start()
        window.jobs.stopped.connect(self._on_stopped)
        window.studio.leaving.connect(self._forget)

    def start(self) -> None:
        """Do what the study that is open lacks, then show the result."""
        session, notes = self._window.studio.session, self._jobs.notes
        if session is None or notes is None or self._plan:
            return
        for job in notes.interrupted():
            if job.kind == DEMO:
                notes.remove(job.id)
        self._notice = ""
        self._total = len(pending_steps(session))
        if self._total:
            self._plan = self._jobs.begin_plan(DEMO, tr("Demo: hide the face in a clip"), {})
        self._go_on()

    def _go_on(self, *, fetch: bool = True) -> None:
        session = self._window.studio.session
        if session is None:
            return
        steps = pending_steps(session, fetch=fetch)
        if not steps:
            self._show_result()
            return
        step, number = steps[0], self._total - len(steps) + 1
        try:
            work = step.prepare()
        except UserError as error:
            self._fail(step, error)
            return
        self._running = step, work
        self._jobs.start(work, lambda _result: self._go_on(fetch=False), noted=False)
        self._window.messages.show_message(
            tr("Step {number} of {total}: {text}.").format(number=number, total=self._total, text=tr(step.text)),
            hint=self._notice or (tr("Play and annotate meanwhile.") if not step.is_optional else ""),
            action=("jobs", tr("Jobs")),
        )

    def _on_stopped(self, work: JobSpec) -> None:
        if self._jobs.leaving or self._running is None or self._running[1] is not work:
            return
        step, error = self._running[0], self._jobs.failure_of(work)
        # After the window has said what it says of every job that fails.
        QTimer.singleShot(0, self, lambda: self._fail(step, error))

    def _fail(self, step: DemoStep, error: UserError | None) -> None:
        """Go on after a step that failed, or was cancelled, if it is optional."""
        if not self._plan:
            return
        if step.is_optional:
            self._notice = tr(WITHOUT_LANDMARKS)
            self._go_on(fetch=False)
            return
        self._end_plan()
        if error is not None:
            self._window.show_error(error)

    def _show_result(self) -> None:
        self._end_plan()
        session = self._window.studio.session
        made = read_result(session) if session is not None else None
        if session is None or made is None:
            return
        if not has_file(session, made.recording_id, made.clip):
            self._window.details.add_file(made.recording_id, made.clip, MediumRole.CAMERA, made.zero_us)
        left = len(made.faces_left)
        checked = (
            trn("A face is left in {count} frame.", "Faces are left in {count} frames.", left)
            if left
            else tr("The check found that every face was replaced.")
            if made.is_drawn
            else tr("The check found no face in it.")
        )
        self._window.messages.show_message(
            tr("Left is the recording, right its anonymized clip. {checked}").format(checked=checked),
            MessageLevel.WARNING if left else MessageLevel.INFO,
            self._notice,
            ("play", tr("Play both")),
            more=(("mode_faces", tr("Review the face")), ("tutorial", tr("Tutorial"))),
        )

    def _end_plan(self) -> None:
        self._jobs.end_plan(self._plan)
        self._forget()

    def _forget(self) -> None:
        """Let go of the plan; where the study is left, its note stays, to be resumed."""
        self._plan, self._running = "", None
