"""What the menu File does to encrypt the study that is open, and to decrypt it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from project.errors import UserError
from resources.translation import tr, trn

if TYPE_CHECKING:
    from app.core.sealing import Sealed
    from app.gui.main_window import MainWindow


def seal(window: "MainWindow") -> None:
    """Encrypt the study, or give it another passphrase where it is sealed."""
    from app.core.sealing import change_passphrase, seal_study
    from app.gui.passphrase import ask_new

    session = window.studio.session
    if session is None:
        return
    sealed = session.study.working is not None
    title = tr("Change the passphrase") if sealed else tr("Seal the study")
    typed = ask_new(title, tr("Change") if sealed else tr("Seal"), window)
    if typed is None:
        return
    act = change_passphrase if sealed else seal_study
    tell = _changed if sealed else _sealed
    _with_it_closed(window, lambda path: act(path, lambda: typed), tr("Sealing…"), tell)


def unseal(window: "MainWindow") -> None:
    """Decrypt the study, after a yes."""
    from app.core.sealing import unseal_study

    session = window.studio.session
    if session is None or session.study.working is None:
        return
    question = tr("Whoever can read the files can read the study and its backups afterwards, without a passphrase.")
    if window.files.questions.agree(tr("Unseal the study"), question, tr("Unseal")):
        _with_it_closed(window, unseal_study, tr("Unsealing…"), _unsealed)


def _with_it_closed(
    window: "MainWindow", act: Callable[[Path], "Sealed"], doing: str, tell: Callable[["Sealed"], str]
) -> None:
    """Close the study, do something to its file in a thread, and open it again."""
    session = window.studio.session
    assert session is not None
    path = session.study.path
    window.commands.leave_full_screen()
    window.studio.close()
    window.messages.show_message(doing)

    def then(done: "Sealed") -> None:
        if window.open_study(path):
            window.messages.show_message(tell(done))

    def failed(error: Exception) -> None:
        window.open_study(path)
        if isinstance(error, UserError):
            window.show_error(error)
        else:
            raise error

    window.background.run(lambda _progress: act(path), then, failed)


def _sealed(done: "Sealed") -> str:
    backups = len(done.files) - 1
    if backups < 1:
        return tr("The study is sealed. Keep the passphrase safe.")
    return trn(
        "The study and {count} backup are sealed. Keep the passphrase safe.",
        "The study and {count} backups are sealed. Keep the passphrase safe.",
        backups,
    )


def _changed(done: "Sealed") -> str:
    backups = len(done.files) - 1
    if backups < 1:
        return tr("The study has the new passphrase. Keep it safe.")
    return trn(
        "The study and {count} backup have the new passphrase. Keep it safe.",
        "The study and {count} backups have the new passphrase. Keep it safe.",
        backups,
    )


def _unsealed(done: "Sealed") -> str:
    backups = len(done.files) - 1
    if backups < 1:
        return tr("The study is no longer sealed.")
    return trn(
        "The study and {count} backup are no longer sealed.",
        "The study and {count} backups are no longer sealed.",
        backups,
    )
