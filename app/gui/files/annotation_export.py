"""The dialog that exports annotations in another tool's format. It lists what the format cannot hold."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from annotate.interchange.annotation_files import FORMATS, get_format
from annotate.interchange.document import Format, file_name
from annotate.interchange.document_export import export_recordings
from annotate.study.leave_permission import LeaveUse, may_leave
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.study.background import PendingTask
from project.entities.study_records import Recording
from project.errors import UserError
from project.progress import Progress
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_form
from widgets.progress_bars import ProgressLine
from widgets.table.lists import ShortList
from widgets.text_labels import PlainLabel, describe

_ID_ROLE = Qt.ItemDataRole.UserRole


class ExportWindow(StudyView):
    """Writes files beside the study; it changes nothing in it."""

    title = tr("Export annotations")
    tables = frozenset({"recording", "hold_out", "annotator"})
    preferred_size = (620, 600)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._looking: PendingTask | None = None
        self.format = ChoiceBox(tr("Format"), tr("For which tool the files are"))
        for key in FORMATS:
            self.format.addItem(get_format(key).name, key)
        muted = f"color: {theme.palette().muted.name()};"
        self.losses = PlainLabel(wordWrap=True, styleSheet=muted, alignment=Qt.AlignmentFlag.AlignTop)
        self.recordings = _make_check_list(tr("Recordings to export"))
        EmptyHint(self.recordings, tr("No recordings yet. Add some in the main window: Ctrl+O."))
        self.annotators = _make_check_list(tr("Annotators whose work is exported"))
        self.annotators.setMaximumHeight(theme.GRID * 14)
        EmptyHint(self.annotators, tr("Nobody has annotated yet."))
        self.status.setStyleSheet(f"color: {theme.palette().error.name()};")
        self.line = ProgressLine(tr("Progress of the export"))
        self.line.cancel_requested.connect(self.stop)
        self.apply = push_button(
            tr("&Export…"), tr("Choose where to, then write the files"), self.accept, look="primary"
        )
        form = make_form(
            (tr("&Format"), self.format),
            ("", self.losses),
            (tr("&Recordings"), self.recordings),
            (tr("&Annotators"), self.annotators),
        )
        self.lay_out(form, 1, self.line, foot=(self.apply,))
        self.format.currentIndexChanged.connect(self._show_losses)
        self._show_losses()

    def accept(self) -> None:
        """Ask where to, write the files, and close."""
        session = self._context.studio.session
        if session is None:
            return
        wanted = _ticked_ids(self.recordings)
        people = _ticked_ids(self.annotators)
        to = get_format(self.format.currentData())
        chosen = [recording for recording in all_recordings(session.study) if recording.id in wanted]
        if not chosen or (self.annotators.count() and not people):
            self.show_error(UserError(tr("Nothing is selected."), tr("Tick a recording and an annotator.")))
            return
        path = self._ask_target(to, chosen, session.study.folder)
        if path is None:
            return
        everybody = None if len(people) == self.annotators.count() else people

        def read(second: Session, progress: Progress) -> list[Path]:
            return export_recordings(
                second, to, path, chosen, everybody, overwrite=not path.is_dir(), progress=progress
            )

        self._show(0, 0, "")
        self._looking = self._context.background.read(
            session, read, partial(self._on_exported, path), self._fail, self._show
        )

    def stop(self) -> None:
        """Stop an export; files that are whole stay."""
        if self._looking is not None:
            self._looking.stop()
        self._set_idle()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self.tell("")
            self.stop()

    def _show(self, done: int, total: int, _text: str) -> None:
        self.tell("")
        self.apply.setEnabled(False)
        self.line.show_progress(done, total, tr("Exporting"))

    def _set_idle(self) -> None:
        self._looking = None
        self.apply.setEnabled(True)
        self.line.hide()

    def _fail(self, error: Exception) -> None:
        self._set_idle()
        if not isinstance(error, UserError):
            raise error
        self.show_error(error)

    def _on_exported(self, path: Path, made: list[Path]) -> None:
        self._set_idle()
        name = made[0].name if len(made) == 1 else tr("{made} files to {name}").format(made=len(made), name=path.name)
        self._context.studio.message.emit(tr("Exported {name}.").format(name=name))
        self.window().close()

    def _ask_target(self, to: Format, chosen: list[Recording], folder: Path) -> Path | None:
        if len(chosen) > 1 and not to.holds_several:
            return self._context.questions.folder(tr("Folder for one file a recording"))
        name = file_name(chosen[0]) if len(chosen) == 1 else "annotations"
        return self._context.questions.save(tr("Export annotations"), folder / f"{name}{to.suffixes[0]}", to.name)

    def reload(self, session: Session) -> None:
        self.tell("")
        self.recordings.clear()
        self.annotators.clear()
        for recording in all_recordings(session.study):
            exportable = bool(may_leave(session, recording.id, LeaveUse.EXPORT))
            words = f"{recording.number}. {recording.name}" + ("" if exportable else tr(" (hold-out, never exported)"))
            _add_item(self.recordings, recording.id, words, exportable, exportable)
        for person in all_annotators(session.study):
            _add_item(self.annotators, person.id, person.name, True, True)

    def _show_losses(self) -> None:
        losses = get_format(self.format.currentData()).losses
        self.losses.setText("\n".join([tr("What it cannot hold:"), *(f"• {loss}" for loss in losses)]))


def _make_check_list(name: str) -> QListWidget:
    found = ShortList()
    found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    describe(found, name, tr("{name}: Space ticks one").format(name=name))
    return found


def _add_item(to: QListWidget, row_id: str, words: str, ticked: bool, possible: bool) -> None:
    item = QListWidgetItem(words, to)
    item.setData(_ID_ROLE, row_id)
    flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
    item.setFlags(flags | Qt.ItemFlag.ItemIsEnabled if possible else Qt.ItemFlag.ItemIsSelectable)
    item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)


def _ticked_ids(where: QListWidget) -> list[str]:
    items = [where.item(row) for row in range(where.count())]
    return [str(item.data(_ID_ROLE)) for item in items if item.checkState() is Qt.CheckState.Checked]
