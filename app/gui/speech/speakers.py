"""The job that suggests who speaks, from the menu to what it found."""

from PySide6.QtCore import QObject

from app.core.speech import speakers
from app.core.speech.speaker_suggestions import speaker_flags, speakers_found
from app.gui.job_center import JobCenter
from app.gui.studio import Studio
from project.errors import UserError
from resources.translation import tr, trn


class SuggestedSpeakers(QObject):
    """Starts the job for the recording that is shown, and says what came of it."""

    def __init__(self, studio: Studio, jobs: JobCenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio, self._jobs = studio, jobs

    def suggest(self) -> None:
        """Suggest who speaks in this recording."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self._jobs.of(speakers.KIND, recording.id) is not None:
            return
        try:
            session.study.require_writable()
            work = speakers.prepare(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._jobs.start(work, lambda _result: self._tell(recording.id, recording.number))
        self._studio.told.emit(tr("{title}: Jobs shows how far it is.").format(title=work.title))

    def _tell(self, recording_id: str, number: int) -> None:
        session = self._studio.session
        if session is None:
            return
        found, places = speakers_found(session, recording_id), len(speaker_flags(session, recording_id))
        look = (
            tr("{count} to look at").format(count=trn("{count} place", "{count} places", places))
            if places
            else tr("no place is doubtful")
        )
        unknown = sum(one.participant_id is None for one in found)
        whose = tr(", {unknown} of them no participant yet").format(unknown=unknown) if unknown else ""
        self._studio.told.emit(
            tr("Recording {number}: {count}{whose}; {look}.").format(
                number=number, count=trn("{count} speaker", "{count} speakers", len(found)), whose=whose, look=look
            )
        )
