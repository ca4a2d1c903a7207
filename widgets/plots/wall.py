"""Plots side by side, in as many columns as there is room for."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plots.scene import Plot
from widgets.plots.view import PlotView

_NARROW = 480
_MOST = 3
_GAP = theme.GRID * 3 // 2


class PlotWall(QScrollArea):
    """A page of plots that scrolls. Each is made when the wall is in sight, one after the other.

    Signals:
        asked (Plot, str): see `PlotView`.
    """

    asked = Signal(object, str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plots: tuple[Plot, ...] = ()
        self._views: list[PlotView] = []
        self._next = QTimer(self, interval=0)
        self._next.timeout.connect(self._make_next)
        self._page = QWidget()
        self.setWidget(self._page)
        self.setAccessibleName(name)
        self.viewport().setAutoFillBackground(False)
        self._hint = PlainLabel("", self.viewport(), wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._hint.setProperty("quiet", True)
        self._hint.hide()

    def set_hint(self, text: str) -> None:
        """Say what brings plots, while there are none."""
        self._hint.setText(text)
        self._arrange()

    @property
    def views(self) -> list[PlotView]:
        """All plots, made now where they were not yet."""
        if len(self._views) < len(self._plots):
            while len(self._views) < len(self._plots):
                self._make()
            self._arrange()
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
        self._arrange()
        if self.isVisible():
            self._next.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._next.start()

    def _make_next(self) -> None:
        if len(self._views) < len(self._plots) and self.isVisible():
            self._make()
            self._arrange()
        else:
            self._next.stop()

    def _make(self) -> None:
        view = PlotView(self._plots[len(self._views)], self._page)
        view.asked.connect(self.asked)
        view.installEventFilter(self)
        view.show()
        self._views.append(view)

    @property
    def has_plots(self) -> bool:
        """Whether there are any."""
        return bool(self._plots)

    def page_height(self) -> int:
        """Return how high all plots are together."""
        return self._page.height() if self.views else 0

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
        columns = max(1, min(_MOST, width // _NARROW, max(1, len(self._plots))))
        side = (width - (columns - 1) * _GAP) // columns
        ends = [0] * columns
        for view in self._views:
            column = ends.index(min(ends))
            high = view.height_for(side)
            view.setGeometry(column * (side + _GAP), ends[column], side, high)
            ends[column] += high + _GAP
        self._page.resize(width, max(ends))
        self._hint.setGeometry(self.viewport().rect())
        self._hint.setVisible(bool(self._hint.text()) and not self._plots)
