"""Adds, changes and removes judges of the study, keeps their keys in the keyring, and tries them."""

from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.core.commands.judges import add_judge, change_judge, remove_judge
from app.core.judging.judges.keys import address_of, forget_key, how_to_set, keep_key, place_of
from app.core.leaving.foretelling import unencrypted_note
from app.core.session import Session
from app.gui.context import Context
from app.gui.judges.entry_dialog import EntryDialog
from app.gui.judges.showing import Showing
from app.gui.judges.trying import Trying
from project.errors import UserError
from project.judging import PERSON, JudgeEntry
from project.types import Changes
from resources.translation import tr
from widgets.judges.choice_bar import ADD, EDIT, REMOVE
from widgets.judges.page import JudgesPage


class Entries(QObject):
    """Opens the dialog of a judge and does what was chosen there."""

    def __init__(self, context: Context, page: JudgesPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self.dialog: EntryDialog | None = None
        self._trying = Trying(context, self)
        page.add_requested.connect(lambda: self._open(None))
        page.bar.act_requested.connect(self._act)
        context.studio.leaving.connect(self._close)

    def _act(self, act: str, judge_id: str) -> None:
        if not self._context.studio.writable:
            session = self._shown.session()
            reason = session.study.read_only_reason if session is not None else ""
            self._context.studio.failed.emit(UserError(tr("This study is read-only."), reason))
            return
        entry = next((one for one in self._shown.judges() if one.id == judge_id), None)
        if act == ADD:
            self._open(None)
        elif act == EDIT and entry is not None:
            self._open(entry)
        elif act == REMOVE and entry is not None:
            self._context.studio.edit(lambda session: remove_judge(session, entry.id), self)

    def _open(self, entry: JudgeEntry | None) -> None:
        if not self._context.studio.writable:
            return
        self._close()
        dialog = self.dialog = EntryDialog(entry, self._context.questions.file, self._page.window())
        dialog.save_requested.connect(self._save)
        dialog.test_requested.connect(self._test)
        dialog.forget_requested.connect(self._forget)
        dialog.finished.connect(lambda _how: self._trying.stop())
        dialog.open()
        if entry is not None:
            self._say_place(entry)
        else:
            dialog.show_key_place(
                tr("The key goes into the keyring of this machine, never into the study."), kept=False
            )

    def _close(self) -> None:
        if self.dialog is not None:
            self._trying.stop()
            self.dialog.reject()
            self.dialog.deleteLater()
            self.dialog = None

    def _save(self, entry: JudgeEntry, key: str) -> None:
        session, dialog = self._shown.session(), self.dialog
        if session is None or dialog is None:
            return
        known = any(one.id == entry.id for one in self._shown.judges())
        did = _Did()

        def change(session: Session) -> Changes:
            if known:
                return change_judge(session, entry)
            did.entry, changes = add_judge(session, entry.name, entry.backend, entry.model, entry.settings)
            return changes

        try:
            changes = change(session)
        except UserError as error:
            dialog.show_error(error)
            return
        self._context.studio.publish(changes)
        made = did.entry or entry
        if not known:
            self._page.bar.judges.choose(self._page.bar.judges.wanted() | {made.id})
        dialog.accept()
        if note := unencrypted_note(session, made):
            self._context.studio.told.emit(note)
        if key:
            self._context.background.run(lambda _progress: keep_key(made, key), lambda _none: None, self._failed)

    def _forget(self, entry: JudgeEntry) -> None:
        self._context.background.run(
            lambda _progress: forget_key(entry), lambda _gone: self._say_place(entry), self._failed
        )

    def _say_place(self, entry: JudgeEntry) -> None:
        """Look for the key in a thread: a keyring may ask for its own password, and take its time."""
        if entry.backend == PERSON:
            return
        dialog = self.dialog

        def show(found: tuple[str, str]) -> None:
            address, place = found
            if dialog is not self.dialog or dialog is None or not address:
                return
            if not place:
                said = tr("No key is kept for {address}. The variable {entry} would do too.").format(
                    address=address, entry=how_to_set(entry)
                )
            elif place == "keyring":
                said = tr("A key for {address} is in the keyring of this machine.").format(address=address)
            else:
                said = tr("The key for {address} is in the variable {place}.").format(address=address, place=place)
            dialog.show_key_place(said, kept=place == "keyring")

        self._context.background.run(lambda _progress: (address_of(entry), place_of(entry)), show, self._failed)

    def _test(self, entry: JudgeEntry, key: str) -> None:
        dialog = self.dialog
        if dialog is None:
            return

        def show(text: str, failed: bool) -> None:
            if dialog is self.dialog:
                dialog.show_tested(text, failed=failed)

        dialog.show_tested(tr("Asking…"), busy=True)
        self._trying.start(entry, key, show)

    def _failed(self, error: Exception) -> None:
        known = (
            error
            if isinstance(error, UserError)
            else UserError(tr("The keyring of this machine did not answer."), tr("Unlock it and try again."))
        )
        self._context.studio.failed.emit(known)


@dataclass
class _Did:
    entry: JudgeEntry | None = None
