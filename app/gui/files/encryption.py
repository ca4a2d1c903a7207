"""Encrypts and decrypts the open study, and asks for its passphrase."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QWidget

from app.gui.pages.context import Context
from project.encryption.encryption_key import require_strength
from project.errors import UserError
from project.text_format import escape_unprintable
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.controls import line_edit
from widgets.form.layouts import add_form_row, fit_width, make_column, make_form
from widgets.text_labels import PlainLabel

if TYPE_CHECKING:
    from project.store.encryption_change import EncryptionResult


_WIDTH = 440


class PassphraseDialog(OwnDialog):
    """A field for a passphrase, or two for a new one; what is typed is not shown."""

    def __init__(self, title: str, words: str, button: str, parent: QWidget | None, *, new: bool = False) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.field = self._line(tr("Passphrase"))
        self.again = self._line(tr("Passphrase once more")) if new else None
        form = make_form((tr("&Passphrase"), self.field))
        if self.again is not None:
            add_form_row(form, tr("&Once more"), self.again)
        self.buttons = DialogButtons(self, button, tr("Leave everything as it was"))
        self.buttons.go_on.clicked.connect(self.accept)
        column = make_column(PlainLabel(words, wordWrap=True), form, self.buttons, margin=theme.GRID * 2)
        self.setLayout(column)
        self._check()
        fit_width(self, column, _WIDTH)

    def _line(self, name: str) -> QLineEdit:
        line = line_edit(name, echoMode=QLineEdit.EchoMode.Password)
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


class PassphrasePrompt(QObject):
    """Asks for the passphrases of encrypted files, for whichever thread needs one; it is made in the window's."""

    _requested = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._requested.connect(self._answer, Qt.ConnectionType.QueuedConnection)

    def ask(self, path: Path, why: str) -> str | None:
        """Ask for the passphrase of an encrypted file; None where the user gave up."""
        if threading.current_thread() is threading.main_thread():
            return _ask_passphrase(path, why)
        question = _PassphraseQuestion(path, why)
        self._requested.emit(question)
        question.answered.wait()
        return question.passphrase

    def _answer(self, question: "_PassphraseQuestion") -> None:
        try:
            question.passphrase = _ask_passphrase(question.path, question.reason)
        finally:
            question.answered.set()


@dataclass(eq=False)
class _PassphraseQuestion:
    path: Path
    reason: str
    passphrase: str | None = None
    answered: threading.Event = field(default_factory=threading.Event)


def _ask_passphrase(path: Path, why: str) -> str | None:
    words = why or tr("“{name}” is encrypted. Type its passphrase to open it.").format(
        name=escape_unprintable(path.name)
    )
    dialog = PassphraseDialog(tr("Encrypted study"), words, tr("Open"), QApplication.activeWindow())
    return dialog.field.text() if dialog.exec() == QDialog.DialogCode.Accepted else None


def ask_new(title: str, button: str, parent: QWidget) -> str | None:
    """Ask for a new passphrase, twice; None where the user gave up."""
    words = tr(
        "The study and its backups are encrypted. Nobody can open them without this passphrase, and there is no other "
        "way in: write it down where it is safe. The footage stays as it is."
    )
    dialog = PassphraseDialog(title, words, button, parent, new=True)
    return dialog.field.text() if dialog.exec() == QDialog.DialogCode.Accepted else None


def encrypt_study(context: Context) -> None:
    """Encrypt the study, or give it another passphrase where it is encrypted already."""
    from anonymize.local_files import study_encryption

    session = context.studio.session
    if session is None:
        return
    encrypted = session.study.encryption_key is not None
    title = tr("Change the passphrase") if encrypted else tr("Encrypt the study")
    typed = ask_new(title, tr("Change") if encrypted else tr("Encrypt"), context.window)
    if typed is None:
        return
    act = study_encryption.change_passphrase if encrypted else study_encryption.encrypt_study
    tell = _passphrase_changed_text if encrypted else _encrypted_text
    _run_with_study_closed(context, lambda path: act(path, lambda: typed), tr("Encrypting…"), tell)


def decrypt_study(context: Context) -> None:
    """Decrypt the study, after a yes."""
    from project.store import encryption_change

    session = context.studio.session
    if session is None or session.study.encryption_key is None:
        return
    question = tr("Anybody who can read the files will be able to read the study and its backups without a passphrase.")
    if context.questions.agree(tr("Decrypt the study"), question, tr("Decrypt")):
        _run_with_study_closed(context, encryption_change.decrypt_study, tr("Decrypting…"), _decrypted_text)


def _run_with_study_closed(
    context: Context, act: Callable[[Path], "EncryptionResult"], doing: str, tell: Callable[["EncryptionResult"], str]
) -> None:
    """Close the study, do something to its file in a thread, and open it again."""
    session = context.studio.session
    assert session is not None
    path = session.study.path
    context.leave_full_screen()
    context.studio.close()
    context.studio.message.emit(doing)

    def then(done: "EncryptionResult") -> None:
        if context.open_study(path):
            context.studio.message.emit(tell(done))

    def failed(error: Exception) -> None:
        context.open_study(path)
        if isinstance(error, UserError):
            context.studio.failed.emit(error)
        else:
            raise error

    context.background.run(lambda _progress: act(path), then, failed)


def _encrypted_text(done: "EncryptionResult") -> str:
    backups = len(done.files) - 1
    if backups < 1:
        return tr("The study is encrypted. Keep the passphrase safe.")
    return trn(
        "The study and {count} backup are encrypted. Keep the passphrase safe.",
        "The study and {count} backups are encrypted. Keep the passphrase safe.",
        backups,
    )


def _passphrase_changed_text(done: "EncryptionResult") -> str:
    backups = len(done.files) - 1
    if backups < 1:
        return tr("The study has the new passphrase. Keep it safe.")
    return trn(
        "The study and {count} backup have the new passphrase. Keep it safe.",
        "The study and {count} backups have the new passphrase. Keep it safe.",
        backups,
    )


def _decrypted_text(done: "EncryptionResult") -> str:
    backups = len(done.files) - 1
    if backups < 1:
        return tr("The study is no longer encrypted.")
    return trn(
        "The study and {count} backup are no longer encrypted.",
        "The study and {count} backups are no longer encrypted.",
        backups,
    )
