"""The table of what everybody says: heads stay on top and row names at the left while the rest is scrolled."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.judges.cells import DIFFERS, cell_widget, quiet
from widgets.judges.column_foot import ColumnFoot
from widgets.judges.column_head import ColumnHead
from widgets.judges.fold import Fold
from widgets.judges.shown import Column, Pair, State, Table, Words

NARROWEST = 196
"""Pixels of a column; with less room the columns are scrolled sideways."""
_WIDEST = 320
_NAMES = 84
_GAP = theme.GRID
_TAKE = tr("Take over…")


class _Place:
    """The widgets of one column."""

    def __init__(self, column: Column, head: ColumnHead, cells: list[QWidget], foot: ColumnFoot) -> None:
        self.column = column
        self.head = head
        self.cells = cells
        self.foot = foot

    def all(self) -> list[QWidget]:
        return [self.head, *self.cells, self.foot]


class Board(QScrollArea):
    """Shows a table; what did not change keeps its widgets, so that focus and scrolling stay.

    Signals:
        again_requested (Column)
        cancel_requested (Column)
        sent_requested (Column)
        raw_requested (Column)
        take_requested (Column, str): take the words of a row over into one's own form.
    """

    again_requested = Signal(object)
    cancel_requested = Signal(object)
    sent_requested = Signal(object)
    raw_requested = Signal(object)
    take_requested = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("What judges and people say, side by side"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._table = Table((), ())
        self._places: list[_Place] = []
        self._inner = QWidget()
        self._bands = QWidget(self._inner)
        self._names = QWidget(self._inner)
        self._heads = QWidget(self._inner)
        self._corner = QWidget(self._inner)
        self._labels: list[QLabel] = []
        for pane in (self._names, self._heads, self._corner):
            pane.setAutoFillBackground(True)
        self.setWidget(self._inner)
        self.horizontalScrollBar().valueChanged.connect(self._freeze)
        self.verticalScrollBar().valueChanged.connect(self._freeze)
        theme.notifier.changed.connect(self._redraw)

    def table(self) -> Table:
        """Return what is shown."""
        return self._table

    def show_table(self, table: Table) -> None:
        """Show another table."""
        if table == self._table:
            return
        same_rows = table.rows == self._table.rows
        kept = {place.column.key: place for place in self._places} if same_rows else {}
        self._table = table
        places = []
        for column in table.columns:
            place = kept.get(column.key)
            if place is not None and place.column == column:
                places.append(kept.pop(column.key))
            else:
                places.append(self._make(column))
        stale = {id(place) for place in places}
        for place in self._places:
            if id(place) not in stale:
                _drop(place)
        self._places = places
        self._name_rows()
        self._order()
        self._arrange()

    def place_of(self, key: str) -> dict[str, QWidget]:
        """Return the widgets of a column: `head`, `foot`, and each row by its key."""
        place = next(one for one in self._places if one.column.key == key)
        rows = {row.key: cell for row, cell in zip(self._table.rows, place.cells, strict=False)}
        return {"head": place.head, "foot": place.foot, **rows, "thoughts": place.cells[-1]}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring what gets the focus into sight, beside the names and below the heads."""
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self.ensureWidgetVisible(watched, _NAMES + _GAP, self._heads.height() + _GAP)
        return super().eventFilter(watched, event)

    def _redraw(self) -> None:
        table, self._table = self._table, Table((), ())
        self.show_table(table)

    def _make(self, column: Column) -> _Place:
        head = ColumnHead(column)
        head.setParent(self._heads)
        cells: list[QWidget] = []
        for row in self._table.rows:
            name = f"{column.name}, {row.name}"
            answered = column.state in (State.ANSWERED, State.PERSON)
            cell = cell_widget(column.cells.get(row.key), name) if answered else QWidget()
            if answered and row.key in column.takeable and isinstance(column.cells.get(row.key), Words):
                cell = self._with_button(cell, column, row.key, row.name)
            cells.append(cell)
        if column.thoughts and column.state is not State.HIDDEN:
            fold = Fold(column.thoughts, tr("Thoughts of {name}").format(name=column.name))
            fold.toggled.connect(lambda _on: self._arrange())
            cells.append(fold)
        else:
            cells.append(QWidget())
        foot = ColumnFoot(column)
        foot.again_requested.connect(self.again_requested)
        foot.cancel_requested.connect(self.cancel_requested)
        foot.sent_requested.connect(self.sent_requested)
        foot.raw_requested.connect(self.raw_requested)
        for widget in (*cells, foot):
            widget.setParent(self._inner)
        place = _Place(column, head, cells, foot)
        for widget in place.all():
            widget.show()
            for part in (widget, *widget.findChildren(QWidget)):
                part.installEventFilter(self)
        return place

    def _with_button(self, cell: QWidget, column: Column, row: str, name: str) -> QWidget:
        both = _Under(cell)
        take = QPushButton(_TAKE)
        take.setProperty("flat", True)
        take.setStyleSheet("padding-left: 0; padding-right: 0; text-align: left;")
        take.setAccessibleName(tr("Take over {row} of {judge} into your own form").format(row=name, judge=column.name))
        take.setToolTip(tr("Put these words into your own form; the study notes whose they are"))
        take.clicked.connect(lambda: self.take_requested.emit(column, row))
        both.put(take)
        return both

    def _name_rows(self) -> None:
        for old in self._labels:
            old.deleteLater()
        self._labels = []
        thoughts = any(place.column.thoughts and place.column.state is not State.HIDDEN for place in self._places)
        names = [(row.name, row.differs) for row in self._table.rows]
        for name, differs in (*names, (tr("Thoughts") if thoughts else "", False)):
            label = quiet(f"{DIFFERS} {name}" if differs else name)
            label.setParent(self._names)
            if differs:
                label.setProperty("quiet", False)
                label.setFont(theme.font(theme.POINTS, semibold=True))
                label.setAccessibleName(tr("{name}: differs").format(name=name))
            label.show()
            self._labels.append(label)

    def _order(self) -> None:
        """Let Tab go through a column from top to bottom, then to the next."""
        before: QWidget = self
        for place in self._places:
            for widget in place.all():
                for part in (widget, *widget.findChildren(QWidget)):
                    if part.focusPolicy() & Qt.FocusPolicy.TabFocus:
                        QWidget.setTabOrder(before, part)
                        before = part

    def _arrange(self) -> None:
        """Give every cell its place: rows are as tall as their tallest cell, columns equally wide."""
        count = len(self._places)
        room = self.viewport().width() - _NAMES
        width = min(_WIDEST, max(NARROWEST, (room - count * _GAP) // count)) if count else NARROWEST
        total = max(self.viewport().width(), _NAMES + count * (width + _GAP))
        top = max((_height(place.head, width) for place in self._places), default=0)
        lefts = [_NAMES + at * (width + _GAP) for at in range(count)]
        for left, place in zip(lefts, self._places, strict=True):
            joined = _GAP if place.column.pair is Pair.FIRST else 0
            place.head.setGeometry(left, 0, width + joined, top)
        y = top
        for old in self._bands.children():
            if isinstance(old, QWidget):
                old.hide()
                old.deleteLater()
        for at, label in enumerate(self._labels):
            heights = [_height(place.cells[at], width) for place in self._places]
            height = max([label.heightForWidth(_NAMES - _GAP) if label.text() else 0, *heights])
            label.setGeometry(theme.GRID // 2, y + 4, _NAMES - theme.GRID // 2 - 2, height)
            for left, place in zip(lefts, self._places, strict=True):
                place.cells[at].setGeometry(left + 4, y + 4, width - 4, height)
            if height:
                self._rule(y, total)
                y += height + 9
        self._rule(y, total)
        feet = max((_height(place.foot, width) for place in self._places), default=0)
        for left, place in zip(lefts, self._places, strict=True):
            place.foot.setGeometry(left + 4, y + 5, width - 4, feet)
        y += feet + 9
        self._inner.resize(total, max(y, self.viewport().height()))
        self._bands.setGeometry(0, 0, total, y)
        self._bands.lower()
        self._bands.show()
        self._names.resize(_NAMES, self._inner.height())
        self._heads.resize(total, top)
        self._corner.resize(_NAMES, top)
        for pane in (self._names, self._heads, self._corner):
            pane.raise_()
            pane.show()
        self._freeze()

    def _rule(self, y: int, width: int) -> None:
        rule = QFrame(self._bands)
        rule.setStyleSheet(f"background: {theme.palette().border.name()};")
        rule.setGeometry(0, y, width, 1)
        rule.show()

    def _freeze(self) -> None:
        x, y = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        self._names.move(x, 0)
        self._heads.move(0, y)
        self._corner.move(x, y)


class _Under(QWidget):
    """A cell with a button below it."""

    def __init__(self, cell: QWidget) -> None:
        super().__init__()
        self._cell = cell
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(cell, 1)
        self._button: QPushButton | None = None

    def put(self, button: QPushButton) -> None:
        self._button = button
        self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        below = self._button.sizeHint().height() if self._button is not None else 0
        return _height(self._cell, width) + below

    def sizeHint(self) -> QSize:
        return QSize(NARROWEST, self.heightForWidth(NARROWEST))


def _height(widget: QWidget, width: int) -> int:
    layout = widget.layout()
    if type(widget).heightForWidth is not QWidget.heightForWidth:
        return widget.heightForWidth(width)
    if layout is not None and layout.hasHeightForWidth():
        return layout.totalHeightForWidth(width)
    return max(0, widget.sizeHint().height())


def _drop(place: _Place) -> None:
    for widget in place.all():
        widget.hide()
        widget.deleteLater()
