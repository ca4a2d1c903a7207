"""What to export, how the faces are hidden, and where the clips go."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.rendering.preview import Preview
from app.core.voice.choice import SoundChoice
from app.gui.method_list import MethodList
from app.gui.preview_pane import PreviewPane
from app.gui.sound_choice import SoundForm
from project.errors import UserError
from project.schemes.scheme import Choice
from project.timebase import format_time
from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.room import within_screen
from widgets.tick_list import TickList
from widgets.tick_row import TickRow

Span = tuple[int, int]
_SIZE = QSize(1000, 640)
_LEFT = 420


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What the user wants. `span` is None for whole recordings; methods come with their options."""

    methods: Mapping[str, Mapping[str, Json]]
    recordings: tuple[str, ...]
    folder: Path
    span: Span | None
    keep_robots: bool
    overwrite: bool
    sound: SoundChoice = field(default_factory=SoundChoice)


class ExportDialog(OwnDialog):
    """Asks; it exports nothing itself.

    Signals:
        accepted_request (ExportRequest): the user pressed Export.
        preview_wanted (str, object, object, bool): method, its options, microseconds, whether robots stay as they are.
        fetch_requested (list[str]): weights that the user wants to get.
        resume_requested: the user wants to go on with an export that was interrupted.
        listen_wanted (str, object, object): which of before and after, how the sound is treated, microseconds.
    """

    accepted_request = Signal(object)
    preview_wanted = Signal(str, object, object, bool)
    fetch_requested = Signal(object)
    resume_requested = Signal()
    listen_wanted = Signal(str, object, object)

    def __init__(
        self,
        recordings: Sequence[tuple[str, str]],
        shown: str,
        span: Span | None,
        folder: Path,
        parent: QWidget | None = None,
        *,
        time_us: int = 0,
        left_over: str = "",
        choose_folder: Callable[[QWidget, Path], Path | None] | None = None,
    ) -> None:
        """Ask.

        Args:
            recordings: id and title of all that have a picture.
            shown: id of the one that is looked at.
            span: start and end of what is marked in it.
            folder: where clips went last.
            parent: the window.
            time_us: the frame of the preview.
            left_over: what is left of an export that was interrupted; "" where none was.
            choose_folder: asks for a folder.
        """
        super().__init__(parent)
        self._recordings, self._shown, self._span = tuple(recordings), shown, span
        self._choose_folder = choose_folder or _ask_folder
        self.setWindowTitle(tr("Export anonymized"))
        self.resize(within_screen(_SIZE, self))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        if left_over:
            column.addLayout(self._left_over_row(left_over))
        row = QHBoxLayout()
        row.setSpacing(theme.GRID * 2)
        row.addWidget(self._build_form(folder))
        self.pane = PreviewPane(time_us)
        row.addWidget(self.pane, 1)
        column.addLayout(row, 1)
        column.addLayout(self._buttons())
        self.methods.changed.connect(self._on_changed)
        self.methods.fetch_requested.connect(self.fetch_requested)
        self.keep_robots.toggled.connect(self._on_changed)
        self.pane.time_changed.connect(self._ask_preview)
        self._asked: object = None
        self.methods.tree.setFocus()
        self._tell()

    def request(self) -> ExportRequest:
        """Return what is filled in."""
        return ExportRequest(
            self.methods.chosen(),
            self._chosen(),
            Path(self.folder.text()).expanduser(),
            self._span if self.what.currentData() == "span" else None,
            self.keep_robots.isChecked(),
            self.overwrite.isChecked(),
            self.sound.choice(),
        )

    def start_preview(self) -> None:
        """Ask for the first preview."""
        self._ask_preview()

    def show_preview(self, made: Preview) -> None:
        """Show a preview that was asked for."""
        self.pane.show_preview(made)

    def show_problem(self, error: UserError) -> None:
        """Say why there is no preview."""
        self.pane.show_problem(f"{error.message} {error.hint}".strip())

    def refresh(self) -> None:
        """Look again at which weights are installed."""
        self._asked = None
        self.methods.refresh()

    def _build_form(self, folder: Path) -> QWidget:
        inner = QWidget()
        form = QFormLayout(inner)
        form.setContentsMargins(0, 0, theme.GRID, 0)
        form.setSpacing(theme.GRID)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.addRow(tr("&Export"), self._build_what())
        self.several = TickList()
        self.several.setAccessibleName(tr("Which recordings"))
        self.several.setFixedHeight(theme.GRID * 14)
        for key, title in self._recordings:
            self.several.add(key, title, key == self._shown)
        self.several.itemChanged.connect(lambda *_: self._tell())
        self.several.hide()
        form.addRow(self.several)
        self.methods = MethodList()
        form.addRow(tr("Methods; tick one or more"), self.methods)
        self.sound = SoundForm()
        self.sound.listen_requested.connect(self._on_listen)
        form.addRow(tr("Sound"), self.sound)
        label = PlainLabel(tr("&Folder"))
        row = self._folder_row(folder)
        label.setBuddy(self.folder)
        form.addRow(label, row)
        self.keep_robots = TickRow(
            Choice(
                "robots",
                tr("Leave robots' faces as they are"),
                tr("Those assigned to a participant with the role robot."),
            )
        )
        form.addRow(self.keep_robots)
        self.overwrite = TickRow(
            Choice("overwrite", tr("Replace clips of the same name"), tr("Made by an earlier export."))
        )
        form.addRow(self.overwrite)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inner)
        area.setFixedWidth(_LEFT)
        return area

    def _build_what(self) -> QComboBox:
        titles = dict(self._recordings)
        self.what = QComboBox()
        self.what.setAccessibleName(tr("What to export"))
        self.what.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.what.addItem(tr("This recording ({titles})").format(titles=titles.get(self._shown, "")), "recording")
        if self._span is not None:
            self.what.addItem(
                tr("From {start} to {end}").format(start=format_time(self._span[0]), end=format_time(self._span[1])),
                "span",
            )
            self.what.setCurrentIndex(1)
        if len(self._recordings) > 1:
            self.what.addItem(tr("All {recordings} recordings").format(recordings=len(self._recordings)), "all")
            self.what.addItem(tr("Several recordings…"), "several")
        self.what.currentIndexChanged.connect(self._on_what)
        return self.what

    def _folder_row(self, folder: Path) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.folder = QLineEdit(str(folder))
        self.folder.setAccessibleName(tr("Folder for the clips"))
        browse = QPushButton(tr("Choose…"))
        browse.setToolTip(tr("Choose the folder for the clips"))
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        row.addWidget(self.folder, 1)
        row.addWidget(browse)
        return row

    def _left_over_row(self, text: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        words = PlainLabel(text, wordWrap=True)
        words.setStyleSheet(f"color: {theme.palette().uncertain.name()};")
        self.resume = QPushButton(tr("Go on with it"))
        self.resume.setToolTip(tr("Make the clips that are left"))
        self.resume.setAutoDefault(False)
        self.resume.clicked.connect(self._resume)
        row.addWidget(words, 1)
        row.addWidget(self.resume)
        return row

    def _buttons(self) -> DialogButtons:
        row = DialogButtons(self, tr("Export"), tr("Export nothing"))
        self._note, self.export = row.note, row.go_on
        self.export.setToolTip(tr("Start the export (Enter); you can go on working meanwhile"))
        self.export.clicked.connect(self._accept)
        return row

    def _chosen(self) -> tuple[str, ...]:
        what = self.what.currentData()
        if what == "all":
            return tuple(key for key, _ in self._recordings)
        if what != "several":
            return (self._shown,)
        return tuple(self.several.ticked())

    def _on_what(self) -> None:
        self.several.setVisible(self.what.currentData() == "several")
        self._tell()

    def _on_changed(self) -> None:
        self._tell()
        self._ask_preview()

    def _on_listen(self, which: str) -> None:
        self.listen_wanted.emit(which, self.sound.choice(), self.pane.time_us)

    def _ask_preview(self) -> None:
        if self.methods.missing():
            self._asked = None
            self.pane.show_problem(tr("Get its weights first; then there is a preview."))
            return
        wanted = (self.methods.current(), self.methods.options(), self.pane.time_us, self.keep_robots.isChecked())
        if wanted != self._asked:
            self._asked = wanted
            self.preview_wanted.emit(*wanted)

    def _tell(self) -> None:
        clips = len(self.methods.chosen()) * len(self._chosen())
        self.export.setEnabled(clips > 0)
        self.export.setText(tr("Export {clips} clips").format(clips=clips) if clips > 1 else tr("Export"))
        if clips:
            text = tr(
                "Faces are looked for first where that was not done. Every clip is searched for faces afterwards."
            )
        else:
            text = tr("Tick a method and a recording.")
        self._note.setText(text)

    def _browse(self) -> None:
        chosen = self._choose_folder(self, Path(self.folder.text()))
        if chosen is not None:
            self.folder.setText(str(chosen))

    def _resume(self) -> None:
        self.resume_requested.emit()
        self.accept()

    def _accept(self) -> None:
        if self.folder.text().strip():
            self.accepted_request.emit(self.request())
            self.accept()
        else:
            self.folder.setFocus()


def _ask_folder(parent: QWidget, start: Path) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder for the clips"), str(start))
    return Path(chosen) if chosen else None
