"""Looks for words in the transcript, and replaces them."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from resources.translation import tr
from widgets import theme
from widgets.escape import mark_search
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


class FindBar(QWidget):
    """Hidden until it is opened. Return goes to the next place, Shift+Return to the one before, Esc closes it.

    Signals:
        changed: something else is looked for.
        step_requested (int): go to the next (1) or the previous (-1) place.
        replace_requested: replace the place that is shown.
        replace_all_requested: replace all places, in the recording or the study.
        closed: it was closed; the focus belongs to the list again.
    """

    changed = Signal()
    step_requested = Signal(int)
    replace_requested = Signal()
    replace_all_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = _Field(tr("Find in the transcript"), tr("Find"))
        mark_search(self.text)
        self.replacement = _Field(tr("Replace with"), tr("Replace with"))
        self.case = _tick(tr("Aa"), tr("Capital letters matter"))
        self.words = _tick(tr("Words"), tr("Whole words only"))
        self.regex = _tick(".*", tr("It is a regular expression; \\1 in the replacement is its first group"))
        self.where = QComboBox()
        self.where.addItems([tr("This recording"), tr("Whole study")])
        self.where.setAccessibleName(tr("Where to replace"))
        self._count = PlainLabel()
        self._count.setProperty("quiet", True)
        self._one = QPushButton(tr("Replace"))
        self._one.setToolTip(tr("Replace the place that is shown and go to the next (Return in the field)"))
        self._all = QPushButton(tr("Replace all"))
        self._all.setToolTip(tr("Replace all places in one step; undo takes it back"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(theme.GRID // 2)
        grid.addWidget(self.text, 0, 0)
        grid.addWidget(self._count, 0, 1)
        grid.addWidget(_button(tr("Close"), "x", tr("Close (Esc)"), self.close_bar), 0, 2)
        ticks = QHBoxLayout()
        ticks.setSpacing(theme.GRID)
        for tick in (self.case, self.words, self.regex):
            ticks.addWidget(tick)
            tick.toggled.connect(self.changed)
        ticks.addStretch()
        grid.addLayout(ticks, 1, 0, 1, 3)
        self._replacing = QWidget()
        below = QGridLayout(self._replacing)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(theme.GRID // 2)
        below.addWidget(self.replacement, 0, 0, 1, 3)
        below.addWidget(self.where, 1, 0)
        below.addWidget(self._one, 1, 1)
        below.addWidget(self._all, 1, 2)
        below.setColumnStretch(0, 1)
        grid.addWidget(self._replacing, 2, 0, 1, 3)
        grid.setColumnStretch(0, 1)
        self.text.textChanged.connect(self.changed)
        self.text.returned.connect(lambda back: self.step_requested.emit(-1 if back else 1))
        self.replacement.returned.connect(lambda _back: self.replace_requested.emit())
        self._one.clicked.connect(self.replace_requested)
        self._all.clicked.connect(self.replace_all_requested)
        self.hide()

    def open(self, replacing: bool, text: str = "") -> None:
        """Show it, with or without what replaces; `text` is looked for where it is not empty."""
        self._replacing.setVisible(replacing)
        self.show()
        if text:
            self.text.setText(text)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        self.changed.emit()

    def close_bar(self) -> None:
        """Hide it; what it found is not shown any more."""
        self.hide()
        self.closed.emit()

    def show_count(self, at: int, total: int, problem: str = "") -> None:
        """Say how many places there are, and which one is shown, from 1; or why nothing can be found."""
        if problem:
            words = tr("Not a pattern")
        elif not self.text.text():
            words = ""
        else:
            words = (
                tr("{at} of {total}").format(at=at, total=total)
                if total and at
                else str(total)
                if total
                else tr("Not found")
            )
        self._count.setText(words)
        self._count.setToolTip(plain_tip(problem))
        self.text.setAccessibleDescription(problem or words)

    def set_writable(self, writable: bool) -> None:
        """Allow to replace, or only to find."""
        for part in (self.replacement, self.where, self._one, self._all):
            part.setEnabled(writable)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self.close_bar()
            event.accept()
            return True
        return super().event(event)


class _Field(QLineEdit):
    """A field that says Return, with Shift or without."""

    returned = Signal(bool)

    def __init__(self, name: str, hint: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.returned.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)


def _tick(text: str, words: str) -> QCheckBox:
    tick = QCheckBox(text)
    tick.setToolTip(plain_tip(words))
    tick.setAccessibleName(words)
    return tick


def _button(name: str, picture: str, words: str, do: object) -> QPushButton:
    button = QPushButton()
    button.setProperty("flat", True)
    button.setIcon(icon(picture))
    button.setAccessibleName(name)
    button.setToolTip(plain_tip(words))
    button.clicked.connect(do)
    return button
