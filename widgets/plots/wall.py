"""Plots side by side, in as many columns as there is room for."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from widgets import theme
from widgets.plots.scene import Plot
from widgets.plots.view import PlotView

_NARROW = 480
_MOST = 3
_GAP = theme.GRID * 3 // 2


class PlotWall(QScrollArea):
    """A page of plots that scrolls.

    Signals:
        asked (Plot, str): see `PlotView`.
    """

    asked = Signal(object, str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.views: list[PlotView] = []
        self._page = QWidget()
        self.setWidget(self._page)
        self.setAccessibleName(name)
        self.viewport().setAutoFillBackground(False)

    def set_plots(self, plots: Sequence[Plot]) -> None:
        """Show these, in the order given; views of the same kind of place are kept, so that nothing jumps."""
        for view in self.views[len(plots) :]:
            view.deleteLater()
            view.hide()
        del self.views[len(plots) :]
        for place, plot in enumerate(plots):
            if place < len(self.views):
                self.views[place].set_plot(plot)
            else:
                view = PlotView(plot, self._page)
                view.asked.connect(self.asked)
                view.installEventFilter(self)
                view.show()
                self.views.append(view)
        self._arrange()

    def page_height(self) -> int:
        """Return how high all plots are together."""
        return self._page.height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Bring a plot into sight when Tab gets to it."""
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, PlotView):
            self.ensureWidgetVisible(watched, 0, _GAP)
        return super().eventFilter(watched, event)

    def _arrange(self) -> None:
        width = self.viewport().width()
        columns = max(1, min(_MOST, width // _NARROW, max(1, len(self.views))))
        side = (width - (columns - 1) * _GAP) // columns
        ends = [0] * columns
        for view in self.views:
            column = ends.index(min(ends))
            high = view.height_for(side)
            view.setGeometry(column * (side + _GAP), ends[column], side, high)
            ends[column] += high + _GAP
        self._page.resize(width, max(ends))
