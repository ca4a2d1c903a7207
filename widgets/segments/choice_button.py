"""A button that opens a list to tick things in, and says what is ticked."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

_FEW = 2


class ChoiceButton(QPushButton):
    """Several things out of a list; nothing ticked means that it does not matter.

    Signals:
        changed: other things are ticked.
    """

    changed = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._title = title
        self._names: dict[str, str] = {}
        self._chosen: set[str] = set()
        self._list = QMenu(self)
        self._list.installEventFilter(self)
        self._list.aboutToShow.connect(self._fill)
        self.setMenu(self._list)
        self.setProperty("filter", True)
        self._say()

    def set_choices(self, names: Mapping[str, str]) -> None:
        """Offer these, by key; what is gone is no longer ticked."""
        self._names = dict(names)
        self.choose(self._chosen & self._names.keys())
        self.setVisible(len(self._names) > 1)

    def chosen(self) -> frozenset[str]:
        """Return the keys of what is ticked."""
        return frozenset(self._chosen)

    def choose(self, keys: Iterable[str]) -> None:
        """Tick exactly these."""
        wanted = set(keys)
        if wanted != self._chosen:
            self._chosen = wanted
            self.changed.emit()
        self._say()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the list stay open while things are ticked in it."""
        clicked = isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent):
            pressed = event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if watched is self._list and (clicked or pressed):
            action = self._list.activeAction()
            if action is not None and action.isCheckable():
                action.trigger()
                return True
        return super().eventFilter(watched, event)

    def _fill(self) -> None:
        self._list.clear()
        for key, name in self._names.items():
            action = self._list.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(key in self._chosen)
            action.toggled.connect(lambda on, key=key: self._tick(key, on))

    def _tick(self, key: str, on: bool) -> None:
        self.choose(self._chosen | {key} if on else self._chosen - {key})

    def _say(self) -> None:
        names = [name for key, name in self._names.items() if key in self._chosen]
        said = ", ".join(names) if len(names) <= _FEW else f"{len(names)} chosen"
        text = f"{self._title}: {said}" if names else self._title
        self.setText(text.replace("&", "&&"))
        self.setAccessibleName(text)
        self.setToolTip(f"{self._title}: {', '.join(names) or 'any'}")
        self.setProperty("on", bool(names))
        self.style().unpolish(self)
        self.style().polish(self)
