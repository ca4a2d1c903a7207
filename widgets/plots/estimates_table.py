"""The table of figures: name and meaning, value, interval as a bar, n, and the published value."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
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
from widgets.plots.plot_canvas import LEFT, RIGHT, SMALL, TEXT, PlotCanvas, plot_font, text_width
from widgets.plots.plot_data import AxisTicks, PlottedValue, format_value, nice_ticks
from widgets.text_labels import semibold


@dataclass(frozen=True, slots=True)
class AgreementFigureRow:
    """A figure with its name and meaning; a heading where `figure` is None.

    Attributes:
        reference: the published figure to compare with, from `source`.
    """

    name: str
    meaning: str = ""
    figure: PlottedValue | None = None
    reference: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class SplitRow:
    """The figures of one label, choice, recording, pair or annotator, in the order of the columns."""

    key: str
    name: str
    figures: tuple[PlottedValue | None, ...]


_ROW_ROLE = Qt.ItemDataRole.UserRole + 1
NAME, VALUE, BETWEEN, N, PUBLISHED = range(5)
_ROW_HEIGHT, _HEADING_HEIGHT = 46, 38
_MIN_NAME_WIDTH = 260
_INTERVAL_TEXT_WIDTH = 116
"""Width of an interval as text."""
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
        theme.notifier.changed.connect(self.viewport().update)
        self.show_rows(())

    def show_rows(self, rows: Sequence[AgreementFigureRow], published: str = "") -> None:
        """Show these; `published` is the heading of the figures to compare with, "" where there are none."""
        place = self.verticalScrollBar().value()
        self._drawing.axis = _common_axis(rows)
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
            self.setRowHeight(index, _HEADING_HEIGHT if row.figure is None else _ROW_HEIGHT)
            if row.figure is None:
                self.setSpan(index, 0, 1, self.columnCount())
        for column in range(self.columnCount()):
            side = Qt.AlignmentFlag.AlignLeft if column in (NAME, BETWEEN) else Qt.AlignmentFlag.AlignRight
            heading = self.horizontalHeaderItem(column)
            if heading is not None:
                heading.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self._fit_columns()
        self.verticalScrollBar().setValue(place)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give the bars less room in a narrow window, then the names no less than they need: the rest scrolls."""
        room = self.viewport().width()
        between = max(_INTERVAL_TEXT_WIDTH + 24, min(340, room * 34 // 100))
        widths = {VALUE: 72, BETWEEN: between, N: 84, PUBLISHED: 0 if self.isColumnHidden(PUBLISHED) else 104}
        for column, width in widths.items():
            if width:
                self.setColumnWidth(column, width)
        self.setColumnWidth(NAME, max(_MIN_NAME_WIDTH, room - sum(widths.values())))


class _IntervalDelegate(QStyledItemDelegate):
    axis = AxisTicks((0.0, 1.0), ("0", "1"))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(_ROW_ROLE)
        if not isinstance(row, AgreementFigureRow):
            return
        painter.save()
        painter.setClipRect(option.rect)
        colours = theme.palette()
        area = QRectF(option.rect)
        canvas = PlotCanvas(painter, colours)
        state = option.state
        if row.figure is not None and state & option.state.State_Selected:
            painter.fillRect(area, colours.selection)
        inner = area.adjusted(theme.GRID, 0, -theme.GRID, 0)
        if row.figure is None:
            canvas.text(inner.adjusted(0, 10, 0, 0), row.name, pixels=TEXT, semibold=True)
        elif index.column() == NAME:
            canvas.text(QRectF(inner.left(), inner.top() + 4, inner.width(), 20), row.name, pixels=TEXT)
            canvas.text(
                QRectF(inner.left(), inner.top() + 23, inner.width(), 18),
                row.meaning,
                pixels=SMALL,
                colour=colours.muted,
            )
        elif index.column() == BETWEEN:
            self._paint_interval(canvas, inner, row)
        elif index.column() == VALUE:
            canvas.text(inner, format_value(row.figure.value), RIGHT, TEXT, semibold=True)
        else:
            canvas.text(inner, str(index.data() or ""), RIGHT, TEXT)
        canvas.line(area.left(), area.bottom(), area.right(), area.bottom(), colours.border)
        painter.restore()

    def _paint_interval(self, canvas: PlotCanvas, area: QRectF, row: AgreementFigureRow) -> None:
        figure, colours = row.figure, canvas.colours
        assert figure is not None
        if figure.value is None:
            _paint_reason(canvas, area, figure.reason)
            return
        bar = area.adjusted(0, 0, -_INTERVAL_TEXT_WIDTH, 0)
        inside = all(self.axis.low <= value <= self.axis.high for value in (figure.value, figure.high or 0))
        if bar.width() > 60 and inside:
            y = area.center().y()
            painter = canvas.painter
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.border)
            painter.drawRoundedRect(QRectF(bar.left(), y - 2, bar.width(), 4), 2, 2)
            if self.axis.low < 0:
                zero = self.axis.position(0, bar.left(), bar.right())
                canvas.line(zero, y - 8, zero, y + 8, colours.outline)
            at = self.axis.position(figure.value, bar.left(), bar.right())
            if figure.low is not None and figure.high is not None:
                low, high = (self.axis.position(end, bar.left(), bar.right()) for end in (figure.low, figure.high))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours.accent)
                painter.drawRoundedRect(QRectF(low - 1, y - 5, max(high - low, 1) + 2, 10), 3, 3)
            if row.reference is not None:
                canvas.diamond(self.axis.position(row.reference, bar.left(), bar.right()), y)
            painter.setPen(QPen(colours.field, 1))
            painter.setBrush(colours.text)
            painter.drawRoundedRect(QRectF(at - 2, y - 8, 4, 16), 1.5, 1.5)
        text = _interval_text(row)
        canvas.text(
            QRectF(area.right() - text_width(text) - 2, area.top(), text_width(text) + 2, area.height()), text, LEFT
        )


def _paint_reason(canvas: PlotCanvas, area: QRectF, reason: str) -> None:
    """Write why there is no figure, on as many lines as the row has room for, else shortened on one."""
    painter, muted = canvas.painter, canvas.colours.muted
    painter.setFont(plot_font(SMALL))
    painter.setPen(muted)
    wrapped = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
    if painter.boundingRect(area, wrapped, reason).height() <= area.height():
        painter.drawText(area, wrapped, reason)
    else:
        canvas.text(area, reason, colour=muted)


def _common_axis(rows: Sequence[AgreementFigureRow]) -> AxisTicks:
    """Return one axis for all bars: shares and kappas lie between 0 and 1, unless chance was not reached."""
    lows = [end for row in rows if row.figure for end in (row.figure.value, row.figure.low) if end is not None]
    return nice_ticks([1.0, max(-1.0, min(lows, default=0.0))], 8)


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
        return tr("no confidence interval")
    return tr("{low} to {high}").format(low=format_value(figure.low), high=format_value(figure.high))


def _row_tooltip(row: AgreementFigureRow, published: str) -> str:
    if row.figure is None:
        return ""
    parts = [f"<b>{escape(row.name)}</b>", escape(row.meaning), escape(row.figure.reason)]
    if row.reference is not None:
        parts.append(f"{escape(published)}: {format_value(row.reference)} ({escape(row.source)})")
    return semibold(f"<qt>{'<br>'.join(part for part in parts if part)}</qt>")
