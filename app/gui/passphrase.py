"""Asks for passphrases: of a sealed study that is opened, and for a new one, twice."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from project.errors import UserError
from project.names import shown
from project.sealing.keys import require_strength
from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.room import fit_width

_WIDTH = 440


class PassphraseDialog(OwnDialog):
    """A field for a passphrase, or two for a new one; what is typed is not shown."""

    def __init__(self, title: str, words: str, button: str, parent: QWidget | None, *, new: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.GRID * 2,) * 4)
        column.setSpacing(theme.GRID)
        text = PlainLabel(words)
        text.setWordWrap(True)
        column.addWidget(text)
        form = QFormLayout()
        self.field = self._line(tr("Passphrase"))
        form.addRow(tr("&Passphrase"), self.field)
        self.again = self._line(tr("Passphrase once more")) if new else None
        if self.again is not None:
            form.addRow(tr("&Once more"), self.again)
        column.addLayout(form)
        self.buttons = DialogButtons(self, button, tr("Leave everything as it was"))
        self.buttons.go_on.clicked.connect(self.accept)
        column.addLayout(self.buttons)
        self._check()
        fit_width(self, column, _WIDTH)

    def _line(self, name: str) -> QLineEdit:
        line = QLineEdit()
        line.setEchoMode(QLineEdit.EchoMode.Password)
        line.setAccessibleName(name)
        line.textChanged.connect(self._check)
        return line

    def _check(self) -> None:
        if not hasattr(self, "buttons"):
            return
        if self.again is None:
            self.buttons.go_on.setEnabled(bool(self.field.text()))
            return
        differ = self.again.text() != self.field.text()
        weak = _weakness(self.field.text())
        told = weak if self.field.text() else ""
        if not told and differ and self.again.text():
            told = tr("The two passphrases differ.")
        self.buttons.note.setText(told)
        self.buttons.go_on.setEnabled(not weak and not differ)


def _weakness(passphrase: str) -> str:
    """Return why a passphrase cannot be a new one; "" where it can."""
    try:
        require_strength(passphrase)
    except UserError as error:
        return error.message
    return ""


class Asking(QObject):
    """Asks for the passphrases of sealed files, for whichever thread needs one; it is made in the window's."""

    _wanted = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted.connect(self._answer, Qt.ConnectionType.QueuedConnection)

    def ask(self, path: Path, why: str) -> str | None:
        """Ask for the passphrase of a sealed file; None where the user gave up."""
        if threading.current_thread() is threading.main_thread():
            return _typed(path, why)
        question = _Question(path, why)
        self._wanted.emit(question)
        question.answered.wait()
        return question.typed

    def _answer(self, question: "_Question") -> None:
        try:
            question.typed = _typed(question.path, question.why)
        finally:
            question.answered.set()


@dataclass(eq=False)
class _Question:
    path: Path
    why: str
    typed: str | None = None
    answered: threading.Event = field(default_factory=threading.Event)


def _typed(path: Path, why: str) -> str | None:
    words = why or tr("“{name}” is sealed. Type its passphrase to open it.").format(name=shown(path.name))
    dialog = PassphraseDialog(tr("Sealed study"), words, tr("Open"), QApplication.activeWindow())
    return dialog.field.text() if dialog.exec() == QDialog.DialogCode.Accepted else None


def ask_new(title: str, button: str, parent: QWidget) -> str | None:
    """Ask for a new passphrase, twice; None where the user gave up."""
    words = tr(
        "The study and its backups are encrypted. Nobody can open them without this passphrase, and there is no other "
        "way in: write it down where it is safe. The footage stays as it is."
    )
    dialog = PassphraseDialog(title, words, button, parent, new=True)
    return dialog.field.text() if dialog.exec() == QDialog.DialogCode.Accepted else None
