"""Withdraws a participant from the open study, or shares a copy with annotations alone.

A dialog previews what would be erased; the erasure runs in a thread while the study is closed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFormLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from anonymize.release.annotations_only import EXCLUDED_CONTENT, INCLUDED_CONTENT, export_annotations_copy
from anonymize.withdrawal.withdrawal import ErasureResult, run_withdrawal
from anonymize.withdrawal.withdrawal_certificate import read_certificates, write_certificate
from anonymize.withdrawal.withdrawal_plan import ErasurePlan, ErasureRequest, PersonalStringFinder, plan_erasure
from anonymize.withdrawal.withdrawal_preview import preview_lines, remaining_steps
from app.gui.pages.context import Context
from project.entities.study_records import Changes
from project.erasure.lookalikes import LookAlikeReason, LookAlikeWords
from project.errors import UserError
from project.progress import Progress
from project.queries.recording_rows import all_participants
from project.session.session import Session
from project.sharing.annotations_only_copy import AnnotationsCopy
from project.text_format import pluralize
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.controls import check_box, line_edit, push_button, text_area
from widgets.form.layouts import bounded_to_screen, make_column, make_form, make_row
from widgets.form.wheel_guard import ComboBox
from widgets.text_labels import PlainLabel, describe

_SHARE_TITLE = tr("Share annotations only")


def share_annotations_only(context: Context) -> None:
    """Say what goes along and what does not, ask where the copy goes, and write it."""
    session = context.studio.session
    questions = context.questions
    if session is None:
        return
    said = tr("A copy is made that holds:\n\n{goes}\n\nIt does not hold:\n\n{stays}").format(
        goes="\n".join(f"• {line}" for line in INCLUDED_CONTENT),
        stays="\n".join(f"• {one}" for one in EXCLUDED_CONTENT),
    )
    if session.study.encryption_key is not None:
        said += "\n\n" + tr("This study is encrypted. The copy is not: anybody who has the file can read it.")
    if not questions.agree(_SHARE_TITLE, said, tr("Choose a place…"), careful=False):
        return
    name = f"{session.study.path.stem} annotations.greenroom"
    place = questions.save(_SHARE_TITLE, session.study.folder / name, tr("Studies"))
    if place is None:
        return
    done: list[tuple[AnnotationsCopy, bool]] = []

    def make(session: Session, progress: Progress) -> Changes | None:
        made, changes = export_annotations_copy(session, place, progress)
        done.append((made, changes is not None))
        return changes

    if not context.studio.edit_in_thread(make, tr("Making {file}…").format(file=place.name)):
        return
    ((made, noted),) = done
    text = tr("Made {file}: {segments} of {recordings}, without words, names and footage.")
    if not noted:
        text += " " + tr("The study could not note that there is this copy.")
    context.studio.message.emit(
        text.format(
            file=made.path.name,
            segments=pluralize(made.rows.get("segment", 0), "segment"),
            recordings=pluralize(made.rows.get("recording", 0), "recording"),
        )
    )


_TEXT, _TIMES, _WHY, _DECISION = range(4)


class LookAlikeList(QWidget):
    """Look-alikes with what was decided about each; it is hidden while there are none.

    Signals:
        decided: () somebody decided about some of them.
    """

    decided = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._decisions: dict[str, bool] = {}
        self._rows: dict[str, tuple[int, str]] = {}
        head = tr("These look like theirs. Nothing is removed before you have decided about each:")
        self.rows = QTreeWidget()
        self.rows.setColumnCount(4)
        self.rows.setHeaderLabels([tr("Text"), tr("Times"), tr("Why it is listed"), tr("Decision")])
        self.rows.setRootIsDecorated(False)
        self.rows.setUniformRowHeights(True)
        self.rows.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.rows.setAccessibleName(tr("What looks like theirs"))
        self.rows.setMinimumHeight(theme.GRID * 16)
        self.rows.header().setSectionResizeMode(_TEXT, QHeaderView.ResizeMode.Stretch)
        for section in (_TIMES, _WHY, _DECISION):
            self.rows.header().setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
        self.rows.header().setStretchLastSection(False)
        self.remove = push_button(
            tr("Theirs: remove"),
            tr("Texts that hold the selected ones are removed too"),
            lambda: self._decide(theirs=True),
            autoDefault=False,
        )
        self.keep = push_button(
            tr("Not theirs: keep"),
            tr("The selected ones stay in the study"),
            lambda: self._decide(theirs=False),
            autoDefault=False,
        )
        self.keep_rest = push_button(
            tr("Keep all the rest"), tr("Everything undecided stays in the study"), self._keep_rest, autoDefault=False
        )
        line = make_row(self.remove, self.keep, self.keep_rest, None)
        self.setLayout(make_column(PlainLabel(head, wordWrap=True), self.rows, 1, line))
        self.rows.itemSelectionChanged.connect(self._enable)
        self.hide()

    @property
    def confirmed(self) -> tuple[str, ...]:
        """What was decided to be theirs."""
        return tuple(text for text, theirs in self._decisions.items() if theirs)

    @property
    def rejected(self) -> tuple[str, ...]:
        """What was decided not to be theirs."""
        return tuple(text for text, theirs in self._decisions.items() if not theirs)

    @property
    def undecided_count(self) -> int:
        """How many are left to decide about."""
        return sum(key not in self._decisions for key in self._rows)

    def show_look_alikes(self, left: Mapping[str, int], why: Mapping[str, LookAlikeReason]) -> None:
        """Show what is left to decide about, below what was decided before."""
        decided = {text: row for text, row in self._rows.items() if text in self._decisions}
        self._rows = {**decided, **{text: (count, _WHY_LISTED[why[text]]()) for text, count in left.items()}}
        self._show()

    def reset(self) -> None:
        """Begin again, for somebody else."""
        self._decisions, self._rows = {}, {}
        self._show()

    def _decide(self, *, theirs: bool) -> None:
        for item in self.rows.selectedItems():
            self._decisions[item.data(_TEXT, Qt.ItemDataRole.UserRole)] = theirs
        self._show()
        self.decided.emit()

    def _keep_rest(self) -> None:
        for key in self._rows:
            self._decisions.setdefault(key, False)
        self._show()
        self.decided.emit()

    def _show(self) -> None:
        self.rows.clear()
        for text, (count, why) in self._rows.items():
            item = QTreeWidgetItem([text, str(count), why, self._decision_text(text)])
            item.setData(_TEXT, Qt.ItemDataRole.UserRole, text)
            item.setTextAlignment(_TIMES, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.rows.addTopLevelItem(item)
        self.setVisible(bool(self._rows))
        self._enable()

    def _decision_text(self, text: str) -> str:
        if text not in self._decisions:
            return tr("Undecided")
        return tr("Theirs") if self._decisions[text] else tr("Kept")

    def _enable(self) -> None:
        some = bool(self.rows.selectedItems())
        self.remove.setEnabled(some)
        self.keep.setEnabled(some)
        self.keep_rest.setEnabled(self.undecided_count > 0)


_WHY_LISTED = {
    LookAlikeReason.NAME: lambda: tr("Like a name of theirs"),
    LookAlikeReason.RECORDINGS: lambda: tr("Stood in their recordings"),
    LookAlikeReason.FILE: lambda: tr("File of another recording"),
    LookAlikeReason.OTHER: lambda: tr("Annotator or judge"),
    LookAlikeReason.PARTICIPANT: lambda: tr("Another participant"),
}


_TYPING_PAUSE_MS = 300
"""How long nobody types before what would be removed is worked out again."""


class WithdrawalDialog(OwnDialog):
    """Nothing is removed before the pseudonym is typed as it stands in the study.

    Signals:
        plan_requested: (ErasureRequest) what would be removed has to be worked out.
    """

    plan_requested = Signal(object)

    def __init__(self, pseudonyms: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Withdraw a participant"))
        self.resize(bounded_to_screen(QSize(760, 760), self))
        self._looked: ErasureRequest | None = None
        self._why_not = ""
        self._timer = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        self._timer.timeout.connect(lambda: self.plan_requested.emit(self.request()))
        note = tr(
            "Everything of theirs is removed from the study, its history, backups, caches and clips on this "
            "machine. It cannot be undone."
        )
        form = self._form(pseudonyms)
        self.lines = text_area(tr("What would be removed"), readOnly=True, tabChangesFocus=True)
        self.alike = LookAlikeList()
        self.alike.decided.connect(self._on_request_changed)
        self.typed = line_edit(tr("Type the pseudonym to confirm"), tip=tr("Type the pseudonym as it stands above"))
        last = make_form((tr("&Type the pseudonym to confirm"), self.typed))
        self.buttons = DialogButtons(self, tr("Remove for good"), tr("Remove nothing"), careful=True)
        self.buttons.go_on.setToolTip(tr("Remove all of this; the study is closed for a moment"))
        self.buttons.go_on.clicked.connect(self.accept)
        parts = (PlainLabel(note, wordWrap=True), form, self.lines, 1, self.alike, 1, last, self.buttons)
        self.setLayout(make_column(*parts, margin=theme.GRID * 2, spacing=theme.GRID * 3 // 2))
        self.who.currentIndexChanged.connect(self._on_participant_chosen)
        self.words.textChanged.connect(self._on_request_changed)
        self.drop.toggled.connect(self._on_request_changed)
        self.footage.toggled.connect(self._on_request_changed)
        self.beside.toggled.connect(self._on_request_changed)
        self.unread.toggled.connect(self._on_request_changed)
        self.typed.textChanged.connect(self._check)
        self._on_request_changed()

    def _form(self, pseudonyms: Sequence[str]) -> QFormLayout:
        self.who = ComboBox()
        self.who.addItems(list(pseudonyms))
        describe(self.who, tr("Participant"), tr("Who withdraws"))
        self.words = line_edit(
            tr("Also known as"),
            tr("Names that are no private words of the study, with commas"),
            tr("Texts that hold one of these words are removed too"),
        )
        self.drop = check_box(
            tr("Remove recordings in which they are, with everybody's annotations"),
            tr("Else others' annotations of these recordings stay, without footage"),
        )
        self.footage = check_box(
            tr("Delete the footage of these recordings from the disk"),
            tr("Else the certificate says that it must be deleted"),
        )
        self.beside = check_box(
            tr("Delete exports and other files beside the study that hold something of theirs"),
            tr("Else they are listed, and have to be deleted by hand"),
        )
        self.unread = check_box(
            tr("Erase backups that cannot be read"),
            tr("Else nothing is removed while there are such backups: they may hold them"),
        )
        self.certificates = push_button(
            tr("Write the certificates of earlier withdrawals again"),
            tr("Beside the study, in the place of no other file"),
            autoDefault=False,
        )
        return make_form(
            (tr("&Participant"), self.who),
            (tr("Also &known as"), self.words),
            *(("", part) for part in (self.drop, self.footage, self.beside, self.unread, self.certificates)),
        )

    def request(self) -> ErasureRequest:
        """Return what is asked for."""
        words = tuple(part.strip() for part in self.words.text().split(",") if part.strip())
        return ErasureRequest(
            self.who.currentText(),
            (*words, *self.alike.confirmed),
            self.drop.isChecked(),
            self.footage.isChecked(),
            self.unread.isChecked(),
            keep=self.alike.rejected,
            delete_beside=self.beside.isChecked(),
        )

    def show_plan(self, wanted: ErasureRequest, lines: Sequence[str], alike: LookAlikeWords, why_not: str = "") -> None:
        """Show what would be removed, what has to be decided, and why nothing can be removed.

        Nothing is shown where something else is asked for by now.
        """
        if wanted == self.request():
            self._looked, self._why_not = wanted, why_not
            self.lines.setPlainText("\n".join(lines))
            self.alike.show_look_alikes(alike.remaining, alike.reasons)
            self._check()

    def show_problem(self, wanted: ErasureRequest, message: str) -> None:
        """Say why it cannot be worked out."""
        if wanted == self.request():
            self.lines.setPlainText(message)

    def _on_participant_chosen(self) -> None:
        self.alike.reset()
        self._on_request_changed()

    def _on_request_changed(self) -> None:
        self._looked, self._why_not = None, ""
        if self.who.count():
            self.lines.setPlainText(tr("Looking for everything of theirs…"))
            self._timer.start()
        else:
            # The certificates of earlier withdrawals can still be written.
            nobody = tr("This study has no participants."), tr("Add who is in a recording: File > Recording details…")
            self.lines.setPlainText("\n".join(nobody))
        self._check()

    def _check(self) -> None:
        same = self.typed.text().strip() == self.who.currentText()
        count = self.alike.undecided_count
        why_not = self._why_not or (
            trn("{count} is to be decided.", "{count} are to be decided.", count) if count else ""
        )
        self.buttons.go_on.setEnabled(same and self._looked == self.request() and not why_not)
        missing = "" if same else tr("Type {name} to confirm.").format(name=self.who.currentText())
        self.buttons.note.setText(why_not or missing)


_MAX_LISTED = 12
"""Lines of what is left to do that have room in a question; the clipboard gets all."""


def withdraw_participant(context: Context) -> None:
    """Show the dialog; removing begins when it was confirmed."""
    session = context.studio.session
    if session is None:
        return
    people = [participant.pseudonym for participant in all_participants(session.study)]
    if context.jobs.busy:
        context.studio.failed.emit(
            UserError(tr("A job is running in this study."), tr("Wait for it, or cancel it in the list of jobs."))
        )
        return
    dialog = WithdrawalDialog(people, context.window)
    ErasureController(context, dialog, session.study.path, session.annotator_name)
    dialog.open()


class ErasureController(QObject):
    """One dialog and what comes of it; it belongs to the window, which is there until the study is open again."""

    def __init__(self, context: Context, dialog: WithdrawalDialog, path: Path, annotator: str) -> None:
        super().__init__(context.window)
        self._context = context
        self._window = context.window
        self._dialog = dialog
        self._path = path
        self._annotator = annotator
        self._asking = True
        self._finder = PersonalStringFinder()
        dialog.plan_requested.connect(self._read_plan)
        dialog.finished.connect(self._on_dialog_closed)
        dialog.certificates.clicked.connect(self._write_certificates)

    def _read_plan(self, wanted: ErasureRequest) -> None:
        path = self._path

        def show(seen: ErasurePlan) -> None:
            blocked = bool(seen.unreadable) and not wanted.erase_unreadable
            if not self._asking:
                return
            why_not = tr("Backups that cannot be read may hold them: have them erased, too.") if blocked else ""
            self._dialog.show_plan(wanted, preview_lines(seen, deciding=False), seen.lookalikes, why_not)

        def fail(error: Exception) -> None:
            if self._asking:
                self._dialog.show_problem(wanted, str(error))

        finder = self._finder
        self._context.background.run(lambda _: plan_erasure(path, wanted, finder), show, fail)

    def _write_certificates(self) -> None:
        def write(_: Progress) -> list[Path]:
            return [write_certificate(self._path, certificate) for certificate in read_certificates(self._path)]

        def tell(written: list[Path]) -> None:
            text = tr("Wrote {files}.") if written else tr("Nobody has withdrawn from this study.")
            self._context.studio.message.emit(text.format(files=", ".join(place.name for place in written)))

        def fail(error: Exception) -> None:
            self._dialog.show_problem(self._dialog.request(), str(error))

        self._context.background.run(write, tell, fail)

    def _on_dialog_closed(self, result: int) -> None:
        self._asking = False
        wanted = self._dialog.request()
        self._dialog.deleteLater()
        if result != QDialog.DialogCode.Accepted:
            self.deleteLater()
            return
        context, path, who, finder = self._context, self._path, self._annotator, self._finder
        context.studio.close()
        context.studio.message.emit(tr("Removing {name}…").format(name=wanted.pseudonym))

        def work(progress: Progress) -> tuple[ErasureResult, Path]:
            return run_withdrawal(path, wanted, who, progress, finder)

        def tell(done: int, total: int, text: str) -> None:
            step = tr("Removing {name}, step {done} of {total}: {what}")
            context.studio.message.emit(step.format(name=wanted.pseudonym, done=done + 1, total=total, what=text))

        # Nothing may be opened meanwhile: least of all this study, which would be read in its old state.
        self._window.setEnabled(False)
        context.background.run(work, self._on_erased, self._on_failed, tell)

    def _on_erased(self, result: tuple[ErasureResult, Path]) -> None:
        done, place = result
        self._reopen_study()
        name = done.plan.request.pseudonym
        text = tr("{name} was removed. The certificate is {file}.").format(name=name, file=place.name)
        self._context.studio.message.emit(text)
        self._list_remaining_files(name, remaining_steps(done))

    def _list_remaining_files(self, name: str, lines: list[str]) -> None:
        """Name the files that the certificate only counts, once."""
        if not lines:
            return
        listed = [f"• {line}" for line in lines[:_MAX_LISTED]]
        if len(lines) > _MAX_LISTED:
            listed.append(trn("and {count} more", "and {count} more", len(lines) - _MAX_LISTED))
        head = tr("{name} was removed from the study. Some of it must still be done by hand:").format(name=name)
        foot = tr("The certificate gives only the number of these files, because their names may say who it was.")
        text = "\n\n".join((head, "\n".join(listed), foot))
        if self._context.questions.agree(tr("Still to be done"), text, tr("Copy the list"), careful=False):
            QGuiApplication.clipboard().setText("\n".join(lines))

    def _on_failed(self, error: Exception) -> None:
        self._reopen_study()
        if not isinstance(error, UserError):
            raise error
        self._context.studio.failed.emit(error)

    def _reopen_study(self) -> None:
        self.deleteLater()
        self._window.setEnabled(True)
        self._context.studio.reload_paths()
        self._context.open_study(self._path)
