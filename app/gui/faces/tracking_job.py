"""The job that looks for faces, from the page's button to its progress."""

from PySide6.QtCore import QObject, Qt

from app.core.faces import tracking as face_tracking
from app.core.jobs import Work
from app.gui.faces.page import FacesPage
from app.gui.job_center import JobCenter
from app.gui.studio import Studio
from project.errors import UserError


class TrackingJob(QObject):
    """Starts it, stops it, and shows how far it is."""

    def __init__(self, studio: Studio, page: FacesPage, jobs: JobCenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio, self._page, self._jobs = studio, page, jobs
        page.track_requested.connect(self.track)
        page.cancel_requested.connect(self.cancel)
        # Also one that is resumed, or was begun elsewhere.
        jobs.started.connect(self._renew, Qt.ConnectionType.QueuedConnection)
        jobs.progressed.connect(self._show_progress)
        jobs.done.connect(lambda work, _result: self._renew(work))
        jobs.stopped.connect(self._renew)

    def track(self) -> None:
        """Look for faces in this recording."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self._jobs.of("faces", recording.id) is not None:
            return
        try:
            session.study.require_writable()
            work = face_tracking.prepare(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._jobs.start(work)
        self.show()

    def cancel(self) -> None:
        """Stop looking for faces in this recording."""
        work = self._running()
        if work is not None:
            self._jobs.cancel(work)

    def show(self) -> None:
        """Show whether faces are being looked for in this recording."""
        work = self._running()
        self._page.set_progress(f"{work.title}…" if work else None)

    def _running(self) -> Work | None:
        recording = self._studio.recording
        return self._jobs.of("faces", recording.id) if recording else None

    def _show_progress(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._running():
            self._page.set_progress(text or f"{work.title}…", done, total)

    def _renew(self, work: Work) -> None:
        if self._studio.recording is not None and work.recording_id == self._studio.recording.id:
            self.show()
