"""Asks what recognises which recordings, in which language, and what becomes of a transcript that is there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.core import fetching
from app.core.speech.vocabulary import LONGEST
from models.speech.languages import LANGUAGES
from models.speech.whisper_folder import require_files
from models.speech.whisper_models import WhisperModel, usual, whisper_models
from project.errors import UserError
from project.sizes import size_text
from resources.translation import tr, trn
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_WIDTH = 560
_FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class Spoken:
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
        accepted_request (TranscribeRequest): the user pressed Transcribe.
        fetch_requested (str): weights that the user wants to get.
    """

    accepted_request = Signal(object)
    fetch_requested = Signal(str)

    def __init__(
        self,
        shown: Spoken,
        others: Sequence[Spoken],
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
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        column.addLayout(self._build_form(vocabulary))
        self.note = PlainLabel(wordWrap=True)
        self.note.setProperty("quiet", "true")
        self.note.setFixedWidth(_WIDTH)
        column.addWidget(self.note)
        column.addLayout(self._buttons())
        self.refresh()
        best = usual()
        if best is not None:
            self.model.setCurrentIndex(self.model.findData(best))
        self.model.currentIndexChanged.connect(self._on_model)
        self.what.currentIndexChanged.connect(self._tell)
        self._on_model()

    def request(self) -> TranscribeRequest:
        """Return what is filled in."""
        return TranscribeRequest(
            tuple(one.id for one in self._chosen() if not one.utterances or self.replace.isChecked()),
            str(self._folder) if self.model.currentData() == _FOLDER else str(self.model.currentData()),
            self.language.currentData() if self.language.isEnabled() else None,
            self.vocabulary.text(),
            self.replace.isChecked(),
        )

    def refresh(self) -> None:
        """Look again at which models are installed."""
        before = self.model.currentData()
        self._models = {one.name: one for one in whisper_models()}
        self.model.blockSignals(True)
        self.model.clear()
        for one in self._models.values():
            state = "installed" if one.installed else tr("not installed")
            self.model.addItem(f"{one.name}   {size_text(one.size)}, {state}", one.name)
        self.model.addItem(
            tr("A folder of my own…") if self._folder is None else tr("Folder {name}").format(name=self._folder.name),
            _FOLDER,
        )
        self.model.setCurrentIndex(max(0, self.model.findData(before)))
        self.model.blockSignals(False)
        self._tell()

    def say(self, text: str) -> None:
        """Show a line, about a fetch that goes on or failed."""
        self.note.setText(text)

    def _build_form(self, vocabulary: str) -> QFormLayout:
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        self.what = QComboBox()
        self.what.setAccessibleName(tr("What is transcribed"))
        self.what.addItem(tr("This recording ({title})").format(title=self._shown.title), "one")
        if self._others:
            self.what.addItem(tr("All {value} recordings with sound").format(value=len(self._others) + 1), "all")
        form.addRow(tr("&Recordings"), self.what)
        self.model = QComboBox()
        self.model.setAccessibleName(tr("Model"))
        self.model.setToolTip(tr("Larger models are slower and make fewer mistakes"))
        form.addRow(tr("&Model"), self.model)
        self.language = QComboBox()
        self.language.setAccessibleName(tr("Language"))
        self.language.addItem(tr("The model finds out"), None)
        for code, name in LANGUAGES.items():
            self.language.addItem(name, code)
        form.addRow(tr("&Language"), self.language)
        self.vocabulary = QLineEdit(vocabulary)
        self.vocabulary.setMaxLength(LONGEST)
        self.vocabulary.setAccessibleName(tr("Vocabulary"))
        self.vocabulary.setPlaceholderText(tr("Words that come up, as they are spelled: products, places, terms"))
        self.vocabulary.setToolTip(tr("The model is told them; they are kept in the study"))
        form.addRow(tr("&Vocabulary"), self.vocabulary)
        self.replace = QCheckBox(tr("Replace &drafts that nobody touched"))
        self.replace.toggled.connect(self._tell)
        form.addRow("", self.replace)
        return form

    def _buttons(self) -> DialogButtons:
        row = DialogButtons(self, tr("Transcribe"), tr("Transcribe nothing"))
        self.start = row.go_on
        self.start.clicked.connect(self._on_start)
        return row

    def _chosen(self) -> tuple[Spoken, ...]:
        return (self._shown,) if self.what.currentData() == "one" else (self._shown, *self._others)

    def _on_model(self) -> None:
        if self.model.currentData() == _FOLDER:
            chosen = self._choose_folder(self)
            if chosen is not None:
                self._folder = chosen
                self.model.setItemText(self.model.currentIndex(), tr("Folder {name}").format(name=chosen.name))
        self._tell()

    def _tell(self) -> None:
        model = self._models.get(str(self.model.currentData()))
        english = model is not None and model.english
        self.language.setEnabled(not english)
        self.language.setItemText(0, tr("English") if english else tr("The model finds out"))
        if english:
            self.language.setCurrentIndex(0)
        self.language.setToolTip(tr("This model knows English only") if english else tr("What is spoken"))
        chosen = self._chosen()
        drafts = sum(one.utterances - one.kept for one in chosen)
        kept = sum(one.kept for one in chosen)
        self.replace.setVisible(any(one.utterances for one in chosen))
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
            self.note.setText(_question(model))
        elif problem:
            self.note.setText(problem)
        elif any(one.utterances for one in chosen):
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
        self.accepted_request.emit(self.request())
        self.accept()


def _question(model: WhisperModel) -> str:
    try:
        return f"{model.purpose[:1].upper()}{model.purpose[1:]}. {fetching.question(model.name)}."
    except UserError as error:
        return str(error)


def _ask_folder(parent: QWidget) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder of a Whisper model"))
    return Path(chosen) if chosen else None
