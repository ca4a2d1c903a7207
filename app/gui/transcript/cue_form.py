"""The form that adds a cue to the selected utterance: its kind, its participant, its word and a description."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCursor, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from annotate.cues import prelabels
from annotate.cues.cue_detection import prepare
from annotate.cues.cue_marks import RESPONSE, SCHEME, word_index_at
from app.gui.jobs.job_center import JobCenter
from app.gui.player.player import Player
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes, Participant, Utterance
from project.entities.transcript import split_words
from project.errors import UserError
from project.queries.recording_rows import participants_in
from project.queries.transcript_rows import find_utterance, utterances_between
from project.schemes.scheme import Scheme
from project.schemes.scheme_file import load_scheme
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.controls import push_button
from widgets.form.form import Form
from widgets.form.layouts import make_column, make_row
from widgets.labels import LabelButtons
from widgets.text_labels import PlainLabel

WHOLE_UTTERANCE = tr("The whole utterance")
_FORM_WIDTH = 380


@dataclass(frozen=True, slots=True)
class WantedCue:
    """What was filled in.

    Attributes:
        track: key of a track.
        label: key of a label of it.
        participant_id: whose cue it is; None for nobody.
        description: may be empty.
        word: position of the word in the utterance; None for the whole of it.
    """

    track: str
    label: str
    participant_id: str | None
    description: str
    word: int | None


class CueForm(OwnDialog):
    """Opens over the window and closes when something else is clicked, or with Esc.

    Signals:
        add_requested (WantedCue): the cue that is wanted.
    """

    add_requested = Signal(object)

    def __init__(self, scheme: Scheme, listener: str, parent: QWidget | None = None) -> None:
        """Make the form.

        Args:
            scheme: of cues.
            listener: key of its track for what listeners show.
            parent: the window.
        """
        super().__init__(parent, Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(tr("Add cue"))
        self._scheme, self._listener = scheme, listener
        self._speaker: str | None = None
        self._label = ""
        form = Form()
        kinds = {track.key: (track.name, track.definition) for track in scheme.tracks}
        self.track = form.choice(tr("Kind"), tr("Kind of cue"), kinds)
        self._labels = make_column()
        form.add("", self._labels)
        self.who = form.choice(tr("Who"), tr("Whose cue it is"))
        self.place = form.choice(tr("At"), tr("The word at which it begins"))
        self.description = form.text(
            tr("What"),
            tr("What is seen or heard (Return adds the cue)"),
            placeholder=tr("What is seen or heard, in a few plain words"),
        )
        self.add = push_button(
            tr("Add cue"), tr("Add the cue (Return)"), self._request_add, look="primary", default=True
        )
        title = PlainLabel(tr("Add cue"), font=theme.font(theme.POINTS + 1, semibold=True))
        self.setLayout(make_column(title, form, None, make_row(None, self.add), margin=theme.GRID * 2))
        self.setMinimumWidth(_FORM_WIDTH)
        self.track.currentIndexChanged.connect(self._show_track)
        self._show_track()

    def fill(self, said: Sequence[str], word: int, speaker: str | None, people: Sequence[Participant]) -> None:
        """Say what the cue is for.

        Args:
            said: the words of the utterance.
            word: position of the one that is offered; -1 for the whole utterance.
            speaker: who speaks; None while nobody knows.
            people: everybody in the recording.
        """
        self._speaker = speaker
        self.place.offer({None: WHOLE_UTTERANCE} | {at: f"“{text}”" for at, text in enumerate(said)})
        self.place.setCurrentIndex(word + 1 if -1 <= word < len(said) else 0)
        self.who.offer({person.id: f"{person.pseudonym}, {person.role.value}" for person in people})
        self._select_participant()
        self.description.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        left = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if left and self.isVisible() and QApplication.activePopupWidget() is None:
            self.reject()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.palette().panel)
        painter.setPen(theme.palette().outline)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _show_track(self) -> None:
        while (item := self._labels.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        track = self._scheme.track(self.track.currentData())
        self.buttons = LabelButtons(track)
        self.buttons.label_chosen.connect(self._choose_label)
        self._labels.addWidget(self.buttons)
        self._choose_label(track.offered_labels[0].key)
        self._select_participant()
        self.fit_height()

    def fit_height(self) -> None:
        """Be as high as the buttons of the track need at this width."""
        self.adjustSize()
        self.resize(self.width(), self.heightForWidth(self.width()))

    def _choose_label(self, label: str) -> None:
        self._label = label
        self.buttons.set_label(label)

    def _select_participant(self) -> None:
        """Offer the speaker, or, for a response, the first who is not."""
        response = self.track.currentData() == self._listener
        for at in range(self.who.count()):
            if (self.who.itemData(at) == self._speaker) != response:
                self.who.setCurrentIndex(at)
                return

    def _request_add(self) -> None:
        wanted = WantedCue(
            self.track.currentData(),
            self._label,
            self.who.currentData(),
            self.description.text().strip(),
            self.place.currentData(),
        )
        self.accept()
        self.add_requested.emit(wanted)


class CueController(QObject):
    """Opens the form where the mouse is, or in the middle of the window; starts the job that suggests cues.

    Attributes:
        form: the one that was opened last.
    """

    def __init__(self, studio: StudyController, player: Player, jobs: JobCenter, window: QWidget) -> None:
        super().__init__(window)
        self._studio, self._player, self._jobs, self._window = studio, player, jobs, window
        self.form: CueForm | None = None

    def open_form(self) -> None:
        """Ask for a cue in the selected utterance, or in the one at the playhead, at the word that is spoken there."""
        session, said = self._studio.session, self._current_utterance()
        if session is None:
            return
        if said is None:
            self._studio.failed.emit(
                UserError(
                    tr("A cue must lie inside an utterance."), tr("Select an utterance, or move the playhead into one.")
                )
            )
            return
        now = self._player.position_us
        word = word_index_at(said, now) if said.start_us <= now < said.end_us else -1
        form = self.form = CueForm(session.schemes.find(SCHEME) or load_scheme(SCHEME), RESPONSE, self._window)
        form.fill(split_words(said.text), word, said.participant_id, participants_in(session.study, said.recording_id))
        form.add_requested.connect(lambda wanted: self._add(said.id, wanted))
        form.destroyed.connect(self._forget)
        frame = self._window.frameGeometry()
        at = QCursor.pos() if frame.contains(QCursor.pos()) else frame.center()
        form.show()
        form.fit_height()
        at.setX(max(frame.left(), min(at.x(), frame.right() - form.width())))
        at.setY(max(frame.top(), min(at.y(), frame.bottom() - form.height())))
        form.move(at)
        form.activateWindow()

    def suggest_cues(self) -> None:
        """Start the job that suggests cues in the recording that is shown."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        try:
            self._jobs.start(prepare(session, recording.id))
        except UserError as error:
            self._studio.failed.emit(error)

    def _current_utterance(self) -> Utterance | None:
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return None
        chosen = self._studio.selected_utterances
        if chosen:
            return find_utterance(session.study, chosen[-1])
        now = self._player.position_us
        return next(iter(utterances_between(session.study, recording.id, now, now + 1)), None)

    def _add(self, utterance_id: str, wanted: WantedCue) -> None:
        made: list[str] = []

        def do(session: Session) -> Changes:
            who, what = wanted.participant_id, wanted.description
            new, changes = prelabels.add_cue(session, utterance_id, wanted.track, wanted.label, who, what, wanted.word)
            made.append(new)
            return changes

        if self._studio.edit(do):
            self._studio.select(made)
            self._studio.message.emit(tr("Cue added. Annotate (Ctrl+1) shows all of it."))

    def _forget(self) -> None:
        self.form = None
