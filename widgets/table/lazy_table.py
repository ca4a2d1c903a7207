"""A table that draws only the rows on screen, with its search field and filters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPalette, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.form.checklists import ChoiceButton
from widgets.form.input_fields import mark_search_field
from widgets.form.layouts import FlowLayout
from widgets.labels import SIGN_PX, LabelLook, label_ink, paint_sign
from widgets.text_labels import plain_tip
from widgets.theme import icon

_PAUSE_MS = 60


class SearchField(QLineEdit):
    """A field that sends its words when typing pauses, and that Down leaves for the rows below.

    Signals:
        searched (str): what stands in it now.
        moved_down: Down or Return was pressed.
    """

    searched = Signal(str)
    moved_down = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(tr('Search all texts: robot "in these words"'))
        self.setClearButtonEnabled(True)
        mark_search_field(self)
        self.setAccessibleName(tr("Search all texts"))
        self.setToolTip(
            tr("Finds words by their beginnings, and phrases between quotes, whatever their accents (Ctrl+F)")
        )
        self.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(lambda: self.searched.emit(self.text()))
        self.textChanged.connect(lambda _: self._pause.start())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._pause.isActive():
                self._pause.stop()
                self.searched.emit(self.text())
            self.moved_down.emit()
        else:
            super().keyPressEvent(event)


class ConditionFilterBar(QWidget):
    """A search field, and one button for each kind of condition.

    Signals:
        searched (str): what to look for.
        changed: other conditions are wanted.
        moved_down: the user wants to go to the rows.
    """

    searched = Signal(str)
    changed = Signal()
    moved_down = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._quiet = False
        self.buttons: dict[str, ChoiceButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.search = SearchField()
        self.search.searched.connect(self.searched)
        self.search.moved_down.connect(self.moved_down)
        column.addWidget(self.search)
        self._flow = FlowLayout()
        column.addLayout(self._flow)
        self.clear = QPushButton(tr("Clear conditions"))
        self.clear.setProperty("flat", True)
        self.clear.setToolTip(tr("Show all segments again"))
        self.clear.setAccessibleName(tr("Clear conditions"))
        self.clear.clicked.connect(self.reset)
        self._flow.addWidget(self.clear)
        self.clear.hide()

    def set_condition(self, key: str, title: str, choices: Mapping[str, str]) -> None:
        """Offer a condition; one that has fewer than two choices is hidden."""
        if key not in self.buttons:
            button = self.buttons[key] = ChoiceButton(title)
            button.changed.connect(self._emit_changed)
            self._flow.removeWidget(self.clear)
            self._flow.addWidget(button)
            self._flow.addWidget(self.clear)
        self.buttons[key].set_choices(choices)

    def ticked_keys(self, key: str) -> frozenset[str]:
        """Return what is ticked of a condition."""
        button = self.buttons.get(key)
        return button.ticked_keys() if button else frozenset()

    def reset(self) -> None:
        """Ask for no condition and no words."""
        self._quiet = True
        for button in self.buttons.values():
            button.set_ticked(())
        self._quiet = False
        self.search.clear()
        self._emit_changed()

    def _emit_changed(self) -> None:
        if not self._quiet:
            self.clear.setVisible(any(button.ticked_keys() for button in self.buttons.values()))
            self._flow.invalidate()
            self.changed.emit()


Index = QModelIndex | QPersistentModelIndex
LOOK_ROLE = Qt.ItemDataRole.UserRole + 1
MARKS_ROLE = Qt.ItemDataRole.UserRole + 2
FOUND_COLUMN = "found"
"""Key of the column with the piece of text that a search found."""
_NUMBER_COLUMNS = frozenset({"start", "end", "duration"})


@dataclass(frozen=True, slots=True)
class SearchExcerpt:
    """A piece of a text with what matches in it, as (start, end) in characters."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class CellSource(Protocol):
    """Where the table gets what it shows."""

    def text(self, column: str, row: str) -> str:
        """Return what stands in a cell."""

    def look(self, row: str) -> LabelLook:
        """Return how the label of a row looks."""

    def excerpt(self, row: str) -> SearchExcerpt:
        """Return what a search found in a row."""

    def is_locked(self, row: str) -> bool:
        """Tell whether a row's recording is kept back."""

    def has_open_comments(self, row: str) -> bool:
        """Tell whether a row has comments that are not resolved."""


class SegmentsModel(QAbstractTableModel):
    """Rows by id, in the order given."""

    def __init__(self, cells: CellSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cells = cells
        self._rows: list[str] = []
        self._places: dict[str, int] | None = None
        self.columns: tuple[str, ...] = ()
        self._titles: Mapping[str, str] = {}

    def set_columns(self, titles: Mapping[str, str]) -> None:
        """Have these columns, by key, in this order."""
        self.beginResetModel()
        self._titles, self.columns = titles, tuple(titles)
        self.endResetModel()

    def set_rows(self, rows: Sequence[str]) -> bool:
        """Show these rows; returns whether they are others, or in another order, than before."""
        same = self._rows == rows
        if same:
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))
        else:
            self.beginResetModel()
            self._rows, self._places = list(rows), None
            self.endResetModel()
        return not same

    def rows(self) -> list[str]:
        """Return the ids in the order shown."""
        return self._rows

    def row_id(self, row: int) -> str:
        """Return the id of a row."""
        return self._rows[row]

    def row_of(self, row: str) -> int | None:
        """Return where a row is, or None."""
        if self._places is None:
            self._places = {text: index for index, text in enumerate(self._rows)}
        return self._places.get(row)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return self._titles[self.columns[section]] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self._rows[index.row()], self.columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                text = self._cells.excerpt(row).text if column == FOUND_COLUMN else self._cells.text(column, row)
                return plain_tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
            case Qt.ItemDataRole.DecorationRole:
                if column == "recording" and self._cells.is_locked(row):
                    return icon("lock", "uncertain")
                if column == "comments" and self._cells.has_open_comments(row):
                    return icon("circle-alert", "uncertain")
            case Qt.ItemDataRole.AccessibleDescriptionRole if column == "recording" and self._cells.is_locked(row):
                return tr("Held out: never exported")
            case Qt.ItemDataRole.TextAlignmentRole if column in _NUMBER_COLUMNS:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _ if role == LOOK_ROLE and column == "label":
                return self._cells.look(row)
            case _ if role == MARKS_ROLE and column == FOUND_COLUMN:
                return self._cells.excerpt(row).marks
        return None


_Marks: TypeAlias = tuple[tuple[int, int], ...]
_CHARS_BEFORE_MATCH = 22
"""Characters shown before the first match where the text would begin too far to the left."""


class CellDelegate(QStyledItemDelegate):
    """Draws what a plain cell cannot show; with `cut`, texts begin shortly before what was found in them."""

    def __init__(self, parent: QObject | None = None, *, cut: bool = False) -> None:
        super().__init__(parent)
        self._cut = cut

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look, marks = index.data(LOOK_ROLE), index.data(MARKS_ROLE)
        if look is None and not marks:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        # Where the style sheet puts the texts of a table's other cells.
        left = theme.GRID if self._cut else theme.GRID / 2
        area = QRectF(option.rect).adjusted(left, 0, -theme.GRID / 2, 0)
        painter.save()
        painter.setClipRect(area)
        if isinstance(look, LabelLook):
            _paint_label(painter, look, text, area)
        else:
            if self._cut:
                text, marks = _cut_to_match(text, marks)
            _paint_marked(painter, text, marks, area, option.font, option.palette.color(QPalette.ColorRole.Text))
        painter.restore()


def _paint_label(painter: QPainter, look: LabelLook, text: str, area: QRectF) -> None:
    ink = label_ink(look, theme.palette())
    paint_sign(painter, look.sign, QPointF(area.left(), area.center().y() - SIGN_PX / 2), ink)
    painter.setPen(ink)
    painter.drawText(area.adjusted(SIGN_PX + theme.GRID / 2, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)


def _cut_to_match(text: str, marks: _Marks) -> tuple[str, _Marks]:
    cut = max(0, marks[0][0] - _CHARS_BEFORE_MATCH)
    if not cut:
        return text, marks
    cut = text.find(" ", cut, marks[0][0]) + 1 or cut
    return f"…{text[cut:]}", tuple((start - cut + 1, end - cut + 1) for start, end in marks)


def _paint_marked(painter: QPainter, text: str, marks: _Marks, area: QRectF, font: QFont, ink: QColor) -> None:
    colours = theme.palette()
    # Qt counts UTF-16 units where Python counts characters.
    layout = QTextLayout(text.replace("\n", " "), font)
    formats = []
    for start, end in marks:
        found = QTextLayout.FormatRange()
        found.start = _utf16_length(text[:start])
        found.length = _utf16_length(text[start:end])
        look = QTextCharFormat()
        look.setBackground(colours.selection)
        look.setForeground(colours.accent)
        look.setFontWeight(QFont.Weight.DemiBold)
        found.format = look
        formats.append(found)
    layout.setFormats(formats)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(10_000)
    layout.endLayout()
    painter.setPen(ink)
    layout.draw(painter, QPointF(area.left(), area.center().y() - line.height() / 2))


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


class LongTable(QTableView):
    """Rows of one line each; whole rows are selected, as many as one likes, and Tab leaves the table."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setItemDelegate(CellDelegate(self, cut=True))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        upright = self.verticalHeader()
        upright.hide()
        upright.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        upright.setDefaultSectionSize(theme.GRID * 7 // 2)
        self.horizontalHeader().setHighlightSections(False)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            # Qt's header asks for each column whether every row of it is selected, whatever it is told to highlight.
            head = self.horizontalHeader()
            head.setSelectionModel(QItemSelectionModel(model, head))
