"""The export dialog.

It takes recordings or a span, anonymization methods with their options, the treatment of sound, and the folder.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)

from anonymize.export.preview_job import Preview
from anonymize.faces.masking_plan import are_downloadable
from anonymize.methods.face_methods import METHODS, Method, method_type, missing_weights, recommended_method
from anonymize.sound.voice_methods import COVERS, DEFAULT_VOICE, MUTE, VOICES, voice_type
from anonymize.voice.sound_choice import KEEP, NONE, VOICE_WARNING, SoundChoice
from anonymize.voice.sound_preview_job import AFTER, BEFORE
from app.gui.export.export_preview import PreviewPane
from project.entities.study_records import Json
from project.errors import UserError
from project.schemes.scheme import FieldChoice
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import DialogButtons, OwnDialog
from widgets.form.checklists import ROW_HEIGHT, TickList, TickRow
from widgets.form.controls import line_edit, push_button
from widgets.form.form import Form, OptionForm, SwitchedOptions, align_titles
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import bounded_to_screen, make_column, make_panel, make_row, make_scroll_area
from widgets.text_labels import PlainLabel, RichLabel

_SEMIBOLD = '<span style="font-weight:600">'


class MethodList(QWidget):
    """Several methods can be ticked; the one that is selected shows what it is, its options and its preview.

    Signals:
        changed: what is ticked or selected, or an option.
        fetch_requested (list[str]): weights that the user wants to get.
    """

    changed = Signal()
    fetch_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._missing: list[str] = []
        self._options = SwitchedOptions()
        self._options.changed.connect(self.changed)
        self.tree = TickList(columns=2)
        self.tree.setAccessibleName(tr("Methods: how the faces are hidden"))
        self.tree.setFixedHeight(theme.scaled(ROW_HEIGHT) * len(METHODS) + 4)
        self._described = RichLabel(wordWrap=True, minimumHeight=theme.GRID * 7, alignment=Qt.AlignmentFlag.AlignTop)
        self.setLayout(make_column(self.tree, self._described, self._options, self._build_fetch_row()))
        best = recommended_method()
        for key in METHODS:
            self.tree.add_row(key, "", key == best)
        self._fill()
        self.tree.select_row(best)
        self.tree.currentItemChanged.connect(lambda *_: self._show_current())
        self.tree.itemChanged.connect(self._select_changed)
        self._show_current()

    @property
    def form(self) -> OptionForm | None:
        """The options of the selected method."""
        return self._options.form

    def refresh(self) -> None:
        """Look again at which weights are installed."""
        self._fill()
        self._show_current()

    def current(self) -> str:
        """Return the method that is selected."""
        return self.tree.current_key()

    def missing(self) -> list[str]:
        """Return the weights that the selected method lacks."""
        return list(self._missing)

    def options(self) -> dict[str, Json]:
        """Return the options of the selected method."""
        return self._options.values()

    def ticked_methods(self) -> dict[str, Mapping[str, Json]]:
        """Return the methods that are ticked, with their options."""
        values = self._options.all_values()
        return {key: values.get(key, {}) for key in self.tree.ticked_keys()}

    def show_fetch_status(self, text: str) -> None:
        """Show the progress of downloading weights."""
        self._getting.setText(text)

    def _fill(self) -> None:
        best = recommended_method()
        self.tree.blockSignals(True)
        for key in METHODS:
            kind, lacks = method_type(key), bool(missing_weights(key))
            title = tr("{title} (recommended)").format(title=kind.title) if key == best else kind.title
            what = tr("model not installed") if lacks else reversibility_label(kind)
            self.tree.set_row(key, (title, what), kind.description, not lacks)
        self.tree.blockSignals(False)
        self.tree.viewport().update()

    def _build_fetch_row(self) -> QWidget:
        self._getting = PlainLabel(wordWrap=True)
        self.get = push_button(
            tr("Get it"),
            tr("Download the model now; nothing is downloaded unless you press this"),
            lambda: self.fetch_requested.emit(self.missing()),
            autoDefault=False,
        )
        self._lacking = make_panel(make_row(self._getting, 1, self.get))
        return self._lacking

    def _show_current(self) -> None:
        key = self.current()
        kind = method_type(key)
        self._missing = missing_weights(key)
        self._described.setText(f"{_SEMIBOLD}{reversibility_label(kind).capitalize()}.</span> {kind.description}")
        self._options.show_kind(key, kind.options_type)
        self._options.setVisible(bool(self.form and self.form.inputs) and not self._missing)
        self._lacking.setVisible(bool(self._missing))
        if self._missing:
            needed = tr(" and ").join(self._missing)
            fetched = are_downloadable(self._missing)
            self.get.setVisible(fetched)
            how = tr("Get them here.") if fetched else tr("You bring your own: add them under File > Models….")
            self._getting.setText(tr("It needs the model {needed}. {how}").format(needed=needed, how=how))
        self.changed.emit()

    def _select_changed(self, item: QTreeWidgetItem) -> None:
        """Describe the method whose box was clicked: the click alone does not select its row."""
        self.tree.setCurrentItem(item)
        self.changed.emit()


def reversibility_label(kind: type[Method]) -> str:
    """Return in a word or two whether a face can be got back."""
    if kind.reversible:
        return tr("reversible by attacks")
    return tr("another face is drawn") if kind.kind == "face" else "irreversible"


_COVER_TITLES = {**COVERS, NONE: tr("Leave it to be heard")}


class SoundForm(QWidget):
    """Shows what can be chosen; the careful choice stands first.

    Signals:
        changed: another choice, or an option.
        listen_requested (str): `BEFORE` or `AFTER` a few seconds are to be heard; "" to be quiet.
    """

    changed = Signal()
    listen_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._playing = ""
        self._rows = rows = Form()
        names = [DEFAULT_VOICE, *(name for name in VOICES if name != DEFAULT_VOICE)]
        self.voices = rows.choice(
            tr("&Voices"),
            tr("What becomes of voices"),
            {name: voice_type(name).title for name in names}
            | {NONE: tr("No sound at all"), KEEP: tr("Keep the voices as they are")},
            compact=True,
        )
        self.covers = rows.choice(
            tr("&Personal words"),
            tr("What is heard where names, places, numbers and the like are said"),
            _COVER_TITLES,
            compact=True,
        )
        self.covers.choose(MUTE)
        self.described = PlainLabel(wordWrap=True, minimumHeight=theme.GRID * 9, alignment=Qt.AlignmentFlag.AlignTop)
        self.warning = PlainLabel(wordWrap=True, styleSheet=f"color: {theme.palette().uncertain.name()};")
        self._options = SwitchedOptions()
        self._options.changed.connect(self.changed)
        self.setLayout(make_column(rows, self.described, self.warning, self._options, self._build_listening()))
        rows.changed.connect(self._show_current)
        self._show_current()

    def choice(self) -> SoundChoice:
        """Return what is chosen."""
        return SoundChoice(self.voices.key(), self._options.values(), self.covers.key())

    def show_listening(self, text: str, playing: str = "") -> None:
        """Say how listening goes, and which of both is heard."""
        self._playing = playing
        self.heard.setText(text)
        for which, button in self._listening.items():
            button.setText(tr("Stop") if which == playing else which.capitalize())

    def _build_listening(self) -> QHBoxLayout:
        tips = {
            BEFORE: tr("Hear some seconds around this frame as they were recorded"),
            AFTER: tr("Hear the same seconds as they will be in the clip"),
        }
        self._listening = {
            key: push_button(key.capitalize(), tip, lambda _=False, key=key: self._listen(key), autoDefault=False)
            for key, tip in tips.items()
        }
        self.heard = PlainLabel(wordWrap=True, styleSheet=f"color: {theme.palette().muted.name()};")
        return make_row(PlainLabel(tr("Listen")), *self._listening.values(), self.heard, 1)

    def _listen(self, which: str) -> None:
        self.listen_requested.emit("" if which == self._playing else which)

    def listen_button(self, which: str) -> QPushButton:
        """Return the button that lets somebody hear the sound before or after."""
        return self._listening[which]

    def _show_current(self) -> None:
        shown = self.voices.key()
        kind = voice_type(shown) if shown in VOICES else None
        self._options.show_kind(shown, kind.options_type if kind is not None else None)
        align_titles(self._rows, self._options.form)
        if kind is not None:
            self.described.setText(f"{kind.description} {kind.weakness}")
        self.described.setVisible(kind is not None)
        self.covers.setEnabled(shown != NONE)
        said = [VOICE_WARNING] if shown == KEEP else []
        if self.covers.key() == NONE and shown != NONE:
            said.append(tr("Names and other personal information stay to be heard."))
        self.warning.setText(" ".join(said))
        self.warning.setVisible(bool(said))
        self.changed.emit()


Span = tuple[int, int]
_DIALOG_SIZE = QSize(1000, 640)
_FORM_WIDTH = 420


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
        export_requested (ExportRequest): the user pressed Export.
        preview_requested (str, object, object, bool): method, its options, microseconds, whether robots are left as is.
        fetch_requested (list[str]): weights that the user wants to get.
        resume_requested: the user wants to go on with an export that was interrupted.
        listen_requested (str, object, object): which of before and after, how the sound is treated, microseconds.
    """

    export_requested = Signal(object)
    preview_requested = Signal(str, object, object, bool)
    fetch_requested = Signal(object)
    resume_requested = Signal()
    listen_requested = Signal(str, object, object)

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
        self.resize(bounded_to_screen(_DIALOG_SIZE * (theme.text_size() / 100), self))
        self.pane = PreviewPane(time_us)
        head = [self._unfinished_row(left_over)] if left_over else []
        body = make_row(self._build_form(folder), self.pane, 1, spacing=theme.GRID * 2)
        column = make_column(*head, body, 1, self._buttons(), margin=theme.GRID * 2, spacing=theme.GRID * 2)
        self.setLayout(column)
        self.methods.changed.connect(self._on_changed)
        self.methods.fetch_requested.connect(self.fetch_requested)
        self.keep_robots.toggled.connect(self._on_changed)
        self.pane.time_changed.connect(self._ask_preview)
        self._asked: object = None
        self.methods.tree.setFocus()
        self._update_note()

    def request(self) -> ExportRequest:
        """Return what is filled in."""
        return ExportRequest(
            self.methods.ticked_methods(),
            self._selected_recordings(),
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
        form.addRow(tr("&Export"), self._build_scope())
        self.several = TickList()
        self.several.setAccessibleName(tr("Which recordings"))
        self.several.setFixedHeight(theme.scaled(theme.GRID * 14))
        for key, title in self._recordings:
            self.several.add_row(key, title, key == self._shown)
        self.several.itemChanged.connect(lambda *_: self._update_note())
        self.several.hide()
        form.addRow(self.several)
        self.methods = MethodList()
        form.addRow(tr("Methods; tick one or more"), self.methods)
        self.sound = SoundForm()
        self.sound.listen_requested.connect(
            lambda which: self.listen_requested.emit(which, self.sound.choice(), self.pane.time_us)
        )
        form.addRow(tr("Sound"), self.sound)
        label = PlainLabel(tr("&Folder"))
        row = self._folder_row(folder)
        label.setBuddy(self.folder)
        form.addRow(label, row)
        self.keep_robots = TickRow(
            FieldChoice(
                "robots",
                tr("Leave robots' faces as they are"),
                tr("Those assigned to a participant with the role robot."),
            )
        )
        form.addRow(self.keep_robots)
        self.overwrite = TickRow(
            FieldChoice("overwrite", tr("Replace clips of the same name"), tr("Made by an earlier export."))
        )
        form.addRow(self.overwrite)
        area = make_scroll_area(inner, frame=True)
        area.setFixedWidth(theme.scaled(_FORM_WIDTH))
        return area

    def _build_scope(self) -> ChoiceBox:
        names = {
            "recording": tr("This recording ({titles})").format(titles=dict(self._recordings).get(self._shown, ""))
        }
        if self._span is not None:
            start, end = map(format_time, self._span)
            names["span"] = tr("From {start} to {end}").format(start=start, end=end)
        if len(self._recordings) > 1:
            names["all"] = tr("All {recordings} recordings").format(recordings=len(self._recordings))
            names["several"] = tr("Several recordings…")
        self.what = ChoiceBox(tr("What to export"), "", names, compact=True)
        self.what.choose("span")
        self.what.currentIndexChanged.connect(self._on_scope)
        return self.what

    def _folder_row(self, folder: Path) -> QHBoxLayout:
        self.folder = line_edit(tr("Folder for the clips"), text=str(folder))
        browse = push_button(tr("Choose…"), tr("Choose the folder for the clips"), self._browse, autoDefault=False)
        return make_row(self.folder, 1, browse)

    def _unfinished_row(self, text: str) -> QHBoxLayout:
        words = PlainLabel(text, wordWrap=True, styleSheet=f"color: {theme.palette().uncertain.name()};")
        self.resume = push_button(
            tr("Go on with it"), tr("Make the clips that are left"), self._resume, autoDefault=False
        )
        return make_row(words, 1, self.resume)

    def _buttons(self) -> DialogButtons:
        row = DialogButtons(self, tr("Export"), tr("Export nothing"))
        self._note, self.export = row.note, row.go_on
        self.export.setToolTip(tr("Start the export (Enter); you can go on working meanwhile"))
        self.export.clicked.connect(self._accept)
        return row

    def _selected_recordings(self) -> tuple[str, ...]:
        what = self.what.currentData()
        if what == "all":
            return tuple(key for key, _ in self._recordings)
        if what != "several":
            return (self._shown,)
        return tuple(self.several.ticked_keys())

    def _on_scope(self) -> None:
        self.several.setVisible(self.what.currentData() == "several")
        self._update_note()

    def _on_changed(self) -> None:
        self._update_note()
        self._ask_preview()

    def _ask_preview(self) -> None:
        if self.methods.missing():
            self._asked = None
            self.pane.show_problem(tr("Download its model first; then there is a preview."))
            return
        wanted = (self.methods.current(), self.methods.options(), self.pane.time_us, self.keep_robots.isChecked())
        if wanted != self._asked:
            self._asked = wanted
            self.preview_requested.emit(*wanted)

    def _update_note(self) -> None:
        clips = len(self.methods.ticked_methods()) * len(self._selected_recordings())
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
            self.export_requested.emit(self.request())
            self.accept()
        else:
            self.folder.setFocus()


def _ask_folder(parent: QWidget, start: Path) -> Path | None:
    chosen = QFileDialog.getExistingDirectory(parent, tr("Folder for the clips"), str(start))
    return Path(chosen) if chosen else None
