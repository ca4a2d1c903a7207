"""Starts the jobs that find speech, transcribe recordings and suggest speakers, and asks for their options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QLayout, QWidget

from annotate.speech import speaker_detection, transcription, voice_activity
from annotate.speech.speaker_suggestions import list_speaker_flags, list_speakers
from annotate.study.recording_files import has_sound, require_usable_sound
from annotate.transcript.utterance_drafts import (
    MAX_VOCABULARY_CHARS,
    list_kept_utterances,
    read_vocabulary,
    set_vocabulary,
)
from anonymize.egress import weights_download_job
from app.gui.jobs.job_center import JobCenter
from app.gui.study.dialogs import Dialogs, require_permission
from app.gui.study.study_controller import StudyController
from models.speech.whisper_languages import LANGUAGES
from models.speech.whisper_models import WhisperModel, default_model, list_whisper_models, require_files
from project.entities.study_records import Recording
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import utterances_of
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import format_size
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.form import Form
from widgets.form.layouts import make_column
from widgets.text_labels import PlainLabel

_WIDTH = 560
_FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class TranscribableRecording:
    """A recording with sound, and its transcript.

    Attributes:
        id: of the recording.
        title: its number and name.
        utterances: how many its transcript has.
        kept: how many of them stay when drafts are replaced.
    """

    id: str
    title: str
    utterances: int
    kept: int


@dataclass(frozen=True, slots=True)
class TranscribeRequest:
    """What the user wants; `model` is a name or a folder, `language` None where the model finds out."""

    recordings: tuple[str, ...]
    model: str
    language: str | None
    vocabulary: str
    replace: bool


class TranscribeDialog(OwnDialog):
    """Asks; it starts nothing itself.

    Signals:
        transcribe_requested (TranscribeRequest): the user pressed Transcribe.
        fetch_requested (str): weights that the user wants to get.
    """

    transcribe_requested = Signal(object)
    fetch_requested = Signal(str)

    def __init__(
        self,
        shown: TranscribableRecording,
        others: Sequence[TranscribableRecording],
        vocabulary: str,
        parent: QWidget | None = None,
        *,
        choose_folder: Callable[[QWidget], Path | None] | None = None,
    ) -> None:
        """Ask.

        Args:
            shown: the recording that is looked at.
            others: the others with sound.
            vocabulary: of the study.
            parent: the window.
            choose_folder: asks for the folder of a model.
        """
        super().__init__(parent)
        self._shown, self._others = shown, tuple(others)
        self._choose_folder = choose_folder or _ask_folder
        self._folder: Path | None = None
        self._models: dict[str, WhisperModel] = {}
        self.setWindowTitle(tr("Transcribe"))
        self.note = PlainLabel(wordWrap=True, look="quiet")
        self.note.setFixedWidth(_WIDTH)
        parts = self._build_form(vocabulary), self.note, self._buttons()
        column = make_column(*parts, margin=theme.GRID * 2, spacing=theme.GRID * 2)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.setLayout(column)
        self.refresh()
        best = default_model()
        self.model.choose(best)
        self.model.currentIndexChanged.connect(self._on_model)
        self.what.currentIndexChanged.connect(self._update_controls)
        self._on_model()

    def request(self) -> TranscribeRequest:
        """Return what is filled in."""
        return TranscribeRequest(
            tuple(
                recording.id
                for recording in self._selected_recordings()
                if not recording.utterances or self.replace.isChecked()
            ),
            str(self._folder) if self.model.currentData() == _FOLDER else str(self.model.currentData()),
            self.language.currentData() if self.language.isEnabled() else None,
            self.vocabulary.text(),
            self.replace.isChecked(),
        )

    def refresh(self) -> None:
        """Look again at which models are installed."""
        self._models = {whisper_model.name: whisper_model for whisper_model in list_whisper_models()}
        installed, missing = tr("installed"), tr("not installed")
        names = {
            model.name: f"{model.name}   {format_size(model.size)}, {installed if model.installed else missing}"
            for model in self._models.values()
        }
        own = tr("A folder of my own…") if self._folder is None else tr("Folder {name}").format(name=self._folder.name)
        self.model.offer({**names, _FOLDER: own})
        self._update_controls()

    def show_note(self, text: str) -> None:
        """Show a line, about a fetch that goes on or failed."""
        self.note.setText(text)

    def _build_form(self, vocabulary: str) -> Form:
        form = Form()
        names = {"one": tr("This recording ({title})").format(title=self._shown.title)}
        if self._others:
            names["all"] = tr("All {value} recordings with sound").format(value=len(self._others) + 1)
        self.what = form.choice(tr("&Recordings"), tr("What is transcribed"), names)
        self.model = form.choice(tr("&Model"), tr("Larger models are slower and make fewer mistakes"))
        self.language = form.choice(tr("&Language"), tr("What is spoken"))
        self.language.addItem(tr("The model finds out"), None)
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        self.vocabulary = form.text(
            tr("&Vocabulary"),
            tr("The model is told them; they are kept in the study"),
            vocabulary,
            placeholder=tr("Words that come up, as they are spelled: products, places, terms"),
            longest=MAX_VOCABULARY_CHARS,
        )
        self.replace = form.tick(
            tr("Replace &drafts that nobody touched"), tr("Drafts give way to what the model hears")
        )
        self.replace.toggled.connect(self._update_controls)
        return form

    def _buttons(self) -> DialogButtons:
        row = DialogButtons(self, tr("Transcribe"), tr("Transcribe nothing"))
        self.start = row.go_on
        self.start.clicked.connect(self._on_start)
        return row

    def _selected_recordings(self) -> tuple[TranscribableRecording, ...]:
        return (self._shown,) if self.what.currentData() == "one" else (self._shown, *self._others)

    def _on_model(self) -> None:
        if self.model.currentData() == _FOLDER:
            chosen = self._choose_folder(self)
            if chosen is not None:
                self._folder = chosen
                self.model.setItemText(self.model.currentIndex(), tr("Folder {name}").format(name=chosen.name))
        self._update_controls()

    def _update_controls(self) -> None:
        model = self._models.get(str(self.model.currentData()))
        english = model is not None and model.english
        self.language.setEnabled(not english)
        self.language.setItemText(0, tr("English") if english else tr("The model finds out"))
        if english:
            self.language.setCurrentIndex(0)
        self.language.setToolTip(tr("This model knows English only") if english else tr("What is spoken"))
        chosen = self._selected_recordings()
        drafts = sum(recording.utterances - recording.kept for recording in chosen)
        kept = sum(recording.kept for recording in chosen)
        self.replace.setVisible(any(recording.utterances for recording in chosen))
        missing = model is not None and not model.installed
        self.start.setText(tr("Get this model") if missing else tr("Transcribe"))
        self.start.setToolTip(
            tr("Get it first; nothing else is sent or fetched")
            if missing
            else tr("Start; you can go on working meanwhile")
        )
        problem = self._problem()
        ready = not problem and bool(self.request().recordings)
        self.start.setEnabled(missing or ready)
        if missing and model is not None:
            self.note.setText(_fetch_question(model))
        elif problem:
            self.note.setText(problem)
        elif any(recording.utterances for recording in chosen):
            there = tr("There is a transcript: {count} would be replaced").format(
                count=trn("{count} draft", "{count} drafts", drafts)
            )
            self.note.setText(
                tr("{there}; {kept} that people wrote, checked or imported stay as they are.").format(
                    there=there, kept=kept
                )
            )
        else:
            self.note.setText(tr("The words are drafts until somebody checks them. Nothing leaves this machine."))

    def _problem(self) -> str:
        if self.model.currentData() != _FOLDER:
            return ""
        if self._folder is None:
            return tr("Choose the folder of a Whisper model made for CTranslate2.")
        try:
            require_files(self._folder)
        except UserError as error:
            return error.message
        return ""

    def _on_start(self) -> None:
        model = self._models.get(str(self.model.currentData()))
        if model is not None and not model.installed:
            self.fetch_requested.emit(model.name)
            return
        self.transcribe_requested.emit(self.request())
        self.accept()


def _fetch_question(model: WhisperModel) -> str:
    try:
        return f"{model.purpose[:1].upper()}{model.purpose[1:]}. {weights_download_job.download_question(model.name)}."
    except UserError as error:
        return str(error)


def _ask_folder(parent: QWidget) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder of a Whisper model"))
    return Path(chosen) if chosen else None


class SpeechJobController(QObject):
    """Finds speech, and has it written down."""

    def __init__(self, studio: StudyController, jobs: JobCenter, questions: Dialogs, window: QWidget) -> None:
        super().__init__(window)
        self._studio, self._jobs, self._questions, self._window = studio, jobs, questions, window
        self._fetched: list[JobSpec] = []
        self.dialog: TranscribeDialog | None = None
        jobs.progressed.connect(self._on_progress)
        jobs.stopped.connect(self._on_stopped)

    def find_speech(self) -> None:
        """Find where somebody speaks in this recording."""
        recording = self._studio.recording
        if recording is not None and self._jobs.start_here("speech", voice_activity.prepare) is not None:
            text = tr("Looking for speech in recording {number}. Jobs shows how far it is.")
            self._studio.message.emit(text.format(number=recording.number))

    def open_dialog(self) -> None:
        """Ask how recordings are to be transcribed."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        try:
            session.study.require_writable()
            require_usable_sound(session, recording.id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        heard = [recording for recording in all_recordings(session.study) if has_sound(session, recording.id)]
        others = [
            _transcribable(session, each_recording) for each_recording in heard if each_recording.id != recording.id
        ]
        self.dialog = dialog = TranscribeDialog(
            _transcribable(session, recording), others, read_vocabulary(session), self._window
        )
        dialog.transcribe_requested.connect(self.start_transcription)
        dialog.fetch_requested.connect(self._fetch)
        dialog.finished.connect(lambda _result: self._on_closed())
        dialog.open()

    def start_transcription(self, request: TranscribeRequest) -> None:
        """Put the jobs into the queue."""
        session = self._studio.session
        if session is None:
            return
        try:
            self._studio.publish(set_vocabulary(session, request.vocabulary))
            works = [
                transcription.prepare(session, recording, request.model, request.language, replace=request.replace)
                for recording in request.recordings
                if self._jobs.find_job("transcribe", recording) is None
            ]
        except UserError as error:
            self._studio.failed.emit(error)
            return
        for work in works:
            self._jobs.start(work)
        if len(works) == 1:
            self._studio.message.emit(tr("{title}: Jobs shows how far it is.").format(title=works[0].title))
        elif works:
            self._studio.message.emit(
                tr("Transcribing {works} recordings, one by one. Jobs shows how far it is.").format(works=len(works))
            )

    def _fetch(self, name: str) -> None:
        try:
            work = weights_download_job.prepare(name)
            require_permission(self._studio, self._questions, name)
        except UserError as error:
            if self.dialog is not None:
                self.dialog.show_note(str(error))
            return
        self._fetched.append(work)
        self._jobs.start(work, lambda _result: self._on_fetched())

    def _on_fetched(self) -> None:
        if self.dialog is not None:
            self.dialog.refresh()

    def _on_progress(self, work: JobSpec, done: int, total: int, _text: str) -> None:
        if work in self._fetched and self.dialog is not None:
            self.dialog.show_note(f"{work.title}: {100 * done // total} %" if total else f"{work.title}…")

    def _on_stopped(self, work: JobSpec) -> None:
        if work in self._fetched and self.dialog is not None:
            problem = self._jobs.failure_of(work)
            self.dialog.show_note(problem.message if problem else tr("Stopped; nothing was installed."))

    def _on_closed(self) -> None:
        self.dialog = None


def _transcribable(session: Session, recording: Recording) -> TranscribableRecording:
    count = len(utterances_of(session.study, recording.id))
    kept = len(list_kept_utterances(session, recording.id)) if count else 0
    return TranscribableRecording(recording.id, f"{recording.number}. {recording.name}", count, kept)


class SuggestedSpeakers(QObject):
    """Starts the job for the recording that is shown, and says what came of it."""

    def __init__(self, studio: StudyController, jobs: JobCenter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio, self._jobs = studio, jobs

    def suggest(self) -> None:
        """Suggest who speaks in this recording."""
        recording = self._studio.recording
        if recording is None:
            return
        here, number = recording.id, recording.number
        key, prepare = speaker_detection.JOB.key, speaker_detection.prepare
        work = self._jobs.start_here(key, prepare, lambda _result: self._report(here, number))
        if work is not None:
            self._studio.message.emit(tr("{title}: Jobs shows how far it is.").format(title=work.title))

    def _report(self, recording_id: str, number: int) -> None:
        session = self._studio.session
        if session is None:
            return
        found, places = list_speakers(session, recording_id), len(list_speaker_flags(session, recording_id))
        look = (
            tr("{count} to look at").format(count=trn("{count} place", "{count} places", places))
            if places
            else tr("no place is doubtful")
        )
        unknown = sum(found_speaker.participant_id is None for found_speaker in found)
        whose = tr(", {unknown} of them no participant yet").format(unknown=unknown) if unknown else ""
        self._studio.message.emit(
            tr("Recording {number}: {count}{whose}; {look}.").format(
                number=number, count=trn("{count} speaker", "{count} speakers", len(found)), whose=whose, look=look
            )
        )
