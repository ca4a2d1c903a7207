"""Asks for a cue in the selected utterance, and adds it."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from app.core.commands import cues as commands
from app.core.cues.job import prepare
from app.core.cues.marks import RESPONSE, SCHEME, place_of_word
from app.core.session import Session
from app.gui.job_center import JobCenter
from app.gui.player import Player
from app.gui.studio import Studio
from project.errors import UserError
from project.queries.participants import participants_in
from project.queries.utterances import utterance, utterances_between
from project.schemes.loader import load_scheme
from project.transcript import tokens
from project.types import Changes, Utterance
from resources.translation import tr
from widgets.cue_form import CueForm, WantedCue


class CueAdding(QObject):
    """Opens the form where the mouse is, or in the middle of the window; starts the job that suggests cues.

    Attributes:
        form: the one that was opened last.
    """

    def __init__(self, studio: Studio, player: Player, jobs: JobCenter, window: QWidget) -> None:
        super().__init__(window)
        self._studio, self._player, self._jobs, self._window = studio, player, jobs, window
        self.form: CueForm | None = None

    def ask(self) -> None:
        """Ask for a cue in the selected utterance, or in the one at the playhead, at the word that is spoken there."""
        session, said = self._studio.session, self._said()
        if session is None:
            return
        if said is None:
            self._studio.failed.emit(
                UserError(tr("A cue belongs inside an utterance."), tr("Select one, or go to where somebody speaks."))
            )
            return
        now = self._player.position_us
        word = place_of_word(said, now) if said.start_us <= now < said.end_us else -1
        form = self.form = CueForm(session.schemes.known(SCHEME) or load_scheme(SCHEME), RESPONSE, self._window)
        form.fill(tokens(said.text), word, said.participant_id, participants_in(session.study, said.recording_id))
        form.add_requested.connect(lambda wanted: self._add(said.id, wanted))
        form.destroyed.connect(self._forget)
        frame = self._window.frameGeometry()
        at = QCursor.pos() if frame.contains(QCursor.pos()) else frame.center()
        form.show()
        form.adjustSize()
        at.setX(max(frame.left(), min(at.x(), frame.right() - form.width())))
        at.setY(max(frame.top(), min(at.y(), frame.bottom() - form.height())))
        form.move(at)
        form.activateWindow()

    def suggest(self) -> None:
        """Start the job that suggests cues in the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        try:
            self._jobs.start(prepare(session, recording.id))
        except UserError as error:
            self._studio.failed.emit(error)

    def _said(self) -> Utterance | None:
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return None
        chosen = self._studio.selected_utterances
        if chosen:
            return utterance(session.study, chosen[-1])
        now = self._player.position_us
        return next(iter(utterances_between(session.study, recording.id, now, now + 1)), None)

    def _add(self, utterance_id: str, wanted: WantedCue) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            who, what = wanted.participant_id, wanted.description
            new, changes = commands.add_cue(session, utterance_id, wanted.track, wanted.label, who, what, wanted.word)
            made.append(new)
            return changes

        if self._studio.edit(do):
            self._studio.select(made)
            self._studio.told.emit(tr("Cue added. Annotate (Ctrl+1) shows all of it."))

    def _forget(self) -> None:
        self.form = None
