"""Exports: the question, the jobs, and what came of them."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from anonymize.methods.registry import method_type
from app.core import fetching
from app.core.faces import tracking as face_tracking
from app.core.faces.hiding import faces_run
from app.core.interrupted_jobs import EXPORT, InterruptedJob
from app.core.jobs import Work
from app.core.pii import search as pii_search
from app.core.rendering import anonymization, preview
from app.core.rendering import queue as rendering_queue
from app.core.rendering.queue import Clip, ClipState, Queue, plan_title
from app.core.session import Session
from app.core.voice import preview as voice_preview
from app.core.voice.choice import SoundChoice, must_search
from app.gui.dialogs import Questions
from app.gui.downloads import require_permission
from app.gui.export_batch import ExportBatch
from app.gui.export_dialog import ExportDialog, ExportRequest
from app.gui.export_result import ExportResult, Findings
from app.gui.job_center import JobCenter, Result
from app.gui.listening import Listening
from app.gui.preview_feed import PreviewFeed
from app.gui.studio import Studio
from project.errors import UserError
from project.queries.recordings import all_recordings, recording
from project.timebase import SECOND
from project.types import Json
from resources.translation import tr


class Export(QObject):
    """Runs an export from the dialog to its result.

    Signals:
        jump_requested (str, object): recording and microseconds that the user wants to look at.
    """

    jump_requested = Signal(str, object)

    def __init__(self, studio: Studio, jobs: JobCenter, questions: Questions, window: QWidget) -> None:
        super().__init__(window)
        self._studio = studio
        self._jobs = jobs
        self._questions = questions
        self._window = window
        self._folder: Path | None = None
        self.dialog: ExportDialog | None = None
        self.result: ExportResult | None = None
        self._batches: list[ExportBatch] = []
        self._awaited: list[tuple[Work, ExportBatch, Clip]] = []
        self._fetched: list[Work] = []
        jobs.resumers[EXPORT] = self.resume
        jobs.result_wanted.connect(self.show_result)
        jobs.stopped.connect(self._on_stopped)
        jobs.progressed.connect(self._on_progress)
        studio.session_changed.connect(self._on_session)

    def ask(self, span: tuple[int, int] | None, time_us: int = 0) -> None:
        """Open the dialog for the recording that is shown, with a preview of its frame at a time."""
        session, shown = self._studio.session, self._studio.recording
        if session is None or shown is None:
            return
        try:
            session.study.require_writable()
        except UserError as error:
            self._studio.failed.emit(error)
            return
        seen = [(r.id, f"{r.number}. {r.name}") for r in all_recordings(session.study) if session.has_picture(r.id)]
        folder = self._folder or session.study.folder / "anonymized"
        queue = None if self._batches else rendering_queue.unfinished(session)
        self.dialog = dialog = ExportDialog(
            seen, shown.id, span, folder, self._window, time_us=time_us, left_over=_left_over(queue)
        )
        feed = PreviewFeed(dialog, self._jobs.runner.command)
        feed.working.connect(dialog.pane.show_working)
        feed.ready.connect(dialog.show_preview)
        feed.failed.connect(dialog.show_problem)
        dialog.preview_wanted.connect(partial(self._preview, feed, session, shown.id))
        listening = Listening(partial(voice_preview.prepare, session, shown.id), dialog, self._jobs.runner.command)
        listening.said.connect(dialog.sound.say)
        dialog.listen_wanted.connect(partial(self._listen, listening, session, shown.id))
        dialog.finished.connect(lambda _result: listening.close())
        dialog.fetch_requested.connect(self._fetch)
        dialog.accepted_request.connect(self.start)
        if queue is not None:
            dialog.resume_requested.connect(partial(self._run, session, queue))
        dialog.finished.connect(lambda _result: self._close(feed))
        dialog.open()
        dialog.start_preview()

    def start(self, request: ExportRequest) -> None:
        """Put the jobs of an export into the queue; faces are tracked first where they were not."""
        session = self._studio.session
        if session is None:
            return
        self._folder = request.folder
        start, end = request.span or (None, None)
        try:
            queue = rendering_queue.make_queue(
                session,
                request.recordings,
                request.methods,
                request.folder,
                start_us=start,
                end_us=end,
                keep_robots=request.keep_robots,
                overwrite=request.overwrite,
                sound=request.sound,
            )
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._run(session, queue)

    def resume(self, _job: InterruptedJob) -> None:
        """Go on with the export that was interrupted.

        Raises:
            UserError: nothing of it is left, or it is under way.
        """
        session = self._studio.session
        queue = rendering_queue.unfinished(session) if session is not None and not self._batches else None
        if session is None or queue is None:
            raise UserError(tr("Nothing of this export is left to do."), tr("Begin a new one: Export anonymized…"))
        self._run(session, queue)

    def show_result(self, work: Work, result: Result) -> None:
        """Show what came of an export, with the times to look at."""
        session, exempt = self._studio.session, work.parameters.get("exempt")
        if session is None or work.kind != "anonymize":
            return
        found = Findings(
            _times(result.get("faces_left")),
            _times(result.get("doubtful")),
            _times(result.get("blanked")),
            _times(result.get("undrawn")),
            kept=len(exempt) if isinstance(exempt, list) else 0,
            outdated=anonymization.outdated(session, self._jobs.as_done(work)),
            independent=bool(result.get("independent")),
            drawn=method_type(str(work.parameters["method"])).kind == "face",
        )
        self.result = ExportResult(Path(str(result["output"])), found, self._window)
        self.result.jump_requested.connect(lambda at: self.jump_requested.emit(work.recording_id, at))
        self.result.show()

    def _run(self, session: Session, queue: Queue) -> None:
        batch = ExportBatch(session, self._jobs, queue)
        batch.plan = self._jobs.begin_plan(EXPORT, plan_title(session, queue))
        self._batches.append(batch)
        for clip in batch.clips:
            self._start_one(batch, clip)
        batch.show_row()
        many = len(batch.clips) > 1
        if batch.ended:
            self._ended(batch)
        elif many:
            self._studio.told.emit(
                tr("Exporting {clips} clips, one by one. Jobs shows how far it is.").format(clips=len(batch.clips))
            )
        else:
            (clip,) = batch.clips
            number = session.recording(clip.recording_id).number
            if self._awaited and self._awaited[-1][1] is batch:
                what = "faces" if self._awaited[-1][0].kind == "faces" else tr("personal information")
                self._studio.told.emit(
                    tr("Looking for {what} in recording {number} first; its export follows.").format(
                        what=what, number=number
                    )
                )
            else:
                self._studio.told.emit(
                    tr("Exporting recording {number}. Jobs shows how far it is.").format(number=number)
                )

    def _start_one(self, batch: ExportBatch, clip: Clip) -> None:
        try:
            if _tracked(batch.session, clip.recording_id):
                self._render(batch, clip)
                return
            tracking = self._jobs.of("faces", clip.recording_id)
            if tracking is None:
                tracking = face_tracking.prepare(batch.session, clip.recording_id)
                self._jobs.start(tracking)
        except UserError as error:
            self._fail(batch, clip, error)
            return
        self._awaited.append((tracking, batch, clip))
        self._jobs.after(tracking, lambda _result: self._go_on(tracking, batch, clip))

    def _go_on(self, tracking: Work, batch: ExportBatch, clip: Clip) -> None:
        self._awaited = [one for one in self._awaited if one[0] is not tracking or one[2] is not clip]
        if batch.has_ended(clip):
            return
        try:
            self._render(batch, clip)
        except UserError as error:
            self._fail(batch, clip, error)
            self._settle(batch)

    def _searching(self, session: Session, recording_id: str, choice: SoundChoice) -> Work | None:
        """Return the job that searches what is said, put into the queue; None where that was done or is not needed."""
        if not must_search(session, recording_id, choice):
            return None
        running = self._jobs.of(pii_search.KIND, "")
        if running is not None:
            return running
        work = pii_search.prepare(session)
        if work is not None:
            self._jobs.start(work)
        return work

    def _listen(
        self,
        listening: Listening,
        session: Session,
        recording_id: str,
        which: str,
        choice: SoundChoice,
        time_us: int,
    ) -> None:
        if self.dialog is None:
            return
        searching = self._searching(session, recording_id, choice) if which else None
        if searching is None:
            listening.ask(which, choice, time_us)
            return
        listening.said.emit(tr("Looking for personal information in the texts…"), "")
        again = partial(self._listen, listening, session, recording_id, which, choice, time_us)
        self._jobs.after(searching, lambda _result: again())

    def _render(self, batch: ExportBatch, clip: Clip) -> None:
        searching = self._searching(batch.session, clip.recording_id, batch.queue.sound)
        if searching is not None:
            self._awaited.append((searching, batch, clip))
            self._jobs.after(searching, lambda _result: self._go_on(searching, batch, clip))
            return
        work = rendering_queue.prepare(batch.session, batch.queue, clip)
        batch.begin(clip, work)
        self._jobs.start(work, lambda result: self._on_done(batch, clip, work, result), noted=False)

    def _on_done(self, batch: ExportBatch, clip: Clip, work: Work, result: Result) -> None:
        batch.done(clip, result)
        shown = self._studio.recording
        one_shown = len(batch.clips) == 1 and shown is not None and shown.id == clip.recording_id
        if one_shown and self._window.isVisible():
            self.show_result(work, result)
        elif anonymization.outdated(batch.session, self._jobs.as_done(work)):
            number = batch.session.recording(clip.recording_id).number
            self._studio.failed.emit(
                UserError(
                    tr("What is hidden in recording {number} was changed while it was exported.").format(number=number),
                    tr("Export it again."),
                )
            )
        self._settle(batch)

    def _on_stopped(self, work: Work) -> None:
        session = self._studio.session
        if session is None or self._jobs.leaving:
            return
        problem = self._jobs.problem_of(work)
        hit = [(batch, clip) for batch in self._batches if (clip := batch.clip_of(work)) is not None]
        waiting = [(batch, clip) for tracking, batch, clip in self._awaited if tracking is work]
        self._awaited = [one for one in self._awaited if one[0] is not work]
        for batch, clip in (*hit, *waiting):
            if problem is not None:
                batch.failed(clip, problem)
            else:
                batch.stopped(clip)
            self._settle(batch)
        found = recording(session.study, work.recording_id)
        name = tr("recording {number}").format(number=found.number) if found else tr("a recording")
        if waiting:
            what = "faces" if work.kind == "faces" else tr("personal information")
            self._studio.told.emit(
                tr("Looking for {what} was stopped, so {name} is not exported.").format(what=what, name=name)
            )
        elif work.kind == "anonymize":
            self._studio.told.emit(tr("The export of {name} was stopped. No clip was written.").format(name=name))
        if work in self._fetched and self.dialog is not None:
            self.dialog.methods.say(str(problem) if problem else tr("Stopped; nothing was installed."))

    def _fail(self, batch: ExportBatch, clip: Clip, error: UserError) -> None:
        batch.failed(clip, error)
        if len(batch.clips) == 1:
            self._studio.failed.emit(error)

    def _settle(self, batch: ExportBatch) -> None:
        if batch.ended and batch in self._batches:
            self._ended(batch)

    def _ended(self, batch: ExportBatch) -> None:
        self._batches.remove(batch)
        self._jobs.end_plan(batch.plan)
        if len(batch.clips) == 1:
            return
        failed = next((one for one in batch.queue.clips if one.state is ClipState.FAILED), None)
        if failed is None:
            self._studio.told.emit(tr("Export: {summary}.").format(summary=batch.summary()))
        else:
            number = batch.session.recording(failed.recording_id).number
            first = tr("Recording {number}, {method}: {problem}").format(
                number=number, method=failed.method, problem=failed.problem
            )
            self._studio.failed.emit(UserError(tr("Export: {summary}.").format(summary=batch.summary()), first))

    def _preview(
        self,
        feed: PreviewFeed,
        session: Session,
        recording_id: str,
        method: str,
        options: Mapping[str, Json],
        time_us: int,
        keep_robots: bool,
    ) -> None:
        feed.ask(
            lambda: preview.prepare(session, recording_id, method, time_us, options=options, keep_robots=keep_robots)
        )

    def _fetch(self, names: Sequence[str]) -> None:
        dialog = self.dialog
        if dialog is None:
            return
        try:
            for name in names:
                work = fetching.prepare(name)
                require_permission(self._studio, self._questions, name)
                self._fetched.append(work)
                self._jobs.start(work, lambda _result: self._on_fetched())
        except UserError as error:
            dialog.methods.say(f"{error.message} {error.hint}".strip())

    def _on_fetched(self) -> None:
        if self.dialog is not None:
            self.dialog.refresh()

    def _on_progress(self, work: Work, done: int, total: int, _text: str) -> None:
        if work in self._fetched and self.dialog is not None:
            share = f" {100 * done // total} %" if total else ""
            self.dialog.methods.say(f"{work.title}:{share}")

    def _close(self, feed: PreviewFeed) -> None:
        feed.close()
        self.dialog = None

    def _on_session(self) -> None:
        self._batches.clear()
        self._awaited.clear()
        # After the window has taken away what it said about the study before.
        QTimer.singleShot(0, self, self._tell_left_over)

    def _tell_left_over(self) -> None:
        session = self._studio.session
        queue = rendering_queue.unfinished(session) if session is not None else None
        # What was interrupted is offered together with other jobs.
        if queue is not None and not queue.interrupted:
            self._studio.told.emit(tr("{queue} Export anonymized goes on with it.").format(queue=_left_over(queue)))


def _left_over(queue: Queue | None) -> str:
    if queue is None:
        return ""
    left, count = len(queue.left), len(queue.clips)
    clips = (
        tr("its clip was not made")
        if count == 1
        else tr("{left} of its {count} clips are left").format(left=left, count=count)
    )
    return tr("The last export did not end: {clips}.").format(clips=clips)


def _tracked(session: Session, recording_id: str) -> bool:
    located = session.usable_picture(recording_id)
    try:
        faces_run(session, recording_id, located)
    except UserError:
        return False
    return True


def _times(found: object) -> Sequence[int]:
    return [round(float(t) * SECOND) for t in found] if isinstance(found, list) else []
