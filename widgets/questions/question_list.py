"""The questions, one beside a mark of how far it is."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from widgets import theme
from widgets.icons import paint_icon
from widgets.questions.shown import QuestionRow, RowState

_HEIGHT = 40
_ICONS = {
    RowState.AGAIN: ("triangle-alert", "uncertain"),
    RowState.WAITS: ("circle-dashed", "accent"),
    RowState.DRAFT: ("pencil", "muted"),
    RowState.MINE: ("loader", "muted"),
    RowState.VERIFIED: ("circle-check", "competence"),
    RowState.DISPUTED: ("circle-alert", "uncertain"),
    RowState.DROPPED: ("circle-x", "error"),
    RowState.FILTERED: ("square-dashed-mouse-pointer", "muted"),
}
_ROW = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


class QuestionModel(QAbstractListModel):
    """Holds the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[QuestionRow, ...] = ()

    def set_rows(self, rows: Sequence[QuestionRow]) -> None:
        """Show these rows; where the questions are the same, only what changed is drawn again."""
        new = tuple(rows)
        if [row.key for row in new] == [row.key for row in self.rows]:
            self.rows = new
            if new:
                self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
            return
        self.beginResetModel()
        self.rows = new
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == _ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{row.kind}, {row.where}, {row.text}, {row.state.value}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.state.value.capitalize()} (made by {row.maker})"
        return None


class QuestionList(QListView):
    """Shows the questions; one is current.

    Signals:
        chosen (str): id of the question that became current by the user.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QuestionModel(self)
        self._quiet = False
        self.setModel(self._rows)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName("Questions")
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._changed)
        theme.notifier.changed.connect(self.viewport().update)

    def rows(self) -> tuple[QuestionRow, ...]:
        """Return what is listed."""
        return self._rows.rows

    def set_rows(self, rows: Sequence[QuestionRow], current: str = "") -> None:
        """List these questions, without a signal; `current` is an id, or "" for none."""
        self._quiet = True
        self._rows.set_rows(rows)
        self._quiet = False
        self.set_current(current)

    def set_current(self, key: str) -> None:
        """Make a question current without a signal."""
        place = next((at for at, row in enumerate(self._rows.rows) if row.key == key), -1)
        self._quiet = True
        self.setCurrentIndex(self._rows.index(place) if place >= 0 else QModelIndex())
        self._quiet = False

    def current(self) -> str:
        """Return the id of the current question, or ""."""
        place = self.currentIndex().row()
        return self._rows.rows[place].key if place >= 0 else ""

    def _changed(self, current: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.chosen.emit(self._rows.rows[current.row()].key)


class _Delegate(QStyledItemDelegate):
    """Draws a row without a widget of its own."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(_ROW)
        colours = theme.palette()
        area, state = QRectF(option.rect), option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.selection if selected else colours.hover)
            painter.drawRoundedRect(area.adjusted(3, 1, -3, -1), 4, 4)
        name, ink = _ICONS[row.state]
        paint_icon(painter, name, QRectF(area.left() + 10, area.center().y() - 8, 16, 16), getattr(colours, ink))
        text = area.adjusted(38, 4, -10, -4)
        quiet = colours.text if selected else colours.muted
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(text, top, f"{row.kind}  ·  {row.where}")
        painter.drawText(text, top | Qt.AlignmentFlag.AlignRight, row.state.value)
        painter.setFont(theme.font(semibold=row.state in (RowState.WAITS, RowState.AGAIN)))
        painter.setPen(colours.text)
        words = " ".join(row.text.split())
        line = QFontMetrics(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, round(text.width()))
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, line)
        painter.restore()
