"""Ways to a transcript: recognising speech, bringing a file, and dropping what does not belong in it."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.core.commands import transcript as commands
from app.core.jobs import Work
from app.core.session import Session
from app.gui.context import Context
from app.gui.transcript.correcting import Correcting
from app.gui.transcript.showing import Showing
from project.errors import UserError
from project.queries.heard import SPEECH, TRANSCRIBE
from resources.translation import tr
from widgets.transcript.page import TranscriptPage

_KINDS = (TRANSCRIBE, SPEECH, "speakers")


class Making(QObject):
    """Starts the jobs of the page and shows how far they are."""

    def __init__(self, context: Context, page: TranscriptPage, shown: Showing, correcting: Correcting) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._correcting = correcting
        jobs = context.jobs
        page.transcribe_requested.connect(lambda: context.trigger("transcribe"))
        page.import_requested.connect(lambda: context.trigger("import_annotations"))
        page.cancel_requested.connect(self._cancel)
        jobs.started.connect(lambda _work: self._show())
        jobs.progressed.connect(self._progress)
        jobs.done.connect(lambda _work, _result: self._show())
        jobs.stopped.connect(lambda _work: self._show())
        context.studio.recording_changed.connect(self._show)
        self._show()

    def drop_without_speech(self) -> None:
        """Delete the utterances during which nobody was heard to speak."""
        self._drop(commands.without_speech, tr("Somebody speaks in every utterance of this recording."))

    def drop_speaker(self) -> None:
        """Delete all utterances of who says the current one: a voice-over, say."""
        one = self._shown.current()
        if one is None:
            self._context.studio.told.emit(tr("Select an utterance of the speaker whose utterances should go."))
            return
        voice = self._shown.same_speaker(one)
        self._drop(lambda _session, _recording: voice, "")

    def _drop(self, find: Callable[[Session, str], list[str]], none: str) -> None:
        session, recording = self._context.studio.session, self._context.studio.recording
        if session is None or recording is None:
            return
        try:
            ids = find(session, recording.id)
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        if ids:
            self._correcting.delete_those(ids)
        else:
            self._context.studio.told.emit(none)

    def _running(self) -> Work | None:
        recording = self._context.studio.recording
        if recording is None:
            return None
        found = (self._context.jobs.of(kind, recording.id) for kind in _KINDS)
        return next((one for one in found if one is not None), None)

    def _show(self) -> None:
        work = self._running()
        self._page.set_job(f"{work.title}…" if work is not None else None)

    def _progress(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._running():
            self._page.set_job(text or f"{work.title}…", done, total)

    def _cancel(self) -> None:
        work = self._running()
        if work is not None:
            self._context.jobs.cancel(work)
