"""Adds, edits and removes judges of the study. API keys are stored in the keyring; a worker process tests a judge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from anonymize.egress.egress_authority import answer_permits, unencrypted_warning
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.judges.judge_bars import ADD, EDIT, REMOVE
from app.gui.judges.judges_page import JudgesPage
from app.gui.pages.context import Context
from benchmark.judging import judge_trial
from benchmark.judging.judge_registry import (
    MAX_NAME_CHARS,
    add_judge,
    change_judge,
    delete_key,
    key_location,
    remove_judge,
    server_address,
    setup_hint,
    store_key,
)
from models.judges.judge_backends import BACKENDS, load_backend
from models.judges.judge_interface import JudgeTrial
from project.entities.judgments import PERSON_BACKEND, JudgeEntry
from project.entities.study_records import Changes, Json
from project.errors import UserError
from project.ids import new_id
from project.session.jobs import JobSpec
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.controls import line_edit, push_button
from widgets.form.form import Form, OptionForm, SwitchedOptions, align_titles
from widgets.form.layouts import bounded_to_screen, make_column, make_panel, make_row, make_scroll_area
from widgets.text_labels import PlainLabel, escape_control_chars
from widgets.theme import icon

_SIZE = QSize(520, 640)
_FILE_BACKEND = "llama-cpp"
_FIRST_FIELDS = ("url", "projector", "says")
"""Options without which a backend is of little use."""


class EntryDialog(OwnDialog):
    """Fills in a judge; who made it stores it.

    Signals:
        save_requested (JudgeEntry, str): what was filled in, and a key that was typed, or "".
        test_requested (JudgeEntry, str): try it, with the key that was typed.
        forget_key_requested (JudgeEntry): take its key out of the keyring.
    """

    save_requested = Signal(object, str)
    test_requested = Signal(object, str)
    forget_key_requested = Signal(object)

    def __init__(
        self,
        entry: JudgeEntry | None,
        ask_file: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        """Show a judge, or the form for a new one; `ask_file` asks for a file and gives its path or None."""
        super().__init__(parent)
        self.setWindowTitle(tr("Add judge") if entry is None else tr("Edit judge {name}").format(name=entry.name))
        self._entry = entry
        self._ask_file = ask_file
        self._was_at_test = False
        self._options = SwitchedOptions({entry.backend: entry.settings} if entry else None, first=_FIRST_FIELDS)
        self._top = top = Form()
        self.name = top.text(
            tr("Name"),
            "",
            entry.name if entry else "",
            placeholder=tr("Such as GPT, Qwen on the lab server, chance"),
            longest=MAX_NAME_CHARS,
        )
        backends = {key: load_backend(key).name for key in BACKENDS} | {PERSON_BACKEND: tr("A person, in a form")}
        self.backend = top.choice(tr("Judge type"), "", backends)
        self._described = top.note()
        self._lay_out(entry)
        if entry is not None:
            self.backend.choose(entry.backend)
        self.backend.currentIndexChanged.connect(lambda _at: self._show_backend())
        self._show_backend()
        self.resize(bounded_to_screen(_SIZE, self))

    def entry(self) -> JudgeEntry:
        """Return what is filled in."""
        key = self.backend.key()
        defaults: dict[str, Json] = {}
        if key != PERSON_BACKEND:
            defaults = {
                spec.name: spec.default for spec in load_backend(key).options_type.__dataclass_fields__.values()
            }
        settings = {name: value for name, value in self._options.values().items() if value != defaults.get(name)}
        made = self._entry.id if self._entry is not None else new_id()
        model = self.model.text().strip() if key != PERSON_BACKEND and self._row_of_model.isVisibleTo(self) else ""
        return JudgeEntry(made, self.name.text().strip(), key, model, settings)

    def take_typed_key(self) -> str:
        """Return the key that was typed, once: the field is empty then."""
        found = self.key.text().strip()
        self.key.clear()
        return found

    def show_key_place(self, text: str, *, kept: bool) -> None:
        """Say where the key is, never what it is."""
        self._key_place.setText(escape_control_chars(text))
        self.forget.setVisible(kept)

    def show_test_result(self, text: str, *, failed: bool = False, busy: bool = False) -> None:
        """Say how the test goes."""
        colours = theme.palette()
        ink = colours.error if failed else colours.muted if busy else colours.competence
        self._tested.setStyleSheet(f"color: {ink.name()};")
        self._tested.setText(escape_control_chars(text, 2_000))
        if busy:
            self._was_at_test = self.test.hasFocus()
        self.test.setEnabled(not busy)
        # A button that is shut passes the focus on, to “Cancel”: Enter would throw the form away.
        if not busy and self._was_at_test:
            self.test.setFocus()

    def show_error(self, error: UserError) -> None:
        """Say why it cannot be stored."""
        self._buttons.note.setText(escape_control_chars(str(error), 1_000))
        self._buttons.note.setStyleSheet(f"color: {theme.palette().error.name()};")

    def _lay_out(self, entry: JudgeEntry | None) -> None:
        top = self._top
        self._row_of_model = self._make_model(entry.model if entry else "")
        top.add(tr("Model"), self._row_of_model)
        area = make_scroll_area(make_panel(make_column(self._options, None)), frame=True)
        self._buttons = DialogButtons(
            self, tr("Add") if entry is None else tr("Save"), tr("Leave everything as it was")
        )
        self._buttons.go_on.clicked.connect(lambda: self.save_requested.emit(self.entry(), self.take_typed_key()))
        self.setLayout(
            make_column(top, area, 1, self._make_key(), self._make_test(), self._buttons, margin=theme.GRID * 2)
        )

    def _make_model(self, model: str) -> QWidget:
        self.model = line_edit(tr("Model"), text=model)
        self._browse = push_button(
            tr("Browse…"), tr("Choose the GGUF file of the model"), self._choose_file, autoDefault=False
        )
        return make_panel(make_row(self.model, 1, self._browse, spacing=theme.GRID // 2))

    def _make_key(self) -> Form:
        self._key_form = Form()
        self.key = line_edit(
            tr("Key of the server"),
            tr("Key of the server, if it wants one"),
            tr("Goes into the keyring of this machine only: never into the study, and never shown again"),
            echoMode=QLineEdit.EchoMode.Password,
        )
        self.forget = push_button(
            tr("Forget key"),
            tr("Take the key out of the keyring of this machine"),
            lambda: self.forget_key_requested.emit(self.entry()),
            autoDefault=False,
            visible=False,
        )
        self._key_form.add(tr("Key"), make_panel(make_row(self.key, 1, self.forget, spacing=theme.GRID // 2)))
        self._key_place = self._key_form.note()
        return self._key_form

    def _make_test(self) -> QHBoxLayout:
        self.test = push_button(
            tr("Test"),
            tr("Ask it one question that holds nothing of the study"),
            lambda: self.test_requested.emit(self.entry(), self.key.text().strip()),
            autoDefault=False,
        )
        self._tested = PlainLabel(wordWrap=True)
        return make_row((self.test, Qt.AlignmentFlag.AlignTop), self._tested, 1)

    @property
    def form(self) -> OptionForm | None:
        """The options of the type that is chosen."""
        return self._options.form

    def _show_backend(self) -> None:
        key = self.backend.key()
        kind: Any = None if key == PERSON_BACKEND else load_backend(key)
        self._described.setText(kind.description if kind is not None else tr("Answers the same question in a form."))
        self._top.show_row(self._row_of_model, kind is not None and kind.needs_model)
        self._browse.setVisible(key == _FILE_BACKEND)
        self.model.setPlaceholderText(
            tr("Path of the GGUF file") if key == _FILE_BACKEND else tr("Its name at the server")
        )
        self._key_form.setVisible(kind is not None and kind.leaves)
        self.test.setVisible(kind is not None)
        self._tested.setText("")
        self._options.show_kind(key, None if kind is None else kind.options_type)
        if self.form is not None:
            self._add_file_button(self.form)
        align_titles(self._top, self.form, self._key_form)

    def _add_file_button(self, form: OptionForm) -> None:
        """Put a way to choose a file into the field of the projector."""
        projector = form.inputs.get("projector")
        if isinstance(projector, QLineEdit):
            projector.setPlaceholderText(tr("Path of the GGUF file through which it sees"))
            browse = projector.addAction(icon("folder-open"), QLineEdit.ActionPosition.TrailingPosition)
            browse.setToolTip(tr("Choose the GGUF file of the projector"))
            browse.triggered.connect(lambda: self._choose_projector(projector))

    def _choose_projector(self, projector: QLineEdit) -> None:
        found = self._ask_file(tr("Choose the projector"))
        if found is not None:
            projector.setText(str(found))

    def _choose_file(self) -> None:
        found = self._ask_file(tr("Choose the model"))
        if found is None:
            return
        self.model.setText(str(found))
        projector = self.form.inputs.get("projector") if self.form is not None else None
        beside = sorted(Path(str(found)).parent.glob("*mmproj*.gguf"))
        if isinstance(projector, QLineEdit) and not projector.text() and len(beside) == 1:
            projector.setText(str(beside[0]))


Then = Callable[[str, bool], None]


class JudgeTrialRunner(QObject):
    """One trial at a time; a new one takes the place of the one before it."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._then: Then | None = None
        self._runner = WorkerRunner(self, context.jobs.runner.command, grace_ms=500)
        self._runner.answer = self._answer
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(lambda _work, error: self._report(str(error), failed=True))
        context.studio.leaving.connect(self.stop)

    def start(self, entry: JudgeEntry, key: str, then: Then) -> None:
        """Try a judge; `then` gets what was found, and whether it failed."""
        self.stop()
        self._then = then
        self._runner.submit(judge_trial.prepare(entry, key))

    def stop(self) -> None:
        """Give up."""
        self._then = None
        self._runner.close()

    def _answer(self, _work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
        session = self._context.studio.session
        if session is None:
            raise UserError(tr("The study has been closed."), tr("Open it and try again."))
        return answer_permits(session, question)

    def _on_finished(self, _work: JobSpec, result: JudgeTrial) -> None:
        self._report(result.as_text() or tr("It answers."), failed=not result.ok)

    def _report(self, text: str, *, failed: bool) -> None:
        then, self._then = self._then, None
        if then is not None:
            then(text, failed)


class Entries(QObject):
    """Opens the dialog of a judge and does what was chosen there."""

    def __init__(self, context: Context, page: JudgesPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self.dialog: EntryDialog | None = None
        self._trying = JudgeTrialRunner(context, self)
        page.add_requested.connect(lambda: self._open(None))
        page.bar.edit_requested.connect(self._on_action)
        context.studio.leaving.connect(self._close)

    def _on_action(self, act: str, judge_id: str) -> None:
        if not self._context.studio.writable:
            session = self._page.session()
            reason = session.study.read_only_reason if session is not None else ""
            self._context.studio.failed.emit(UserError(tr("This study is read-only."), reason))
            return
        entry = next((judge for judge in self._page.judges() if judge.id == judge_id), None)
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
        dialog.forget_key_requested.connect(self._forget_key)
        dialog.finished.connect(lambda _how: self._trying.stop())
        dialog.open()
        if entry is not None:
            self._show_key_place(entry)
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
        session, dialog = self._page.session(), self.dialog
        if session is None or dialog is None:
            return
        known = any(judge.id == entry.id for judge in self._page.judges())
        did = _EntryChange()

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
            self._page.bar.judges.set_ticked(self._page.bar.judges.all_ticked_keys() | {made.id})
        dialog.accept()
        if note := unencrypted_warning(session, made):
            self._context.studio.message.emit(note)
        if key:
            self._context.background.run(
                lambda _progress: store_key(made, key), lambda _none: None, self._on_keyring_error
            )

    def _forget_key(self, entry: JudgeEntry) -> None:
        self._context.background.run(
            lambda _progress: delete_key(entry), lambda _gone: self._show_key_place(entry), self._on_keyring_error
        )

    def _show_key_place(self, entry: JudgeEntry) -> None:
        """Look for the key in a thread: a keyring may ask for its own password, and take its time."""
        if entry.backend == PERSON_BACKEND:
            return
        dialog = self.dialog

        def show(found: tuple[str, str]) -> None:
            address, place = found
            if dialog is not self.dialog or dialog is None or not address:
                return
            if not place:
                said = tr("No key is kept for {address}. The variable {entry} would do too.").format(
                    address=address, entry=setup_hint(entry)
                )
            elif place == "keyring":
                said = tr("A key for {address} is in the keyring of this machine.").format(address=address)
            else:
                said = tr("The key for {address} is in the variable {place}.").format(address=address, place=place)
            dialog.show_key_place(said, kept=place == "keyring")

        self._context.background.run(
            lambda _progress: (server_address(entry), key_location(entry)), show, self._on_keyring_error
        )

    def _test(self, entry: JudgeEntry, key: str) -> None:
        dialog = self.dialog
        if dialog is None:
            return

        def show(text: str, failed: bool) -> None:
            if dialog is self.dialog:
                dialog.show_test_result(text, failed=failed)

        dialog.show_test_result(tr("Asking…"), busy=True)
        self._trying.start(entry, key, show)

    def _on_keyring_error(self, error: Exception) -> None:
        known = (
            error
            if isinstance(error, UserError)
            else UserError(tr("The keyring of this machine does not respond."), tr("Unlock it and try again."))
        )
        self._context.studio.failed.emit(known)


@dataclass
class _EntryChange:
    entry: JudgeEntry | None = None
