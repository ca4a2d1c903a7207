"""The list of recordings at the left of the window, kept in step with the study, with its thumbnails."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QImage, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QTreeView, QWidget

from annotate.cues.prelabels import uncounted_annotators
from app.gui.recordings.recording_arrangement import RecordingArrangement, RecordingFilter, RecordingOrder, RecordingRow
from app.gui.recordings.recordings_model import RecordingsDelegate, RecordingsModel
from app.gui.study.background import BackgroundPool, in_turn
from app.gui.study.study_controller import StudyController
from app.gui.timeline.timeline_presenter import CameOrWent
from project.entities.study_records import Changes, Medium, MediumRole, Recording
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.queries.annotator_rows import annotator_names, completions
from project.queries.history_rows import run_kinds
from project.queries.recording_rows import (
    all_collections,
    all_media,
    all_recordings,
    appearances,
    hold_outs,
    pseudonyms,
)
from project.queries.segment_rows import segment_counts
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.controls import line_edit, tool_button
from widgets.form.input_fields import mark_search_field
from widgets.form.layouts import make_column, make_row, make_stack
from widgets.text_labels import PlainLabel

_ORDER_NAMES = {
    RecordingOrder.NUMBER: tr("&Number"),
    RecordingOrder.NAME: tr("N&ame"),
    RecordingOrder.ADDED: tr("Date a&dded, newest first"),
    RecordingOrder.DURATION: tr("D&uration, longest first"),
    RecordingOrder.SEGMENTS: tr("Number of &segments, most first"),
    RecordingOrder.DONE: tr("Do&ne, not done first"),
}
_FILTER_NAMES = {
    RecordingFilter.ALL: tr("A&ll recordings"),
    RecordingFilter.DONE: tr("D&one by you"),
    RecordingFilter.NOT_DONE: tr("Not done b&y you"),
    RecordingFilter.HELD_OUT: tr("&Held out"),
}


class RecordingsList(QWidget):
    """A list with a search field; videos can be dropped on it.

    Signals:
        recording_chosen (str): id of the recording that the user wants to see.
        add_requested: the user wants to add recordings.
        files_dropped (list): `Path`s of files or folders that were dropped.
        thumbnail_needed (str): id of a recording that is on screen without a thumbnail; sent once for each.
        arrangement_changed: recordings are listed in another order, or others of them.
        context_requested (str, QPoint): a context menu for a recording is wanted at a place on the screen.
    """

    recording_chosen = Signal(str)
    add_requested = Signal()
    files_dropped = Signal(list)
    thumbnail_needed = Signal(str)
    arrangement_changed = Signal()
    context_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, acceptDrops=True, minimumWidth=200, accessibleName=tr("Recordings"))
        self._telling = True
        self._collapsed: set[str] = set()
        self.model = RecordingsModel(self)
        self._chosen: str | None = None
        self._empty = EmptyState(
            "file-video",
            tr("No recordings yet"),
            tr("Drop videos here, or press Ctrl+O."),
            [EmptyStateAction("add", tr("Add recordings…"), "Ctrl+O", primary=True)],
        )
        self._empty.button_clicked.connect(lambda _key: self.add_requested.emit())
        self._nothing = EmptyState("search", tr("Nothing found"), tr("No recording has these words."))
        self._filtered = EmptyState(
            "funnel",
            tr("Nothing listed"),
            tr("The filter leaves out every recording."),
            [EmptyStateAction("all", tr("Show all"), "", primary=True)],
        )
        self._filtered.button_clicked.connect(lambda _key: self._show_all())
        head = self._head()
        self._stack = make_stack(self._tree(), self._empty, self._nothing, self._filtered)
        self.setLayout(make_column(head, self._stack, 1, spacing=0))
        self._drop_hint = PlainLabel(
            tr("Drop to add to this study"), self, alignment=Qt.AlignmentFlag.AlignCenter, visible=False
        )
        theme.notifier.changed.connect(self._tint)
        self._tint()
        # Queued: the model asks while a row is being painted.
        self.model.thumbnail_needed.connect(self.thumbnail_needed, Qt.ConnectionType.QueuedConnection)
        self.model.modelReset.connect(self._restore_expansion)
        self._restore_expansion()

    def set_rows(self, rows: Sequence[RecordingRow]) -> None:
        """Show these recordings; the selected one stays selected where it is still there."""
        self.model.set_rows(rows)

    def update_row(self, row: RecordingRow) -> None:
        """Show new facts about one recording; the others are not touched."""
        self.model.update_row(row)

    def update_rows(self, rows: Sequence[RecordingRow]) -> None:
        """Show new facts about several recordings."""
        self.model.update_rows(rows)

    def set_thumbnail(self, recording_id: str, picture: QImage) -> None:
        """Show a picture of one recording."""
        self.model.set_thumbnail(recording_id, picture)

    def select(self, recording_id: str) -> None:
        """Mark a recording as the one that is open, without asking for it again."""
        self._chosen = recording_id
        where = self.model.index_of(recording_id)
        if where.isValid():
            self._telling = False
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.tree.selectionModel().setCurrentIndex(where, flags)
            self._telling = True
            self.tree.scrollTo(where)

    def selected(self) -> str | None:
        """Return the id of the recording that is marked; None where the search hides it."""
        row = self.model.recording_at(self.tree.currentIndex())
        return row.id if row else None

    def visible_recordings(self) -> list[str]:
        """Return the ids of the recordings that match the search, in the order shown."""
        return [row.id for row in self.model.shown_rows()]

    def select_relative(self, steps: int) -> None:
        """Choose the recording so many places further down (or up)."""
        shown = self.visible_recordings()
        if shown:
            chosen = self.selected()
            place = shown.index(chosen) + steps if chosen in shown else 0
            where = self.model.index_of(shown[min(max(place, 0), len(shown) - 1)])
            self.tree.setCurrentIndex(where)

    def set_arrangement(self, arrangement: RecordingArrangement) -> None:
        """List the recordings in another order, or others of them."""
        if arrangement == self.model.arrangement:
            return
        self.model.set_arrangement(arrangement)
        self._arrange.setChecked(arrangement.filters)
        self.arrangement_changed.emit()

    def open_arrangement(self) -> None:
        """Open the menu of orders and filters."""
        self._arrange.showMenu()

    def _show_all(self) -> None:
        kept = self.model.arrangement
        self.set_arrangement(RecordingArrangement(kept.order, kept.backwards))

    def _fill_arrangement(self) -> None:
        menu, now = self._arrange.menu(), self.model.arrangement
        menu.clear()
        menu.addAction(tr("Sort by")).setEnabled(False)
        orders = {replace(now, order=order): name for order, name in _ORDER_NAMES.items()}
        self._add_choices(menu, orders)
        self._add_choices(menu, {replace(now, backwards=not now.backwards): tr("&Reversed")}, ticked=now.backwards)
        menu.addSeparator()
        menu.addAction(tr("Show")).setEnabled(False)
        self._add_choices(menu, {replace(now, only=only): name for only, name in _FILTER_NAMES.items()})
        people = {key: name for row in self.model.rows() for key, name in row.people}
        if people or now.person:
            inner = menu.addMenu(tr("&Participant"))
            names = {key: people[key].replace("&", "&&") for key in sorted(people, key=people.__getitem__)}
            choices = {"": tr("&Anybody"), **names}
            self._add_choices(inner, {replace(now, person=key): name for key, name in choices.items()})

    def _add_choices(
        self, menu: QMenu, choices: Mapping[RecordingArrangement, str], ticked: bool | None = None
    ) -> None:
        for arrangement, name in choices.items():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(arrangement == self.model.arrangement if ticked is None else ticked)
            action.triggered.connect(lambda _=False, chosen=arrangement: self.set_arrangement(chosen))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._drop_hint.setGeometry(self.rect())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self._drop_hint.show()
            self._drop_hint.raise_()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self._drop_hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_hint.hide()
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)

    def _head(self) -> QHBoxLayout:
        self.search = line_edit(
            tr("Search recordings"),
            tr("Search recordings"),
            tr("Search by name, number, collection or annotator (Ctrl+F)"),
            clearButtonEnabled=True,
        )
        mark_search_field(self.search)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._choose_first_match)
        add = tool_button("plus", tr("Add recordings"), tr("Add recordings (Ctrl+O)"), self.add_requested, side=16)
        self._arrange = tool_button(
            "funnel",
            tr("Sort and filter recordings"),
            tr("Sort and filter recordings (Ctrl+Alt+F)"),
            side=16,
            checkable=True,
            popupMode=QToolButton.ToolButtonPopupMode.InstantPopup,
        )
        self._arrange.setMenu(QMenu(self._arrange))
        self._arrange.menu().aboutToShow.connect(self._fill_arrangement)
        return make_row(self.search, 1, self._arrange, add, margin=theme.GRID, spacing=4)

    def _tree(self) -> QTreeView:
        self.tree = QTreeView()
        self.tree.setAccessibleName(tr("Recordings"))
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(RecordingsDelegate(self.tree))
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(0)
        self.tree.setMouseTracking(True)
        self.tree.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._request_context_menu)
        # Dropped files are for the whole panel, not for a row.
        self.tree.setAcceptDrops(False)
        self.tree.viewport().setAcceptDrops(False)
        self.tree.clicked.connect(self._on_clicked)
        self.tree.collapsed.connect(lambda index: self._collapsed.add(str(index.data())))
        self.tree.expanded.connect(lambda index: self._collapsed.discard(str(index.data())))
        self.tree.selectionModel().currentChanged.connect(self._current_changed)
        return self.tree

    def _restore_expansion(self) -> None:
        closed = set() if self.search.text() else self._collapsed
        self.tree.blockSignals(True)
        # One by one and not `expandAll`, which lays the whole tree out at once, to be laid out again for the selection.
        for group in range(self.model.rowCount()):
            top = self.model.index(group, 0)
            if str(top.data()) not in closed:
                self.tree.expand(top)
        self.tree.blockSignals(False)
        if self._chosen is not None and self.model.row(self._chosen) is not None:
            self.select(self._chosen)
        else:
            self._chosen = None
        if not self.model.rows():
            self._stack.setCurrentWidget(self._empty)
        else:
            nothing = self._filtered if self.model.arrangement.filters and not self.search.text() else self._nothing
            self._stack.setCurrentWidget(self.tree if self.model.rowCount() else nothing)

    def _search(self, text: str) -> None:
        self.model.set_search(text)

    def _choose_first_match(self) -> None:
        self.select_relative(0)
        self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _current_changed(self, current: QModelIndex) -> None:
        row = self.model.recording_at(current)
        if row and self._telling:
            self._chosen = row.id
            self.recording_chosen.emit(row.id)

    def _on_clicked(self, index: QModelIndex) -> None:
        if not index.parent().isValid():
            self.tree.setExpanded(index, not self.tree.isExpanded(index))

    def _request_context_menu(self, place: QPoint) -> None:
        row = self.model.recording_at(self.tree.indexAt(place))
        if row:
            self.context_requested.emit(row.id, self.tree.viewport().mapToGlobal(place))

    def _tint(self) -> None:
        colours = theme.palette()
        self._drop_hint.setStyleSheet(
            f"background: {colours.selection.name()}; color: {colours.text.name()}; "
            f"border: 2px dashed {colours.accent.name()}; border-radius: 4px;"
        )
        self.tree.viewport().update()


_THUMBNAIL_PX = 192
_TABLES = frozenset(
    {"recording", "medium", "collection", "annotator", "hold_out", "completion", "participant", "appearance"}
)


class RecordingsFeed(QObject):
    """Fills the list on the left."""

    def __init__(
        self,
        studio: StudyController,
        listing: RecordingsList,
        background: BackgroundPool,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._list = listing
        self._background = background
        self._media: dict[str, Medium] = {}
        self._names: dict[str, str] = {}
        self._suggested: frozenset[str] = frozenset()
        self._collections: dict[str, str] = {}
        self._held_out: frozenset[str] = frozenset()
        self._done: frozenset[str] = frozenset()
        self._appearances: dict[str, set[str]] = {}
        self._pseudonyms: dict[str, str] = {}
        studio.recording_changed.connect(self._mark_current)
        listing.thumbnail_needed.connect(self._make_thumbnail)

    def reload(self) -> None:
        """Show all recordings of the study."""
        session = self._studio.session
        if session is None:
            self._list.set_rows([])
            return
        study = session.study
        self._media = {m.recording_id: m for m in all_media(study) if m.role is MediumRole.MAIN}
        self._names = annotator_names(study)
        self._suggested = uncounted_annotators(study)
        self._collections = {c.id: c.name for c in all_collections(study)}
        who = session.annotator()
        self._held_out = hold_outs(study)
        self._done = frozenset(place for place, whose in completions(study) if who is not None and whose == who.id)
        self._appearances, self._pseudonyms = appearances(study), pseudonyms(study)
        counts, kinds = segment_counts(study), run_kinds(study)
        self._list.set_rows([self._row(r, counts.get(r.id, {}), kinds.get(r.id, set())) for r in all_recordings(study)])
        self._mark_current()

    def apply(self, changes: Changes, came_or_went: CameOrWent, here: dict[str, int]) -> None:
        """Read what an edit touched; `here` counts the segments of the recording that is shown, by annotator."""
        session = self._studio.session
        if session is None:
            return
        if _TABLES & set(changes):
            self.reload()
            return
        shown = self._studio.recording
        if came_or_went is CameOrWent.HERE and shown is not None:
            row = self._list.model.row(shown.id)
            if row is not None:
                self._list.update_row(replace(row, segments=self._named_counts(here)))
        elif came_or_went:
            in_turn(self, self._count_everywhere)

    def _count_everywhere(self) -> None:
        session = self._studio.session
        if session is not None:
            counts = segment_counts(session.study)
            now = ((row, self._named_counts(counts.get(row.id, {}))) for row in self._list.model.rows())
            self._list.update_rows([replace(row, segments=found) for row, found in now if found != row.segments])

    def runs_changed(self, recording_id: str) -> None:
        """Show that faces were found in a recording, or that it was exported."""
        session = self._studio.session
        if session is not None:
            recording = session.recording(recording_id)
            counts, kinds = segment_counts(session.study), run_kinds(session.study)
            row = self._row(recording, counts.get(recording_id, {}), kinds.get(recording_id, set()))
            self._list.update_row(row)

    def main_medium(self, recording_id: str) -> Medium | None:
        """Return the main file of a recording."""
        return self._media.get(recording_id)

    def _row(self, recording: Recording, counts: dict[str, int], kinds: set[str]) -> RecordingRow:
        session = self._studio.session
        assert session is not None
        medium = self._media.get(recording.id)
        return RecordingRow(
            recording.id,
            recording.number,
            recording.name,
            recording.duration_us,
            self._collections.get(recording.collection_id, ""),
            self._named_counts(counts),
            "faces" in kinds,
            "anonymize" in kinds,
            medium is not None and not session.seems_present(medium),
            recording.id in self._held_out,
            recording.id in self._done,
            medium.fingerprint if medium is not None else "",
            tuple((who, self._pseudonyms[who]) for who in sorted(self._appearances.get(recording.id, ()))),
        )

    def _named_counts(self, counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
        session = self._studio.session
        if session is not None and not counts.keys() <= self._names.keys():
            self._names = annotator_names(session.study)
            self._suggested = uncounted_annotators(session.study)
        own = ((who, count) for who, count in sorted(counts.items()) if who not in self._suggested)
        return tuple((self._names.get(who, "?"), count) for who, count in own)

    def _mark_current(self) -> None:
        if self._studio.recording is not None:
            self._list.select(self._studio.recording.id)

    def _make_thumbnail(self, recording_id: str) -> None:
        session, medium = self._studio.session, self._media.get(recording_id)
        if session is None or medium is None or medium.facts.video is None:
            return
        path = session.media_path(medium)
        if path is None:
            return
        kept = cache_folder() / "thumbnails" / f"{medium.fingerprint}.png"
        at = medium.facts.duration_us // 3
        self._background.run_confined(
            lambda _progress: _decode_thumbnail(path, at, kept),
            lambda image: self._show_thumbnail(recording_id, medium, image),
        )

    def _show_thumbnail(self, recording_id: str, of: Medium, image: QImage) -> None:
        """Show a picture that was made, unless the recording has another file by now, or none."""
        row = self._list.model.row(recording_id)
        if row is not None and row.file == of.fingerprint:
            self._list.set_thumbnail(recording_id, image)


def _decode_thumbnail(path: Path, time_us: int, kept: Path) -> QImage:
    image = QImage(str(kept))
    if not image.isNull():
        return image
    from media.excerpts import read_thumbnail

    array = read_thumbnail(path, time_us, _THUMBNAIL_PX)
    height, width = array.shape[:2]
    image = QImage(array.tobytes(), width, height, width * 3, QImage.Format.Format_RGB888).copy()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part.png")
        if image.save(str(part)):
            part.replace(kept)
    except OSError as error:
        raise UserError(
            tr("The thumbnail cannot be kept: {strerror}").format(strerror=error.strerror),
            tr("Free some space in the cache folder."),
        ) from error
    return image
