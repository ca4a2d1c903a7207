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
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_COVERS = {**COVERS, NONE: tr("Leave it to be heard")}


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
        rows = self._rows = QFormLayout()
        rows.setSpacing(theme.GRID)
        rows.addRow(tr("&Voices"), self._build_voices())
        rows.addRow(tr("&Personal words"), self._build_covers())
        column.addLayout(rows)
        self.described = PlainLabel(wordWrap=True)
        self.described.setMinimumHeight(theme.GRID * 9)
        self.described.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.described)
        self.warning = PlainLabel(wordWrap=True)
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
            button.setText(tr("Stop") if which == playing else which.capitalize())

    def _build_voices(self) -> QComboBox:
        self.voices = _combo(tr("Voices"))
        for key in (DEFAULT, *(name for name in VOICES if name != DEFAULT)):
            self.voices.addItem(voice_type(key).title, key)
        self.voices.addItem(tr("No sound at all"), NONE)
        self.voices.addItem(tr("Keep the voices as they are"), KEEP)
        return self.voices

    def _build_covers(self) -> QComboBox:
        self.covers = _combo(tr("What is heard where personal information is said"))
        for key, title in _COVERS.items():
            self.covers.addItem(title, key)
        self.covers.setCurrentIndex(self.covers.findData(MUTE))
        self.covers.setToolTip(tr("What is heard where names, places, numbers and the like are said"))
        return self.covers

    def _build_listening(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(PlainLabel(tr("Listen")))
        self._listening = {}
        for which, tip in (
            (BEFORE, tr("Hear some seconds around this frame as they were recorded")),
            (AFTER, tr("Hear the same seconds as they will be in the clip")),
        ):
            button = QPushButton(which.capitalize())
            button.setToolTip(plain_tip(tip))
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, which=which: self._listen(which))
            self._listening[which] = button
            row.addWidget(button)
        self.heard = PlainLabel(wordWrap=True)
        self.heard.setStyleSheet(f"color: {theme.palette().muted.name()};")
        row.addWidget(self.heard, 1)
        return row

    def _listen(self, which: str) -> None:
        self.listen_requested.emit("" if which == self._playing else which)

    def button(self, which: str) -> QPushButton:
        """Return the button that lets somebody hear the sound before or after."""
        return self._listening[which]

    def _align(self, form: OptionForm) -> None:
        """Let all fields begin at one edge."""
        titles = [self._rows.labelForField(one) for one in (self.voices, self.covers)]
        titles += [part for part in form.findChildren(QLabel) if part.parent() is form]
        widest = max(one.sizeHint().width() for one in titles if one is not None)
        for one in titles:
            if one is not None:
                one.setMinimumWidth(widest)
        inner = form.layout()
        if isinstance(inner, QFormLayout):
            inner.setHorizontalSpacing(theme.GRID)

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
            self._align(self.form)
        self.described.setVisible(self._shown in VOICES)
        self.covers.setEnabled(self._shown != NONE)
        said = [IDENTIFIES] if self._shown == KEEP else []
        if self.covers.currentData() == NONE and self._shown != NONE:
            said.append(tr("Names and other personal information stay to be heard."))
        self.warning.setText(" ".join(said))
        self.warning.setVisible(bool(said))
        self.changed.emit()


def _combo(name: str) -> QComboBox:
    made = QComboBox()
    made.setAccessibleName(name)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return made
