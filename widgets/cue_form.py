"""A small form that asks for a cue: which kind, whose, at which word, and what is seen or heard."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from project.schemes.scheme import Scheme
from project.types import Participant
from resources.translation import tr
from widgets import theme
from widgets.label_buttons import LabelButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

WHOLE = tr("The whole utterance")
_WIDE = 380


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
        self.track = QComboBox()
        self.track.setAccessibleName(tr("Kind of cue"))
        for track in scheme.tracks:
            self.track.addItem(track.name, track.key)
            self.track.setItemData(self.track.count() - 1, plain_tip(track.definition), Qt.ItemDataRole.ToolTipRole)
        self.track.setToolTip(tr("Kind of cue"))
        self.who = QComboBox()
        self.who.setAccessibleName(tr("Whose cue it is"))
        self.who.setToolTip(tr("Whose cue it is"))
        self.place = QComboBox()
        self.place.setAccessibleName(tr("Where it begins"))
        self.place.setToolTip(tr("The word at which it begins"))
        self.description = QLineEdit()
        self.description.setAccessibleName(tr("Description"))
        self.description.setPlaceholderText(tr("What is seen or heard, in a few plain words"))
        self.description.setToolTip(tr("What is seen or heard (Return adds the cue)"))
        self.add = QPushButton(tr("Add cue"))
        self.add.setProperty("primary", True)
        self.add.setToolTip(tr("Add the cue (Return)"))
        self.add.setDefault(True)
        self.add.clicked.connect(self._add)
        self._lay_out()
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
        self.place.clear()
        self.place.addItem(WHOLE, None)
        for at, one in enumerate(said):
            self.place.addItem(f"“{one}”", at)
        self.place.setCurrentIndex(word + 1 if -1 <= word < len(said) else 0)
        self.who.clear()
        for person in people:
            self.who.addItem(f"{person.pseudonym}, {person.role.value}", person.id)
        self._choose_who()
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

    def _lay_out(self) -> None:
        title = PlainLabel(tr("Add cue"))
        title.setFont(theme.font(theme.POINTS + 1, semibold=True))
        self._labels = QWidget()
        QVBoxLayout(self._labels).setContentsMargins(0, 0, 0, 0)
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        form.addRow(tr("Kind"), self.track)
        form.addRow("", self._labels)
        form.addRow(tr("Who"), self.who)
        form.addRow(tr("At"), self.place)
        form.addRow(tr("What"), self.description)
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(title)
        column.addLayout(form)
        column.addLayout(row)
        self.setMinimumWidth(_WIDE)

    def _show_track(self) -> None:
        layout = self._labels.layout()
        assert layout is not None
        while (item := layout.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        track = self._scheme.track(self.track.currentData())
        self.buttons = LabelButtons(track)
        self.buttons.chosen.connect(self._choose_label)
        layout.addWidget(self.buttons)
        self._choose_label(track.labels[0].key)
        self._choose_who()
        self.adjustSize()

    def _choose_label(self, label: str) -> None:
        self._label = label
        self.buttons.set_label(label)

    def _choose_who(self) -> None:
        """Offer the speaker, or, for a response, the first who is not."""
        response = self.track.currentData() == self._listener
        for at in range(self.who.count()):
            if (self.who.itemData(at) == self._speaker) != response:
                self.who.setCurrentIndex(at)
                return

    def _add(self) -> None:
        wanted = WantedCue(
            self.track.currentData(),
            self._label,
            self.who.currentData(),
            self.description.text().strip(),
            self.place.currentData(),
        )
        self.accept()
        self.add_requested.emit(wanted)
