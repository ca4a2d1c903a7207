"""The jobs that listen to recordings, from the menu to the list of jobs."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core import fetching
from app.core.commands.vocabulary import set_vocabulary
from app.core.jobs import Work
from app.core.session import Session
from app.core.speech import transcription
from app.core.speech import voice_activity as speech
from app.core.speech.drafts import kept_of
from app.core.speech.sound_files import has_sound, usable_sound
from app.core.speech.vocabulary import vocabulary
from app.gui.dialogs import Questions
from app.gui.downloads import require_permission
from app.gui.job_center import JobCenter
from app.gui.speech.dialog import Spoken, TranscribeDialog, TranscribeRequest
from app.gui.studio import Studio
from project.errors import UserError
from project.queries.recordings import all_recordings
from project.queries.utterances import utterances_of
from project.types import Recording
from resources.translation import tr


class Listening(QObject):
    """Finds speech, and has it written down."""

    def __init__(self, studio: Studio, jobs: JobCenter, questions: Questions, window: QWidget) -> None:
        super().__init__(window)
        self._studio, self._jobs, self._questions, self._window = studio, jobs, questions, window
        self._fetched: list[Work] = []
        self.dialog: TranscribeDialog | None = None
        jobs.progressed.connect(self._on_progress)
        jobs.stopped.connect(self._on_stopped)

    def find(self) -> None:
        """Find where somebody speaks in this recording."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self._jobs.of("speech", recording.id) is not None:
            return
        try:
            session.study.require_writable()
            self._jobs.start(speech.prepare(session, recording.id))
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._studio.told.emit(
            tr("Looking for speech in recording {number}. Jobs shows how far it is.").format(number=recording.number)
        )

    def ask(self) -> None:
        """Ask how recordings are to be transcribed."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        try:
            session.study.require_writable()
            usable_sound(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        heard = [one for one in all_recordings(session.study) if has_sound(session, one.id)]
        others = [_spoken(session, one) for one in heard if one.id != recording.id]
        self.dialog = dialog = TranscribeDialog(_spoken(session, recording), others, vocabulary(session), self._window)
        dialog.accepted_request.connect(self.start)
        dialog.fetch_requested.connect(self._fetch)
        dialog.finished.connect(lambda _result: self._closed())
        dialog.open()

    def start(self, request: TranscribeRequest) -> None:
        """Put the jobs into the queue."""
        session = self._studio.session
        if session is None:
            return
        try:
            self._studio.publish(set_vocabulary(session, request.vocabulary))
            works = [
                transcription.prepare(session, one, request.model, request.language, replace=request.replace)
                for one in request.recordings
                if self._jobs.of("transcribe", one) is None
            ]
        except UserError as error:
            self._studio.failed.emit(error)
            return
        for work in works:
            self._jobs.start(work)
        if len(works) == 1:
            self._studio.told.emit(tr("{title}: Jobs shows how far it is.").format(title=works[0].title))
        elif works:
            self._studio.told.emit(
                tr("Transcribing {works} recordings, one by one. Jobs shows how far it is.").format(works=len(works))
            )

    def _fetch(self, name: str) -> None:
        try:
            work = fetching.prepare(name)
            require_permission(self._studio, self._questions, name)
        except UserError as error:
            if self.dialog is not None:
                self.dialog.say(str(error))
            return
        self._fetched.append(work)
        self._jobs.start(work, lambda _result: self._on_fetched())

    def _on_fetched(self) -> None:
        if self.dialog is not None:
            self.dialog.refresh()

    def _on_progress(self, work: Work, done: int, total: int, _text: str) -> None:
        if work in self._fetched and self.dialog is not None:
            self.dialog.say(f"{work.title}: {100 * done // total} %" if total else f"{work.title}…")

    def _on_stopped(self, work: Work) -> None:
        if work in self._fetched and self.dialog is not None:
            problem = self._jobs.problem_of(work)
            self.dialog.say(problem.message if problem else tr("Stopped; nothing was installed."))

    def _closed(self) -> None:
        self.dialog = None


def _spoken(session: Session, recording: Recording) -> Spoken:
    count = len(utterances_of(session.study, recording.id))
    kept = len(kept_of(session, recording.id)) if count else 0
    return Spoken(recording.id, f"{recording.number}. {recording.name}", count, kept)
