"""Plots on the screen: one with a menu to save or copy it, and a wall of several."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QThreadPool,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QTransform,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QToolButton,
    QToolTip,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.form.controls import tool_button
from widgets.plots.plot_data import Plot, PlotFormat, format_cell, plot_text
from widgets.plots.plot_layout import HEAD_HEIGHT, plot_height
from widgets.text_labels import PlainLabel, plain_tip

if TYPE_CHECKING:
    from widgets.plots.plot_figure import PlotHotspot

CSV, COPY_PICTURE, COPY_TABLE = "csv", "copy_picture", "copy_table"
_MENU = (
    (COPY_PICTURE, tr("&Copy picture")),
    (COPY_TABLE, tr("Copy &data")),
    ("", ""),
    (PlotFormat.SVG, tr("Save as &SVG…")),
    (PlotFormat.PNG, tr("Save as &PNG…")),
    (PlotFormat.PDF, tr("Save as PD&F…")),
    (CSV, tr("Save data as CS&V…")),
)


@cache
def _drawing_thread() -> QThreadPool:
    pool = QThreadPool()
    pool.setMaxThreadCount(1)
    app = QCoreApplication.instance()
    assert app is not None
    app.aboutToQuit.connect(pool.clear)
    app.aboutToQuit.connect(pool.waitForDone)
    return pool


class PlotRenderer(QObject):
    """Draws the last plot that was asked for, in a thread: matplotlib takes longer than a window may stand still.

    Signals:
        rendered (QImage, list[PlotHotspot]): the picture, and what lies where.
    """

    rendered = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._wanted: object = None

    def start(self, plot: Plot, width: int, scale: float, colours: theme.Palette) -> None:
        """Draw this one; what was asked for before is not wanted any more."""
        self._wanted = wanted = object()
        _drawing_thread().start(lambda: self._render(wanted, plot, width, scale, colours))

    def _render(self, wanted: object, plot: Plot, width: int, scale: float, colours: theme.Palette) -> None:
        if self._wanted is wanted:
            from widgets.plots.charts import render_plot

            self.rendered.emit(*render_plot(plot, width, scale, colours))


def _zoom(width: int) -> float:
    """Return by how much a plot of a width is enlarged for the size of text; a narrow one cannot be."""
    return min(theme.text_size() / 100, max(1.0, width / _MIN_COLUMN_WIDTH))


class PlotView(QWidget):
    """Paints one plot in the colours of the theme.

    Signals:
        action_requested (Plot, str): what is wanted of it: a `PlotFormat` or csv to save, copy_picture or copy_table.
    """

    ROLE = Role.Chart

    action_requested = Signal(object, str)

    def __init__(self, plot: Plot, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plot = plot
        self._hotspots: list[PlotHotspot] = []
        self._picture = QImage()
        self._drawn_for: object = None
        self._renderer = PlotRenderer()
        self._renderer.rendered.connect(self._take_picture)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.as_table = tool_button(
            "list-checks", "", tr("Show the numbers as a table, or the plot again"), parent=self, checkable=True
        )
        self.as_table.toggled.connect(self._show_table)
        at_once = QToolButton.ToolButtonPopupMode.InstantPopup
        self.take = tool_button("download", "", tr("Copy or save this plot"), parent=self, popupMode=at_once)
        self.take.setMenu(self.menu())
        self._table: QTableWidget | None = None
        theme.notifier.changed.connect(self._follow_theme)
        self.set_plot(plot)

    @property
    def plot(self) -> Plot:
        """Return what is shown."""
        return self._plot

    @property
    def is_drawn(self) -> bool:
        """Whether there is a picture to show; the first is drawn once the plot comes into sight."""
        return not self._picture.isNull()

    def set_plot(self, plot: Plot) -> None:
        """Show another plot."""
        self._plot = plot
        self.setAccessibleName(plot.title)
        self.setAccessibleDescription(plot_text(plot))
        self.as_table.setAccessibleName(tr("{title}: numbers as a table").format(title=plot.title))
        self.take.setAccessibleName(tr("{title}: copy or save").format(title=plot.title))
        if self._table is not None:
            self._fill_table()
        self._drawn_for = None
        self._hotspots = []
        self.update()

    def height_for_width(self, width: int) -> int:
        """Return how high it wants to be."""
        zoom = _zoom(width)
        return round(plot_height(self._plot, width / zoom) * zoom)

    def sizeHint(self) -> QSize:
        return QSize(520, self.height_for_width(520))

    def menu(self) -> QMenu:
        """Return a menu of what can be done with the plot."""
        menu = QMenu(self)
        for key, text in _MENU:
            if key:
                menu.addAction(text).triggered.connect(partial(self._request_action, key))
            else:
                menu.addSeparator()
        return menu

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colours.field)
        painter.setPen(QPen(colours.accent if self.hasFocus() else colours.border, 1))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self._table is None or not self._table.isVisible():
            self._request_picture()
            if not self.is_drawn:
                painter.setPen(colours.muted)
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, tr("Drawing…"))
                return
            size = self._picture.deviceIndependentSize()
            if abs(size.width() - self.width()) > 1:
                # Until it is drawn anew, a picture of another width stands for it.
                size = QSizeF(self.size())
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRectF(QPointF(0, 0), size), self._picture)

    def _request_picture(self) -> None:
        """Have the plot drawn for the size and the theme there are now, unless it is or will be."""
        zoom, ratio = _zoom(self.width()), self.devicePixelRatioF()
        size = (self.width(), zoom, ratio, theme.shade())
        if self._drawn_for != size:
            self._drawn_for = size
            self._renderer.start(self._plot, round(self.width() / zoom), ratio * zoom, theme.palette())

    def _take_picture(self, picture: QImage, hotspots: "list[PlotHotspot]") -> None:
        zoom = picture.devicePixelRatio() / self.devicePixelRatioF()
        picture.setDevicePixelRatio(self.devicePixelRatioF())
        enlarged = QTransform.fromScale(zoom, zoom)
        self._picture = picture
        self._hotspots = [replace(spot, area=enlarged.mapRect(spot.area)) for spot in hotspots]
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        right = self.width() - theme.GRID
        for button in (self.take, self.as_table):
            button.setGeometry(right - 28, theme.GRID, 28, 28)
            right -= 30
        if self._table is not None:
            self._table.setGeometry(
                self.rect().adjusted(theme.GRID, theme.scaled(HEAD_HEIGHT) - theme.GRID, -theme.GRID, -theme.GRID // 2)
            )

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.take.menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._request_action(COPY_PICTURE)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say what lies under the mouse; keep the key that copies from the window's action of that key."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.setAccepted(event.matches(QKeySequence.StandardKey.Copy))
            return event.isAccepted() or super().event(event)
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            where = event.pos().toPointF()
            found = next((spot for spot in reversed(self._hotspots) if spot.area.contains(where)), None)
            if found is None:
                QToolTip.hideText()
                event.ignore()
            else:
                QToolTip.showText(event.globalPos(), plain_tip(found.text), self, found.area.toAlignedRect())
            return True
        return super().event(event)

    def _request_action(self, what: str) -> None:
        self.action_requested.emit(self._plot, what)

    def _show_table(self, shown: bool) -> None:
        if self._table is None:
            self._table = QTableWidget(self)
            self._table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
            self._table.setShowGrid(False)
            self._table.verticalHeader().hide()
            self._fill_table()
            self.resizeEvent(QResizeEvent(self.size(), self.size()))
        self._table.setVisible(shown)
        self.update()

    def _follow_theme(self) -> None:
        self.set_plot(self._plot)

    def _fill_table(self) -> None:
        assert self._table is not None
        found = self._plot.table()
        self._table.setAccessibleName(tr("{title}: numbers").format(title=self._plot.title))
        self._table.setStyleSheet(f"background: {theme.palette().field.name()};")
        self._table.setColumnCount(len(found.head))
        self._table.setRowCount(len(found.rows))
        self._table.setHorizontalHeaderLabels(list(found.head))
        for row, cells in enumerate(found.rows):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem("" if cell is None else format_cell(cell))
                if not isinstance(cell, str):
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self._table.setItem(row, column, item)
        self._table.resizeColumnsToContents()


_MIN_COLUMN_WIDTH = 480
_MAX_COLUMNS = 3
_GAP = theme.GRID * 3 // 2


class PlotWall(QScrollArea):
    """A page of plots that scrolls. Each is made when the wall is in sight, one after the other.

    Signals:
        action_requested (Plot, str): see `PlotView`.
    """

    action_requested = Signal(object, str)

    def __init__(self, name: str, parent: QWidget | None = None, *, low: bool = False) -> None:
        """Make a wall; a `low` one is no higher than its plots."""
        super().__init__(parent)
        self._low = low
        self._plots: tuple[Plot, ...] = ()
        self._views: list[PlotView] = []
        self._next = QTimer(self, interval=0)
        self._next.timeout.connect(self._make_next)
        self._page = QWidget()
        self.setWidget(self._page)
        self.setAccessibleName(name)
        self.viewport().setAutoFillBackground(False)
        self._hint = PlainLabel(
            "", self.viewport(), wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter, look="quiet", visible=False
        )
        theme.notifier.changed.connect(self._place_views)

    def set_hint(self, text: str) -> None:
        """Say what brings plots, while there are none."""
        self._hint.setText(text)
        self._place_views()

    @property
    def views(self) -> list[PlotView]:
        """All plots, made now where they were not yet."""
        if len(self._views) < len(self._plots):
            while len(self._views) < len(self._plots):
                self._make()
            self._place_views()
        return self._views

    def set_plots(self, plots: Sequence[Plot]) -> None:
        """Show these, in the order given; views of the same kind of place are kept, so that nothing jumps."""
        self._plots = tuple(plots)
        for view in self._views[len(plots) :]:
            view.deleteLater()
            view.hide()
        del self._views[len(plots) :]
        for view, plot in zip(self._views, plots, strict=False):
            view.set_plot(plot)
        self._place_views()
        if self.isVisible():
            self._next.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._next.start()

    def _make_next(self) -> None:
        if len(self._views) < len(self._plots) and self.isVisible():
            self._make()
            self._place_views()
        else:
            self._next.stop()

    def _make(self) -> None:
        view = PlotView(self._plots[len(self._views)], self._page)
        view.action_requested.connect(self.action_requested)
        view.installEventFilter(self)
        view.show()
        self._views.append(view)

    @property
    def has_plots(self) -> bool:
        """Whether there are any."""
        return bool(self._plots)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_views()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring a plot into sight when Tab gets to it."""
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, PlotView):
            self.ensureWidgetVisible(watched, 0, _GAP)
        return super().eventFilter(watched, event)

    def _place_views(self) -> None:
        width = self.viewport().width()
        columns = max(1, min(_MAX_COLUMNS, width // theme.scaled(_MIN_COLUMN_WIDTH), max(1, len(self._plots))))
        side = (width - (columns - 1) * _GAP) // columns
        ends = [0] * columns
        for view in self._views:
            column = ends.index(min(ends))
            high = view.height_for_width(side)
            view.setGeometry(column * (side + _GAP), ends[column], side, high)
            ends[column] += high + _GAP
        self._page.resize(width, max(ends))
        if self._low and self._views:
            self.setMaximumHeight(max(ends))
        self._hint.setGeometry(self.viewport().rect())
        self._hint.setVisible(bool(self._hint.text()) and not self._plots)
