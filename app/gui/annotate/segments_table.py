"""The table of all segments, what its cells show, and the list of search hits outside segments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QWidget

from annotate.review.segment_table import SegmentColumns, SegmentTable
from annotate.review.text_search import StudySearch
from project.session.session import Session
from resources.translation import tr
from widgets import theme
from widgets.labels import LabelLook, label_looks, unknown_look
from widgets.table.lazy_table import (
    FOUND_COLUMN,
    MARKS_ROLE,
    CellDelegate,
    CellSource,
    LongTable,
    SearchExcerpt,
    SegmentsModel,
)
from widgets.text_labels import plain_tip


class StudyCells:
    """Answers for one study.

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

    def is_locked(self, row: str) -> bool:
        """Tell whether a row's recording is kept back."""
        return self._table.rows[row].segment.recording_id in self._table.held_out

    def has_open_comments(self, row: str) -> bool:
        """Tell whether a row has comments that are not resolved."""
        return self._table.rows[row].unresolved > 0


Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class FoundText:
    """One text: where it is in words, the text, what matches in it, and where to go, if anywhere."""

    where: str
    text: str
    marks: tuple[tuple[int, int], ...]
    recording_id: str | None = None
    time_us: int = 0


class _SegmentTexts(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.texts: Sequence[FoundText] = ()

    def set_texts(self, texts: Sequence[FoundText]) -> None:
        self.beginResetModel()
        self.texts = texts
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        found_text = self.texts[index.row()]
        before = len(found_text.where) + 2
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = f"{found_text.where}: {found_text.text}"
            return plain_tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, theme.GRID * 7 // 2)
        if role == MARKS_ROLE:
            return tuple((start + before, end + before) for start, end in found_text.marks)
        return None


class HitsList(QListView):
    """A line for each text.

    Signals:
        opened (str, object): recording and time in microseconds to look at.
    """

    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Found elsewhere"))
        self._texts = _SegmentTexts(self)
        self.setModel(self._texts)
        self.setItemDelegate(CellDelegate(self))
        self.setUniformItemSizes(True)
        self.activated.connect(self._open)

    def set_texts(self, texts: Sequence[FoundText]) -> None:
        """Show these."""
        self._texts.set_texts(texts)

    def _open(self, where: QModelIndex) -> None:
        found_text = self._texts.texts[where.row()]
        if found_text.recording_id is not None:
            self.opened.emit(found_text.recording_id, found_text.time_us)


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


class SegmentsView(LongTable):
    """Shows rows by id and says what the user wants with them.

    Signals:
        opened (str): the id of the row to look at in the video: Return or a double click.
        rows_selected: other rows are selected.
        sort_requested (str, bool): key of a column, and whether descending.
        copy_requested: Ctrl+C.
        delete_requested: Del.
        columns_changed (list): keys of the columns that the user hid.
    """

    opened = Signal(str)
    rows_selected = Signal()
    sort_requested = Signal(str, bool)
    copy_requested = Signal()
    delete_requested = Signal()
    columns_changed = Signal(list)

    _last_row = -1

    def __init__(self, cells: CellSource, parent: QWidget | None = None) -> None:
        super().__init__(tr("Segments"), parent)
        self._telling = True
        self._titles: Mapping[str, str] = {}
        self._hidden: set[str] = set()
        self._searching = False
        self._given: dict[int, tuple[int, int]] = {}
        self.rows_model = SegmentsModel(cells, self)
        self.setModel(self.rows_model)
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setSectionsMovable(True)
        head.setSortIndicatorShown(True)
        head.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        head.setToolTip(tr("Click to sort; right-click to choose columns"))
        head.sortIndicatorChanged.connect(self._sort)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._ask_columns)
        self.doubleClicked.connect(self._open)
        self.selectionModel().selectionChanged.connect(self._emit_selection)

    def set_columns(self, titles: Mapping[str, str], hidden: Iterable[str]) -> None:
        """Have these columns, by key; `hidden` ones are there to be chosen."""
        self._titles, self._hidden = titles, set(hidden)
        self.rows_model.set_columns({**titles, FOUND_COLUMN: tr("Found")})
        for place, key in enumerate(self.rows_model.columns):
            self.setColumnWidth(place, _WIDTHS.get(key, _DEFAULT_WIDTH))
        self._given = {}
        self._show_columns()

    def set_searching(self, searching: bool) -> None:
        """Show the column with what a search found, or not."""
        if searching != self._searching:
            self._searching = searching
            self._show_columns()
            head = self.horizontalHeader()
            place = self.rows_model.columns.index(FOUND_COLUMN)
            if searching:
                head.moveSection(head.visualIndex(place), 1)

    def set_rows(self, rows: Sequence[str]) -> None:
        """Show these rows; what was selected stays selected where it is still there."""
        kept, current = self.selected(), self.current()
        top = self.verticalScrollBar().value()
        self._telling = False
        try:
            if self.rows_model.set_rows(rows):
                self.select(kept, current)
                self.verticalScrollBar().setValue(top)
        finally:
            self._telling = True
        if self.selected() != kept:
            self.rows_selected.emit()

    def select(self, rows: Iterable[str], current: str | None = None) -> None:
        """Select exactly these rows."""
        places = sorted(place for row in rows if (place := self.rows_model.row_of(row)) is not None)
        last, chosen, begin = len(self.rows_model.columns) - 1, QItemSelection(), 0
        for index, place in enumerate(places):
            if index + 1 == len(places) or places[index + 1] != place + 1:
                first = self.rows_model.index(places[begin], 0)
                chosen.append(QItemSelectionRange(first, self.rows_model.index(place, last)))
                begin = index + 1
        model = self.selectionModel()
        here = self.rows_model.row_of(current) if current else None
        if here is not None:
            model.setCurrentIndex(self.rows_model.index(here, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        model.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def selected(self) -> list[str]:
        """Return the ids of the selected rows, in the order shown."""
        # Asking for each row's index takes a third of a second where ten thousand are selected.
        selection = self.selectionModel().selection()
        ranges = [selection.at(number) for number in range(selection.count())]
        places = sorted(
            {
                place
                for selection_range in ranges
                for place in range(selection_range.top(), selection_range.bottom() + 1)
            }
        )
        return [self.rows_model.row_id(place) for place in places]

    def current(self) -> str | None:
        """Return the id of the row with the focus."""
        where = self.currentIndex()
        return self.rows_model.row_id(where.row()) if where.isValid() else None

    def shown_columns(self) -> list[str]:
        """Return the keys of the columns that are shown, from left to right, without what a search found."""
        head = self.horizontalHeader()
        places = sorted(range(len(self.rows_model.columns)), key=head.visualIndex)
        keys = [self.rows_model.columns[place] for place in places]
        return [key for key in keys if key != FOUND_COLUMN and key not in self._hidden]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._distribute_width()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._open(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Copy):
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

    def _emit_selection(self) -> None:
        if self._telling:
            self.rows_selected.emit()

    def _open(self, where: QModelIndex) -> None:
        self.opened.emit(self.rows_model.row_id(where.row()))

    def _sort(self, place: int, order: Qt.SortOrder) -> None:
        key = self.rows_model.columns[place]
        self.sort_requested.emit(key, order == Qt.SortOrder.DescendingOrder)

    def _show_columns(self) -> None:
        for place, key in enumerate(self.rows_model.columns):
            self.setColumnHidden(place, key in self._hidden or (key == FOUND_COLUMN and not self._searching))
        self._distribute_width()

    def _distribute_width(self) -> None:
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
            for place, key in enumerate(self.rows_model.columns)
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
