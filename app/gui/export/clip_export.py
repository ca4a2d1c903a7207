"""Exports anonymized clips.

Queues the jobs, tracks each clip on disk and in the job list, and shows the result with the frames to check.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QWidget

from annotate.study.recording_edits import has_file
from anonymize.egress import weights_download_job
from anonymize.export import export_job, export_queue, preview_job
from anonymize.export.export_queue import ClipState, QueuedClip, RenderQueue, queue_title
from anonymize.faces import face_tracking_job
from anonymize.faces.masking_plan import require_faces_run
from anonymize.methods.face_methods import method_type
from anonymize.pii_review import study_finder
from anonymize.voice import sound_preview_job
from anonymize.voice.sound_choice import SoundChoice, needs_pii_search
from app.gui.export.export_dialog import ExportDialog, ExportRequest
from app.gui.export.export_preview import PreviewFeed, SoundPreviewPlayer
from app.gui.jobs.job_center import JobCenter, Result
from app.gui.jobs.jobs_panel import JobState
from app.gui.study.dialogs import Dialogs, require_permission
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Json
from project.errors import UserError
from project.queries.recording_rows import all_recordings, find_recording
from project.session.job_notes import EXPORT, InterruptedJob
from project.session.jobs import JobSpec
from project.session.session import Session
from project.timebase import SECOND_US, format_time
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.controls import push_button
from widgets.form.layouts import fit_width, make_column, make_row
from widgets.text_labels import PlainLabel
from widgets.theme import pixmap

_FINISHED_STATES = frozenset({ClipState.DONE, ClipState.FAILED, ClipState.CANCELLED})


class ExportBatch:
    """A queue of clips while it is worked on.

    Attributes:
        plan: key of the plan under which the list of jobs knows it.
    """

    def __init__(self, session: Session, jobs: JobCenter, queue: RenderQueue) -> None:
        """Begin; nothing is done before its clips are begun."""
        self.session = session
        self.queue = queue
        self.plan = ""
        self.clips = tuple(queue.pending)
        self._jobs = jobs
        self._works: dict[int, tuple[JobSpec, QueuedClip]] = {}
        self._ended: dict[tuple[str, str], ClipState] = {}
        self._faces_left = 0
        self._row = ""
        export_queue.save_queue(session, queue)

    def show_row(self) -> None:
        """Say in a row of its own in the list of jobs how far several clips are together."""
        if len(self.clips) > 1:
            self._row = self._jobs.begin_group(tr("Export of {clips} clips").format(clips=len(self.clips)), self.cancel)
            self._show()

    @property
    def is_finished(self) -> bool:
        """Whether every clip was made, failed or was cancelled."""
        return len(self._ended) == len(self.clips)

    def mark_running(self, clip: QueuedClip, work: JobSpec) -> None:
        """Note which job makes a clip. From now on the clip may be there when the program stops."""
        self._works[id(work)] = (work, clip)
        self.queue = self.queue.with_state(clip, ClipState.RUNNING)
        export_queue.save_queue(self.session, self.queue)

    def clip_of(self, work: JobSpec) -> QueuedClip | None:
        """Return the clip that a job makes; None where it makes none of this batch."""
        return self._works[id(work)][1] if id(work) in self._works else None

    def mark_done(self, clip: QueuedClip, result: Result) -> None:
        """Note that a clip was made."""
        self._faces_left += bool(result.faces_left)
        self._finish_clip(clip, ClipState.DONE)

    def mark_failed(self, clip: QueuedClip, error: UserError) -> None:
        """Note that a clip could not be made."""
        self._finish_clip(clip, ClipState.FAILED, f"{error.message} {error.hint}".strip())

    def mark_cancelled(self, clip: QueuedClip) -> None:
        """Note that a clip was cancelled."""
        self._finish_clip(clip, ClipState.CANCELLED)

    def cancel(self) -> None:
        """Cancel every clip that is not made yet."""
        for clip in self.clips:
            if (
                not any(queued_clip is clip for _, queued_clip in self._works.values())
                and _clip_key(clip) not in self._ended
            ):
                self.mark_cancelled(clip)
        for work, clip in reversed([*self._works.values()]):
            if _clip_key(clip) not in self._ended:
                self._jobs.cancel(work)

    def is_clip_finished(self, clip: QueuedClip) -> bool:
        """Tell whether a clip was made, failed or was cancelled."""
        return _clip_key(clip) in self._ended

    def summary(self) -> str:
        """Say in a line what came of all clips."""
        counts = {state: sum(clip_state is state for clip_state in self._ended.values()) for state in _FINISHED_STATES}
        said = [tr("{counts} of {clips} clips made").format(counts=counts[ClipState.DONE], clips=len(self.clips))]
        if self._faces_left:
            said.append(tr("faces left in {faces_left}: do not release those").format(faces_left=self._faces_left))
        if counts[ClipState.FAILED]:
            said.append(tr("{counts} failed").format(counts=counts[ClipState.FAILED]))
        if counts[ClipState.CANCELLED]:
            said.append(tr("{counts} cancelled").format(counts=counts[ClipState.CANCELLED]))
        return ", ".join(said)

    def _finish_clip(self, clip: QueuedClip, state: ClipState, problem: str = "") -> None:
        if _clip_key(clip) in self._ended:
            return
        self._ended[_clip_key(clip)] = state
        self.queue = self.queue.with_state(clip, state, problem)
        export_queue.save_queue(self.session, self.queue)
        self._show()

    def _show(self) -> None:
        if not self._row:
            return
        if not self.is_finished:
            done = len(self._ended)
            self._jobs.show_group(
                self._row, done, len(self.clips), tr("{done} of {clips} clips").format(done=done, clips=len(self.clips))
            )
            return
        states = set(self._ended.values())
        bad = ClipState.FAILED in states or self._faces_left > 0
        state = JobState.FAILED if bad else JobState.DONE if ClipState.DONE in states else JobState.CANCELLED
        self._jobs.end_group(self._row, state, self.summary())


def _clip_key(clip: QueuedClip) -> tuple[str, str]:
    return clip.recording_id, clip.method


_RESULT_WIDTH = 440
_MERGE_GAP_US = 500_000
_NO_WITNESS_HINT = tr(
    "Checked by the detector that found the faces. A second detector sees more: get rfb320 under File > Models…"
)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a clip; times in microseconds on the recording's axis.

    Attributes:
        faces_left: frames with a face that should be hidden.
        doubtful: frames that a person should look at.
        blanked: frames that could not be read and were covered wholly.
        undrawn: frames in which a face could not be drawn and was painted solid.
        exempt_count: how many tracks of robots were to stay.
        outdated: whether what is hidden was changed since the clip was asked for.
        independent: whether a detector looked that had no part in finding the faces.
        drawn: whether other faces were drawn in the place of those that are hidden.
    """

    faces_left: Sequence[int] = ()
    doubtful: Sequence[int] = ()
    blanked: Sequence[int] = ()
    undrawn: Sequence[int] = ()
    exempt_count: int = 0
    outdated: bool = False
    independent: bool = True
    drawn: bool = False


class ExportResult(OwnDialog):
    """Not modal: the user looks at the moments while it stays open.

    Signals:
        jump_requested (object): microseconds on the recording's axis.
        view_requested: the user wants to see the clip beside the recording.
    """

    jump_requested = Signal(object)
    view_requested = Signal()

    def __init__(
        self, output: Path, found: Findings, parent: QWidget | None = None, *, offers_view: bool = True
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export finished"))
        path = PlainLabel(
            str(output),
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            accessibleName=tr("The clip: {output}").format(output=output),
        )
        self.moments = QListWidget()
        self.moments.setAccessibleName(tr("Moments to look at"))
        self.moments.setStyleSheet("QListWidget::item { padding: 4px 8px; }")
        self._fill(tr("Face left"), found.faces_left)
        self._fill(tr("Doubtful"), found.doubtful)
        self._fill(tr("Covered wholly, could not be read"), found.blanked)
        self._fill(tr("Painted solid, could not be drawn"), found.undrawn)
        self.moments.itemActivated.connect(self._jump)
        self.moments.itemClicked.connect(self._jump)
        view = push_button(
            tr("Show beside the recording"),
            tr("Add the clip to the recording as a further camera; can be undone"),
            autoDefault=False,
        )
        view.clicked.connect(view.hide)
        view.clicked.connect(self.view_requested)
        folder = push_button(
            tr("Open folder"),
            tr("Open the folder of the clip"),
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(output.parent))),
            autoDefault=False,
        )
        close = push_button(tr("Close"), tr("Close (Esc)"), self.close, default=True)
        hint = _make_muted_label(tr("Click a moment to look at it in the recording."))
        column = make_column(
            _make_headline(bool(found.faces_left) or found.outdated, _verdict_text(found)),
            *([] if found.independent else [_make_muted_label(_NO_WITNESS_HINT)]),
            path,
            *((hint, self.moments, 1) if self.moments.count() else (None,)),
            make_row(None, *([view] if offers_view else []), folder, close),
            margin=theme.GRID * 2,
        )
        self.setLayout(column)
        close.setFocus()
        fit_width(self, column, _RESULT_WIDTH)

    def _fill(self, what: str, times: Sequence[int]) -> None:
        for start, end in merge_times(times):
            text = (
                format_time(start)
                if start == end
                else tr("{start} to {end}").format(start=format_time(start), end=format_time(end))
            )
            item = QListWidgetItem(f"{text}   {what}")
            item.setData(Qt.ItemDataRole.UserRole, start)
            self.moments.addItem(item)

    def _jump(self, item: QListWidgetItem) -> None:
        self.jump_requested.emit(item.data(Qt.ItemDataRole.UserRole))


def _verdict_text(found: Findings) -> str:
    if found.outdated:
        return tr("The faces were changed while this clip was made. Export it again.")
    if found.faces_left:
        return tr("Faces are left in {left} frames. Do not release this clip.").format(left=len(found.faces_left))
    if found.drawn:
        return tr("Every face was replaced by another. Measure how well that hides people before you release it.")
    if found.exempt_count:
        return tr("No face is left in the clip but those of robots, which were to stay.")
    return tr("No face is left in the clip.")


def merge_times(times: Sequence[int]) -> list[tuple[int, int]]:
    """Join times that follow one another within half a second."""
    found: list[tuple[int, int]] = []
    for time in sorted(times):
        if found and time - found[-1][1] <= _MERGE_GAP_US:
            found[-1] = (found[-1][0], time)
        else:
            found.append((time, time))
    return found


def _make_muted_label(text: str) -> QLabel:
    return PlainLabel(text, wordWrap=True, styleSheet=f"color: {theme.palette().muted.name()};")


def _make_headline(bad: bool, text: str) -> QHBoxLayout:
    picture = PlainLabel()
    colours = theme.palette()
    name, colour = ("triangle-alert", colours.error) if bad else ("circle-check", colours.competence)
    picture.setPixmap(pixmap(name, 20, colour, picture.devicePixelRatioF()))
    words = PlainLabel(text, wordWrap=True, font=theme.font(theme.POINTS + 2, semibold=True))
    return make_row(picture, words, 1)


class ExportController(QObject):
    """Runs an export from the dialog to its result.

    Signals:
        jump_requested (str, object): recording and microseconds that the user wants to look at.
        view_requested (str, Path, object): recording and clip that the user wants to see beside each other, and where
            the clip begins in microseconds on the recording's axis.
    """

    jump_requested = Signal(str, object)
    view_requested = Signal(str, object, object)

    def __init__(self, studio: StudyController, jobs: JobCenter, questions: Dialogs, window: QWidget) -> None:
        super().__init__(window)
        self._studio = studio
        self._jobs = jobs
        self._questions = questions
        self._window = window
        self._folder: Path | None = None
        self.dialog: ExportDialog | None = None
        self.result: ExportResult | None = None
        self._batches: list[ExportBatch] = []
        self._awaited: list[tuple[JobSpec, ExportBatch, QueuedClip]] = []
        self._fetched: list[JobSpec] = []
        jobs.resumers[EXPORT] = self.resume
        jobs.result_requested.connect(self.show_result)
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
        queue = None if self._batches else export_queue.load_unfinished(session)
        self.dialog = dialog = ExportDialog(
            seen, shown.id, span, folder, self._window, time_us=time_us, left_over=_unfinished_text(queue)
        )
        feed = PreviewFeed(dialog, self._jobs.runner.command)
        feed.working.connect(dialog.pane.show_working)
        feed.ready.connect(dialog.show_preview)
        feed.failed.connect(dialog.show_problem)
        dialog.preview_requested.connect(partial(self._preview, feed, session, shown.id))
        listening = SoundPreviewPlayer(
            partial(sound_preview_job.prepare, session, shown.id), dialog, self._jobs.runner.command
        )
        listening.status_changed.connect(dialog.sound.show_listening)
        dialog.listen_requested.connect(partial(self._preview_sound, listening, session, shown.id))
        dialog.finished.connect(lambda _result: listening.close())
        dialog.fetch_requested.connect(self._fetch)
        dialog.export_requested.connect(self.start)
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
            queue = export_queue.make_queue(
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
        """Go on with the export that was interrupted."""
        session = self._studio.session
        queue = export_queue.load_unfinished(session) if session is not None and not self._batches else None
        if session is None or queue is None:
            raise UserError(
                tr("Every clip of this export is already done."), tr("Start a new export: Export anonymized…")
            )
        self._run(session, queue)

    def show_result(self, work: JobSpec, result: Result) -> None:
        """Show what came of an export, with the times to look at."""
        session = self._studio.session
        if session is None or work.kind != "anonymize":
            return
        found = Findings(
            _to_microseconds(result.faces_left),
            _to_microseconds(result.doubtful),
            _to_microseconds(result.blanked),
            _to_microseconds(result.undrawn),
            exempt_count=len(work.parameters.exempt),
            outdated=export_job.is_outdated(session, self._jobs.started_spec(work)),
            independent=result.independent,
            drawn=method_type(work.parameters.method).kind == "face",
        )
        clip = result.output
        offers_view = self._studio.writable and not has_file(session, work.recording_id, clip)
        self.result = ExportResult(clip, found, self._window, offers_view=offers_view)
        self.result.jump_requested.connect(lambda at: self.jump_requested.emit(work.recording_id, at))
        self.result.view_requested.connect(lambda: self.view_requested.emit(work.recording_id, clip, result.zero_us))
        self.result.show()

    def _run(self, session: Session, queue: RenderQueue) -> None:
        batch = ExportBatch(session, self._jobs, queue)
        batch.plan = self._jobs.begin_plan(EXPORT, queue_title(session, queue))
        self._batches.append(batch)
        for clip in batch.clips:
            self._start_clip(batch, clip)
        batch.show_row()
        many = len(batch.clips) > 1
        if batch.is_finished:
            self._on_batch_finished(batch)
        elif many:
            self._studio.message.emit(
                tr("Exporting {clips} clips, one by one. Jobs shows how far it is.").format(clips=len(batch.clips))
            )
        else:
            (clip,) = batch.clips
            number = session.recording(clip.recording_id).number
            if self._awaited and self._awaited[-1][1] is batch:
                what = "faces" if self._awaited[-1][0].kind == "faces" else tr("personal information")
                self._studio.message.emit(
                    tr("Looking for {what} in recording {number} first; its export follows.").format(
                        what=what, number=number
                    )
                )
            else:
                self._studio.message.emit(
                    tr("Exporting recording {number}. Jobs shows how far it is.").format(number=number)
                )

    def _start_clip(self, batch: ExportBatch, clip: QueuedClip) -> None:
        try:
            if _has_face_tracks(batch.session, clip.recording_id):
                self._render(batch, clip)
                return
            tracking = self._jobs.find_job("faces", clip.recording_id)
            if tracking is None:
                tracking = face_tracking_job.prepare(batch.session, clip.recording_id)
                self._jobs.start(tracking)
        except UserError as error:
            self._fail(batch, clip, error)
            return
        self._awaited.append((tracking, batch, clip))
        self._jobs.when_done(tracking, lambda _result: self._continue_clip(tracking, batch, clip))

    def _continue_clip(self, tracking: JobSpec, batch: ExportBatch, clip: QueuedClip) -> None:
        self._awaited = [row for row in self._awaited if row[0] is not tracking or row[2] is not clip]
        if batch.is_clip_finished(clip):
            return
        try:
            self._render(batch, clip)
        except UserError as error:
            self._fail(batch, clip, error)
            self._finish_if_done(batch)

    def _queue_pii_search(self, session: Session, recording_id: str, choice: SoundChoice) -> JobSpec | None:
        """Return the job that searches what is said, put into the queue; None where that was done or is not needed."""
        if not needs_pii_search(session, recording_id, choice):
            return None
        running = self._jobs.find_job(study_finder.KIND, "")
        if running is not None:
            return running
        work = study_finder.prepare(session)
        if work is not None:
            self._jobs.start(work)
        return work

    def _preview_sound(
        self,
        listening: SoundPreviewPlayer,
        session: Session,
        recording_id: str,
        which: str,
        choice: SoundChoice,
        time_us: int,
    ) -> None:
        if self.dialog is None:
            return
        try:
            searching = self._queue_pii_search(session, recording_id, choice) if which else None
        except UserError as error:
            listening.status_changed.emit(str(error), "")
            return
        if searching is None:
            listening.play_preview(which, choice, time_us)
            return
        listening.status_changed.emit(tr("Looking for personal information in the texts…"), "")
        again = partial(self._preview_sound, listening, session, recording_id, which, choice, time_us)
        self._jobs.when_done(searching, lambda _result: again())

    def _render(self, batch: ExportBatch, clip: QueuedClip) -> None:
        searching = self._queue_pii_search(batch.session, clip.recording_id, batch.queue.sound)
        if searching is not None:
            self._awaited.append((searching, batch, clip))
            self._jobs.when_done(searching, lambda _result: self._continue_clip(searching, batch, clip))
            return
        work = export_queue.prepare(batch.session, batch.queue, clip)
        batch.mark_running(clip, work)
        self._jobs.start(work, lambda result: self._on_done(batch, clip, work, result), noted=False)

    def _on_done(self, batch: ExportBatch, clip: QueuedClip, work: JobSpec, result: Result) -> None:
        batch.mark_done(clip, result)
        shown = self._studio.recording
        one_shown = len(batch.clips) == 1 and shown is not None and shown.id == clip.recording_id
        if one_shown and self._window.isVisible():
            self.show_result(work, result)
        elif export_job.is_outdated(batch.session, self._jobs.started_spec(work)):
            number = batch.session.recording(clip.recording_id).number
            self._studio.failed.emit(
                UserError(
                    tr("The faces of recording {number} have changed during its export.").format(number=number),
                    tr("Export it again."),
                )
            )
        self._finish_if_done(batch)

    def _on_stopped(self, work: JobSpec) -> None:
        session = self._studio.session
        if session is None or self._jobs.leaving:
            return
        problem = self._jobs.failure_of(work)
        hit = [(batch, clip) for batch in self._batches if (clip := batch.clip_of(work)) is not None]
        waiting = [(batch, clip) for tracking, batch, clip in self._awaited if tracking is work]
        self._awaited = [row for row in self._awaited if row[0] is not work]
        for batch, clip in (*hit, *waiting):
            if problem is not None:
                batch.mark_failed(clip, problem)
            else:
                batch.mark_cancelled(clip)
            self._finish_if_done(batch)
        found = find_recording(session.study, work.recording_id)
        name = tr("recording {number}").format(number=found.number) if found else tr("a recording")
        if waiting:
            what = "faces" if work.kind == "faces" else tr("personal information")
            self._studio.message.emit(
                tr("Looking for {what} was stopped, so {name} is not exported.").format(what=what, name=name)
            )
        elif work.kind == "anonymize":
            self._studio.message.emit(tr("The export of {name} was stopped. No clip was written.").format(name=name))
        if work in self._fetched and self.dialog is not None:
            self.dialog.methods.show_fetch_status(str(problem) if problem else tr("Stopped; nothing was installed."))

    def _fail(self, batch: ExportBatch, clip: QueuedClip, error: UserError) -> None:
        batch.mark_failed(clip, error)
        if len(batch.clips) == 1:
            self._studio.failed.emit(error)

    def _finish_if_done(self, batch: ExportBatch) -> None:
        if batch.is_finished and batch in self._batches:
            self._on_batch_finished(batch)

    def _on_batch_finished(self, batch: ExportBatch) -> None:
        self._batches.remove(batch)
        self._jobs.end_plan(batch.plan)
        if len(batch.clips) == 1:
            return
        failed = next((clip for clip in batch.queue.clips if clip.state is ClipState.FAILED), None)
        if failed is None:
            self._studio.message.emit(tr("Export: {summary}.").format(summary=batch.summary()))
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
        def prepare() -> JobSpec:
            if not _has_face_tracks(session, recording_id):
                raise UserError(
                    tr("No preview yet: the faces of this recording have not been tracked."),
                    tr("Export tracks them first. To see them before, close this and track them in the mode Faces."),
                )
            return preview_job.prepare(session, recording_id, method, time_us, options=options, keep_robots=keep_robots)

        feed.request(prepare)

    def _fetch(self, names: Sequence[str]) -> None:
        dialog = self.dialog
        if dialog is None:
            return
        try:
            for name in names:
                work = weights_download_job.prepare(name)
                require_permission(self._studio, self._questions, name)
                self._fetched.append(work)
                self._jobs.start(work, lambda _result: self._on_fetched())
        except UserError as error:
            dialog.methods.show_fetch_status(f"{error.message} {error.hint}".strip())

    def _on_fetched(self) -> None:
        if self.dialog is not None:
            self.dialog.refresh()

    def _on_progress(self, work: JobSpec, done: int, total: int, _text: str) -> None:
        if work in self._fetched and self.dialog is not None:
            share = f" {100 * done // total} %" if total else ""
            self.dialog.methods.show_fetch_status(f"{work.title}:{share}")

    def _close(self, feed: PreviewFeed) -> None:
        feed.close()
        self.dialog = None

    def _on_session(self) -> None:
        self._batches.clear()
        self._awaited.clear()
        # After the window has taken away what it said about the study before.
        QTimer.singleShot(0, self, self._announce_unfinished)

    def _announce_unfinished(self) -> None:
        session = self._studio.session
        queue = export_queue.load_unfinished(session) if session is not None else None
        # What was interrupted is offered together with other jobs.
        if queue is not None and not queue.was_interrupted:
            self._studio.message.emit(
                tr("{queue} Export anonymized goes on with it.").format(queue=_unfinished_text(queue))
            )


def _unfinished_text(queue: RenderQueue | None) -> str:
    if queue is None:
        return ""
    left, count = len(queue.pending), len(queue.clips)
    clips = (
        tr("its clip was not made")
        if count == 1
        else tr("{left} of its {count} clips are left").format(left=left, count=count)
    )
    return tr("The last export did not end: {clips}.").format(clips=clips)


def _has_face_tracks(session: Session, recording_id: str) -> bool:
    located = session.require_picture(recording_id)
    try:
        require_faces_run(session, recording_id, located)
    except UserError:
        return False
    return True


def _to_microseconds(times_s: Sequence[float]) -> Sequence[int]:
    return [round(time_s * SECOND_US) for time_s in times_s]
