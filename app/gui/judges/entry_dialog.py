"""Asks what a judge is: its name, what is behind it, its options, and the key of its server."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.commands.judges import LONGEST_NAME
from app.gui.option_form import OptionForm
from models.judges.registry import BACKENDS, backend_of
from project.errors import UserError
from project.ids import new_id
from project.judging import PERSON, JudgeEntry
from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.icons import icon
from widgets.judges.plain_text import plainly
from widgets.own_window import OwnDialog
from widgets.plain_label import NoteInForm, PlainLabel
from widgets.room import within_screen

_SIZE = QSize(520, 640)
_FILES = "llama-cpp"
_FIRST = ("url", "projector", "says")
"""Options without which a backend is of little use."""


class EntryDialog(OwnDialog):
    """Fills in a judge; who made it stores it.

    Signals:
        save_requested (JudgeEntry, str): what was filled in, and a key that was typed, or "".
        test_requested (JudgeEntry, str): try it, with the key that was typed.
        forget_requested (JudgeEntry): take its key out of the keyring.
    """

    save_requested = Signal(object, str)
    test_requested = Signal(object, str)
    forget_requested = Signal(object)

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
        self._values: dict[str, Mapping[str, Json]] = {entry.backend: entry.settings} if entry else {}
        self._shown = ""
        self._was_at_test = False
        self.form: OptionForm | None = None
        self.name = QLineEdit(entry.name if entry else "")
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setAccessibleName(tr("Name"))
        self.name.setPlaceholderText(tr("Such as GPT, Qwen on the lab server, chance"))
        self.backend = QComboBox()
        self.backend.setAccessibleName(tr("What is asked"))
        for key in BACKENDS:
            self.backend.addItem(backend_of(key).name, key)
        self.backend.addItem(tr("A person, in a form"), PERSON)
        self._lay_out(entry)
        if entry is not None:
            self.backend.setCurrentIndex(max(0, self.backend.findData(entry.backend)))
        self.backend.currentIndexChanged.connect(lambda _at: self._show_backend())
        self._show_backend()
        self.resize(within_screen(_SIZE, self))

    def entry(self) -> JudgeEntry:
        """Return what is filled in."""
        key = self._backend()
        defaults: dict[str, Json] = {}
        if key != PERSON:
            defaults = {spec.name: spec.default for spec in backend_of(key).options_type.__dataclass_fields__.values()}
        values = self.form.values() if self.form is not None else {}
        settings = {name: value for name, value in values.items() if value != defaults.get(name)}
        made = self._entry.id if self._entry is not None else new_id()
        model = self.model.text().strip() if key != PERSON and self._row_of_model.isVisibleTo(self) else ""
        return JudgeEntry(made, self.name.text().strip(), key, model, settings)

    def typed_key(self) -> str:
        """Return the key that was typed, once: the field is empty then."""
        found = self.key.text().strip()
        self.key.clear()
        return found

    def show_key_place(self, text: str, *, kept: bool) -> None:
        """Say where the key is, never what it is."""
        self._key_place.setText(plainly(text))
        self.forget.setVisible(kept)

    def show_tested(self, text: str, *, failed: bool = False, busy: bool = False) -> None:
        """Say how the test goes."""
        colours = theme.palette()
        ink = colours.error if failed else colours.muted if busy else colours.competence
        self._tested.setStyleSheet(f"color: {ink.name()};")
        self._tested.setText(plainly(text, 2_000))
        if busy:
            self._was_at_test = self.test.hasFocus()
        self.test.setEnabled(not busy)
        # A button that is shut passes the focus on, to “Cancel”: Enter would throw the form away.
        if not busy and self._was_at_test:
            self.test.setFocus()

    def show_error(self, error: UserError) -> None:
        """Say why it cannot be stored."""
        self._buttons.note.setText(plainly(str(error), 1_000))
        self._buttons.note.setStyleSheet(f"color: {theme.palette().error.name()};")

    def _backend(self) -> str:
        return str(self.backend.currentData())

    def _lay_out(self, entry: JudgeEntry | None) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        top = QFormLayout()
        top.setSpacing(theme.GRID)
        top.addRow(tr("Name"), self.name)
        top.addRow(tr("What is asked"), self.backend)
        self._described = NoteInForm()
        self._described.setProperty("quiet", True)
        top.addRow("", self._described)
        self._row_of_model = self._make_model(entry.model if entry else "")
        top.addRow(tr("Model"), self._row_of_model)
        self._top = top
        column.addLayout(top)
        area = QScrollArea(widgetResizable=True)
        inner = QWidget()
        self._options = QVBoxLayout(inner)
        self._options.setContentsMargins(0, 0, 0, 0)
        self._options.addStretch()
        area.setWidget(inner)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.addWidget(area, 1)
        column.addWidget(self._make_key())
        column.addLayout(self._make_test())
        self._buttons = DialogButtons(
            self, tr("Add") if entry is None else tr("Save"), tr("Leave everything as it was")
        )
        self._buttons.go_on.clicked.connect(lambda: self.save_requested.emit(self.entry(), self.typed_key()))
        column.addLayout(self._buttons)

    def _make_model(self, model: str) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID // 2)
        self.model = QLineEdit(model)
        self.model.setAccessibleName(tr("Model"))
        self._browse = QPushButton(tr("Browse…"))
        self._browse.setAutoDefault(False)
        self._browse.setToolTip(tr("Choose the GGUF file of the model"))
        self._browse.clicked.connect(self._choose_file)
        row.addWidget(self.model, 1)
        row.addWidget(self._browse)
        return box

    def _make_key(self) -> QWidget:
        self._key_box = QWidget()
        form = QFormLayout(self._key_box)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(2)
        form.setHorizontalSpacing(theme.GRID)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self.key = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.key.setAccessibleName(tr("Key of the server"))
        self.key.setPlaceholderText(tr("Key of the server, if it wants one"))
        self.key.setToolTip(
            tr("Goes into the keyring of this machine only: never into the study, and never shown again")
        )
        self.forget = QPushButton(tr("Forget key"))
        self.forget.setAutoDefault(False)
        self.forget.hide()
        self.forget.setToolTip(tr("Take the key out of the keyring of this machine"))
        self.forget.clicked.connect(lambda: self.forget_requested.emit(self.entry()))
        self._key_title = PlainLabel(tr("Key"))
        self._key_title.setBuddy(self.key)
        row.addWidget(self.key, 1)
        row.addWidget(self.forget)
        form.addRow(self._key_title, row)
        self._key_place = NoteInForm()
        self._key_place.setProperty("quiet", True)
        form.addRow("", self._key_place)
        return self._key_box

    def _make_test(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.test = QPushButton(tr("Test"))
        self.test.setAutoDefault(False)
        self.test.setToolTip(tr("Ask it one question that holds nothing of the study"))
        self.test.clicked.connect(lambda: self.test_requested.emit(self.entry(), self.key.text().strip()))
        self._tested = PlainLabel(wordWrap=True)
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._tested, 1)
        return row

    def _show_backend(self) -> None:
        if self.form is not None:
            self._values[self._shown] = self.form.values()
            self._options.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        key = self._shown = self._backend()
        kind: Any = None if key == PERSON else backend_of(key)
        self._described.setText(kind.description if kind is not None else tr("Answers the same question in a form."))
        self._top.setRowVisible(self._row_of_model, kind is not None and kind.needs_model)
        self._browse.setVisible(key == _FILES)
        self.model.setPlaceholderText(tr("Path of the GGUF file") if key == _FILES else tr("Its name at the server"))
        self._key_box.setVisible(kind is not None and kind.leaves)
        self.test.setVisible(kind is not None)
        self._tested.setText("")
        if kind is not None:
            self.form = OptionForm(kind.options_type, self._values.get(key, {}), first=_FIRST)
            self._options.insertWidget(0, self.form)
            self._offer_files(self.form)
            self._align(self.form)

    def _align(self, form: OptionForm) -> None:
        """Let all fields of the dialog begin at one edge."""
        titles = [self._top.labelForField(one) for one in (self.name, self.backend, self._row_of_model)]
        titles += [part for part in form.findChildren(QLabel) if part.parent() is form]
        widest = max(one.sizeHint().width() for one in titles if one is not None)
        for one in (*titles, self._key_title):
            if one is not None:
                one.setMinimumWidth(widest)
        for grid in (self._top, form.layout()):
            if isinstance(grid, QFormLayout):
                grid.setHorizontalSpacing(theme.GRID)

    def _offer_files(self, form: OptionForm) -> None:
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
