"""What a table says while it has no rows: why there are none, and what brings some."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView

from widgets import theme
from widgets.plain_label import PlainLabel

_WIDEST = 520
"""Pixels of a line: longer ones are hard to read."""


class EmptyHint(PlainLabel):
    """Lies over the middle of a view while its model is empty; a click goes through it.

    Args:
        view: with its model, which stays the same one.
        text: what it says; another one with `setText`.
    """

    def __init__(self, view: QAbstractItemView, text: str) -> None:
        super().__init__(text, view.viewport())
        self._view = view
        self.setProperty("quiet", True)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.setAccessibleDescription(text)
        model = view.model()
        for signal in (model.modelReset, model.rowsInserted, model.rowsRemoved, model.layoutChanged):
            signal.connect(self._look)
        view.viewport().installEventFilter(self)
        self._look()

    def setText(self, text: str) -> None:
        """Say something else."""
        super().setText(text)
        self._view.setAccessibleDescription(text)
        self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._look()
        return super().eventFilter(watched, event)

    def _look(self, *_about: object) -> None:
        empty = self._view.model().rowCount() == 0
        self.setVisible(empty and bool(self.text()))
        if empty:
            ground = self._view.viewport().rect().adjusted(theme.GRID, theme.GRID, -theme.GRID, -theme.GRID)
            width = min(_WIDEST, ground.width())
            height = min(max(self.heightForWidth(width), 1), max(ground.height(), 1))
            self.setGeometry(ground.center().x() - width // 2, ground.center().y() - height // 2, width, height)
