"""The room in which a person answers items: one at a time, over the whole window, with nothing beside it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from project.schemes.scheme import CHOOSING, Scheme
from project.types import Json, Participant
from resources.translation import tr
from widgets import theme
from widgets.empty_state import Choice, EmptyState
from widgets.judges.answer_panel import AnswerPanel
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.progress_bar import ProgressBar

_BACK = "back"
_NUMBERS = 9
_CHOOSE = tr("1 to 9 choose, ")
_KEYS = tr("Ctrl+Return saves, Ctrl+K if you don't know, Esc pauses.")
SHEET = (
    ("1, 2, 3", tr("Choose")),
    ("Ctrl+Return", tr("Save and go on")),
    ("Ctrl+K", tr("I don't know")),
    ("Esc", tr("Pause")),
)
"""Its keys, for the sheet of all keys."""


class AnswerRoom(QWidget):
    """Shows what is asked; what is right is no part of it.

    Signals:
        saved (dict): the answer, by the keys of the fields.
        declined: they do not know.
        passed: an item that cannot be shown is left for later.
        left: they go on another time, or are done.
    """

    saved = Signal(dict)
    declined = Signal()
    passed = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Answering blind"))
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.panel: AnswerPanel | None = None
        self._ready = False
        self.title, self.count = PlainLabel(), PlainLabel()
        self.title.setFont(theme.font(theme.POINTS + 2, semibold=True))
        self.count.setProperty("quiet", True)
        self.bar = ProgressBar(textVisible=False)
        self.bar.setFixedHeight(4)
        self.bar.setAccessibleName(tr("How much is answered"))
        self.note = PlainLabel(wordWrap=True)
        self.note.setAccessibleName(tr("What to do"))
        self.save = _button(tr("Save and go &on"), tr("Save your answer and show the next item (Ctrl+Return)"))
        self.save.setProperty("primary", True)
        self.skip = _button(
            tr("I &don't know"), tr("Go on without an answer; it is counted apart and not asked again (Ctrl+K)")
        )
        self.later = _button(tr("&Next item"), tr("Leave this item, which cannot be shown, for later"))
        self.pause = _button(
            tr("&Pause"), tr("Leave; everything you answered is saved, and you go on where you left (Esc)")
        )
        self._done = EmptyState("circle-check", "", "", (Choice(_BACK, tr("Back to the study"), primary=True),))
        self._done.chosen.connect(lambda _key: self.left.emit())
        self._lay_out()
        self.save.clicked.connect(self._save)
        self.skip.clicked.connect(self._decline)
        self.later.clicked.connect(self.passed)
        self.pause.clicked.connect(self.left)
        for keys, do in (("Ctrl+Return", self._save), ("Ctrl+K", self._decline), ("Esc", self.left.emit)):
            QShortcut(QKeySequence(keys), self).activated.connect(do)
        for number in range(1, _NUMBERS + 1):
            QShortcut(QKeySequence(str(number)), self).activated.connect(lambda number=number: self._pick(number))

    def show_standing(self, title: str, count: str, done: int, total: int) -> None:
        """Say what is asked, and how far they are."""
        self.title.setText(title)
        self.count.setText(count)
        self.bar.show_value(done, max(total, 1))

    def show_task(self, scheme: Scheme, track: str, people: Sequence[Participant]) -> None:
        """Show an empty form; it can be filled in when its material is there."""
        before, self.panel = self.panel, AnswerPanel(scheme, track, people)
        self.panel.form.value_changed.connect(lambda _field, _value: self._say_keys())
        if before is not None:
            self._stack.removeWidget(before)
            before.deleteLater()
        self._stack.addWidget(self.panel)
        self._stack.setCurrentWidget(self.panel)
        self.later.hide()
        self._set_ready(False)
        self.say(tr("Reading the frames…"))

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG); from now on it can be answered."""
        if self.panel is None:
            return
        self.panel.show_material(text, pictures)
        self._set_ready(True)
        self._say_keys()
        # No choice has the focus: it would look as if it were chosen.
        self.setFocus()

    def show_broken(self, why: str) -> None:
        """Say why an item cannot be shown; it can be left for later."""
        self._set_ready(False)
        self.later.show()
        self.say(why)

    def show_done(self, title: str, hint: str) -> None:
        """Say that nothing is left."""
        self._set_ready(False)
        self.later.hide()
        self._done.set_text(title, hint)
        self._stack.setCurrentWidget(self._done)
        self._done.setFocus()

    def say(self, text: str) -> None:
        """Show a line beside the buttons."""
        self.note.setText(text)

    @property
    def ready(self) -> bool:
        """Whether an answer can be given."""
        return self._ready

    def answer(self) -> dict[str, Json]:
        """Return what is filled in."""
        return self.panel.answer() if self.panel is not None else {}

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.count)
        column.addLayout(head)
        column.addWidget(self.bar)
        self._stack = QStackedLayout()
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self._done)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.addWidget(self.note, 1)
        for button in (self.pause, self.later, self.skip, self.save):
            foot.addWidget(button)
        column.addLayout(foot)
        self.later.hide()
        self._set_ready(False)

    def _set_ready(self, ready: bool) -> None:
        self._ready = ready
        for button in (self.save, self.skip):
            button.setEnabled(ready)
        if self.panel is not None:
            self.panel.form.setEnabled(ready)

    def _say_keys(self) -> None:
        fields = [one.field for one in self.panel.form.editors.values()] if self.panel is not None else []
        chooses = any(one.kind in CHOOSING for one in fields)
        self.say(f"{_CHOOSE if chooses else ''}{_KEYS}")

    def _save(self) -> None:
        if self._ready:
            self.saved.emit(self.answer())

    def _decline(self) -> None:
        if self._ready:
            self.declined.emit()

    def _pick(self, number: int) -> None:
        if self._ready and self.panel is not None:
            self.panel.pick(number)


def _button(text: str, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(plain_tip(tip))
    return made
