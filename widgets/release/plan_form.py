"""What a release is to hold, as a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QGridLayout, QLineEdit, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import add_row
from widgets.plain_tip import plain_tip

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Choices:
    """What may be chosen: pairs of key and text."""

    methods: Pairs
    without_consent: Pairs
    sound: Pairs
    cover: Pairs
    texts: Pairs
    formats: Pairs
    video: Pairs


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is chosen: keys, and what was typed."""

    methods: tuple[str, ...] = ()
    without_consent: str = ""
    sound: str = ""
    cover: str = ""
    texts: str = ""
    formats: tuple[str, ...] = ()
    video: tuple[str, ...] = ()
    keep_robots: bool = False
    typed: Mapping[str, str] = field(default_factory=dict)


_TYPED = {
    "title": (tr("Title"), tr("What the data set is called in its card")),
    "contact": (tr("Contact"), tr("Whom to ask, for the card and the terms")),
    "holder": (tr("Rights holder"), tr("Who holds the rights, for the terms of use")),
}
_COLUMNS = 3
_ROW = theme.GRID * 7 // 2
"""Height of a row of ticks, in pixels: the name of the field stands beside the first of them."""


class PlanForm(QWidget):
    """The form.

    Signals:
        changed (Chosen): something was chosen or typed.
    """

    changed = Signal(object)

    def __init__(self, choices: Choices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        form = QFormLayout(self)
        form.setContentsMargins(0, theme.GRID, 0, 0)
        form.setSpacing(theme.GRID)
        self._methods = self._ticks(
            form, tr("Faces"), choices.methods, tr("Release a clip in which faces are hidden so")
        )
        self.consent = self._list(
            form, tr("Without consent"), choices.without_consent, tr("What becomes of who did not agree")
        )
        self.robots = QCheckBox(tr("Leave the faces of robots as they are"))
        self.robots.setToolTip(tr("Faces of participants with the role robot are not hidden"))
        self.robots.toggled.connect(lambda _on: self._tell())
        form.addRow("", self.robots)
        self._video = self._ticks(form, tr("Pictures"), choices.video, tr("Put this into the release"))
        self.sound = self._list(form, tr("Sound"), choices.sound, tr("What becomes of voices"))
        self.cover = self._list(
            form, tr("Instead of private words"), choices.cover, tr("What is heard where sound leaves")
        )
        self.cover.setEnabled(self.sound.currentIndex() > 0)
        self.sound.currentIndexChanged.connect(lambda place: self.cover.setEnabled(place > 0))
        self.texts = self._list(form, tr("Texts"), choices.texts, tr("What becomes of free texts and transcripts"))
        self._formats = self._ticks(
            form, tr("Annotations"), choices.formats, tr("Write the annotations in this format")
        )
        self._typed: dict[str, QLineEdit] = {}
        for key, (name, tip) in _TYPED.items():
            line = QLineEdit()
            line.setAccessibleName(name)
            line.setToolTip(plain_tip(tip))
            line.editingFinished.connect(self._tell)
            add_row(form, name, line)
            self._typed[key] = line

    def show_chosen(self, chosen: Chosen) -> None:
        """Show what is chosen, without a signal."""
        blocker = QSignalBlocker(self)
        for ticks, keys in (
            (self._methods, chosen.methods),
            (self._video, chosen.video),
            (self._formats, chosen.formats),
        ):
            for key, tick in ticks.items():
                tick.setChecked(key in keys)
        for box, key in (
            (self.consent, chosen.without_consent),
            (self.sound, chosen.sound),
            (self.cover, chosen.cover),
            (self.texts, chosen.texts),
        ):
            box.setCurrentIndex(max(0, box.findData(key)))
        self.robots.setChecked(chosen.keep_robots)
        for key, line in self._typed.items():
            if not line.hasFocus():
                line.setText(chosen.typed.get(key, ""))
        blocker.unblock()

    def chosen(self) -> Chosen:
        """Return what is chosen."""

        def ticked(ticks: Mapping[str, QCheckBox]) -> tuple[str, ...]:
            return tuple(key for key, tick in ticks.items() if tick.isChecked())

        return Chosen(
            ticked(self._methods),
            str(self.consent.currentData()),
            str(self.sound.currentData()),
            str(self.cover.currentData()),
            str(self.texts.currentData()),
            ticked(self._formats),
            ticked(self._video),
            self.robots.isChecked(),
            {key: line.text().strip() for key, line in self._typed.items()},
        )

    def _tell(self) -> None:
        self.changed.emit(self.chosen())

    def _list(self, form: QFormLayout, name: str, pairs: Pairs, tip: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setToolTip(plain_tip(tip))
        for key, text in pairs:
            box.addItem(text, key)
        box.activated.connect(lambda _place: self._tell())
        add_row(form, name, box)
        return box

    def _ticks(self, form: QFormLayout, name: str, pairs: Pairs, tip: str) -> dict[str, QCheckBox]:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.GRID * 2)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(_COLUMNS, 1)
        made: dict[str, QCheckBox] = {}
        for place, (key, text) in enumerate(pairs):
            tick = QCheckBox(text)
            tick.setMinimumHeight(_ROW)
            tick.setAccessibleName(f"{name}: {text}")
            tick.setToolTip(plain_tip(f"{tip}: {text}"))
            tick.clicked.connect(lambda _on: self._tell())
            grid.addWidget(tick, place // _COLUMNS, place % _COLUMNS)
            made[key] = tick
        add_row(form, name, grid)
        return made
