"""Takes a participant out of the study that is open: it is closed, written anew in a thread, and opened again."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog

from app.core.withdrawal import certificate
from app.core.withdrawal.foretold import foretold, still_to_do
from app.core.withdrawal.personal_finder import TextFinder
from app.core.withdrawal.withdrawing import Done, Foreseen, Wanted, foresee, withdraw
from app.gui.withdrawal.dialog import WithdrawalDialog
from project.errors import UserError
from project.progress import Progress
from project.queries.participants import all_participants
from resources.translation import tr, trn

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

_LISTED = 12
"""Lines of what is left to do that have room in a question; the clipboard gets all."""


def withdraw_participant(window: "MainWindow") -> None:
    """Show the dialog; removing begins when it was confirmed."""
    session = window.studio.session
    if session is None:
        return
    try:
        for person, place in certificate.publish_pending(session.study.path):
            text = tr("The withdrawal of {name} was interrupted, and is done. The certificate is {file}.")
            window.studio.told.emit(text.format(name=person, file=place.name))
    except UserError as error:
        window.studio.failed.emit(error)
    people = [one.pseudonym for one in all_participants(session.study)]
    if not people:
        window.studio.failed.emit(
            UserError(tr("This study has no participants."), tr("Add who is in a recording: File > Recording details…"))
        )
        return
    if window.jobs.busy:
        window.studio.failed.emit(
            UserError(tr("A job is running in this study."), tr("Wait for it, or cancel it in the list of jobs."))
        )
        return
    dialog = WithdrawalDialog(people, window)
    Withdrawing(window, dialog, session.study.path, session.annotator_name)
    dialog.open()


class Withdrawing(QObject):
    """One dialog and what comes of it; it belongs to the window, which is there until the study is open again."""

    def __init__(self, window: "MainWindow", dialog: WithdrawalDialog, path: Path, annotator: str) -> None:
        super().__init__(window)
        self._window = window
        self._dialog = dialog
        self._path = path
        self._annotator = annotator
        self._asking = True
        self._finder = TextFinder()
        dialog.asked.connect(self._look)
        dialog.finished.connect(self._go_on)

    def _look(self, wanted: Wanted) -> None:
        path = self._path

        def show(seen: Foreseen) -> None:
            blocked = bool(seen.unreadable) and not wanted.erase_unreadable
            if not self._asking:
                return
            why_not = tr("Backups that cannot be read may hold them: have them erased, too.") if blocked else ""
            self._dialog.show_lines(wanted, foretold(seen, deciding=False), seen.alike, why_not)

        def fail(error: Exception) -> None:
            if self._asking:
                self._dialog.show_problem(wanted, error.message if isinstance(error, UserError) else str(error))

        finder = self._finder
        self._window.background.run(lambda _: foresee(path, wanted, finder), show, fail)

    def _go_on(self, result: int) -> None:
        self._asking = False
        wanted = self._dialog.wanted()
        self._dialog.deleteLater()
        if result != QDialog.DialogCode.Accepted:
            self.deleteLater()
            return
        window, path, who, finder = self._window, self._path, self._annotator, self._finder
        window.studio.close()
        window.studio.told.emit(tr("Removing {name}…").format(name=wanted.pseudonym))

        def work(progress: Progress) -> tuple[Done, Path]:
            done = withdraw(path, wanted, who, progress, finder, certificate.keep)
            return done, certificate.write(done)[0]

        def tell(done: int, total: int, text: str) -> None:
            step = tr("Removing {name}, step {done} of {total}: {what}")
            window.studio.told.emit(step.format(name=wanted.pseudonym, done=done + 1, total=total, what=text))

        # Nothing may be opened meanwhile: least of all this study, which would be read in its old state.
        window.setEnabled(False)
        window.background.run(work, self._told, self._failed, tell)

    def _told(self, result: tuple[Done, Path]) -> None:
        done, place = result
        self._open_again()
        name = done.foreseen.wanted.pseudonym
        text = tr("{name} was removed. The certificate is {file}.").format(name=name, file=place.name)
        self._window.studio.told.emit(text)
        self._say_what_is_left(name, still_to_do(done))

    def _say_what_is_left(self, name: str, lines: list[str]) -> None:
        """Name the files that the certificate only counts, once."""
        if not lines:
            return
        listed = [f"• {one}" for one in lines[:_LISTED]]
        if len(lines) > _LISTED:
            listed.append(trn("and {count} more", "and {count} more", len(lines) - _LISTED))
        head = tr("{name} was removed from the study. Some of it must still be done by hand:").format(name=name)
        foot = tr("The certificate gives only the number of these files, because their names may say who it was.")
        text = "\n\n".join((head, "\n".join(listed), foot))
        if self._window.files.questions.agree(tr("Still to be done"), text, tr("Copy the list"), careful=False):
            QGuiApplication.clipboard().setText("\n".join(lines))

    def _failed(self, error: Exception) -> None:
        self._open_again()
        if not isinstance(error, UserError):
            raise error
        self._window.studio.failed.emit(error)

    def _open_again(self) -> None:
        self.deleteLater()
        self._window.setEnabled(True)
        self._window.studio.reread_paths()
        self._window.files.open(self._path)
