"""How the sound of an export is treated: voices, and what is said that is personal; with a button to listen."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from anonymize.sound.kinds import COVERS, MUTE
from anonymize.voice.registry import DEFAULT, VOICES, voice_type
from app.core.voice.choice import IDENTIFIES, KEEP, NONE, SoundChoice
from app.core.voice.preview import AFTER, BEFORE
from app.gui.option_form import OptionForm
from project.types import Json
from widgets import theme

_COVERS = {**COVERS, NONE: "Leave it to be heard"}


class SoundForm(QWidget):
    """Shows what can be chosen; the careful choice stands first.

    Signals:
        changed: another choice, or an option.
        listen_requested (str): `BEFORE` or `AFTER` a few seconds are to be heard; "" to be quiet.
    """

    changed = Signal()
    listen_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: dict[str, Mapping[str, Json]] = {}
        self._shown = DEFAULT
        self._playing = ""
        self.form: OptionForm | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        rows = QFormLayout()
        rows.setSpacing(theme.GRID)
        rows.addRow("&Voices", self._build_voices())
        rows.addRow("&Personal words", self._build_covers())
        column.addLayout(rows)
        self.described = QLabel(wordWrap=True)
        self.described.setMinimumHeight(theme.GRID * 9)
        self.described.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.described)
        self.warning = QLabel(wordWrap=True)
        self.warning.setStyleSheet(f"color: {theme.palette().uncertain.name()};")
        column.addWidget(self.warning)
        self._options = QVBoxLayout()
        column.addLayout(self._options)
        column.addLayout(self._build_listening())
        self.voices.currentIndexChanged.connect(self._show_current)
        self.covers.currentIndexChanged.connect(self._show_current)
        self._show_current()

    def choice(self) -> SoundChoice:
        """Return what is chosen."""
        options = self.form.values() if self.form is not None and self._shown in VOICES else {}
        return SoundChoice(self._shown, options, str(self.covers.currentData()))

    def say(self, text: str, playing: str = "") -> None:
        """Say how listening goes, and which of both is heard."""
        self._playing = playing
        self.heard.setText(text)
        for which, button in self._listening.items():
            button.setText("Stop" if which == playing else which.capitalize())

    def _build_voices(self) -> QComboBox:
        self.voices = _combo("Voices")
        for key in (DEFAULT, *(name for name in VOICES if name != DEFAULT)):
            self.voices.addItem(voice_type(key).title, key)
        self.voices.addItem("No sound at all", NONE)
        self.voices.addItem("Keep the voices as they are", KEEP)
        return self.voices

    def _build_covers(self) -> QComboBox:
        self.covers = _combo("What is heard where personal information is said")
        for key, title in _COVERS.items():
            self.covers.addItem(title, key)
        self.covers.setCurrentIndex(self.covers.findData(MUTE))
        self.covers.setToolTip("What is heard where names, places, numbers and the like are said")
        return self.covers

    def _build_listening(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(QLabel("Listen"))
        self._listening = {}
        for which, tip in (
            (BEFORE, "Hear some seconds around this frame as they were recorded"),
            (AFTER, "Hear the same seconds as they will be in the clip"),
        ):
            button = QPushButton(which.capitalize())
            button.setToolTip(tip)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, which=which: self._listen(which))
            self._listening[which] = button
            row.addWidget(button)
        self.heard = QLabel(wordWrap=True)
        self.heard.setStyleSheet(f"color: {theme.palette().muted.name()};")
        row.addWidget(self.heard, 1)
        return row

    def _listen(self, which: str) -> None:
        self.listen_requested.emit("" if which == self._playing else which)

    def button(self, which: str) -> QPushButton:
        """Return the button that lets somebody hear the sound before or after."""
        return self._listening[which]

    def _show_current(self) -> None:
        if self.form is not None:
            self._values[self._shown] = self.form.values()
            self._options.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        self._shown = str(self.voices.currentData())
        if self._shown in VOICES:
            kind = voice_type(self._shown)
            self.described.setText(f"{kind.description} {kind.weakness}")
            self.form = OptionForm(kind.options_type, self._values.get(self._shown, {}))
            self.form.changed.connect(self.changed)
            self._options.addWidget(self.form)
        self.described.setVisible(self._shown in VOICES)
        self.covers.setEnabled(self._shown != NONE)
        said = [IDENTIFIES] if self._shown == KEEP else []
        if self.covers.currentData() == NONE and self._shown != NONE:
            said.append("Names and other personal information stay to be heard.")
        self.warning.setText(" ".join(said))
        self.warning.setVisible(bool(said))
        self.changed.emit()


def _combo(name: str) -> QComboBox:
    made = QComboBox()
    made.setAccessibleName(name)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return made
