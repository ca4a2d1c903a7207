"""The table of figures: name and meaning, value, interval as a bar, n, and the published value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.plots.plot_data import PlottedValue, format_value
from widgets.text_labels import semibold


@dataclass(frozen=True, slots=True)
class AgreementFigureRow:
    """A figure with its name and meaning; a heading where `figure` is None.

    Attributes:
        reference: the published figure to compare with, from `source`.
        axis_end: where the axis of its bar ends; of another one than 1, the axis begins at 0.
    """

    name: str
    meaning: str = ""
    figure: PlottedValue | None = None
    reference: float | None = None
    source: str = ""
    axis_end: float = 1.0


@dataclass(frozen=True, slots=True)
class SplitRow:
    """The figures of one label, choice, participant, recording, pair or annotator, in the order of the columns."""

    key: str
    name: str
    figures: tuple[PlottedValue | None, ...]


_ROW_ROLE = Qt.ItemDataRole.UserRole + 1
NAME, VALUE, BETWEEN, N, PUBLISHED = range(5)
_ROW_HEIGHT, _HEADING_HEIGHT = 46, 38
_MIN_NAME_WIDTH = 260
_INTERVAL_TEXT_WIDTH = 116
"""Width of an interval as text."""
_SMALL_POINTS = 9
_RIGHT = Qt.AlignmentFlag.AlignRight
Index = QModelIndex | QPersistentModelIndex


class FiguresView(QTableWidget):
    """Shows figures under headings; every cell has its text for screen readers."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(0, 5, parent)
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(theme.GRID * 3)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._drawing = _IntervalDelegate(self)
        self.setItemDelegate(self._drawing)
        self._meanings: list[str] = []
        self._named_width = 0
        theme.notifier.changed.connect(self._follow_theme)
        self.show_rows(())

    def show_rows(self, rows: Sequence[AgreementFigureRow], published: str = "") -> None:
        """Show these; `published` is the heading of the figures to compare with, "" where there are none."""
        place = self.verticalScrollBar().value()
        self._drawing.low = _axis_start(rows)
        self._meanings = [row.meaning for row in rows]
        self.clearSpans()
        self.setRowCount(len(rows))
        self.setHorizontalHeaderLabels([tr("Figure"), tr("Value"), tr("95 % interval"), "n", published])
        self.setColumnHidden(PUBLISHED, not published)
        for index, row in enumerate(rows):
            for column, text in enumerate(_row_texts(row)):
                item = QTableWidgetItem(text)
                item.setData(_ROW_ROLE, row)
                item.setToolTip(_row_tooltip(row, published))
                if row.figure is None:
                    item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.setItem(index, column, item)
            if row.figure is None:
                self.setSpan(index, 0, 1, self.columnCount())
        for column in range(self.columnCount()):
            side = Qt.AlignmentFlag.AlignLeft if column in (NAME, BETWEEN) else Qt.AlignmentFlag.AlignRight
            heading = self.horizontalHeaderItem(column)
            if heading is not None:
                heading.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self._follow_theme()
        self.verticalScrollBar().setValue(place)

    def _follow_theme(self) -> None:
        metrics = QFontMetrics(theme.font(_SMALL_POINTS))
        self._named_width = (
            max((metrics.horizontalAdvance(text) for text in self._meanings), default=0) + 3 * theme.GRID
        )
        for index in range(self.rowCount()):
            is_heading = self.columnSpan(index, NAME) > 1
            self.setRowHeight(index, theme.scaled(_HEADING_HEIGHT if is_heading else _ROW_HEIGHT))
        self._fit_columns()
        self.viewport().update()

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give the bars less room in a narrow window, then the names no less than they need: the rest scrolls."""
        room = self.viewport().width()
        widths = {VALUE: theme.scaled(72), N: theme.scaled(84)}
        widths[PUBLISHED] = 0 if self.isColumnHidden(PUBLISHED) else theme.scaled(104)
        spare = room - sum(widths.values()) - self._named_width
        least = theme.scaled(_INTERVAL_TEXT_WIDTH)
        widths[BETWEEN] = max(least + 24, min(340, room * 34 // 100, max(spare, least + 96)))
        for column, width in widths.items():
            if width:
                self.setColumnWidth(column, width)
        self.setColumnWidth(NAME, max(_MIN_NAME_WIDTH, room - sum(widths.values())))


class _IntervalDelegate(QStyledItemDelegate):
    low = 0.0
    """Where the axis of the bars begins that ends at 1."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(_ROW_ROLE)
        if not isinstance(row, AgreementFigureRow):
            return
        painter.save()
        painter.setClipRect(option.rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.palette()
        area = QRectF(option.rect)
        if row.figure is not None and option.state & option.state.State_Selected:
            painter.fillRect(area, colours.selection)
        painter.fillRect(QRectF(area.left(), area.bottom() - 0.5, area.width(), 1), colours.border)
        inner = area.adjusted(theme.GRID, 0, -theme.GRID, 0)
        if row.figure is None:
            _write(painter, inner.adjusted(0, 10, 0, 0), row.name, semibold=True)
        elif index.column() == NAME:
            _write(painter, QRectF(inner.left(), inner.top() + 4, inner.width(), theme.scaled(20)), row.name)
            _write(
                painter,
                QRectF(inner.left(), inner.top() + theme.scaled(23), inner.width(), theme.scaled(18)),
                row.meaning,
                small=True,
            )
        elif index.column() == BETWEEN:
            self._paint_interval(painter, inner, row)
        else:
            _write(painter, inner, str(index.data() or ""), _RIGHT, semibold=index.column() == VALUE)
        painter.restore()

    def _paint_interval(self, painter: QPainter, area: QRectF, row: AgreementFigureRow) -> None:
        figure, colours = row.figure, theme.palette()
        assert figure is not None
        if figure.value is None:
            _paint_reason(painter, area, figure.reason)
            return
        bar = area.adjusted(0, 0, -theme.scaled(_INTERVAL_TEXT_WIDTH), 0)

        top = row.axis_end
        low = self.low if top == 1 else 0.0

        def place(value: float) -> float:
            return bar.left() + bar.width() * (min(max(value, low), top) - low) / (top - low)

        def block(left: float, right: float, half: float, colour: QColor, edge: QColor | None = None) -> None:
            painter.setPen(Qt.PenStyle.NoPen if edge is None else edge)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(left, bar.center().y() - half, right - left, 2 * half), 2, 2)

        inside = all(low <= value <= top for value in (figure.value, figure.high or 0))
        if bar.width() > 60 and inside:
            block(bar.left(), bar.right(), 2, colours.border)
            if low < 0:
                block(place(0) - 0.5, place(0) + 0.5, 8, colours.outline)
            if figure.low is not None and figure.high is not None:
                block(place(figure.low) - 1, max(place(figure.high), place(figure.low) + 1) + 1, 5, colours.accent)
            if row.reference is not None:
                x, y, side = place(row.reference), bar.center().y(), 5.5
                painter.setPen(QPen(colours.text, 1.5))
                painter.setBrush(colours.field)
                ends = ((x, y - side), (x + side, y), (x, y + side), (x - side, y))
                painter.drawPolygon([QPointF(*end) for end in ends])
            block(place(figure.value) - 2, place(figure.value) + 2, 8, colours.text, colours.field)
        _write(painter, area, _interval_text(row), _RIGHT, small=True, colour=colours.text)


def _write(
    painter: QPainter,
    area: QRectF,
    text: str,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    *,
    small: bool = False,
    semibold: bool = False,
    colour: QColor | None = None,
) -> None:
    """Write one line, shortened where it does not fit; a small one is muted unless it has a colour."""
    painter.setFont(theme.font(_SMALL_POINTS if small else theme.POINTS, semibold=semibold))
    painter.setPen(colour or (theme.palette().muted if small else theme.palette().text))
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, math.ceil(area.width()))
    painter.drawText(area, align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, short)


def _paint_reason(painter: QPainter, area: QRectF, reason: str) -> None:
    """Write why there is no figure, on as many lines as the row has room for, else shortened on one."""
    painter.setFont(theme.font(_SMALL_POINTS))
    painter.setPen(theme.palette().muted)
    wrapped = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
    if painter.boundingRect(area, wrapped, reason).height() <= area.height():
        painter.drawText(area, wrapped, reason)
    else:
        _write(painter, area, reason, small=True)


def _axis_start(rows: Sequence[AgreementFigureRow]) -> float:
    """Return where one axis for all bars begins: at 0, or lower where chance was not reached."""
    lows = [
        end
        for row in rows
        if row.figure and row.axis_end == 1
        for end in (row.figure.value, row.figure.low)
        if end is not None
    ]
    return math.floor(5 * max(-1.0, min(0.0, *lows, 0.0))) / 5


def _row_texts(row: AgreementFigureRow) -> tuple[str, ...]:
    figure = row.figure
    if figure is None:
        return (row.name, "", "", "", "")
    between = _interval_text(row) if figure.value is not None else figure.reason
    n = "" if figure.n is None else f"{figure.n:,}"
    return (
        row.name,
        format_value(figure.value),
        between,
        n,
        "" if row.reference is None else format_value(row.reference),
    )


def _interval_text(row: AgreementFigureRow) -> str:
    figure = row.figure
    if figure is None or figure.low is None or figure.high is None:
        return tr("no interval")
    return tr("{low} to {high}").format(low=format_value(figure.low), high=format_value(figure.high))


def _row_tooltip(row: AgreementFigureRow, published: str) -> str:
    if row.figure is None:
        return ""
    parts = [f"<b>{escape(row.name)}</b>", escape(row.meaning), escape(row.figure.reason)]
    if row.axis_end != 1:
        parts.append(tr("The bar goes from 0 to {end:g}.").format(end=row.axis_end))
    if row.reference is not None:
        parts.append(f"{escape(published)}: {format_value(row.reference)} ({escape(row.source)})")
    return semibold(f"<qt>{'<br>'.join(part for part in parts if part)}</qt>")
