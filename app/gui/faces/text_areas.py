"""Text that could be masked: looked for by a job, suggested on the page, accepted as areas."""

from PySide6.QtCore import QObject

from app.core.commands.regions import add_areas
from app.core.faces import text_regions
from app.gui.faces.page import FacesPage
from app.gui.job_center import JobCenter
from app.gui.player import Player
from app.gui.studio import Studio
from project.errors import UserError
from project.regions import Keyframe
from resources.translation import tr, trn

_LABEL = "text"


class TextAreas(QObject):
    """Runs the job and shows what it suggests."""

    def __init__(
        self, studio: Studio, player: Player, page: FacesPage, jobs: JobCenter, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio, self._player, self._page, self._jobs = studio, player, page, jobs
        self._shown = 0
        self.suggested: list[text_regions.SuggestedArea] = []
        page.text.accept_requested.connect(self._accept)
        page.text.show_requested.connect(self._show_next)

    def look(self) -> None:
        """Look for text in this recording."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None or self._jobs.of(text_regions.KIND, recording.id) is not None:
            return
        try:
            session.study.require_writable()
            work = text_regions.prepare(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._jobs.start(work)

    def reload(self) -> None:
        """Read what is suggested for the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        self.suggested = []
        if session is not None and recording is not None:
            self.suggested = text_regions.suggested_areas(session, recording.id)
        count = trn("{count} place", "{count} places", len(self.suggested)) if self.suggested else ""
        words = tr("Text was found in {count} that no area masks").format(count=count) if count else ""
        accept = tr("Mask it") if len(self.suggested) == 1 else tr("Mask all")
        self._page.text.show_suggestion(words, accept, several=False, writable=self._page.writable)

    def _accept(self) -> None:
        recording, areas = self._studio.recording, [(Keyframe(a.start_us, *a.box), a.end_us) for a in self.suggested]
        if recording is not None and areas:
            self._studio.edit(lambda s: add_areas(s, recording.id, areas, _LABEL))

    def _show_next(self) -> None:
        if self.suggested:
            self._shown = (self._shown + 1) % len(self.suggested)
            one = self.suggested[self._shown]
            self._player.seek((one.start_us + one.end_us) // 2)
