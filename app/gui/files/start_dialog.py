"""The dialog that creates a study: annotator, place, scheme and first recordings."""

import os
import pwd
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotate.interchange.code_book_files import code_book_text
from app.gui.study.dialogs import Dialogs, code_book_filter
from project.errors import UserError
from project.files.filesystem import is_folder
from project.queries.study_schemes import DEFAULT_SCHEME
from project.schemes.scheme_file import load_scheme, parse_scheme, shipped_names
from project.session.settings import login_name
from project.store.opening import SUFFIX, require_short_name
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.empty_state import EmptyHint
from widgets.form.controls import check_box, line_edit, push_button
from widgets.form.layouts import bounded_to_screen, make_column, make_form, make_row
from widgets.table.lists import ShortList
from widgets.text_labels import PlainLabel, plain_tip

_SIZE = QSize(680, 660)
_VALUE_ROLE = Qt.ItemDataRole.UserRole
_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
_ROW_PADDING = 6
_LIST_STYLE = (
    "QListWidget {{ border: 1px solid {border}; border-radius: 4px; }} QListWidget:focus {{ border-color: {accent}; }} "
    "QListWidget::item {{ padding: 3px 6px; }}"
)


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What somebody wants to begin with.

    Attributes:
        annotator: the name that edits are recorded under; "" where it was not asked.
        path: of the new study; None for none.
        scheme: key of the scheme that it uses.
        scheme_text: text of that scheme, where it comes from a file.
        recordings: files and folders to add.
        is_created: whether the file of the study was made already.
    """

    annotator: str = ""
    path: Path | None = None
    scheme: str = DEFAULT_SCHEME
    recordings: tuple[Path, ...] = ()
    is_created: bool = False
    scheme_text: str = ""


class StartDialog(OwnDialog):
    """Asks for everything at once; only the place of the study has to be right.

    It makes the file of the study, so that it stays open, with all that was typed, where that fails.
    """

    def __init__(
        self,
        questions: Dialogs,
        folder: Path,
        annotator: str | None,
        *,
        first: bool,
        parent: QWidget | None,
        recordings: Sequence[Path] = (),
        make: Callable[[Path], None] | None = None,
    ) -> None:
        """Make the dialog.

        Args:
            questions: ask for files and folders.
            folder: in which a new study is proposed.
            annotator: the name that is proposed; None where it is known and not asked.
            first: the program was never used before: a study need not be begun.
            parent: window that it belongs to.
            recordings: those that are listed already; the study is named after the first.
            make: makes the file of the study, or raises a UserError; None where that is done later.
        """
        super().__init__(parent)
        self._questions = questions
        self._make = make
        self._made = False
        self.setWindowTitle(tr("Welcome to Greenroom") if first else tr("New study"))
        self.setAcceptDrops(True)
        self.resize(bounded_to_screen(_SIZE, self))
        hint = tr("Kept with every edit. A pseudonym will do.")
        self.name = line_edit(tr("Your name"), hint, text=annotator or "", accessibleDescription=hint)
        self.name.selectAll()
        self._asks_name = annotator is not None
        self.begin = check_box(tr("Begin a st&udy"), checked=True)
        self.begin.toggled.connect(self._check)
        proposed = proposed_path(folder, recordings[0].stem if recordings else "study")
        self.place = line_edit(tr("File of the study"), text=str(proposed))
        self.place.setCursorPosition(len(self.place.text()))
        self.choose = push_button(tr("C&hoose…"), tr("Choose where the study goes"), self._choose, autoDefault=False)
        self.scheme = _make_scheme_list()
        self.from_file = push_button(
            tr("From a fi&le…"),
            tr("Take the tracks and labels of a file of ELAN or BORIS, a table or a scheme"),
            self._add_scheme,
            autoDefault=False,
        )
        own = PlainLabel(tr("Or make a code book later: Study > Schemes…"), look="quiet")
        self.form = make_form(
            *([(tr("Your &name"), self.name)] if annotator is not None else []),
            *([("", self.begin)] if first else []),
            (tr("&File of the study"), make_row(self.place, 1, self.choose)),
            (tr("&Scheme"), self.scheme),
            ("", make_row(self.from_file, own, 1)),
        )
        self._study_parts: list[QWidget] = [self.place, self.choose, self.scheme, self.from_file]
        recordings_part = self._make_recordings()
        self.buttons = DialogButtons(
            self, tr("Begin") if first else tr("Make the study"), tr("Ask nothing now"), away=tr("Skip")
        )
        if not first:
            self.buttons.away.setText(tr("Cancel"))
            self.buttons.away.setToolTip(tr("Make no study (Esc)"))
        self.buttons.go_on.clicked.connect(self.accept)
        self.setLayout(make_column(self.form, recordings_part, 1, self.buttons, margin=theme.GRID * 2))
        for field in (self.name, self.place):
            field.textChanged.connect(self._check)
        self.add_recordings(recordings)
        (self.name if annotator is not None else self.place).setFocus()

    def plan(self) -> StudyPlan:
        """Return what was asked for."""
        name = " ".join(self.name.text().split()) if self._asks_name else ""
        if not self.begin.isChecked():
            return StudyPlan(name)
        item = self.scheme.currentItem()
        scheme = str(item.data(_VALUE_ROLE)) if item is not None else DEFAULT_SCHEME
        text = str(item.data(_TEXT_ROLE) or "") if item is not None else ""
        return StudyPlan(name, self._path(), scheme, tuple(self.recordings()), self._made, text)

    def accept(self) -> None:
        """Make the file of the study and close; where it cannot be made, say why and stay."""
        if self.begin.isChecked() and self._make is not None:
            try:
                self._make(self._path())
            except UserError as error:
                self.buttons.note.setText(str(error))
                self.place.setFocus()
                return
            self._made = True
        super().accept()

    def recordings(self) -> list[Path]:
        """Return the files and folders that are listed."""
        return [Path(str(self.files.item(row).data(_VALUE_ROLE))) for row in range(self.files.count())]

    def add_recordings(self, paths: Iterable[Path]) -> None:
        """List files and folders, each once."""
        known = {*self.recordings()}
        for path in paths:
            if path not in known:
                known.add(path)
                item = QListWidgetItem(f"{path.name}/" if path.is_dir() else path.name)
                item.setData(_VALUE_ROLE, str(path))
                item.setToolTip(plain_tip(str(path)))
                self.files.addItem(item)
        self._check()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.begin.isChecked() and _dropped_paths(event):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self.begin.isChecked() and _dropped_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _dropped_paths(event)
        self.add_recordings(paths)
        if paths:
            event.acceptProposedAction()

    def _make_recordings(self) -> QVBoxLayout:
        label = PlainLabel(tr("First recordings"))
        label.setContentsMargins(0, theme.GRID // 2, 0, 0)
        self.files = ShortList()
        self.files.setStyleSheet(_list_style())
        self.files.setAccessibleName(tr("First recordings"))
        self.files.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        EmptyHint(self.files, tr("Drop video and sound here, or add them.\nThe files stay where they are."))
        buttons = [
            push_button(text, tip, act, autoDefault=False)
            for text, tip, act in (
                (tr("&Add files…"), tr("Choose video and sound files"), self._add_files),
                (tr("Add f&older…"), tr("Add all video and sound in a folder"), self._add_folder),
                (tr("&Remove"), tr("Take the selected ones off the list"), self._remove),
            )
        ]
        self._remove_button = buttons[-1]
        self.files.itemSelectionChanged.connect(self._check)
        self._study_parts += [label, self.files, *buttons]
        return make_column(label, self.files, 1, make_row(*buttons, None))

    def _path(self) -> Path:
        typed = Path(self.place.text().strip())
        # “~nobody” stays as it is: there is no such folder.
        with suppress(RuntimeError):
            typed = typed.expanduser()
        return typed if typed.suffix == SUFFIX else typed.with_name(typed.name + SUFFIX)

    def _check(self) -> None:
        if not hasattr(self, "buttons"):
            return
        begins = self.begin.isChecked()
        for part in self._study_parts:
            part.setEnabled(begins)
        self._remove_button.setEnabled(begins and bool(self.files.selectedItems()))
        problem = self._problem() if begins else ""
        if self._asks_name and not self.name.text().strip():
            problem = tr("Enter a name or a pseudonym.")
        self.buttons.note.setText(problem)
        self.buttons.go_on.setEnabled(not problem)

    def _problem(self) -> str:
        if not self.place.text().strip():
            return tr("Name the file of the study.")
        try:
            path = self._path()
            if not is_folder(path.parent):
                return tr("There is no such folder.")
            require_short_name(path)
            if os.path.lexists(path):
                return tr("There is a file of this name already.")
            if not os.access(path.parent, os.W_OK):
                return tr("You may not write to this folder.")
        except UserError as error:
            return str(error)
        except (OSError, ValueError):
            return tr("This is no name of a file.")
        return ""

    def _choose(self) -> None:
        path = self._questions.new_study(self._proposal())
        if path is not None:
            self.place.setText(str(path))

    def _proposal(self) -> Path | None:
        """Return what was typed so far, where a dialog can begin with it."""
        try:
            path = self._path()
            return path if is_folder(path.parent) else None
        except ValueError:
            return None

    def _add_scheme(self) -> None:
        """Offer the scheme of a file, and choose it; where it has none, say why."""
        path = self._questions.file(tr("Scheme from a file"), code_book_filter())
        if path is None:
            return
        try:
            text = code_book_text(path)
            scheme = parse_scheme(text, path.name)
        except UserError as error:
            self.buttons.note.setText(str(error))
            return
        tracks = ", ".join(track.name for track in scheme.tracks)
        item = QListWidgetItem(
            tr("{name}, from {file}: {tracks}").format(name=scheme.name, file=path.name, tracks=tracks)
        )
        item.setData(_VALUE_ROLE, scheme.key)
        item.setData(_TEXT_ROLE, text)
        item.setToolTip(plain_tip(str(path)))
        self.scheme.addItem(item)
        self.scheme.setCurrentItem(item)
        _fit_rows(self.scheme)
        self._check()

    def _add_files(self) -> None:
        self.add_recordings(self._questions.videos())

    def _add_folder(self) -> None:
        folder = self._questions.folder(tr("Folder of the recordings"))
        if folder is not None:
            self.add_recordings([folder])

    def _remove(self) -> None:
        for item in self.files.selectedItems():
            self.files.takeItem(self.files.row(item))
        self._check()


def proposed_name() -> str:
    """Return the full name of the user on this machine, else the name of the login."""
    try:
        full = pwd.getpwuid(os.getuid()).pw_gecos.split(",")[0].strip()
    except (KeyError, OSError):
        full = ""
    login = login_name()
    return full if full and full != login and full.lower() != "root" else login


def proposed_path(folder: Path, stem: str = "study") -> Path:
    """Return a free name for a new study in a folder."""
    number, path = 1, folder / f"{stem}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{SUFFIX}"
    return path


def default_study_folder() -> Path:
    """Return the folder in which the first study is proposed: that of the user's documents, where there is one."""
    home = Path.home()
    return next((path for path in (home / "Documents",) if path.is_dir()), home)


def _list_style() -> str:
    """Return the style of a list with a frame that says where the keyboard is."""
    colours = theme.palette()
    return _LIST_STYLE.format(border=colours.border.name(), accent=colours.accent.name())


def _make_scheme_list() -> ShortList:
    schemes = ShortList()
    schemes.setAccessibleName(tr("Scheme"))
    schemes.setTextElideMode(Qt.TextElideMode.ElideRight)
    schemes.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    schemes.setStyleSheet(_list_style())
    for key in sorted(shipped_names(), key=lambda name: name != DEFAULT_SCHEME):
        scheme = load_scheme(key)
        item = QListWidgetItem(f"{scheme.name}: {scheme.definition}")
        item.setData(_VALUE_ROLE, key)
        item.setToolTip(plain_tip(scheme.definition))
        schemes.addItem(item)
    schemes.setCurrentRow(0)
    _fit_rows(schemes)
    return schemes


def _fit_rows(schemes: ShortList) -> None:
    schemes.setFixedHeight(schemes.count() * (schemes.fontMetrics().height() + _ROW_PADDING) + theme.GRID)


def _dropped_paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
