"""The table of all segments, what its cells show, and the list of search hits outside segments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from annotate.review.segment_table import SegmentColumns, SegmentTable
from annotate.review.text_search import StudySearch
from project.session.session import Session
from resources.translation import tr
from widgets.labels import LabelLook, label_looks, unknown_look
from widgets.table.record_table import RecordColumn, RecordTable


@dataclass(frozen=True, slots=True)
class SearchExcerpt:
    """A piece of a text with what matches in it, as (start, end) in characters."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class StudyCells:
    """What the cells of the table show.

    Attributes:
        typed: what is searched for.
        numbers: segment id -> number of the text that was found.
    """

    def __init__(self, session: Session, table: SegmentTable, searching: StudySearch) -> None:
        self._session = session
        self._table = table
        self._search = searching
        self.columns = SegmentColumns(session, table)
        self.typed = ""
        self.numbers: dict[str, int] = {}

    def reload_columns(self) -> None:
        """Take over other schemes."""
        self.columns = SegmentColumns(self._session, self._table)

    def text(self, column: str, row: str) -> str:
        """Return what stands in a cell."""
        return self.columns.cell_text(column, row) if row in self._table.rows else ""

    def look(self, row: str) -> LabelLook:
        """Return how the label of a row looks."""
        segment = self._table.rows[row].segment
        scheme = self._session.schemes.find(segment.scheme)
        looks = label_looks(scheme.track_or_empty(segment.track)) if scheme else ()
        return next((label_look for label_look in looks if label_look.key == segment.label), None) or unknown_look(
            segment.label
        )

    def excerpt(self, row: str) -> SearchExcerpt:
        """Return what a search found in a row."""
        number = self.numbers.get(row)
        if number is None:
            return SearchExcerpt("")
        excerpt = self._search.index.excerpt(self.typed, number)
        return SearchExcerpt(excerpt.text.replace("\n", " "), excerpt.marks)

    def sign(self, column: str, row: str) -> tuple[str, str] | str:
        """Return the icon beside a recording that is held out, and beside comments that are not resolved."""
        if column == "recording":
            return ("lock", "uncertain") if self.is_held_out(row) else ""
        return ("circle-alert", "uncertain") if self._table.rows[row].unresolved else ""

    def spoken_recording(self, row: str) -> str:
        """Return what a screen reader says of a row's recording."""
        name = self.text("recording", row)
        return tr("{name}, held out: never exported").format(name=name) if self.is_held_out(row) else name

    def is_held_out(self, row: str) -> bool:
        """Return whether a row's recording is held out."""
        return self._table.rows[row].segment.recording_id in self._table.held_out


@dataclass(frozen=True, slots=True)
class FoundText:
    """One text: where it is in words, the text, what matches in it, and where to go, if anywhere."""

    where: str
    text: str
    marks: tuple[tuple[int, int], ...]
    recording_id: str | None = None
    time_us: int = 0


FOUND_TEXT_COLUMNS: list[RecordColumn[FoundText]] = [
    RecordColumn(tr("Where"), lambda found: found.where, number=False),
    RecordColumn(
        tr("Text"),
        lambda found: found.text,
        number=False,
        marks=lambda found: found.marks,
        tip=lambda found: found.text,
    ),
]


FOUND_COLUMN = "found"
"""Key of the column with the piece of text that a search found."""
_NUMBER_COLUMNS = frozenset({"start", "end", "duration"})
_WIDTHS = {
    "recording": 160,
    "collection": 140,
    "start": 96,
    "end": 96,
    "duration": 88,
    "label": 112,
    "track": 96,
    "annotator": 104,
    "comments": 108,
    "review": 120,
    FOUND_COLUMN: 420,
    **{f"field {name}": width for name, width in (("rationale", 240), ("attributes", 184), ("channel", 88))},
}
_DEFAULT_WIDTH = 140
"""Columns from this width on hold texts of any length."""


class SegmentsView(RecordTable[str]):
    """Shows rows by id and says what the user wants with them.

    Signals:
        sort_requested (str, bool): key of a column, and whether descending.
        copy_requested: Ctrl+C.
        delete_requested: Del.
        columns_changed (list): keys of the columns that the user hid.
    """

    sort_requested = Signal(str, bool)
    copy_requested = Signal()
    delete_requested = Signal()
    columns_changed = Signal(list)

    _last_row = -1

    def __init__(self, cells: StudyCells, parent: QWidget | None = None) -> None:
        self.column_keys: tuple[str, ...] = ()
        self._cells = cells
        self._titles: Mapping[str, str] = {}
        self._hidden: set[str] = set()
        self._searching = False
        self._given: dict[int, tuple[int, int]] = {}
        super().__init__(tr("Segments"), (), key=str, parent=parent, several=True)
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setSectionsMovable(True)
        head.setSortIndicatorShown(True)
        head.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        head.setToolTip(tr("Click to sort; right-click to choose columns"))
        head.sortIndicatorChanged.connect(self._sort)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._ask_columns)

    def set_titles(self, titles: Mapping[str, str], hidden: Iterable[str]) -> None:
        """Have columns of these titles, by key; `hidden` ones are there to be chosen."""
        self._titles, self._hidden = titles, set(hidden)
        named = {**titles, FOUND_COLUMN: tr("Found")}
        self.column_keys = tuple(named)
        self.set_columns([self._column(key, title) for key, title in named.items()])
        for place, key in enumerate(named):
            self.setColumnWidth(place, _WIDTHS.get(key, _DEFAULT_WIDTH))
        self._given = {}
        self._show_columns()

    def _column(self, key: str, title: str) -> RecordColumn[str]:
        cells = self._cells
        if key == FOUND_COLUMN:
            return RecordColumn(
                title, lambda row: cells.excerpt(row).text, number=False, marks=lambda row: cells.excerpt(row).marks
            )
        return RecordColumn(
            title,
            lambda row: cells.text(key, row),
            number=key in _NUMBER_COLUMNS,
            icon=(lambda row: cells.sign(key, row)) if key in ("recording", "comments") else None,
            spoken=(lambda row: cells.spoken_recording(row)) if key == "recording" else None,
            look=cells.look if key == "label" else None,
        )

    def set_searching(self, searching: bool) -> None:
        """Show the column with what a search found, or not."""
        if searching != self._searching:
            self._searching = searching
            self._show_columns()
            head = self.horizontalHeader()
            place = self.column_keys.index(FOUND_COLUMN)
            if searching:
                head.moveSection(head.visualIndex(place), 1)

    def shown_columns(self) -> list[str]:
        """Return the keys of the columns that are shown, from left to right, without what a search found."""
        head = self.horizontalHeader()
        places = sorted(range(len(self.column_keys)), key=head.visualIndex)
        keys = [self.column_keys[place] for place in places]
        return [key for key in keys if key != FOUND_COLUMN and key not in self._hidden]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_requested.emit()
        else:
            super().keyPressEvent(event)

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Go to a row; sideways only within one, so that a click on a wide cell does not move the table."""
        across = self.horizontalScrollBar().value()
        super().scrollTo(index, hint)
        if index.row() != self._last_row:
            self.horizontalScrollBar().setValue(across)
        self._last_row = index.row()

    def _sort(self, place: int, order: Qt.SortOrder) -> None:
        key = self.column_keys[place]
        self.sort_requested.emit(key, order == Qt.SortOrder.DescendingOrder)

    def _show_columns(self) -> None:
        for place, key in enumerate(self.column_keys):
            self.setColumnHidden(place, key in self._hidden or (key == FOUND_COLUMN and not self._searching))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Let columns of texts take the room that is left, and give it back where there is none.

        What somebody dragged stays as it is.
        """
        head = self.horizontalHeader()
        for place, (before, now) in self._given.items():
            if head.sectionSize(place) == now:
                head.resizeSection(place, before)
        self._given = {}
        texts = {
            place: head.sectionSize(place)
            for place, key in enumerate(self.column_keys)
            if _WIDTHS.get(key, _DEFAULT_WIDTH) >= _DEFAULT_WIDTH and not self.isColumnHidden(place)
        }
        spare, whole = self.viewport().width() - head.length(), sum(texts.values())
        if spare <= 0:
            return
        for place, width in texts.items():
            more = spare * width // whole
            spare, whole = spare - more, whole - width
            head.resizeSection(place, width + more)
            self._given[place] = width, head.sectionSize(place)

    def _ask_columns(self, where: QPoint) -> None:
        menu = self.columns_menu()
        menu.setParent(self, Qt.WindowType.Popup)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.horizontalHeader().mapToGlobal(where))

    def hidden_columns(self) -> list[str]:
        """Return the keys of the columns that the user hid."""
        return sorted(self._hidden)

    def restore_columns(self, hidden: Iterable[str], head: QByteArray) -> None:
        """Hide these columns, and give the others the widths and order that `horizontalHeader().saveState()` gave."""
        self._hidden = set(hidden) & set(self._titles)
        self.horizontalHeader().restoreState(head)
        self._given = {}
        self._show_columns()

    def columns_menu(self) -> QMenu:
        """Return a menu to show and hide columns with."""
        menu = QMenu(self)
        for key, title in self._titles.items():
            action = menu.addAction(title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(key not in self._hidden)
            action.toggled.connect(lambda on, key=key: self._toggle_column(key, on))
        return menu

    def _toggle_column(self, key: str, shown: bool) -> None:
        self._hidden ^= {key}
        if not shown and self._hidden >= set(self._titles):
            self._hidden.discard(key)
        self._show_columns()
        self.columns_changed.emit(sorted(self._hidden))
