"""Exports: the question, the jobs, and what came of them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core import anonymization, face_tracking
from app.core.jobs import Work
from app.gui.export_dialog import ExportDialog, ExportRequest
from app.gui.export_result import ExportResult
from app.gui.job_center import JobCenter, Result
from app.gui.studio import Studio
from project.errors import UserError
from project.queries.recordings import all_recordings, recording
from project.queries.runs import latest_run
from project.timebase import SECOND


class Export(QObject):
    """Runs an export from the dialog to its result.

    Signals:
        jump_requested (str, object): recording and microseconds that the user wants to look at.
    """

    jump_requested = Signal(str, object)

    def __init__(self, studio: Studio, jobs: JobCenter, window: QWidget) -> None:
        super().__init__(window)
        self._studio = studio
        self._jobs = jobs
        self._window = window
        self._folder: Path | None = None
        self.dialog: ExportDialog | None = None
        self.result: ExportResult | None = None
        self._awaited: list[Work] = []
        jobs.result_wanted.connect(self.show_result)
        jobs.stopped.connect(self._say_stopped)

    def ask(self, span: tuple[int, int] | None) -> None:
        """Open the dialog for the recording that is shown."""
        session, shown = self._studio.session, self._studio.recording
        if session is None or shown is None:
            return
        try:
            session.study.require_writable()
        except UserError as error:
            self._studio.failed.emit(error)
            return
        count = len(all_recordings(session.study))
        folder = self._folder or session.study.folder / "anonymized"
        self.dialog = ExportDialog(f"{shown.number}. {shown.name}", span, count, folder, self._window)
        self.dialog.accepted_request.connect(self.start)
        self.dialog.open()

    def start(self, request: ExportRequest) -> None:
        """Put the jobs of an export into the queue; faces are tracked first where they were not."""
        session, shown = self._studio.session, self._studio.recording
        if session is None or shown is None:
            return
        self._folder = request.folder
        chosen = all_recordings(session.study) if request.everything else [shown]
        refused: list[UserError] = []
        for one in chosen:
            try:
                self._start_one(one.id, request, one.id == shown.id and not request.everything)
            except UserError as error:
                refused.append(error)
        if len(refused) > 1:
            first = refused[0]
            self._studio.failed.emit(UserError(f"{len(refused)} recordings are left out. {first.message}", first.hint))
        elif refused:
            self._studio.failed.emit(refused[0])
        elif len(chosen) > 1:
            self._studio.told.emit(f"Exporting {len(chosen)} recordings, one by one. Jobs shows how far it is.")
        elif any(work.recording_id == shown.id for work in self._awaited):
            self._studio.told.emit(f"Looking for faces in recording {shown.number} first; its export follows.")
        else:
            self._studio.told.emit(f"Exporting recording {shown.number}. Jobs shows how far it is.")

    def show_result(self, work: Work, result: Result) -> None:
        """Show what came of an export, with the times to look at."""
        left, doubtful, blanked = (_times(result.get(key)) for key in ("faces_left", "doubtful", "blanked"))
        exempt = work.parameters.get("exempt")
        kept = len(exempt) if isinstance(exempt, list) else 0
        self.result = ExportResult(Path(str(result["output"])), left, doubtful, blanked, self._window, kept)
        self.result.jump_requested.connect(lambda at: self.jump_requested.emit(work.recording_id, at))
        self.result.show()

    def _start_one(self, recording_id: str, request: ExportRequest, show: bool) -> None:
        session = self._studio.session
        assert session is not None
        medium = session.main_medium(recording_id)
        run = latest_run(session.study, recording_id, "faces")
        tracked = run is not None and medium is not None and run.parameters.get("fingerprint") == medium.fingerprint
        tracking = self._jobs.of("faces", recording_id)
        if tracked:
            self._render(recording_id, request, show)
            return
        if tracking is None:
            tracking = face_tracking.prepare(session, recording_id)
            self._jobs.start(tracking)
        self._awaited.append(tracking)
        self._jobs.after(tracking, partial(self._go_on, tracking, request, show))

    def _go_on(self, tracking: Work, request: ExportRequest, show: bool, _result: Result) -> None:
        self._awaited.remove(tracking)
        try:
            self._render(tracking.recording_id, request, show)
        except UserError as error:
            self._studio.failed.emit(error)

    def _say_stopped(self, work: Work) -> None:
        session = self._studio.session
        if session is None:
            return
        found = recording(session.study, work.recording_id)
        name = f"recording {found.number}" if found else "a recording"
        if work in self._awaited:
            self._awaited = [one for one in self._awaited if one != work]
            self._studio.told.emit(f"Looking for faces was stopped, so {name} is not exported.")
        elif work.kind == "anonymize":
            self._studio.told.emit(f"The export of {name} was stopped. No clip was written.")

    def _render(self, recording_id: str, request: ExportRequest, show: bool) -> None:
        session = self._studio.session
        if session is None:
            return
        start, end = request.span or (None, None)
        work = anonymization.prepare(
            session,
            recording_id,
            request.method,
            request.folder,
            options=request.options,
            start_us=start,
            end_us=end,
            keep_robots=request.keep_robots,
            overwrite=request.overwrite,
        )
        self._jobs.start(work, (lambda result: self.show_result(work, result)) if show else None)


def _times(found: object) -> Sequence[int]:
    return [round(float(t) * SECOND) for t in found] if isinstance(found, list) else []
