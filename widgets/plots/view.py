"""A plot on the screen, with its numbers as a table behind it and ways to take it along."""

from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableWidget, QTableWidgetItem, QToolButton, QToolTip, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessible import Role
from widgets.icons import icon
from widgets.plain_tip import plain_tip
from widgets.plots.canvas import Spot
from widgets.plots.drawing import draw_plot, plot_height
from widgets.plots.frame import HEAD
from widgets.plots.scene import Plot, cell_text, in_words

SVG, PNG, CSV, COPY_PICTURE, COPY_TABLE = "svg", "png", "csv", "copy_picture", "copy_table"
_MENU = (
    (COPY_PICTURE, tr("&Copy picture")),
    (COPY_TABLE, tr("Copy &data")),
    ("", ""),
    (SVG, tr("Save as &SVG…")),
    (PNG, tr("Save as &PNG…")),
    (CSV, tr("Save data as CS&V…")),
)


class PlotView(QWidget):
    """Paints one plot in the colours of the theme.

    Signals:
        asked (Plot, str): what is wanted of it: svg, png or csv to save, copy_picture or copy_table.
    """

    ROLE = Role.Chart

    asked = Signal(object, str)

    def __init__(self, plot: Plot, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plot = plot
        self._spots: list[Spot] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.as_table = self._button("list-checks", tr("Show the numbers as a table, or the plot again"))
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self._show_table)
        self.take = self._button("download", tr("Copy or save this plot"))
        self.take.setMenu(self.menu())
        self.take.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._table: QTableWidget | None = None
        theme.notifier.changed.connect(self._follow_theme)
        self.set_plot(plot)

    @property
    def plot(self) -> Plot:
        """Return what is shown."""
        return self._plot

    def set_plot(self, plot: Plot) -> None:
        """Show another plot."""
        self._plot = plot
        self.setAccessibleName(plot.title)
        self.setAccessibleDescription(in_words(plot))
        self.as_table.setAccessibleName(tr("{title}: numbers as a table").format(title=plot.title))
        self.take.setAccessibleName(tr("{title}: copy or save").format(title=plot.title))
        if self._table is not None:
            self._fill_table()
        self._spots = []
        self.update()

    def height_for(self, width: int) -> int:
        """Return how high it wants to be."""
        return plot_height(self._plot, width)

    def sizeHint(self) -> QSize:
        return QSize(520, self.height_for(520))

    def menu(self) -> QMenu:
        """Return a menu of what can be done with the plot."""
        menu = QMenu(self)
        for key, text in _MENU:
            if key:
                menu.addAction(text).triggered.connect(partial(self._ask, key))
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
            self._spots = draw_plot(painter, self._plot, self.width(), colours)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        right = self.width() - theme.GRID
        for button in (self.take, self.as_table):
            button.setGeometry(right - 28, theme.GRID, 28, 28)
            right -= 30
        if self._table is not None:
            self._table.setGeometry(self.rect().adjusted(theme.GRID, HEAD - theme.GRID, -theme.GRID, -theme.GRID // 2))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.take.menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._ask(COPY_PICTURE)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say what lies under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            where = event.pos().toPointF()
            found = next((spot for spot in reversed(self._spots) if spot.area.contains(where)), None)
            if found is None:
                QToolTip.hideText()
                event.ignore()
            else:
                QToolTip.showText(event.globalPos(), plain_tip(found.text), self, found.area.toAlignedRect())
            return True
        return super().event(event)

    def _button(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(name))
        button.setToolTip(plain_tip(tip))
        return button

    def _ask(self, what: str) -> None:
        self.asked.emit(self._plot, what)

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
                item = QTableWidgetItem("" if cell is None else cell_text(cell))
                if not isinstance(cell, str):
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self._table.setItem(row, column, item)
        self._table.resizeColumnsToContents()
